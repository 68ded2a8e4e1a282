//! What others want of the app, and what it tells them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eframe::egui;

use crate::link::Link;
use crate::source::Source;
use crate::worker::Role;

/// What others want of the app, and what it tells them: a page's script, arguments, tests.
#[derive(Clone, Default)]
pub struct Remote(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    letters: Vec<Letter>,
    status: Status,
    context: Option<egui::Context>,
}

/// What the app says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Whether a capture is open.
    pub open: bool,
    /// Which one it is: they are counted.
    pub number: u64,
    /// How much of the one that is being opened was read, from 0 to 1.
    pub opening: Option<f32>,
    /// Whether all that is shown of the selection is there; counts of the whole frame may be on their way.
    pub shown: bool,
    /// Whether everything that was asked for is there.
    pub idle: bool,
    /// Whether thumbnails are there too.
    pub still: bool,
    /// The part of an address that selects what is selected.
    pub fragment: String,
    /// Events of the pixel's history that is shown.
    pub events: usize,
    /// How the pictures of a comparison differ, while they are shown.
    pub compared: Option<String>,
    /// The message that is shown.
    pub error: Option<String>,
}

/// One wish.
pub enum Letter {
    /// Opens a source.
    Open(Role, Source),
    /// Selects what the link says, now or in the capture that is being opened.
    Follow(Link),
    /// Shows that something could not be had.
    Fail(String),
}

impl Remote {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a wish for the app's next frame.
    pub fn put(&self, letter: Letter) {
        let mut shared = self.lock();
        shared.letters.push(letter);
        if let Some(context) = &shared.context {
            context.request_repaint();
        }
    }

    /// What is woken by a wish.
    pub fn set_context(&self, context: egui::Context) {
        self.lock().context = Some(context);
    }

    /// As it was after the app's last frame.
    pub fn status(&self) -> Status {
        self.lock().status.clone()
    }

    pub(super) fn take(&self) -> Vec<Letter> {
        std::mem::take(&mut self.lock().letters)
    }

    pub(super) fn tell(&self, status: Status) {
        self.lock().status = status;
    }
}

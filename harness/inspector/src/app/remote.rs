//! Remote control of the app.

use std::sync::Arc;

use eframe::egui::{self, mutex::Mutex};
use serde::Serialize;

use super::App;
use crate::link::Link;
use crate::session::Session;
use crate::source::Source;
use crate::worker::Role;

/// Remote control of the app, for a page's script, command line arguments and tests: requests go in, the status comes
/// out. Clones share both.
#[derive(Clone, Default)]
pub struct Remote(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    requests: Vec<Request>,
    status: Status,
    context: Option<egui::Context>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    pub open: bool,
    /// The open capture's number, counted from 1; 0 without one.
    pub number: u64,
    /// The name of the open capture's file; empty without one.
    pub name: String,
    /// Fraction of the capture being opened that was read, 0 to 1; `None` while none is opened.
    pub opening: Option<f32>,
    /// The selection's picture and the quick answers about it are known; the frame's counts may be missing.
    pub shown: bool,
    /// No replay and no question is pending; thumbnails may be.
    pub idle: bool,
    /// The app is idle, and no thumbnail is pending.
    pub complete: bool,
    /// The URL fragment of the selection, with its `#`; empty without a capture.
    pub fragment: String,
    pub events: usize,
    pub compared: Option<String>,
    pub error: Option<String>,
    /// The message of a source that could not be opened, or of a place not found in it, until another one is opened.
    pub unopened: Option<String>,
    pub dark: bool,
}

pub enum Request {
    Open(Role, Source),
    /// Applies the selection of a link to the open capture, or to the one being opened.
    Follow(Link),
    Fail(String),
}

impl Remote {
    /// Queues a request for the app's next UI frame, and requests a repaint.
    pub fn send(&self, request: Request) {
        let mut shared = self.0.lock();
        shared.requests.push(request);
        if let Some(context) = &shared.context {
            context.request_repaint();
        }
    }

    /// Sets the egui context to repaint after a request.
    pub fn set_context(&self, context: egui::Context) {
        self.0.lock().context = Some(context);
    }

    pub fn status(&self) -> Status {
        self.0.lock().status.clone()
    }

    pub(super) fn take(&self) -> Vec<Request> {
        std::mem::take(&mut self.0.lock().requests)
    }

    pub(super) fn set_status(&self, status: Status) {
        self.0.lock().status = status;
    }
}

impl App {
    pub(super) fn status(&self, context: &egui::Context) -> Status {
        let session = self.session.as_ref();
        let events = session.and_then(|session| {
            let (frame, selection) = (session.frame()?.number, session.selection);
            known!(session.cached, Pixel(frame, selection.texture, selection.pixel?))
        });
        let fraction = || self.worker.progress().fraction().unwrap_or(0.0);
        Status {
            open: session.is_some(),
            number: session.map_or(0, |session| session.number),
            opening: self.opening.as_ref().map(|_| fraction()),
            shown: (!self.replays() || self.has_pictures())
                && session.is_some_and(Session::is_answered),
            idle: self.is_idle(),
            complete: self.is_complete(),
            name: session.map_or(String::new(), |session| session.file_name().to_owned()),
            fragment: session.map_or(String::new(), |session| session.link().fragment()),
            events: events.map_or(0, |history| history.events.len()),
            compared: self.views.compare.outcome().map(str::to_owned),
            error: self.error.clone(),
            unopened: self.unopened.clone(),
            dark: context.theme() == egui::Theme::Dark,
        }
    }
}

//! Remote control of the app.

use std::sync::Arc;

use eframe::egui::{self, mutex::Mutex};
use serde::Serialize;

use super::App;
use crate::link::Link;
use crate::session::Session;
use crate::source::CaptureSource;
use crate::worker::QuestionRole;

/// Remote control of the app, for a web page's script, command line arguments and tests. The remote control receives
/// requests and publishes the app's status. Clones share the same state.
#[derive(Clone, Default)]
pub struct Remote(Arc<Mutex<RemoteState>>);

#[derive(Default)]
struct RemoteState {
    requests: Vec<RemoteRequest>,
    status: RemoteStatus,
    context: Option<egui::Context>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RemoteStatus {
    pub open: bool,
    /// The id of the open capture, from 1; 0 without a capture.
    pub number: u64,
    /// The file name of the open capture; empty without a capture.
    pub name: String,
    /// The fraction of the opening capture that was read, from 0 to 1; `None` if no capture is being opened.
    pub opening: Option<f32>,
    /// True if the image and the fast results of the selection are known; the frame's counts may be pending.
    pub shown: bool,
    /// True if no replay and no query is pending; thumbnails may be pending.
    pub idle: bool,
    /// True if the app is idle and no thumbnail is pending.
    pub complete: bool,
    /// The URL fragment of the selection, including `#`; empty without a capture.
    pub fragment: String,
    pub events: usize,
    pub compared: Option<String>,
    pub error: Option<String>,
    /// The error of a source or link that couldn't be opened. The error is kept until another source opens.
    pub unopened: Option<String>,
    pub dark: bool,
}

pub enum RemoteRequest {
    Open(QuestionRole, CaptureSource),
    /// Applies the selection of a link to the open capture, or to a capture that is being opened.
    Follow(Link),
    Fail(String),
}

impl Remote {
    /// Queues a request for the next UI frame, and requests a repaint.
    pub fn send(&self, request: RemoteRequest) {
        let mut shared = self.0.lock();
        shared.requests.push(request);
        if let Some(context) = &shared.context {
            context.request_repaint();
        }
    }

    /// Sets the egui context that is repainted after a request.
    pub fn set_context(&self, context: egui::Context) {
        self.0.lock().context = Some(context);
    }

    pub fn status(&self) -> RemoteStatus {
        self.0.lock().status.clone()
    }

    pub(super) fn take(&self) -> Vec<RemoteRequest> {
        std::mem::take(&mut self.0.lock().requests)
    }

    pub(super) fn set_status(&self, status: RemoteStatus) {
        self.0.lock().status = status;
    }
}

impl App {
    pub(super) fn status(&self, context: &egui::Context) -> RemoteStatus {
        let session = self.session.as_ref();
        let events = session.and_then(|session| {
            let (frame, selection) = (session.frame()?.number, session.selection);
            known!(session.cached, Pixel(frame, selection.texture, selection.pixel?))
        });
        let fraction = || self.worker.progress().fraction().unwrap_or(0.0);
        RemoteStatus {
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

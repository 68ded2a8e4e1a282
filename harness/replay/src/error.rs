//! Errors that end a replay.

use std::fmt;

use context3d::FlashError;
use context3d::backend::BackendError;

use molehill_capture::errors::CaptureErrorKind;
use molehill_capture::{CaptureError, CapturePosition};

/// The error that ended a replay early.
#[derive(Debug)]
pub struct ReplayError {
    /// The position of the replayed record; `None` for an error of the observer.
    pub at: Option<CapturePosition>,
    /// The type of the error.
    pub kind: ReplayErrorKind,
}

/// Kinds of errors that end a replay.
#[derive(Debug, thiserror::Error)]
pub enum ReplayErrorKind {
    /// The capture is invalid.
    #[error(transparent)]
    Capture(CaptureErrorKind),
    /// No device could be opened for a context.
    #[error("no device could be opened: {0}")]
    NoDevice(#[source] BackendError),
    /// The device failed in a Stage3D call, or in another operation.
    #[error("{0}: {1}")]
    Device(&'static str, #[source] BackendError),
    /// The capture requests a context with an unknown profile.
    #[error("{}", profile(.0.as_deref()))]
    Profile(Option<String>),
    /// A call raised a Flash error in a replay with [`ReplayOptions::strict`](super::ReplayOptions).
    #[error("{0}: {1}")]
    Strict(&'static str, FlashError),
    /// The observer of the replay returned an error.
    #[error("{0}")]
    Observer(String),
}

fn profile(name: Option<&str>) -> String {
    // Shorten an unknown profile's name, which may be megabytes long.
    let unknown =
        |name: &str| format!("unknown profile {:?}", name.chars().take(60).collect::<String>());
    name.map_or_else(|| "the context request has no \"profile\"".to_owned(), unknown)
}

impl ReplayErrorKind {
    /// Returns a replay error of this type at a position of the capture.
    pub fn at(self, at: CapturePosition) -> ReplayError {
        ReplayError { at: Some(at), kind: self }
    }
}

impl ReplayError {
    /// Returns a replay error for a failed observer.
    pub fn observer(reason: String) -> Self {
        ReplayError { at: None, kind: ReplayErrorKind::Observer(reason) }
    }

    /// Sets the call's index in an error of the replay, if it is unknown.
    pub fn in_call(mut self, number: u64) -> Self {
        let capture = matches!(self.kind, ReplayErrorKind::Capture(_));
        if let Some(at) = self.at.as_mut().filter(|at| at.call == 0 && !capture) {
            at.call = number;
        }
        self
    }

    /// Returns the error as a message with the capture's name: see [`CapturePosition::located`].
    pub fn located(&self, name: &str) -> String {
        self.at.map_or_else(|| self.kind.to_string(), |at| at.located(name, &self.kind))
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) if at.line > 0 => write!(f, "{at}: {}", self.kind),
            _ => self.kind.fmt(f),
        }
    }
}

impl std::error::Error for ReplayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.kind.source()
    }
}

impl From<CaptureError> for ReplayError {
    fn from(error: CaptureError) -> Self {
        ReplayErrorKind::Capture(error.kind).at(error.at)
    }
}

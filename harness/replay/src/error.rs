//! Errors that end a replay.

use std::fmt;

use context3d::FlashError;
use context3d::backend::BackendError;

use molehill_capture::{CaptureError, Position};

/// Why a replay ended early. `at` is the line being replayed.
#[derive(Debug)]
pub enum ReplayError {
    /// The capture is invalid.
    Capture(CaptureError),
    /// No device for a context.
    NoDevice {
        /// The context's first call.
        at: Position,
        /// The device's error.
        error: BackendError,
    },
    /// The device failed.
    Device {
        /// The line being replayed.
        at: Position,
        /// The name of the call, or another operation.
        call: &'static str,
        /// The device's error.
        error: BackendError,
    },
    /// An unknown profile.
    Profile {
        /// The request.
        at: Position,
        /// The profile's name.
        name: Option<String>,
    },
    /// Flash would raise an error, and [`Options::strict`](super::Options) allows none.
    Strict {
        /// The call.
        at: Position,
        /// Its name.
        call: &'static str,
        /// The error.
        error: FlashError,
    },
    /// The observer failed.
    Observer(String),
}

impl ReplayError {
    /// Where the error is; `None` for an error of the observer.
    pub fn at(&self) -> Option<Position> {
        match self {
            ReplayError::Capture(error) => Some(error.at),
            ReplayError::NoDevice { at, .. }
            | ReplayError::Device { at, .. }
            | ReplayError::Profile { at, .. }
            | ReplayError::Strict { at, .. } => Some(*at),
            ReplayError::Observer(_) => None,
        }
    }

    /// Adds the number of the call to an error of the replay, if it is unknown.
    pub fn in_call(mut self, number: u64) -> Self {
        match &mut self {
            ReplayError::NoDevice { at, .. }
            | ReplayError::Device { at, .. }
            | ReplayError::Profile { at, .. }
            | ReplayError::Strict { at, .. }
                if at.call == 0 =>
            {
                at.call = number;
            }
            ReplayError::Capture(_)
            | ReplayError::NoDevice { .. }
            | ReplayError::Device { .. }
            | ReplayError::Profile { .. }
            | ReplayError::Strict { .. }
            | ReplayError::Observer(_) => {}
        }
        self
    }

    /// The error with the capture's name: see [`Position::located`].
    pub fn located(&self, name: &str) -> String {
        match self.at() {
            Some(at) => at.located(name, self.reason()),
            None => self.reason(),
        }
    }

    /// The message without the line.
    fn reason(&self) -> String {
        match self {
            ReplayError::Capture(error) => error.kind.to_string(),
            ReplayError::NoDevice { error, .. } => format!("no device to draw on: {error}"),
            ReplayError::Device { call, error, .. } => format!("{call}: {error}"),
            ReplayError::Profile { name: Some(name), .. } => {
                // The name in the file may be megabytes.
                format!("unknown profile {:?}", name.chars().take(60).collect::<String>())
            }
            ReplayError::Profile { name: None, .. } => "a context without \"profile\"".to_owned(),
            ReplayError::Strict { call, error, .. } => format!("{call}: {error}"),
            ReplayError::Observer(text) => text.clone(),
        }
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at() {
            Some(at) if at.line > 0 => write!(f, "{at}: {}", self.reason()),
            _ => f.write_str(&self.reason()),
        }
    }
}

impl std::error::Error for ReplayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReplayError::Capture(error) => Some(error),
            ReplayError::NoDevice { error, .. } | ReplayError::Device { error, .. } => Some(error),
            ReplayError::Profile { .. } | ReplayError::Strict { .. } | ReplayError::Observer(_) => {
                None
            }
        }
    }
}

impl From<CaptureError> for ReplayError {
    fn from(error: CaptureError) -> Self {
        ReplayError::Capture(error)
    }
}

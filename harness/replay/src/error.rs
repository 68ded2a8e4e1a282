//! Errors that end a replay.

use std::fmt;

use context3d::FlashError;
use context3d::backend::BackendError;

use molehill_capture::CaptureError;

/// Why a replay ended early.
#[derive(Debug)]
pub enum ReplayError {
    /// The capture is invalid.
    Capture(CaptureError),
    /// No device for a context.
    NoDevice {
        /// The line with the context's first call.
        line: u64,
        /// The device's error.
        error: BackendError,
    },
    /// The device failed.
    Device {
        /// The line being replayed.
        line: u64,
        /// The call in it, or another operation.
        call: &'static str,
        /// The device's error.
        error: BackendError,
    },
    /// An unknown profile.
    Profile {
        /// The line that requests it.
        line: u64,
        /// The profile's name.
        name: Option<String>,
    },
    /// Flash would raise an error, and [`Options::strict`](super::Options) allows none.
    Strict {
        /// The line.
        line: u64,
        /// The call in it.
        call: &'static str,
        /// The error.
        error: FlashError,
    },
    /// The observer failed.
    Observer(String),
}

impl ReplayError {
    /// The line of the error, if there is one.
    pub fn line(&self) -> Option<u64> {
        match self {
            ReplayError::Capture(error) => Some(error.line).filter(|line| *line > 0),
            ReplayError::NoDevice { line, .. }
            | ReplayError::Device { line, .. }
            | ReplayError::Profile { line, .. }
            | ReplayError::Strict { line, .. } => Some(*line),
            ReplayError::Observer(_) => None,
        }
    }

    /// The error with the capture's name: `NAME:LINE: message`.
    pub fn located(&self, name: &str) -> String {
        match (self, self.line()) {
            (ReplayError::Capture(error), _) => error.located(name),
            (_, Some(line)) => format!("{name}:{line}: {}", self.reason()),
            (_, None) => self.reason(),
        }
    }

    /// The message without the line.
    fn reason(&self) -> String {
        match self {
            ReplayError::Capture(error) => error.kind.to_string(),
            ReplayError::NoDevice { error, .. } => format!("no device to draw on: {error}"),
            ReplayError::Device { call, error, .. } => format!("{call}: {error}"),
            ReplayError::Profile {
                name: Some(name), ..
            } => {
                // The name in the file may be megabytes.
                format!(
                    "unknown profile {:?}",
                    name.chars().take(60).collect::<String>()
                )
            }
            ReplayError::Profile { name: None, .. } => "a context without \"profile\"".to_owned(),
            ReplayError::Strict { call, error, .. } => format!("{call}: {error}"),
            ReplayError::Observer(text) => text.clone(),
        }
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line() {
            Some(line) => write!(f, "line {line}: {}", self.reason()),
            None => f.write_str(&self.reason()),
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

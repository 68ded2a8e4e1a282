//! What ends a replay.

use std::fmt;

use context3d::{BackendError, FlashError};

use crate::trace::TraceError;

/// Why a replay can't go on.
#[derive(Debug)]
pub enum ReplayError {
    /// The capture is faulty.
    Trace(TraceError),
    /// No device for a context.
    NoDevice {
        /// The line with the context's first call.
        line: u64,
        /// The device's error.
        error: BackendError,
    },
    /// The device failed.
    Device {
        /// The line that was played.
        line: u64,
        /// The call in it, or what else was done.
        call: &'static str,
        /// The device's error.
        error: BackendError,
    },
    /// A context of a profile that is not known.
    Profile {
        /// The line that requests it.
        line: u64,
        /// The profile's name.
        name: Option<String>,
    },
    /// Flash would raise an error, and [`Options::strict`](super::Options) says that none may be.
    Strict {
        /// The line.
        line: u64,
        /// The call in it.
        call: &'static str,
        /// The error.
        error: FlashError,
    },
    /// The observer can't take a frame.
    Observer(String),
}

impl ReplayError {
    /// The line at fault, if there is one.
    pub fn line(&self) -> Option<u64> {
        match self {
            ReplayError::Trace(error) => Some(error.line).filter(|line| *line > 0),
            ReplayError::NoDevice { line, .. }
            | ReplayError::Device { line, .. }
            | ReplayError::Profile { line, .. }
            | ReplayError::Strict { line, .. } => Some(*line),
            ReplayError::Observer(_) => None,
        }
    }

    /// The error with the capture's name: `NAME:LINE: what is wrong`.
    pub fn located(&self, name: &str) -> String {
        match (self, self.line()) {
            (ReplayError::Trace(error), _) => error.located(name),
            (ReplayError::Observer(text), _) => text.clone(),
            (error, Some(line)) => format!("{name}:{line}: {error}"),
            (error, None) => format!("{name}: {error}"),
        }
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Trace(error) => write!(f, "{error}"),
            ReplayError::NoDevice { error, .. } => write!(f, "no device to draw on: {error}"),
            ReplayError::Device { call, error, .. } => write!(f, "{call}: {error}"),
            ReplayError::Profile { name: Some(name), .. } => write!(f, "unknown profile {name:?}"),
            ReplayError::Profile { name: None, .. } => write!(f, "a context without \"profile\""),
            ReplayError::Strict { call, error, .. } => write!(f, "{call}: {error}"),
            ReplayError::Observer(text) => write!(f, "{text}"),
        }
    }
}

impl std::error::Error for ReplayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReplayError::Trace(error) => Some(error),
            ReplayError::NoDevice { error, .. } | ReplayError::Device { error, .. } => Some(error),
            ReplayError::Profile { .. } | ReplayError::Strict { .. } | ReplayError::Observer(_) => None,
        }
    }
}

impl From<TraceError> for ReplayError {
    fn from(error: TraceError) -> Self {
        ReplayError::Trace(error)
    }
}

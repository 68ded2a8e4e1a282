//! What a call can fail with.

pub use agal::{AgalError, ErrorClass};

use crate::backend::BackendError;

/// Why a call did nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// Flash raises this to the ActionScript program.
    Flash(FlashError),
    /// Flash can do this and Molehill can't yet: nothing of Flash's is raised, the text names the feature.
    Unsupported(String),
    /// The device failed.
    Backend(BackendError),
}

/// An error as ActionScript sees it: number, class, message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlashError {
    number: u16,
    class: ErrorClass,
    message: String,
    token: Option<u32>,
}

impl FlashError {
    /// `errorID`, for example 3669.
    pub fn number(&self) -> u16 {
        self.number
    }
    /// The class that Flash throws.
    pub fn class(&self) -> ErrorClass {
        self.class
    }
    /// The text after `Error #NNNN: `, placeholders filled in.
    pub fn message(&self) -> &str {
        &self.message
    }
    /// For an AGAL error: the offending token, counted from 1.
    pub fn token(&self) -> Option<u32> {
        self.token
    }
}

impl std::fmt::Display for FlashError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: Error #{}: {}",
            self.class.name(),
            self.number,
            self.message
        )
    }
}

//! The errors that calls return.

mod table;

use std::fmt;

pub use agal::{AgalError, errors::ErrorClass};
pub use table::{ErrorCode, ErrorCondition};

use crate::backend::BackendError;

/// The error of a call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// An error that Flash raises to the ActionScript program.
    #[error(transparent)]
    Flash(#[from] FlashError),
    /// A feature of Flash that Molehill doesn't support, by name. Flash has no error for unsupported features.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The device or the driver failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

impl Error {
    /// Replaces [`BackendError::OutOfMemory`] by the error that Flash raises if memory is exhausted.
    pub(crate) fn with_memory_error(self, code: ErrorCode) -> Self {
        if self == Error::Backend(BackendError::OutOfMemory) { code.into() } else { self }
    }
}

/// An ActionScript error: its number, class and message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", self.class.name(), self.as3_message())]
pub struct FlashError {
    code: ErrorCode,
    class: ErrorClass,
    message: String,
    token: Option<u32>,
}

impl FlashError {
    /// Returns the entry of the error table.
    pub fn code(&self) -> ErrorCode {
        self.code
    }
    /// Returns the `errorID` of the error, for example 3669.
    pub fn number(&self) -> u16 {
        self.code.number()
    }
    /// Returns the class of the error object that Flash throws.
    pub fn class(&self) -> ErrorClass {
        self.class
    }
    /// Returns the message after `Error #NNNN: `, with filled placeholders; empty if the host disables error texts.
    pub fn message(&self) -> &str {
        &self.message
    }
    /// Returns ActionScript's `message`: `Error #3669: Bad input size.`, or `Error #3669` if error texts are disabled.
    pub fn as3_message(&self) -> String {
        let number = self.number();
        match self.message.as_str() {
            "" => format!("Error #{number}"),
            text => format!("Error #{number}: {text}"),
        }
    }
    /// Removes the message, as in release players [context3d.host.messages].
    pub(crate) fn remove_text(&mut self) {
        self.message.clear();
    }
    /// Returns the 1-based index of the offending token of an AGAL error.
    pub fn token(&self) -> Option<u32> {
        self.token
    }

    /// Creates an error of the API or of a host's checks, and fills the placeholders `%1`, `%2`, … of its message.
    pub fn new(code: ErrorCode, arguments: &[impl fmt::Display]) -> Self {
        FlashError {
            code,
            class: code.class(),
            message: agal::errors::fill_message(code.template(), arguments),
            token: None,
        }
    }
}

impl From<AgalError> for FlashError {
    fn from(error: AgalError) -> Self {
        FlashError {
            code: ErrorCode::Agal(error.kind()),
            class: error.class(),
            message: error.message().to_owned(),
            token: error.token(),
        }
    }
}

/// The error of a check: an entry of the error table, and values for its placeholders. A `CheckError` doesn't allocate,
/// so that a silently dropped draw is cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CheckError {
    pub(crate) code: ErrorCode,
    class: Option<ErrorClass>,
    numbers: [i64; 3],
    name: &'static str,
}

impl CheckError {
    #[cold]
    pub(crate) fn new(code: ErrorCode) -> Self {
        CheckError { code, class: None, numbers: [0; 3], name: "" }
    }

    /// Creates an error whose placeholders `%1`, `%2`, `%3` are these numbers.
    #[cold]
    pub(crate) fn with<const N: usize>(code: ErrorCode, numbers: [i64; N]) -> Self {
        let mut error = CheckError::new(code);
        for (to, from) in error.numbers.iter_mut().zip(numbers) {
            *to = from;
        }
        error
    }

    /// Creates an error whose placeholder `%1` is the name of a parameter.
    pub(crate) fn named(code: ErrorCode, name: &'static str) -> Self {
        CheckError { name, ..CheckError::new(code) }
    }

    /// Replaces the error class of the table, because Flash raises a few errors with two classes.
    pub(crate) fn as_class(self, class: ErrorClass) -> Self {
        CheckError { class: Some(class), ..self }
    }
}

/// The error of a setting method. Two CPU registers hold the error, so that a successful call needs no stack space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetterError {
    /// The entry of the error table; `None` for a resource that the profile guarantees, but the device lacks.
    code: Option<ErrorCode>,
    /// The value of the placeholder `%1`.
    name: &'static &'static str,
}

impl SetterError {
    /// Creates an error whose placeholder `%1` is the name of a parameter.
    #[inline]
    pub(crate) fn named(code: ErrorCode, name: &'static &'static str) -> Self {
        let code = Some(code);
        SetterError { code, name }
    }

    /// Creates the error for a resource that the profile guarantees, but the device lacks. A host that grants only
    /// profiles that the device supports never causes a `beyond_device` error.
    #[inline]
    pub(crate) fn beyond_device(name: &'static &'static str) -> Self {
        SetterError { code: None, name }
    }
}

impl From<ErrorCode> for SetterError {
    #[inline]
    fn from(code: ErrorCode) -> Self {
        SetterError::named(code, &"")
    }
}

impl From<SetterError> for Error {
    #[cold]
    #[inline(never)]
    fn from(error: SetterError) -> Self {
        match error.code {
            Some(code) => CheckError::named(code, error.name).into(),
            None => Error::Unsupported(format!(
                "the device supports fewer {} than the profile",
                error.name
            )),
        }
    }
}

impl From<CheckError> for FlashError {
    #[cold]
    fn from(error: CheckError) -> Self {
        let filled = match error.name {
            "" => FlashError::new(error.code, &error.numbers),
            name => FlashError::new(error.code, &[name]),
        };
        FlashError { class: error.class.unwrap_or(filled.class), ..filled }
    }
}

impl From<CheckError> for Error {
    #[cold]
    #[inline(never)]
    fn from(error: CheckError) -> Self {
        Error::Flash(error.into())
    }
}

impl From<ErrorCode> for Error {
    #[cold]
    #[inline(never)]
    fn from(code: ErrorCode) -> Self {
        CheckError::new(code).into()
    }
}

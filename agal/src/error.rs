//! Flash's errors for AGAL programs.

/// The ActionScript class that Flash throws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// `Error`
    Error,
    /// `ArgumentError`
    ArgumentError,
    /// `RangeError`
    RangeError,
    /// `TypeError`
    TypeError,
}

impl ErrorClass {
    /// The class name as ActionScript spells it.
    pub fn name(self) -> &'static str {
        match self {
            ErrorClass::Error => "Error",
            ErrorClass::ArgumentError => "ArgumentError",
            ErrorClass::RangeError => "RangeError",
            ErrorClass::TypeError => "TypeError",
        }
    }
}

/// A program that Flash rejects: number, class, filled-in message and the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgalError {
    number: u16,
    class: ErrorClass,
    message: String,
    token: Option<u32>,
}

impl AgalError {
    /// Flash's error number, for example 3632.
    pub fn number(&self) -> u16 {
        self.number
    }
    /// The class that Flash throws.
    pub fn class(&self) -> ErrorClass {
        self.class
    }
    /// Flash's message with its placeholders filled in.
    pub fn message(&self) -> &str {
        &self.message
    }
    /// Number of the offending token, counted from 1 as Flash does.
    pub fn token(&self) -> Option<u32> {
        self.token
    }
}

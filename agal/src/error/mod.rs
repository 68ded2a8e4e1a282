//! Flash's errors for AGAL programs: the table of error numbers, and the error type with its position.
//!
//! An [`AgalError`] is an [`ErrorKind`] with the arguments of its message. `decode`, `validate` and `link` decide
//! whether a program has an error.

mod inferred;
mod provenance;
mod table;

use std::fmt::{self, Write};

pub use inferred::{Grade, InferredError};
pub use provenance::{RaisedBy, Witness};
pub use table::ErrorKind;

use crate::version::Stage;

agal_core::table! {
    /// The ActionScript class of an error.
    pub enum ErrorClass {
        /// Returns the class's name.
        name: &'static str,
    }
    Error         "Error";
    ArgumentError "ArgumentError";
    RangeError    "RangeError";
    TypeError     "TypeError";
}

/// Flash's error for a rejected program: number, class, complete message and position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgalError(Box<ErrorData>);

/// The content of an [`AgalError`]. [`AgalError`] boxes this content: the verifier returns a `Result` per operand,
/// almost always `Ok`, and a small `Result` fits in CPU registers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ErrorData {
    kind: ErrorKind,
    class: ErrorClass,
    message: String,
    token: Option<u32>,
}

impl AgalError {
    /// Returns the error's row in the table of errors.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }
    /// Returns Flash's error number.
    pub fn number(&self) -> u16 {
        self.0.kind.number()
    }
    /// Returns the ActionScript class of the error.
    pub fn class(&self) -> ErrorClass {
        self.0.class
    }
    /// Returns Flash's message with its arguments.
    pub fn message(&self) -> &str {
        &self.0.message
    }
    /// Returns the 1-based index of the invalid token, as Flash counts tokens.
    pub fn token(&self) -> Option<u32> {
        self.0.token
    }
}

impl fmt::Display for AgalError {
    /// Writes the message as ActionScript shows it: `Error #3632: AGAL linkage: …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error #{}: {}", self.number(), self.message())
    }
}

impl std::error::Error for AgalError {}

/// Builds an error: sets the arguments of its message ([agal.message.operand]).
pub(crate) struct ErrorBuilder {
    kind: ErrorKind,
    class: ErrorClass,
    token: Option<u32>,
    args: [String; 4],
}

impl ErrorKind {
    /// Begins an error of this kind, without arguments of the message.
    #[cold]
    pub(crate) fn report(self) -> ErrorBuilder {
        ErrorBuilder { kind: self, class: self.class(), token: None, args: Default::default() }
    }

    /// Returns the error of a native limit, 3715 to 3721. A program of this stage needs `found` units of a resource,
    /// and `limit` is the maximum. The code that counts native instructions raises the error; see [`RaisedBy::Native`].
    pub fn native(self, stage: Stage, limit: u32, found: u32) -> AgalError {
        let report = self.report().subject(stage);
        report.detail(limit).found(found).into()
    }
}

impl ErrorBuilder {
    fn arg<const N: usize>(mut self, value: impl fmt::Display) -> ErrorBuilder {
        if let Some(slot) = self.args.get_mut(N) {
            *slot = value.to_string();
        }
        self
    }
    /// Replaces the class from the table; only error 3615 needs this.
    pub(crate) fn class(mut self, class: ErrorClass) -> ErrorBuilder {
        self.class = class;
        self
    }
    /// Sets argument %1 of Flash's error message: the program kind, or the varying in messages about linkage.
    pub(crate) fn subject(self, value: impl fmt::Display) -> ErrorBuilder {
        self.arg::<0>(value)
    }
    /// Sets argument %2 of Flash's error message: the operand, opcode, version or count.
    pub(crate) fn detail(self, value: impl fmt::Display) -> ErrorBuilder {
        self.arg::<1>(value)
    }
    /// Sets argument %3 of Flash's error message: the found count, in messages about native limits.
    pub(crate) fn found(self, value: impl fmt::Display) -> ErrorBuilder {
        self.arg::<2>(value)
    }
    /// Sets argument %4 of Flash's error message: the invalid value of a sampler field.
    pub(crate) fn value(self, value: impl fmt::Display) -> ErrorBuilder {
        self.arg::<3>(value)
    }
    /// Sets argument %1 of Flash's error message to the program kind, and %3 to the token; in message 3625, the token
    /// is %2.
    pub(crate) fn at(mut self, stage: Stage, token: u32) -> ErrorBuilder {
        self.token = Some(token);
        let report = self.subject(stage.name()).arg::<2>(token);
        if report.kind == ErrorKind::BothConstant { report.detail(token) } else { report }
    }
}

impl From<ErrorBuilder> for AgalError {
    fn from(report: ErrorBuilder) -> AgalError {
        AgalError(Box::new(ErrorData {
            message: fill_message(report.kind.template(), &report.args),
            kind: report.kind,
            class: report.class,
            token: report.token,
        }))
    }
}

/// Replaces `%1` to `%9` by arguments. Placeholders inside arguments are not replaced.
pub fn fill_message(template: &str, arguments: &[impl fmt::Display]) -> String {
    let mut message = String::with_capacity(template.len() + 16);
    let mut pieces = template.split('%');
    message.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let mut rest = piece.chars();
        let index = rest.next().and_then(|digit| digit.to_digit(10));
        let argument = index.and_then(|n| arguments.get((n as usize).wrapping_sub(1)));
        match argument {
            Some(argument) => {
                // Writing to a String can't fail.
                let _ = write!(message, "{argument}{}", rest.as_str());
            }
            None => {
                message.push('%');
                message.push_str(piece);
            }
        }
    }
    message
}

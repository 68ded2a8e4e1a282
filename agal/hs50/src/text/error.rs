//! Errors of the assembler.

use agal_core::text::{Clipped, TextError, TextErrors};
use thiserror::Error;

use crate::tokens::program::TokenError;

/// An error in a listing.
pub type AsmError = TextError<AsmErrorKind>;
/// The errors in a listing.
pub type AsmErrors = TextErrors<AsmErrorKind>;
pub(super) type Parsed<T = ()> = Result<T, AsmError>;

/// The kinds of errors in listings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AsmErrorKind {
    /// The first word is no version.
    #[error("expected a version: hs, vs, ds or ps with 5_0 or 5_1, such as hs_5_0")]
    Version,
    /// A word at the place of an opcode is none.
    #[error("unknown opcode `{}`", Clipped(.0))]
    Opcode(String),
    /// A word at the place of a register is none.
    #[error("unknown register `{}`", Clipped(.0))]
    Register(String),
    /// A word has no meaning at its place.
    #[error("unexpected word `{}`", Clipped(.0))]
    Word(String),
    /// A word at the place of a number is none.
    #[error("`{}` is not a 32-bit number", Clipped(.0))]
    Number(String),
    /// The letters behind a register are no swizzle and no mask.
    #[error("`{}` is not one to four of x, y, z, w (for a write mask, in this order)", Clipped(.0))]
    Components(String),
    /// An immediate has this number of values.
    #[error("an immediate must have 1 or 4 values, found {0}")]
    ValueCount(usize),
    /// Another word or sign stands where this one must.
    #[error("expected {0}")]
    Expected(&'static str),
    /// The line goes on behind a complete instruction.
    #[error("unexpected `{}` at the end of the line", Clipped(.0))]
    Rest(String),
    /// A register is in the index of a register, and so on.
    #[error("indices are nested too deeply")]
    Nesting,
    /// The tokens of the instruction have this number of words.
    #[error("the instruction has {0} words, at most 127 are allowed")]
    TooLong(usize),
    /// The instruction's numbers are no instruction in tokens.
    #[error("the words are not an instruction: {}", .0.kind)]
    Words(TokenError),
}

//! Errors of the assembler.

use shader_core::text::{Clipped, TextError, TextErrors};
use thiserror::Error;

use crate::tokens::program::TokenError;

pub type AsmError = TextError<AsmErrorKind>;
pub type AsmErrors = TextErrors<AsmErrorKind>;
pub(super) type Parsed<T = ()> = Result<T, AsmError>;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AsmErrorKind {
    #[error("expected a version: hs, vs, ds or ps with 5_0 or 5_1, such as hs_5_0")]
    Version,
    #[error("unknown opcode `{}`", Clipped(.0))]
    Opcode(String),
    #[error("unknown register `{}`", Clipped(.0))]
    Register(String),
    #[error("unexpected word `{}`", Clipped(.0))]
    Word(String),
    #[error("`{}` is not a 32-bit number", Clipped(.0))]
    Number(String),
    #[error("`{}` is not one to four of x, y, z, w (for a write mask, in this order)", Clipped(.0))]
    Components(String),
    #[error("an immediate must have 1 or 4 values, found {0}")]
    ValueCount(usize),
    #[error("expected {0}")]
    Expected(&'static str),
    #[error("unexpected `{}` at the end of the line", Clipped(.0))]
    Rest(String),
    #[error("indices are nested too deeply")]
    Nesting,
    #[error("the instruction has {0} words, at most 127 are allowed")]
    TooLong(usize),
    #[error("the words are not an instruction: {}", .0.kind)]
    Words(TokenError),
}

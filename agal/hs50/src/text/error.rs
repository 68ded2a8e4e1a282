//! Errors of the assembler.

use shader_core::text::{Clipped, TextError, TextErrors};

/// An error at a position in the text.
pub type AsmError = TextError<AsmErrorKind>;
/// All errors of a text.
pub type AsmErrors = TextErrors<AsmErrorKind>;

/// The kind of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AsmErrorKind {
    /// The text doesn't begin with a version such as `hs_5_0`.
    Version,
    /// There is no opcode with this name.
    Opcode(String),
    /// There is no register file with this name.
    Register(String),
    /// An unexpected word.
    Word(String),
    /// Not a number, or too large.
    Number(String),
    /// Not one to four of x, y, z, w; for a destination also: not in this order.
    Components(String),
    /// An immediate must have one value or four.
    ValueCount(usize),
    /// Something else was expected.
    Expected(&'static str),
    /// Unexpected text at the end of the line.
    Rest(String),
    /// Operands are nested too deeply.
    Nesting,
    /// The instruction has more words than its length field can hold.
    TooLong(usize),
    /// The words of `.words` aren't an instruction.
    Words(crate::token::TokenError),
}

shader_core::messages! { AsmErrorKind {
    Self::Version => "expected a version: hs, vs, ds or ps with 5_0 or 5_1, such as hs_5_0";
    Self::Opcode(name) => "unknown opcode `{}`", Clipped(name);
    Self::Register(name) => "unknown register `{}`", Clipped(name);
    Self::Word(name) => "unexpected word `{}`", Clipped(name);
    Self::Number(text) => "`{}` is not a 32-bit number", Clipped(text);
    Self::Components(text) => "`{}` is not one to four of x, y, z, w (for a write mask, in this order)", Clipped(text);
    Self::ValueCount(count) => "an immediate must have 1 or 4 values, found {count}";
    Self::Expected(what) => "expected {what}";
    Self::Rest(text) => "unexpected `{}` at the end of the line", Clipped(text);
    Self::Nesting => "indices are nested too deeply";
    Self::TooLong(words) => "the instruction has {words} words, at most 127 are allowed";
    Self::Words(error) => "the words are not an instruction: {}", error.kind;
} }

//! Errors of the assembler.

use agal::text::{Clipped, TextError, TextErrors};

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

agal::messages! { AsmErrorKind {
    Self::Version => "expected a version: hs_5_0, vs_5_0, ds_5_0, ps_5_0 or the same of 5_1";
    Self::Opcode(name) => "unknown opcode `{}`", Clipped(name);
    Self::Register(name) => "no register `{}`", Clipped(name);
    Self::Word(name) => "unknown word `{}`", Clipped(name);
    Self::Number(text) => "`{}` is not a number of 32 bits", Clipped(text);
    Self::Components(text) => "`{}` is not one to four of x, y, z, w (of a destination in this order)", Clipped(text);
    Self::ValueCount(count) => "an immediate has 1 value or 4, found {count}";
    Self::Expected(what) => "expected {what}";
    Self::Rest(text) => "`{}` is too much", Clipped(text);
    Self::Nesting => "indices are nested too deep";
    Self::TooLong(words) => "the instruction has {words} words, at most 127 can be said";
    Self::Words(error) => "no instruction: {}", error.kind;
} }

//! What is wrong with a text.

use agal::text::{Clipped, TextError, TextErrors};

/// What is wrong at one place of a text.
pub type AsmError = TextError<AsmErrorKind>;
/// Everything that is wrong with a text.
pub type AsmErrors = TextErrors<AsmErrorKind>;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AsmErrorKind {
    /// The text does not begin with a version like `hs_5_0`.
    Version,
    /// No opcode of this name.
    Opcode(String),
    /// No register file of this name.
    Register(String),
    /// No such word here.
    Word(String),
    /// Not a number, or too large.
    Number(String),
    /// Not one to four of x, y, z, w; of a destination, in their order.
    Components(String),
    /// An immediate has one value or four.
    ValueCount(usize),
    /// Something else should stand here.
    Expected(&'static str),
    /// More on the line than there should be.
    Rest(String),
    /// Operands within operands without end.
    Nesting,
    /// The instruction has more words than its length can say.
    TooLong(usize),
    /// `.words` are no instruction.
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

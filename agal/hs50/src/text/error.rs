//! What is wrong with a text.

use std::fmt;

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

impl fmt::Display for AsmErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use AsmErrorKind as Kind;
        match self {
            Kind::Version => {
                f.write_str("expected a version: hs_5_0, vs_5_0, ds_5_0, ps_5_0 or the same of 5_1")
            }
            Kind::Opcode(name) => write!(f, "unknown opcode `{}`", Clipped(name)),
            Kind::Register(name) => write!(f, "no register `{}`", Clipped(name)),
            Kind::Word(name) => write!(f, "unknown word `{}`", Clipped(name)),
            Kind::Number(text) => write!(f, "`{}` is not a number of 32 bits", Clipped(text)),
            Kind::Components(text) => {
                write!(
                    f,
                    "`{}` is not one to four of x, y, z, w (of a destination in this order)",
                    Clipped(text)
                )
            }
            Kind::ValueCount(count) => write!(f, "an immediate has 1 value or 4, found {count}"),
            Kind::Expected(what) => write!(f, "expected {what}"),
            Kind::Rest(text) => write!(f, "`{}` is too much", Clipped(text)),
            Kind::Nesting => f.write_str("indices are nested too deep"),
            Kind::TooLong(words) => write!(
                f,
                "the instruction has {words} words, at most 127 can be said"
            ),
            Kind::Words(error) => write!(f, "no instruction: {}", error.kind),
        }
    }
}

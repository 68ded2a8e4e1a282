//! Errors of the assembler.

use shader_core::text::{Clipped, Cursor};
use thiserror::Error;

pub type TextError = shader_core::text::TextError<TextErrorKind>;
pub type TextErrors = shader_core::text::TextErrors<TextErrorKind>;
pub(super) type Parsed<T = ()> = Result<T, TextError>;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextErrorKind {
    #[error("the text must begin with a version such as `ps_2_0`")]
    MissingVersion,
    #[error("a second version: a text can hold only one shader")]
    SecondVersion,
    #[error("unknown instruction `{}`", Clipped(.0))]
    UnknownMnemonic(String),
    /// `needs` is the first version of the stage that has the instruction.
    #[error("`{}` does not exist in {version}{}", Clipped(.name), needed(*.needs))]
    NotInVersion { name: String, version: &'static str, needs: Option<&'static str> },
    /// An unknown suffix, or one that this mnemonic doesn't take.
    #[error("`_{}` is not allowed here", Clipped(.0))]
    BadSuffix(String),
    #[error("`{0}` needs a comparison, as in `{0}_gt`")]
    MissingComparison(String),
    #[error("`{name}` takes {expected} operands, found {found}")]
    OperandCount { name: String, expected: usize, found: usize },
    /// No version has a register with this name.
    #[error("unknown register `{}`", Clipped(.0))]
    UnknownRegister(String),
    #[error("{version} has no register `{}`", Clipped(.register))]
    RegisterNotInVersion { register: String, version: &'static str },
    #[error("`{}`: the register number is too large", Clipped(.0))]
    NumberTooLarge(String),
    #[error("`{}` is not one to four of x, y, z, w (for a write mask, in this order)", Clipped(.0))]
    BadComponents(String),
    /// An unknown source modifier, or a combination that doesn't exist.
    #[error("`{}` is not a source modifier", Clipped(.0))]
    BadModifier(String),
    #[error("`{}` is not a valid number here", Clipped(.0))]
    BadNumber(String),
    #[error("expected {0}")]
    Expected(&'static str),
    #[error("the assembler doesn't support preprocessor directives")]
    Preprocessor,
}

fn needed(version: Option<&str>) -> String {
    version.map_or_else(String::new, |version| format!(" (needs {version})"))
}

pub(super) fn expected(at: &Cursor<'_>, what: &'static str) -> TextError {
    at.error(TextErrorKind::Expected(what))
}

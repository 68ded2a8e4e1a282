//! Errors of the assembler.

use agal_core::text::{Clipped, Cursor};
use thiserror::Error;

/// An error in a text.
pub type TextError = agal_core::text::TextError<TextErrorKind>;
/// The errors in a text.
pub type TextErrors = agal_core::text::TextErrors<TextErrorKind>;
pub(super) type Parsed<T = ()> = Result<T, TextError>;

/// The kinds of errors in texts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextErrorKind {
    /// The first word is no version.
    #[error("the text must begin with a version such as `ps_2_0`")]
    MissingVersion,
    /// A second word is a version.
    #[error("a second version: a text can hold only one shader")]
    SecondVersion,
    /// A word at the place of an instruction is none.
    #[error("unknown instruction `{}`", Clipped(.0))]
    UnknownMnemonic(String),
    /// `needs` is the first version of the stage that has the instruction.
    #[error("`{}` does not exist in {version}{}", Clipped(.name), needed(*.needs))]
    NotInVersion {
        /// The instruction.
        name: String,
        /// The version of the text.
        version: &'static str,
        /// The first version that has the instruction.
        needs: Option<&'static str>,
    },
    /// An unknown suffix, or one that this mnemonic doesn't take.
    #[error("`_{}` is not allowed here", Clipped(.0))]
    BadSuffix(String),
    /// The comparison behind this mnemonic is missing.
    #[error("`{0}` needs a comparison, as in `{0}_gt`")]
    MissingComparison(String),
    /// An instruction has too few or too many operands.
    #[error("`{name}` takes {expected} operands, found {found}")]
    OperandCount {
        /// The instruction.
        name: String,
        /// The number of operands that it takes.
        expected: usize,
        /// The number of operands in the line.
        found: usize,
    },
    /// No version has a register with this name.
    #[error("unknown register `{}`", Clipped(.0))]
    UnknownRegister(String),
    /// The version lacks the register.
    #[error("{version} has no register `{}`", Clipped(.register))]
    RegisterNotInVersion {
        /// The register as written.
        register: String,
        /// The version of the text.
        version: &'static str,
    },
    /// The number of a register is larger than tokens hold.
    #[error("`{}`: the register number is too large", Clipped(.0))]
    NumberTooLarge(String),
    /// The letters behind a register are no swizzle and no mask.
    #[error("`{}` is not one to four of x, y, z, w (for a write mask, in this order)", Clipped(.0))]
    BadComponents(String),
    /// An unknown source modifier, or a combination that doesn't exist.
    #[error("`{}` is not a source modifier", Clipped(.0))]
    BadModifier(String),
    /// A word at the place of a number is none.
    #[error("`{}` is not a valid number here", Clipped(.0))]
    BadNumber(String),
    /// Another word or sign stands where this one must.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A line begins with `#`.
    #[error("the assembler doesn't support preprocessor directives")]
    Preprocessor,
}

fn needed(version: Option<&str>) -> String {
    version.map_or_else(String::new, |version| format!(" (needs {version})"))
}

pub(super) fn expected(at: &Cursor<'_>, what: &'static str) -> TextError {
    at.error(TextErrorKind::Expected(what))
}

//! Errors of the assembler.

use shader_core::text::Clipped;

/// An error at a place in the text.
pub type TextError = shader_core::text::TextError<TextErrorKind>;
/// All errors of a text.
pub type TextErrors = shader_core::text::TextErrors<TextErrorKind>;

/// The kind of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextErrorKind {
    /// There is no line such as `ps_2_0` before the first instruction.
    MissingVersion,
    /// A second version line.
    SecondVersion,
    /// There is no instruction or version with this name.
    UnknownMnemonic(String),
    /// The version doesn't have the instruction.
    NotInVersion {
        /// The mnemonic.
        name: String,
        /// The version of the text.
        version: &'static str,
        /// The first version of the stage that has it.
        needs: Option<&'static str>,
    },
    /// An unknown suffix, or one that this mnemonic doesn't take.
    BadSuffix(String),
    /// A comparison is missing, as in `setp_gt`.
    MissingComparison(String),
    /// Too few or too many operands.
    OperandCount {
        /// The mnemonic.
        name: String,
        /// Expected number of operands.
        expected: usize,
        /// Actual number of operands.
        found: usize,
    },
    /// No version has a register with this name.
    UnknownRegister(String),
    /// The version doesn't have the register file.
    RegisterNotInVersion {
        /// The register as written.
        register: String,
        /// The version of the text.
        version: &'static str,
    },
    /// The register number doesn't fit into a token.
    NumberTooLarge(String),
    /// Not one to four of x, y, z, w (or r, g, b, a); for a write mask also: not in this order.
    BadComponents(String),
    /// An unknown source modifier, or a combination that doesn't exist.
    BadModifier(String),
    /// Not a literal of the expected type.
    BadNumber(String),
    /// Something else was expected.
    Expected(&'static str),
    /// A preprocessor directive.
    Preprocessor,
}

shader_core::messages! { TextErrorKind {
    Self::MissingVersion => "the text must begin with a version such as `ps_2_0`";
    Self::SecondVersion => "a second version: a text can hold only one shader";
    Self::UnknownMnemonic(name) => "unknown instruction `{}`", Clipped(name);
    Self::NotInVersion { name, version, needs: None } => "`{}` does not exist in {version}", Clipped(name);
    Self::NotInVersion { name, version, needs: Some(needs) } => "`{}` does not exist in {version} (needs {needs})", Clipped(name);
    Self::BadSuffix(name) => "`_{}` is not allowed here", Clipped(name);
    Self::MissingComparison(name) => "`{name}` needs a comparison, as in `{name}_gt`";
    Self::OperandCount { name, expected, found } => "`{name}` takes {expected} operands, found {found}";
    Self::UnknownRegister(name) => "unknown register `{}`", Clipped(name);
    Self::RegisterNotInVersion { register, version } => "{version} has no register `{}`", Clipped(register);
    Self::NumberTooLarge(text) => "`{}`: the register number is too large", Clipped(text);
    Self::BadComponents(text) => "`{}` is not one to four of x, y, z, w (for a write mask, in this order)", Clipped(text);
    Self::BadModifier(text) => "`{}` is not a source modifier", Clipped(text);
    Self::BadNumber(text) => "`{}` is not a valid number here", Clipped(text);
    Self::Expected(what) => "expected {what}";
    Self::Preprocessor => "the assembler doesn't support preprocessor directives";
} }

//! What is wrong with a text.

use agal::text::Clipped;

/// What is wrong at one place of a text.
pub type TextError = agal::text::TextError<TextErrorKind>;
/// Everything that is wrong with a text.
pub type TextErrors = agal::text::TextErrors<TextErrorKind>;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextErrorKind {
    /// The text has no line such as `ps_2_0` in front of the first instruction.
    MissingVersion,
    /// A second version.
    SecondVersion,
    /// No instruction or version of this name.
    UnknownMnemonic(String),
    /// The instruction is not in the version.
    NotInVersion {
        /// The mnemonic.
        name: String,
        /// The present version.
        version: &'static str,
        /// The first version of the stage that has it.
        needs: Option<&'static str>,
    },
    /// No suffix of this name, or not behind this mnemonic.
    BadSuffix(String),
    /// A comparison is missing: `setp_gt`.
    MissingComparison(String),
    /// Too few or too many operands.
    OperandCount {
        /// The mnemonic.
        name: String,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// No register of this name in any version.
    UnknownRegister(String),
    /// A register file that the version lacks.
    RegisterNotInVersion {
        /// The register as written.
        register: String,
        /// The present version.
        version: &'static str,
    },
    /// A register's number that no token can hold.
    NumberTooLarge(String),
    /// Not one to four of x, y, z, w (or r, g, b, a); of a mask also: not in this order.
    BadComponents(String),
    /// A source modifier that there is not, or not in this combination.
    BadModifier(String),
    /// No literal of the kind that stands here.
    BadNumber(String),
    /// Something else should stand here.
    Expected(&'static str),
    /// A preprocessor's line.
    Preprocessor,
}

agal::messages! { TextErrorKind {
    Self::MissingVersion => "a version such as `ps_2_0` must come first";
    Self::SecondVersion => "a second version: one text is one shader";
    Self::UnknownMnemonic(name) => "unknown instruction `{}`", Clipped(name);
    Self::NotInVersion { name, version, needs: None } => "`{}` does not exist in {version}", Clipped(name);
    Self::NotInVersion { name, version, needs: Some(needs) } => "`{}` does not exist in {version} (needs {needs})", Clipped(name);
    Self::BadSuffix(name) => "`_{}` can't stand here", Clipped(name);
    Self::MissingComparison(name) => "`{name}` needs a comparison, as in `{name}_gt`";
    Self::OperandCount { name, expected, found } => "`{name}` takes {expected} operands, found {found}";
    Self::UnknownRegister(name) => "no register `{}`", Clipped(name);
    Self::RegisterNotInVersion { register, version } => "{version} has no register `{}`", Clipped(register);
    Self::NumberTooLarge(text) => "`{}`: the number fits in no token", Clipped(text);
    Self::BadComponents(text) => "`{}` is not one to four of x, y, z, w, a mask in this order", Clipped(text);
    Self::BadModifier(text) => "`{}` is no source modifier", Clipped(text);
    Self::BadNumber(text) => "`{}` is not a number of this kind", Clipped(text);
    Self::Expected(what) => "expected {what}";
    Self::Preprocessor => "the assembler has no preprocessor: run one before it";
} }

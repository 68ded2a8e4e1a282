//! What is wrong with a text.

use std::fmt;

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

impl fmt::Display for TextErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use TextErrorKind as Kind;
        match self {
            Kind::MissingVersion => f.write_str("a version such as `ps_2_0` must come first"),
            Kind::SecondVersion => f.write_str("a second version: one text is one shader"),
            Kind::UnknownMnemonic(name) => write!(f, "unknown instruction `{}`", Clipped(name)),
            Kind::NotInVersion {
                name,
                version,
                needs,
            } => {
                write!(f, "`{}` does not exist in {version}", Clipped(name))?;
                match needs {
                    Some(needs) => write!(f, " (needs {needs})"),
                    None => Ok(()),
                }
            }
            Kind::BadSuffix(name) => write!(f, "`_{}` can't stand here", Clipped(name)),
            Kind::MissingComparison(name) => {
                write!(f, "`{name}` needs a comparison, as in `{name}_gt`")
            }
            Kind::OperandCount {
                name,
                expected,
                found,
            } => write!(f, "`{name}` takes {expected} operands, found {found}"),
            Kind::UnknownRegister(name) => write!(f, "no register `{}`", Clipped(name)),
            Kind::RegisterNotInVersion { register, version } => {
                write!(f, "{version} has no register `{}`", Clipped(register))
            }
            Kind::NumberTooLarge(text) => {
                write!(f, "`{}`: the number fits in no token", Clipped(text))
            }
            Kind::BadComponents(text) => {
                let text = Clipped(text);
                write!(
                    f,
                    "`{text}` is not one to four of x, y, z, w, a mask in this order"
                )
            }
            Kind::BadModifier(text) => write!(f, "`{}` is no source modifier", Clipped(text)),
            Kind::BadNumber(text) => write!(f, "`{}` is not a number of this kind", Clipped(text)),
            Kind::Expected(what) => write!(f, "expected {what}"),
            Kind::Preprocessor => {
                f.write_str("the assembler has no preprocessor: run one before it")
            }
        }
    }
}

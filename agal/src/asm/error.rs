//! What is wrong with a text of AGAL.

use std::fmt;

use crate::text::{Clipped, TextError, TextErrors};

/// What is wrong at one place of a text.
pub type AsmError = TextError<AsmErrorKind>;
/// Everything that is wrong with a text.
pub type AsmErrors = TextErrors<AsmErrorKind>;

/// Kinds of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AsmErrorKind {
    /// AGAL doesn't have this version.
    UnknownVersion(String),
    /// Unknown opcode.
    UnknownOpcode(String),
    /// The opcode needs a later AGAL version.
    OpcodeNeedsVersion {
        /// The opcode.
        name: &'static str,
        /// The version that added it.
        version: u32,
    },
    /// The opcode is only for the other kind of program.
    OpcodeNotInStage {
        /// The opcode.
        name: &'static str,
        /// The kind of this program.
        stage: &'static str,
    },
    /// Too few or too many operands.
    OperandCount {
        /// The opcode.
        name: &'static str,
        /// Number of operands that it takes.
        expected: usize,
        /// Number of operands found.
        found: usize,
    },
    /// Unknown register.
    UnknownRegister(String),
    /// The register is only in the other kind of program.
    RegisterNotInStage {
        /// The register as written.
        register: String,
        /// The kind of this program.
        stage: &'static str,
    },
    /// The register needs a later AGAL version.
    RegisterNeedsVersion {
        /// The register as written.
        register: String,
        /// The version that added it.
        version: u32,
    },
    /// The register's number is too large.
    RegisterOutOfRange {
        /// The register as written.
        register: String,
        /// Number of registers in the file.
        count: u16,
    },
    /// Not one to four of x, y, z, w.
    BadComponents(String),
    /// Relative addressing where it isn't allowed: only `vc[…]` as a source in vertex programs is.
    RelativeNotAllowed,
    /// A relative address lacks the component of its index: `vc[va0.x]`.
    IndexComponent,
    /// An offset that is not 0 to 255.
    OffsetOutOfRange(String),
    /// Unknown sampler option.
    UnknownOption(String),
    /// A LOD bias outside -16 to 15.875.
    BiasOutOfRange(String),
    /// Options on an opcode without a sampler.
    OptionsNotAllowed(&'static str),
    /// Unknown directive.
    UnknownDirective(String),
    /// A directive's number is not `0x` and hexadecimal digits of the required number of bits.
    BadNumber {
        /// The number as written.
        text: String,
        /// Required number of bits.
        bits: u32,
    },
    /// Too few or too many numbers after a directive.
    NumberCount {
        /// The directive.
        name: &'static str,
        /// Smallest number of numbers.
        least: usize,
        /// Largest number of numbers.
        most: usize,
        /// Number of numbers found.
        found: usize,
    },
    /// Something follows `.bytes`, which must be last.
    AfterTheLastToken,
    /// `.header`: the disassembler writes it for bytes without an AGAL header, so there is no program.
    BrokenHeader,
    /// Something else is expected.
    Expected(&'static str),
    /// The section of one of the programs is missing.
    MissingSection(&'static str),
    /// A section occurs twice.
    SectionTwice(&'static str),
    /// A version after the first section or instruction.
    LateVersion,
}

impl fmt::Display for AsmErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use AsmErrorKind as Kind;
        match self {
            Kind::UnknownVersion(version) => write!(f, "there is no AGAL version {version}"),
            Kind::UnknownOpcode(name) => write!(f, "unknown opcode `{}`", Clipped(name)),
            Kind::OpcodeNeedsVersion { name, version } => {
                write!(f, "`{name}` needs AGAL {version}")
            }
            Kind::OpcodeNotInStage { name, stage } => {
                write!(f, "`{name}` is not allowed in {stage} programs")
            }
            Kind::OperandCount {
                name,
                expected,
                found,
            } => write!(f, "`{name}` takes {expected} operands, found {found}"),
            Kind::UnknownRegister(name) => write!(f, "no register `{}`", Clipped(name)),
            Kind::RegisterNotInStage { register, stage } => {
                write!(f, "`{}` is not in {stage} programs", Clipped(register))
            }
            Kind::RegisterNeedsVersion { register, version } => {
                write!(f, "`{}` needs AGAL {version}", Clipped(register))
            }
            Kind::RegisterOutOfRange { register, count } => {
                let register = Clipped(register);
                write!(f, "`{register}` is out of range, there are {count}")
            }
            Kind::BadComponents(text) => {
                write!(f, "`{}` is not one to four of x, y, z, w", Clipped(text))
            }
            Kind::RelativeNotAllowed => f.write_str(
                "relative addressing is only for vertex constants as a source: `vc[va0.x+4]`",
            ),
            Kind::IndexComponent => f.write_str("the index needs one component: `vc[va0.x]`"),
            Kind::OffsetOutOfRange(text) => {
                write!(f, "the offset `{}` is not 0 to 255", Clipped(text))
            }
            Kind::UnknownOption(name) => write!(f, "unknown sampler option `{}`", Clipped(name)),
            Kind::BiasOutOfRange(text) => {
                write!(f, "the LOD bias `{}` is not -16 to 15.875", Clipped(text))
            }
            Kind::OptionsNotAllowed(name) => {
                write!(f, "`{name}` has no sampler and takes no options")
            }
            Kind::UnknownDirective(name) => write!(f, "unknown directive `{}`", Clipped(name)),
            Kind::BadNumber { text, bits } => {
                write!(f, "`{}` is not `0x` and {bits} bits in hex", Clipped(text))
            }
            Kind::NumberCount {
                name,
                least,
                most,
                found,
            } if least == most => write!(f, "`{name}` takes {most} numbers, found {found}"),
            Kind::NumberCount {
                name,
                least,
                most,
                found,
            } => write!(f, "`{name}` takes {least} to {most} numbers, found {found}"),
            Kind::AfterTheLastToken => f.write_str("nothing can follow `.bytes`"),
            Kind::BrokenHeader => {
                f.write_str("the bytes had no AGAL header, so there is no program to make of them")
            }
            Kind::Expected(what) => write!(f, "expected {what}"),
            Kind::MissingSection(name) => write!(f, "no section `// {name}`"),
            Kind::SectionTwice(name) => write!(f, "a second section `// {name}`"),
            Kind::LateVersion => f.write_str("the version is that of the whole text"),
        }
    }
}

//! Errors of AGAL's assembler.

use shader_core::text::{Clipped, TextError, TextErrors};

/// An error at a position in a text.
pub type AsmError = TextError<AsmErrorKind>;
/// All errors of a text.
pub type AsmErrors = TextErrors<AsmErrorKind>;

/// The kind of an error.
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
    /// The opcode is only for the other stage.
    OpcodeNotInStage {
        /// The opcode.
        name: &'static str,
        /// The stage of this program.
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
    /// The register is only in the other stage.
    RegisterNotInStage {
        /// The register as written.
        register: String,
        /// The stage of this program.
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
    DuplicateSection(&'static str),
    /// A version after the first section or instruction.
    LateVersion,
}

shader_core::messages! { AsmErrorKind {
    Self::UnknownVersion(version) => "AGAL version {version} does not exist";
    Self::UnknownOpcode(name) => "unknown opcode `{}`", Clipped(name);
    Self::OpcodeNeedsVersion { name, version } => "`{name}` needs AGAL {version}";
    Self::OpcodeNotInStage { name, stage } => "`{name}` is not allowed in {stage} programs";
    Self::OperandCount { name, expected, found } => "`{name}` takes {expected} operands, found {found}";
    Self::UnknownRegister(name) => "unknown register `{}`", Clipped(name);
    Self::RegisterNotInStage { register, stage } => "`{}` is not in {stage} programs", Clipped(register);
    Self::RegisterNeedsVersion { register, version } => "`{}` needs AGAL {version}", Clipped(register);
    Self::RegisterOutOfRange { register, count } => "`{}` is out of range: there are {count} registers", Clipped(register);
    Self::BadComponents(text) => "`{}` is not one to four of x, y, z, w", Clipped(text);
    Self::RelativeNotAllowed => "relative addressing is allowed only for vertex constants as a source: `vc[va0.x+4]`";
    Self::IndexComponent => "the index must have one component: `vc[va0.x]`";
    Self::OffsetOutOfRange(text) => "the offset `{}` is not from -128 to 255", Clipped(text);
    Self::UnknownOption(name) => "unknown sampler option `{}`", Clipped(name);
    Self::BiasOutOfRange(text) => "the LOD bias `{}` is not from -16 to 15.875", Clipped(text);
    Self::OptionsNotAllowed(name) => "`{name}` has no sampler and takes no options";
    Self::UnknownDirective(name) => "unknown directive `{}`", Clipped(name);
    Self::BadNumber { text, bits } => "`{}` is not a {bits}-bit hexadecimal number with `0x`", Clipped(text);
    Self::NumberCount { name, least, most, found } => "`{name}` takes {} numbers, found {found}", Numbers(*least, *most);
    Self::AfterTheLastToken => "nothing can follow `.bytes`";
    Self::BrokenHeader => "a text with `.header` can't be assembled: its bytes had no AGAL header";
    Self::Expected(what) => "expected {what}";
    Self::MissingSection(name) => "the section `// {name}` is missing";
    Self::DuplicateSection(name) => "there is more than one section `// {name}`";
    Self::LateVersion => "the version must come before the first section and instruction";
} }

/// The allowed number of numbers, printed as `2` or `2 to 4`.
struct Numbers(usize, usize);

impl std::fmt::Display for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Numbers(least, most) if least == most => write!(f, "{most}"),
            Numbers(least, most) => write!(f, "{least} to {most}"),
        }
    }
}

//! Errors of AGAL's assembler.

use agal_core::text::{Clipped, TextError, TextErrors};

/// An error in a text of AGAL.
pub type AsmError = TextError<AsmErrorKind>;
/// The errors in a text of AGAL.
pub type AsmErrors = TextErrors<AsmErrorKind>;

/// The kinds of errors in texts of AGAL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AsmErrorKind {
    /// A version above the newest.
    #[error("AGAL version {0} does not exist")]
    UnknownVersion(String),
    /// A word at the place of an opcode is none.
    #[error("unknown opcode `{}`", Clipped(.0))]
    UnknownOpcode(String),
    /// The version is the one that added the opcode.
    #[error("`{name}` needs AGAL {version}")]
    OpcodeNeedsVersion {
        /// The opcode.
        name: &'static str,
        /// The version that added the opcode.
        version: u32,
    },
    /// The other kind of program has the opcode.
    #[error("`{name}` is not allowed in {stage} programs")]
    OpcodeNotInStage {
        /// The opcode.
        name: &'static str,
        /// The kind of program.
        stage: &'static str,
    },
    /// An opcode has too few or too many operands.
    #[error("`{name}` takes {expected} operands, found {found}")]
    OperandCount {
        /// The opcode.
        name: &'static str,
        /// The number of operands that it takes.
        expected: usize,
        /// The number of operands in the line.
        found: usize,
    },
    /// A word at the place of a register is none.
    #[error("unknown register `{}`", Clipped(.0))]
    UnknownRegister(String),
    /// The other kind of program has the register.
    #[error("`{}` is not in {stage} programs", Clipped(register))]
    RegisterNotInStage {
        /// The register as written.
        register: String,
        /// The kind of program.
        stage: &'static str,
    },
    /// The version is the one that added the register.
    #[error("`{}` needs AGAL {version}", Clipped(register))]
    RegisterNeedsVersion {
        /// The register as written.
        register: String,
        /// The version that added the register.
        version: u32,
    },
    /// The number of a register is too high.
    #[error("`{}` is out of range: there are {count} registers", Clipped(register))]
    RegisterOutOfRange {
        /// The register as written.
        register: String,
        /// The number of registers of its kind.
        count: u16,
    },
    /// The letters behind a register are no swizzle and no mask.
    #[error("`{}` is not one to four of x, y, z, w", Clipped(.0))]
    BadComponents(String),
    /// An index stands where only a number may.
    #[error("relative addressing is allowed only for vertex constants as a source: `vc[va0.x+4]`")]
    RelativeNotAllowed,
    /// An index has no component, or several.
    #[error("the index must have one component: `vc[va0.x]`")]
    IndexComponent,
    /// The offset of an index is out of range.
    #[error("the offset `{}` is not from -128 to 255", Clipped(.0))]
    OffsetOutOfRange(String),
    /// A warning: Adobe's class reads the word as a bias ([agal.text.unknown_option]).
    #[error("warning: unknown sampler option `{}`, read as a bias of 0", Clipped(.0))]
    UnknownOption(String),
    /// The number of a sampler option is out of range.
    #[error("the LOD bias `{}` is not from -16 to 15.875", Clipped(.0))]
    BiasOutOfRange(String),
    /// Options follow an instruction that reads no texture.
    #[error("`{0}` has no sampler and takes no options")]
    OptionsNotAllowed(&'static str),
    /// A line begins with a point and no known word.
    #[error("unknown directive `{}`", Clipped(.0))]
    UnknownDirective(String),
    /// A word at the place of a hexadecimal number is none.
    #[error("`{}` is not a {bits}-bit hexadecimal number with `0x`", Clipped(text))]
    BadNumber {
        /// The word.
        text: String,
        /// The number of bits of the field.
        bits: u32,
    },
    /// A directive has too few or too many numbers.
    #[error("`{name}` takes {least}{} numbers, found {found}", up_to(*least, *most))]
    NumberCount {
        /// The directive.
        name: &'static str,
        /// The smallest number of numbers.
        least: usize,
        /// The largest number of numbers.
        most: usize,
        /// The number of numbers in the line.
        found: usize,
    },
    /// A line follows `.bytes`, which ends a program.
    #[error("nothing can follow `.bytes`")]
    AfterTheLastToken,
    /// The disassembler writes `.header` for bytes without an AGAL header, so there is no program.
    #[error("a text with `.header` can't be assembled: its bytes had no AGAL header")]
    BrokenHeader,
    /// Another word or sign stands where this one must.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A text of a pair lacks the program of this name.
    #[error("the section `// {0}` is missing")]
    MissingSection(&'static str),
    /// A text of a pair has two programs of this name.
    #[error("there is more than one section `// {0}`")]
    DuplicateSection(&'static str),
    /// The comment that gives the version follows a section or an instruction.
    #[error("the version must come before the first section and instruction")]
    LateVersion,
}

fn up_to(least: usize, most: usize) -> String {
    if least == most { String::new() } else { format!(" to {most}") }
}

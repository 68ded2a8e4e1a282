//! Errors of AGAL's assembler.

use shader_core::text::{Clipped, TextError, TextErrors};

pub type AsmError = TextError<AsmErrorKind>;
pub type AsmErrors = TextErrors<AsmErrorKind>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AsmErrorKind {
    #[error("AGAL version {0} does not exist")]
    UnknownVersion(String),
    #[error("unknown opcode `{}`", Clipped(.0))]
    UnknownOpcode(String),
    /// The version is the one that added the opcode.
    #[error("`{name}` needs AGAL {version}")]
    OpcodeNeedsVersion { name: &'static str, version: u32 },
    #[error("`{name}` is not allowed in {stage} programs")]
    OpcodeNotInStage { name: &'static str, stage: &'static str },
    #[error("`{name}` takes {expected} operands, found {found}")]
    OperandCount { name: &'static str, expected: usize, found: usize },
    #[error("unknown register `{}`", Clipped(.0))]
    UnknownRegister(String),
    #[error("`{}` is not in {stage} programs", Clipped(register))]
    RegisterNotInStage { register: String, stage: &'static str },
    /// The version is the one that added the register.
    #[error("`{}` needs AGAL {version}", Clipped(register))]
    RegisterNeedsVersion { register: String, version: u32 },
    #[error("`{}` is out of range: there are {count} registers", Clipped(register))]
    RegisterOutOfRange { register: String, count: u16 },
    #[error("`{}` is not one to four of x, y, z, w", Clipped(.0))]
    BadComponents(String),
    #[error("relative addressing is allowed only for vertex constants as a source: `vc[va0.x+4]`")]
    RelativeNotAllowed,
    #[error("the index must have one component: `vc[va0.x]`")]
    IndexComponent,
    #[error("the offset `{}` is not from -128 to 255", Clipped(.0))]
    OffsetOutOfRange(String),
    /// A warning: Adobe's class reads the word as a bias ([agal.text.unknown_option]).
    #[error("warning: unknown sampler option `{}`, read as a bias of 0", Clipped(.0))]
    UnknownOption(String),
    #[error("the LOD bias `{}` is not from -16 to 15.875", Clipped(.0))]
    BiasOutOfRange(String),
    #[error("`{0}` has no sampler and takes no options")]
    OptionsNotAllowed(&'static str),
    #[error("unknown directive `{}`", Clipped(.0))]
    UnknownDirective(String),
    #[error("`{}` is not a {bits}-bit hexadecimal number with `0x`", Clipped(text))]
    BadNumber { text: String, bits: u32 },
    #[error("`{name}` takes {least}{} numbers, found {found}", up_to(*least, *most))]
    NumberCount { name: &'static str, least: usize, most: usize, found: usize },
    #[error("nothing can follow `.bytes`")]
    AfterTheLastToken,
    /// The disassembler writes `.header` for bytes without an AGAL header, so there is no program.
    #[error("a text with `.header` can't be assembled: its bytes had no AGAL header")]
    BrokenHeader,
    #[error("expected {0}")]
    Expected(&'static str),
    #[error("the section `// {0}` is missing")]
    MissingSection(&'static str),
    #[error("there is more than one section `// {0}`")]
    DuplicateSection(&'static str),
    #[error("the version must come before the first section and instruction")]
    LateVersion,
}

fn up_to(least: usize, most: usize) -> String {
    if least == most { String::new() } else { format!(" to {most}") }
}

//! What is wrong with a text, and where: line, column, and the line itself with a caret.

use std::fmt;

/// A text that is not AGAL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmError {
    kind: AsmErrorKind,
    line: u32,
    column: u32,
    source_line: String,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AsmErrorKind {
    /// AGAL has no such version.
    UnknownVersion(String),
    /// No opcode of this name.
    UnknownOpcode(String),
    /// The opcode came with a later AGAL version.
    OpcodeNeedsVersion {
        /// The opcode.
        name: &'static str,
        /// The version that brought it.
        version: u32,
    },
    /// The opcode belongs in the other kind of program.
    OpcodeNotInStage {
        /// The opcode.
        name: &'static str,
        /// The present kind of program.
        stage: &'static str,
    },
    /// Too few or too many operands.
    OperandCount {
        /// The opcode.
        name: &'static str,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// No register of this name in this kind of program.
    UnknownRegister(String),
    /// The register's number is too large.
    RegisterOutOfRange {
        /// The register as written.
        register: String,
        /// How many there are.
        count: u16,
    },
    /// Not one to four of x, y, z, w.
    BadComponents(String),
    /// Relative addressing where there is none: other than `vc[…]` in a vertex program's source.
    RelativeNotAllowed,
    /// A relative address lacks the component of its index: `vc[va0.x]`.
    IndexComponent,
    /// An offset that is not 0 to 255.
    OffsetOutOfRange(String),
    /// No sampler option of this name.
    UnknownOption(String),
    /// A LOD bias beyond -16 to 15.875.
    BiasOutOfRange(String),
    /// Options on an opcode without a sampler.
    OptionsNotAllowed(&'static str),
    /// Something else should stand here.
    Expected(&'static str),
    /// A pair's text lacks one of its sections.
    MissingSection(&'static str),
    /// More lines than a program can have tokens.
    TooManyInstructions(usize),
}

impl AsmError {
    pub(super) fn new(kind: AsmErrorKind, line: u32, column: u32, source_line: &str) -> AsmError {
        AsmError {
            kind,
            line,
            column,
            source_line: source_line.to_owned(),
        }
    }
    /// What is wrong.
    pub fn kind(&self) -> &AsmErrorKind {
        &self.kind
    }
    /// Line, from 1.
    pub fn line(&self) -> u32 {
        self.line
    }
    /// Column in characters, from 1.
    pub fn column(&self) -> u32 {
        self.column
    }
    /// The line as written.
    pub fn source_line(&self) -> &str {
        &self.source_line
    }
}

impl fmt::Display for AsmErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AsmErrorKind::UnknownVersion(version) => {
                write!(f, "there is no AGAL version {version}")
            }
            AsmErrorKind::UnknownOpcode(name) => write!(f, "unknown opcode `{name}`"),
            AsmErrorKind::OpcodeNeedsVersion { name, version } => {
                write!(f, "`{name}` needs AGAL {version}")
            }
            AsmErrorKind::OpcodeNotInStage { name, stage } => {
                write!(f, "`{name}` is not allowed in {stage} programs")
            }
            AsmErrorKind::OperandCount {
                name,
                expected,
                found,
            } => write!(f, "`{name}` takes {expected} operands, found {found}"),
            AsmErrorKind::UnknownRegister(name) => {
                write!(f, "no register `{name}` in this kind of program")
            }
            AsmErrorKind::RegisterOutOfRange { register, count } => {
                write!(f, "`{register}` is out of range, there are {count}")
            }
            AsmErrorKind::BadComponents(text) => {
                write!(f, "`{text}` is not one to four of x, y, z, w")
            }
            AsmErrorKind::RelativeNotAllowed => f.write_str(
                "relative addressing is only for vertex constants as a source: `vc[va0.x+4]`",
            ),
            AsmErrorKind::IndexComponent => {
                f.write_str("the index needs one component: `vc[va0.x]`")
            }
            AsmErrorKind::OffsetOutOfRange(text) => {
                write!(f, "the offset `{text}` is not 0 to 255")
            }
            AsmErrorKind::UnknownOption(name) => write!(f, "unknown sampler option `{name}`"),
            AsmErrorKind::BiasOutOfRange(text) => {
                write!(f, "the LOD bias `{text}` is not -16 to 15.875")
            }
            AsmErrorKind::OptionsNotAllowed(name) => {
                write!(f, "`{name}` has no sampler and takes no options")
            }
            AsmErrorKind::Expected(what) => write!(f, "expected {what}"),
            AsmErrorKind::MissingSection(name) => write!(f, "no section `// {name}`"),
            AsmErrorKind::TooManyInstructions(limit) => {
                write!(f, "more than {limit} instructions")
            }
        }
    }
}

impl fmt::Display for AsmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "line {}, column {}: {}",
            self.line, self.column, self.kind
        )?;
        writeln!(f, "    {}", self.source_line)?;
        f.write_str("    ")?;
        // Tabs are kept, so that the caret stands below its character.
        let before = self.column.saturating_sub(1) as usize;
        for letter in self.source_line.chars().take(before) {
            f.write_str(if letter == '\t' { "\t" } else { " " })?;
        }
        f.write_str("^")
    }
}

impl std::error::Error for AsmError {}

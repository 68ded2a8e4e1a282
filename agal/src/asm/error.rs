//! Errors in a text: line, column, and the line itself with a caret.

use std::fmt;

/// An error at one position of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmError {
    kind: AsmErrorKind,
    line: u32,
    column: u32,
    source_line: String,
    suggestion: Option<String>,
}

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

impl AsmError {
    pub(super) fn new(kind: AsmErrorKind, line: u32, column: u32, source_line: &str) -> AsmError {
        AsmError {
            kind,
            line,
            column,
            source_line: source_line.to_owned(),
            suggestion: None,
        }
    }

    /// Adds a suggested word.
    pub(super) fn suggest(mut self, word: Option<String>) -> AsmError {
        self.suggestion = word;
        self
    }

    /// The kind of error.
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
    /// The nearest valid word for an unknown opcode, register, option or directive.
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }

    /// The error as `FILE:LINE:COLUMN: message`, followed by the line and a caret. `Display` is the same without the
    /// file.
    pub fn in_file<'a>(&'a self, file: &'a str) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            write!(f, "{file}:")?;
            fmt::Display::fmt(self, f)
        })
    }
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

/// A word of the text in a message, shortened if it is long.
pub struct Clipped<'a>(
    /// The word.
    pub &'a str,
);

/// Number of characters of a word in a message.
const SHOWN_WORD: usize = 40;

impl fmt::Display for Clipped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(SHOWN_WORD) {
            Some((end, _)) => write!(f, "{}…", self.0.get(..end).unwrap_or_default()),
            None => f.write_str(self.0),
        }
    }
}

/// Number of characters of a line that are shown before and after the position.
const SHOWN_LINE: (usize, usize) = (120, 80);

/// A line of a text (if it is long, the part around the position), and a caret below a column, which is counted from 1.
/// Both are indented.
pub fn caret(source_line: &str, column: u32) -> impl fmt::Display + '_ {
    fmt::from_fn(move |f| {
        let (before, after) = SHOWN_LINE;
        let place = column.saturating_sub(1) as usize;
        let hidden = place.saturating_sub(before);
        let shown = || {
            let letters = source_line.chars().skip(hidden);
            // Control characters could move the caret or control the terminal.
            letters.map(|c| if c.is_control() && c != '\t' { ' ' } else { c })
        };
        f.write_str("    ")?;
        for letter in shown().take(place.saturating_sub(hidden).saturating_add(after)) {
            write!(f, "{letter}")?;
        }
        f.write_str("\n    ")?;
        // Tabs are kept, so that the caret is below its character.
        for letter in shown().take(place.saturating_sub(hidden)) {
            f.write_str(if letter == '\t' { "\t" } else { " " })?;
        }
        f.write_str("^")
    })
}

impl fmt::Display for AsmError {
    /// `LINE:COLUMN: message`, the line (if it is long, the part around the position), and a caret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.kind)?;
        if let Some(word) = &self.suggestion {
            write!(f, "; did you mean `{word}`?")?;
        }
        write!(f, "\n{}", caret(&self.source_line, self.column))
    }
}

impl std::error::Error for AsmError {}

/// All errors of a text, up to [`MAX_ERRORS`], in the order of the lines; at least one, and at most one per line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmErrors {
    first: Box<AsmError>,
    others: Vec<AsmError>,
    more: bool,
}

/// Largest number of errors in one [`AsmErrors`]. Later lines are not read.
pub const MAX_ERRORS: usize = 20;

impl AsmErrors {
    /// The first error.
    pub fn first(&self) -> &AsmError {
        &self.first
    }
    /// The errors in the order of the lines.
    pub fn iter(&self) -> impl Iterator<Item = &AsmError> {
        std::iter::once(self.first()).chain(&self.others)
    }
    /// Whether reading stopped early because of too many errors.
    pub fn is_cut(&self) -> bool {
        self.more
    }

    /// The errors as shown by [`AsmError::in_file`], one after the other.
    pub fn in_file<'a>(&'a self, file: &'a str) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| self.show(f, |error, f| write!(f, "{}", error.in_file(file))))
    }

    fn show(
        &self,
        f: &mut fmt::Formatter<'_>,
        one: impl Fn(&AsmError, &mut fmt::Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        one(&self.first, f)?;
        for error in &self.others {
            f.write_str("\n")?;
            one(error, f)?;
        }
        if self.more {
            f.write_str("\n(and maybe more: the lines below were not read)")?;
        }
        Ok(())
    }
}

impl From<AsmError> for AsmErrors {
    fn from(first: AsmError) -> AsmErrors {
        AsmErrors {
            first: Box::new(first),
            others: Vec::new(),
            more: false,
        }
    }
}

impl fmt::Display for AsmErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(f, |error, f| write!(f, "{error}"))
    }
}

impl std::error::Error for AsmErrors {}

/// Collects errors.
#[derive(Default)]
pub(super) struct Errors(Option<AsmErrors>);

impl Errors {
    /// Adds an error. False: there are enough, reading can stop.
    pub(super) fn push(&mut self, error: AsmError) -> bool {
        match &mut self.0 {
            None => self.0 = Some(error.into()),
            Some(errors) => {
                errors.others.push(error);
                errors.more = errors.others.len().saturating_add(1) >= MAX_ERRORS;
                return !errors.more;
            }
        }
        true
    }

    /// The value, if there were no errors.
    pub(super) fn or<T>(self, value: T) -> Result<T, AsmErrors> {
        match self.0 {
            Some(errors) => Err(errors),
            None => Ok(value),
        }
    }
}

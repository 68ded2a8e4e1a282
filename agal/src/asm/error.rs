//! What is wrong with a text, and where: line, column, and the line itself with a caret.

use std::fmt;

/// What is wrong at one place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmError {
    kind: AsmErrorKind,
    line: u32,
    column: u32,
    source_line: String,
    suggestion: Option<String>,
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
    /// No register of this name in any kind of program.
    UnknownRegister(String),
    /// The register belongs in the other kind of program.
    RegisterNotInStage {
        /// The register as written.
        register: String,
        /// The present kind of program.
        stage: &'static str,
    },
    /// The register came with a later AGAL version.
    RegisterNeedsVersion {
        /// The register as written.
        register: String,
        /// The version that brought it.
        version: u32,
    },
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
    /// No directive of this name.
    UnknownDirective(String),
    /// A directive's number is not `0x` and the digits of as many bits as it has.
    BadNumber {
        /// The number as written.
        text: String,
        /// How many bits it has.
        bits: u32,
    },
    /// Too few or too many numbers after a directive.
    NumberCount {
        /// The directive.
        name: &'static str,
        /// How many it takes at least.
        least: usize,
        /// How many it takes at most.
        most: usize,
        /// How many there are.
        found: usize,
    },
    /// Something after `.bytes`, which is what follows the last token.
    AfterTheLastToken,
    /// `.header`: the disassembler writes it for bytes that no AGAL header is, so there is no program to make.
    BrokenHeader,
    /// Something else should stand here.
    Expected(&'static str),
    /// A text lacks the section that says which program this is.
    MissingSection(&'static str),
    /// A section of a text begins a second time.
    SectionTwice(&'static str),
    /// Another version behind the first section or instruction.
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

    /// Adds the word that was probably meant.
    pub(super) fn suggest(mut self, word: Option<String>) -> AsmError {
        self.suggestion = word;
        self
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
    /// The nearest valid word, where an opcode, a register, an option or a directive has an unknown name.
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }

    /// The error as `FILE:LINE:COLUMN: message`, the line and a caret below. `Display` is the same without the file.
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

/// A word of the text within a message: a long one is cut.
pub struct Clipped<'a>(
    /// The word.
    pub &'a str,
);

/// Characters of a word that a message shows.
const SHOWN_WORD: usize = 40;

impl fmt::Display for Clipped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(SHOWN_WORD) {
            Some((end, _)) => write!(f, "{}…", self.0.get(..end).unwrap_or_default()),
            None => f.write_str(self.0),
        }
    }
}

/// Characters of a line that are shown before the place, and after it.
const SHOWN_LINE: (usize, usize) = (120, 80);

/// A line of a text (of a long one, what is around the place), and a caret below a column, which is counted from 1. Both
/// are indented.
pub fn caret(source_line: &str, column: u32) -> impl fmt::Display + '_ {
    fmt::from_fn(move |f| {
        let (before, after) = SHOWN_LINE;
        let place = column.saturating_sub(1) as usize;
        let hidden = place.saturating_sub(before);
        let shown = || {
            let letters = source_line.chars().skip(hidden);
            // Other control characters would move the caret, or worse.
            letters.map(|c| if c.is_control() && c != '\t' { ' ' } else { c })
        };
        f.write_str("    ")?;
        for letter in shown().take(place.saturating_sub(hidden).saturating_add(after)) {
            write!(f, "{letter}")?;
        }
        f.write_str("\n    ")?;
        // Tabs are kept, so that the caret stands below its character.
        for letter in shown().take(place.saturating_sub(hidden)) {
            f.write_str(if letter == '\t' { "\t" } else { " " })?;
        }
        f.write_str("^")
    })
}

impl fmt::Display for AsmError {
    /// `LINE:COLUMN: message`, the line (of a long one, what is around the place), and a caret below the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.kind)?;
        if let Some(word) = &self.suggestion {
            write!(f, "; did you mean `{word}`?")?;
        }
        write!(f, "\n{}", caret(&self.source_line, self.column))
    }
}

impl std::error::Error for AsmError {}

/// Everything that is wrong with a text, up to [`MAX_ERRORS`], in the order of the lines; at most one error a line and
/// at least one in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmErrors {
    first: Box<AsmError>,
    others: Vec<AsmError>,
    more: bool,
}

/// Errors that one [`AsmErrors`] holds. The lines behind the last of them are not looked at.
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
    /// Did reading end before the end of the text, because there were too many errors?
    pub fn is_cut(&self) -> bool {
        self.more
    }

    /// The errors as [`AsmError::in_file`] shows them, one below the other.
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

/// Errors being gathered.
#[derive(Default)]
pub(super) struct Errors(Option<AsmErrors>);

impl Errors {
    /// Keeps an error. False: there are enough, reading can end.
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

    /// The value, if nothing was wrong.
    pub(super) fn or<T>(self, value: T) -> Result<T, AsmErrors> {
        match self.0 {
            Some(errors) => Err(errors),
            None => Ok(value),
        }
    }
}

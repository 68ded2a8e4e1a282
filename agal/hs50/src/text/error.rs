//! What is wrong with a text, and where.

use std::fmt;

/// What is wrong at one place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmError {
    kind: AsmErrorKind,
    line: usize,
    column: usize,
    source_line: String,
    suggestion: Option<&'static str>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AsmErrorKind {
    /// The text does not begin with a version like `hs_5_0`.
    Version,
    /// No opcode of this name.
    Opcode(String),
    /// No register file of this name.
    Register(String),
    /// No such word here.
    Word(String),
    /// Not a number, or too large.
    Number(String),
    /// Not one to four of x, y, z, w; of a destination, in their order.
    Components(String),
    /// An immediate has one value or four.
    ValueCount(usize),
    /// Something else should stand here.
    Expected(&'static str),
    /// More on the line than there should be.
    Rest(String),
    /// Operands within operands without end.
    Nesting,
    /// The instruction has more words than its length can say.
    TooLong(usize),
    /// `.words` are no instruction.
    Words(crate::token::TokenError),
}

impl fmt::Display for AsmErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use AsmErrorKind as Kind;
        match self {
            Kind::Version => {
                f.write_str("expected a version: hs_5_0, vs_5_0, ds_5_0, ps_5_0 or the same of 5_1")
            }
            Kind::Opcode(name) => write!(f, "unknown opcode `{}`", Clipped(name)),
            Kind::Register(name) => write!(f, "no register `{}`", Clipped(name)),
            Kind::Word(name) => write!(f, "unknown word `{}`", Clipped(name)),
            Kind::Number(text) => write!(f, "`{}` is no number of 32 bits", Clipped(text)),
            Kind::Components(text) => {
                write!(
                    f,
                    "`{}` is not one to four of x, y, z, w (of a destination in this order)",
                    Clipped(text)
                )
            }
            Kind::ValueCount(count) => write!(f, "an immediate has 1 value or 4, found {count}"),
            Kind::Expected(what) => write!(f, "expected {what}"),
            Kind::Rest(text) => write!(f, "`{}` is too much", Clipped(text)),
            Kind::Nesting => f.write_str("indices are nested too deep"),
            Kind::TooLong(words) => write!(
                f,
                "the instruction has {words} words, at most 127 can be said"
            ),
            Kind::Words(error) => write!(f, "no instruction: {}", error.kind),
        }
    }
}

/// A word of the text within a message: a long one is cut.
struct Clipped<'a>(&'a str);

impl fmt::Display for Clipped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(40) {
            Some((end, _)) => write!(f, "{}…", self.0.get(..end).unwrap_or_default()),
            None => f.write_str(self.0),
        }
    }
}

impl AsmError {
    #[cold]
    pub(super) fn new(
        kind: AsmErrorKind,
        line: usize,
        column: usize,
        source_line: &str,
    ) -> AsmError {
        AsmError {
            kind,
            line: line.saturating_add(1),
            column: column.saturating_add(1),
            source_line: source_line.to_owned(),
            suggestion: None,
        }
    }

    /// Adds the word that was probably meant.
    pub(super) fn suggest(mut self, word: Option<&'static str>) -> AsmError {
        self.suggestion = word;
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> &AsmErrorKind {
        &self.kind
    }
    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }
    /// Column in characters, from 1.
    pub fn column(&self) -> usize {
        self.column
    }
    /// The nearest valid word.
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion
    }
}

/// Characters of a line that are shown before the place, and after it.
const SHOWN: (usize, usize) = (120, 80);

impl fmt::Display for AsmError {
    /// `LINE:COLUMN: message`, the line (of a long one, what is around the place), and a caret below the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.kind)?;
        if let Some(word) = self.suggestion {
            write!(f, "; did you mean `{word}`?")?;
        }
        let place = self.column.saturating_sub(1);
        let hidden = place.saturating_sub(SHOWN.0);
        let width = place.saturating_sub(hidden);
        let letters = self.source_line.chars().skip(hidden);
        let shown: String = letters
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(width.saturating_add(SHOWN.1))
            .collect();
        write!(f, "\n    {shown}\n    {:width$}^", "")
    }
}

impl std::error::Error for AsmError {}

/// Errors that one [`AsmErrors`] holds; the lines behind the last of them are not looked at.
pub const MAX_ERRORS: usize = 20;

/// Everything that is wrong with a text, up to [`MAX_ERRORS`], at most one error a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsmErrors(pub(super) Vec<AsmError>);

impl AsmErrors {
    /// The errors in the order of the lines.
    pub fn iter(&self) -> impl Iterator<Item = &AsmError> {
        self.0.iter()
    }

    /// The errors as `FILE:LINE:COLUMN: message`, one below the other.
    pub fn in_file<'a>(&'a self, file: &'a str) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            for (number, error) in self.0.iter().enumerate() {
                let separator = if number > 0 { "\n" } else { "" };
                write!(f, "{separator}{file}:{error}")?;
            }
            Ok(())
        })
    }
}

impl fmt::Display for AsmErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.0.iter().enumerate() {
            let separator = if number > 0 { "\n" } else { "" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for AsmErrors {}

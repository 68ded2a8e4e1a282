//! Errors in a text, with line and column, and the line itself with a caret below the error.

use std::fmt;

/// An error at a position in a text; `K` is its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError<K> {
    /// The kind of error.
    pub kind: K,
    /// The 1-based line.
    pub line: u32,
    /// The 1-based column in characters.
    pub column: u32,
    /// The content of the line, which messages show.
    pub source_line: String,
    /// The most similar valid word, if a name is unknown.
    pub suggestion: Option<String>,
}

impl<K> TextError<K> {
    /// Creates an error without a suggestion.
    #[cold]
    pub fn new(kind: K, line: u32, column: u32, source_line: &str) -> TextError<K> {
        TextError { kind, line, column, source_line: source_line.to_owned(), suggestion: None }
    }

    /// Adds the valid word that the author probably meant.
    #[must_use]
    pub fn suggest(mut self, word: Option<impl Into<String>>) -> TextError<K> {
        self.suggestion = word.map(Into::into);
        self
    }
}

impl<K: fmt::Display> TextError<K> {
    /// Returns the error as `FILE:LINE:COLUMN: message`, with the line and a caret below. `Display` omits the file.
    pub fn in_file<'a>(&'a self, file: &'a str) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            write!(f, "{file}:")?;
            fmt::Display::fmt(self, f)
        })
    }
}

/// Displays a word of the text in a message, and cuts long words.
pub struct ShortWord<'a>(pub &'a str);

const SHOWN_WORD: usize = 40;

impl fmt::Display for ShortWord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(SHOWN_WORD) {
            Some((end, _)) => write!(f, "{}…", self.0.get(..end).unwrap_or_default()),
            None => f.write_str(self.0),
        }
    }
}

/// The maximum number of characters that a message shows of a line, before and after the position.
const SHOWN_LINE: (usize, usize) = (120, 80);

/// Returns a line of the text, and a caret below a column, both indented. Only a part of a long line is shown.
fn caret(source_line: &str, column: u32) -> impl fmt::Display + '_ {
    fmt::from_fn(move |f| {
        let (before, after) = SHOWN_LINE;
        let position = column.saturating_sub(1) as usize;
        let hidden = position.saturating_sub(before);
        let shown = || {
            let letters = source_line.chars().skip(hidden);
            // Control characters other than tabs could move the caret or affect the terminal.
            letters.map(|c| if c.is_control() && c != '\t' { ' ' } else { c })
        };
        f.write_str("    ")?;
        for letter in shown().take(position.saturating_sub(hidden).saturating_add(after)) {
            write!(f, "{letter}")?;
        }
        f.write_str("\n    ")?;
        // Tabs are kept, so that the caret is below its character.
        for letter in shown().take(position.saturating_sub(hidden)) {
            f.write_str(if letter == '\t' { "\t" } else { " " })?;
        }
        f.write_str("^")
    })
}

impl<K: fmt::Display> fmt::Display for TextError<K> {
    /// Writes `LINE:COLUMN: message`, the line, and a caret below the position.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.kind)?;
        if let Some(word) = &self.suggestion {
            write!(f, "; did you mean `{word}`?")?;
        }
        write!(f, "\n{}", caret(&self.source_line, self.column))
    }
}

impl<K: fmt::Display + fmt::Debug> std::error::Error for TextError<K> {}

/// The errors of a text in line order: at least one, at most [`MAX_ERRORS`], and at most one per line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextErrors<K> {
    first: Box<TextError<K>>,
    others: Vec<TextError<K>>,
}

/// Maximum number of errors in a [`TextErrors`]. Lines after the last error are not checked.
pub const MAX_ERRORS: usize = 20;

impl<K> TextErrors<K> {
    /// Returns the first error of the text.
    pub fn first(&self) -> &TextError<K> {
        &self.first
    }
    /// Returns all errors in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &TextError<K>> {
        std::iter::once(self.first()).chain(&self.others)
    }
    /// Returns whether parsing stopped before the end of the text, because there were too many errors.
    pub fn is_truncated(&self) -> bool {
        self.others.len().saturating_add(1) >= MAX_ERRORS
    }
}

impl<K: fmt::Display> TextErrors<K> {
    /// Returns the errors in the format of [`TextError::in_file`], one per line.
    pub fn in_file<'a>(&'a self, file: &'a str) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| self.show(f, |error, f| write!(f, "{}", error.in_file(file))))
    }

    fn show(
        &self,
        f: &mut fmt::Formatter<'_>,
        one: impl Fn(&TextError<K>, &mut fmt::Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        one(&self.first, f)?;
        for error in &self.others {
            f.write_str("\n")?;
            one(error, f)?;
        }
        if self.is_truncated() {
            f.write_str("\n(there may be more errors: the lines below were not checked)")?;
        }
        Ok(())
    }
}

impl<K> From<TextError<K>> for TextErrors<K> {
    fn from(first: TextError<K>) -> TextErrors<K> {
        TextErrors { first: Box::new(first), others: Vec::new() }
    }
}

impl<K: fmt::Display> fmt::Display for TextErrors<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(f, |error, f| write!(f, "{error}"))
    }
}

impl<K: fmt::Display + fmt::Debug> std::error::Error for TextErrors<K> {}

/// A collection of a text's errors, initially empty.
#[derive(Debug)]
pub struct ErrorList<K>(Option<TextErrors<K>>);

impl<K> Default for ErrorList<K> {
    fn default() -> ErrorList<K> {
        ErrorList(None)
    }
}

impl<K> ErrorList<K> {
    /// Adds an error. Returns false if the maximum is reached and parsing should stop.
    pub fn push(&mut self, error: TextError<K>) -> bool {
        match &mut self.0 {
            None => self.0 = Some(error.into()),
            Some(errors) => errors.others.push(error),
        }
        !self.0.as_ref().is_some_and(TextErrors::is_truncated)
    }

    /// Returns the value if there are no errors, and otherwise the errors.
    pub fn into_result<T>(self, value: T) -> Result<T, TextErrors<K>> {
        self.0.map_or(Ok(value), Err)
    }
}

//! A cursor over one line of text.

use super::error::{TextError, TextErrorKind};

/// One line with its number, and how far it has been read.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    text: &'a str,
    /// What is still to be read: a part of `text`.
    rest: &'a str,
    number: u32,
}

impl<'a> Line<'a> {
    /// Starts at the front of a line's code, which is a part of the line.
    pub(super) fn new(text: &'a str, code: &'a str, number: u32) -> Line<'a> {
        let mut line = Line {
            text,
            rest: code.trim_end(),
            number,
        };
        line.blank();
        line
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// An error at the present place.
    #[cold]
    pub(super) fn error(&self, kind: TextErrorKind) -> TextError {
        // `rest` is a part of `text`, so the distance of their starts is what has been read.
        let read = (self.rest.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..read).unwrap_or_default();
        let column = u32::try_from(before.chars().count()).unwrap_or(u32::MAX);
        TextError {
            kind,
            line: self.number,
            column: column.saturating_add(1),
            source_line: self.text.to_owned(),
            suggestion: None,
        }
    }

    /// Takes the characters that belong to a word.
    pub(super) fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        word
    }

    /// Takes letters, digits and `_`.
    pub(super) fn name(&mut self) -> &'a str {
        self.word(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// Takes blanks.
    pub(super) fn blank(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Takes a text if it is next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// What is next.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// All that is still to be read.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }
}

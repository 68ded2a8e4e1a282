//! A cursor over one line of text.

use super::error::{AsmError, AsmErrorKind};

/// One line of a source with its number and a read position.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    text: &'a str,
    /// The unread rest of `text`, up to a comment.
    rest: &'a str,
    number: u32,
}

/// Whether a character besides blanks may separate operands. Adobe's class finds operands by pattern and skips anything
/// between them (agal-assembly.md section 2); this one skips only what can't be mistaken for arithmetic.
fn separates(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, ',' | ';' | ':' | '=' | '(' | ')')
}

impl<'a> Line<'a> {
    /// Starts at the beginning of a line. Ignores a `//` comment.
    pub(super) fn new(text: &'a str, number: u32) -> Line<'a> {
        let rest = text.split_once("//").map_or(text, |(code, _)| code);
        let mut line = Line {
            text,
            rest: rest.trim_end_matches(separates),
            number,
        };
        line.separators();
        line
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// An error at the current position.
    #[cold]
    pub(super) fn error(&self, kind: AsmErrorKind) -> AsmError {
        // `rest` is a part of `text`, so the distance of their starts is the number of bytes read.
        let read = (self.rest.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..read).unwrap_or_default();
        let column = u32::try_from(before.chars().count()).unwrap_or(u32::MAX);
        AsmError::new(kind, self.number, column.saturating_add(1), self.text)
    }

    /// Takes the characters that belong to a word.
    pub(super) fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        word
    }

    /// Takes everything up to the next separator or `<`, and at least one character unless the line is at its end: an
    /// invalid word, for a message or to skip it.
    pub(super) fn piece(&mut self) -> &'a str {
        self.word(|c| !separates(c) && c != '<')
    }

    /// Takes blanks.
    pub(super) fn blank(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Takes blanks and other separators.
    pub(super) fn separators(&mut self) {
        self.rest = self.rest.trim_start_matches(separates);
    }

    /// Takes one character if it is next.
    pub(super) fn take(&mut self, letter: char) -> bool {
        match self.rest.strip_prefix(letter) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The next character, for messages and look-ahead.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }
}

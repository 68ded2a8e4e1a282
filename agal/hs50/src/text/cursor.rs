//! A cursor over a text.

use super::error::{AsmError, AsmErrorKind};

/// A text and how far it has been read.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, rest: text }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The byte that comes next.
    fn place(&self) -> usize {
        self.text.len().saturating_sub(self.rest.len())
    }

    /// An error at the present place.
    #[cold]
    pub(super) fn error_here(&self, kind: AsmErrorKind) -> AsmError {
        let place = self.place();
        let before = self.text.get(..place).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end.saturating_add(1));
        let line = before.bytes().filter(|byte| *byte == b'\n').count();
        let column = before.get(start..).unwrap_or_default().chars().count();
        let whole = self.text.get(start..).unwrap_or_default().lines().next();
        AsmError::new(kind, line, column, whole.unwrap_or_default())
    }

    /// Takes blanks, not line ends.
    pub(super) fn blank(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
    }

    /// Takes blanks, line ends and comments.
    pub(super) fn space(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if !self.rest.starts_with("//") {
                return;
            }
            self.line();
        }
    }

    /// Takes what is left of the line.
    pub(super) fn line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// Takes the characters that belong to a word.
    pub(super) fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        word
    }

    /// Takes letters, digits and underscores.
    pub(super) fn name(&mut self) -> &'a str {
        self.word(|c| c.is_ascii_alphanumeric() || c == '_')
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

    /// Takes a text after blanks, which must be next.
    pub(super) fn expect(&mut self, text: &'static str) -> Result<(), AsmError> {
        self.blank();
        match self.take(text) {
            true => Ok(()),
            false => Err(self.error_here(AsmErrorKind::Expected(text))),
        }
    }

    /// Is nothing but blanks or a comment left on the line?
    pub(super) fn at_line_end(&self) -> bool {
        let rest = self.rest.trim_start_matches([' ', '\t', '\r']);
        rest.is_empty() || rest.starts_with('\n') || rest.starts_with("//")
    }

    /// A whole number after blanks, decimal with or without a minus, or hexadecimal.
    pub(super) fn number(&mut self) -> Result<u32, AsmError> {
        self.blank();
        let before = *self;
        let word = self.word(|c| c.is_ascii_alphanumeric() || c == '-');
        whole(word).ok_or_else(|| before.error_here(AsmErrorKind::Number(word.to_owned())))
    }
}

/// A whole number of 32 bits.
pub(super) fn whole(word: &str) -> Option<u32> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok();
    }
    match word.parse::<i64>() {
        Ok(number) => u32::try_from(number)
            .ok()
            .or_else(|| i32::try_from(number).ok().map(i32::cast_unsigned)),
        Err(_) => None,
    }
}

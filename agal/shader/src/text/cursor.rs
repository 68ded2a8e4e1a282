//! A cursor that reads a text.

use super::TextError;

/// A cursor that reads a text, or one numbered line of a text.
#[derive(Clone, Copy, Debug)]
pub struct TextCursor<'a> {
    text: &'a str,
    rest: &'a str,
    number: u32,
}

impl<'a> TextCursor<'a> {
    /// Creates a cursor at the first line of a text.
    pub fn new(text: &'a str) -> TextCursor<'a> {
        TextCursor { text, rest: text, number: 1 }
    }

    /// Creates a cursor at the first word of `code`, which is a part of the line `text`. White space at the end of the
    /// code is ignored. Line numbers start at 1.
    pub fn line(text: &'a str, code: &'a str, number: u32) -> TextCursor<'a> {
        let mut cursor = TextCursor { text, rest: code.trim_end(), number };
        cursor.blank();
        cursor
    }

    /// Returns the unread text.
    pub fn rest(&self) -> &'a str {
        self.rest
    }

    /// Returns whether the whole text has been read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the next character without consuming it.
    pub fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Creates an error at the position of the cursor.
    #[cold]
    pub fn error<K>(&self, kind: K) -> TextError<K> {
        // `rest` is a part of `text`, so the distance between their starts is the number of bytes read.
        let read = (self.rest.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..read).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end.saturating_add(1));
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let lines = count(before.bytes().filter(|byte| *byte == b'\n').count());
        let line = self.text.get(start..).unwrap_or_default();
        let line = line.lines().next().unwrap_or_default();
        // A carriage return at the end doesn't count as part of the line.
        let column = before.get(start..).unwrap_or_default().chars().count();
        let column = count(column.min(line.chars().count()));
        TextError::new(kind, self.number.saturating_add(lines), column.saturating_add(1), line)
    }

    /// Consumes characters while `belongs` is true.
    pub fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        word
    }

    /// Consumes ASCII letters, digits and underscores.
    pub fn name(&mut self) -> &'a str {
        self.word(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// Skips white space, except line ends.
    pub fn blank(&mut self) {
        self.word(|c| c.is_whitespace() && c != '\n');
    }

    /// Consumes `text` if the input continues with `text`. Returns whether `text` was consumed.
    pub fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Consumes the rest of the line with its line end.
    pub fn take_line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }
}

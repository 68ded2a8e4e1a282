//! Splits a line of AGAL into words and separators.

use agal_core::text::TextCursor;

/// Returns whether a character may separate operands. Adobe's assembler skips any text between operands
/// ([agal.text.operands]). This assembler skips only characters that can't be mistaken for arithmetic.
fn separates(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, ',' | ';' | ':' | '=' | '(' | ')')
}

/// Returns a cursor at the start of a line's code. Text after `//` is ignored.
pub(super) fn line(text: &str, number: u32) -> TextCursor<'_> {
    let code = text.split_once("//").map_or(text, |(code, _)| code);
    let mut line = TextCursor::line(text, code.trim_end_matches(separates), number);
    line.separators();
    line
}

/// Methods that read a line of AGAL with a cursor.
pub(super) trait Pieces<'a> {
    /// Consumes a word up to the next separator or `<`, to skip it or show it in a message.
    fn piece(&mut self) -> &'a str;
    /// Skips white space and other characters that may separate operands.
    fn separators(&mut self);
}

impl<'a> Pieces<'a> for TextCursor<'a> {
    fn piece(&mut self) -> &'a str {
        self.word(|c| !separates(c) && c != '<')
    }

    fn separators(&mut self) {
        self.word(separates);
    }
}

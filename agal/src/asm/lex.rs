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
    separators(&mut line);
    line
}

/// Consumes a word up to the next separator or `<`, to skip it or show it in a message.
pub(super) fn piece<'a>(line: &mut TextCursor<'a>) -> &'a str {
    line.word(|c| !separates(c) && c != '<')
}

/// Skips white space and other characters that may separate operands.
pub(super) fn separators(line: &mut TextCursor<'_>) {
    line.word(separates);
}

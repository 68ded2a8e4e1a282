//! What AGAL's lines are made of.

use crate::text::Cursor;

/// Whether a character besides blanks may separate operands. Adobe's class finds operands by pattern and skips anything
/// between them (agal-assembly.md section 2); this one skips only what can't be mistaken for arithmetic.
fn separates(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, ',' | ';' | ':' | '=' | '(' | ')')
}

/// The front of a line. What follows `//` is not looked at.
pub(super) fn line(text: &str, number: u32) -> Cursor<'_> {
    let code = text.split_once("//").map_or(text, |(code, _)| code);
    let mut line = Cursor::line(text, code.trim_end_matches(separates), number);
    line.separators();
    line
}

/// Steps of a cursor over a line of AGAL.
pub(super) trait Pieces<'a> {
    /// Takes everything up to the next separator or `<`, at least one character if there is one: a word that means
    /// nothing, for a message or to step over it.
    fn piece(&mut self) -> &'a str;
    /// Takes blanks and whatever else may stand between operands.
    fn separators(&mut self);
}

impl<'a> Pieces<'a> for Cursor<'a> {
    fn piece(&mut self) -> &'a str {
        self.word(|c| !separates(c) && c != '<')
    }

    fn separators(&mut self) {
        self.word(separates);
    }
}

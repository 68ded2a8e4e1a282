//! Cursor operations for parsing listings.

use agal_core::text::TextCursor;

use super::error::{HullTextError, HullTextErrorKind};

pub(super) trait StepLimit {
    /// Skips spaces, line ends and comments.
    fn space(&mut self);
    /// Skips spaces, then consumes the given text; fails if other text follows.
    fn expect(&mut self, text: &'static str) -> Result<(), HullTextError>;
    /// Returns whether only spaces or a comment remain on the line.
    fn at_line_end(&self) -> bool;
    /// Skips spaces, then parses an integer: decimal with optional sign, or hexadecimal.
    fn number(&mut self) -> Result<u32, HullTextError>;
}

impl StepLimit for TextCursor<'_> {
    fn space(&mut self) {
        loop {
            self.word(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_line();
        }
    }

    fn expect(&mut self, text: &'static str) -> Result<(), HullTextError> {
        self.blank();
        if self.take(text) { Ok(()) } else { Err(self.error(HullTextErrorKind::Expected(text))) }
    }

    fn at_line_end(&self) -> bool {
        let mut ahead = *self;
        ahead.blank();
        let rest = ahead.rest();
        rest.is_empty() || rest.starts_with('\n') || rest.starts_with("//")
    }

    fn number(&mut self) -> Result<u32, HullTextError> {
        self.blank();
        let before = *self;
        let word = self.word(|c| c.is_ascii_alphanumeric() || c == '-');
        whole(word).ok_or_else(|| before.error(HullTextErrorKind::Number(word.to_owned())))
    }
}

pub(super) fn whole(word: &str) -> Option<u32> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok();
    }
    word.parse().or_else(|_| word.parse().map(i32::cast_unsigned)).ok()
}

//! Cursor operations for listings.

use shader_core::text::Cursor;

use super::error::{AsmError, AsmErrorKind};

pub(super) trait Steps {
    /// Skips spaces, line ends and comments.
    fn space(&mut self);
    /// Skips spaces, then takes the given text, which must follow.
    fn expect(&mut self, text: &'static str) -> Result<(), AsmError>;
    /// Whether only spaces or a comment remain on the line.
    fn at_line_end(&self) -> bool;
    /// Skips spaces, then takes an integer: decimal, possibly negative, or hexadecimal.
    fn number(&mut self) -> Result<u32, AsmError>;
}

impl Steps for Cursor<'_> {
    fn space(&mut self) {
        loop {
            self.word(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_line();
        }
    }

    fn expect(&mut self, text: &'static str) -> Result<(), AsmError> {
        self.blank();
        match self.take(text) {
            true => Ok(()),
            false => Err(self.error(AsmErrorKind::Expected(text))),
        }
    }

    fn at_line_end(&self) -> bool {
        let mut ahead = *self;
        ahead.blank();
        let rest = ahead.rest();
        rest.is_empty() || rest.starts_with('\n') || rest.starts_with("//")
    }

    fn number(&mut self) -> Result<u32, AsmError> {
        self.blank();
        let before = *self;
        let word = self.word(|c| c.is_ascii_alphanumeric() || c == '-');
        whole(word).ok_or_else(|| before.error(AsmErrorKind::Number(word.to_owned())))
    }
}

/// Parses a 32-bit integer.
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

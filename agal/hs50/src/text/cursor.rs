//! Functions that read listings with a cursor.

use agal_core::text::TextCursor;

use super::error::{HullTextErrorKind, HullTextResult};

/// Skips spaces, line ends and comments.
pub(super) fn space(cursor: &mut TextCursor<'_>) {
    loop {
        cursor.word(char::is_whitespace);
        if !cursor.rest().starts_with("//") {
            return;
        }
        cursor.take_line();
    }
}

/// Skips spaces, then consumes the given text; fails if other text follows.
pub(super) fn expect(cursor: &mut TextCursor<'_>, text: &'static str) -> HullTextResult {
    cursor.blank();
    if cursor.take(text) { Ok(()) } else { Err(cursor.error(HullTextErrorKind::Expected(text))) }
}

/// Returns whether only spaces or a comment remain on the line.
pub(super) fn at_line_end(cursor: &TextCursor<'_>) -> bool {
    let mut ahead = *cursor;
    ahead.blank();
    let rest = ahead.rest();
    rest.is_empty() || rest.starts_with('\n') || rest.starts_with("//")
}

/// Skips spaces, then parses an integer: decimal with optional sign, or hexadecimal.
pub(super) fn number(cursor: &mut TextCursor<'_>) -> HullTextResult<u32> {
    cursor.blank();
    let before = *cursor;
    let word = cursor.word(|c| c.is_ascii_alphanumeric() || c == '-');
    whole(word).ok_or_else(|| before.error(HullTextErrorKind::Number(word.to_owned())))
}

pub(super) fn whole(word: &str) -> Option<u32> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok();
    }
    word.parse().or_else(|_| word.parse().map(i32::cast_unsigned)).ok()
}

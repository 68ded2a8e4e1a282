//! Escapes untrusted text for output to a terminal.

use std::borrow::Cow;

/// Maximum length, in characters, of a capture's or case's text in a line of output.
const MAX_LINE: usize = 300;

/// Returns whether a character is a control character for terminals or changes the direction of text.
fn is_obeyed(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Escapes all characters that a terminal would interpret, except for line ends and tabs.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_odd = |letter: char| is_obeyed(letter) && letter != '\n' && letter != '\t';
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_odd(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// Escapes text from a capture or a case as part of one line: also escapes line ends, and shortens long text.
pub fn line(text: &str) -> String {
    let cut = text.char_indices().nth(MAX_LINE).map(|(end, _)| end);
    let text = text.get(..cut.unwrap_or(text.len())).unwrap_or_default();
    let mut shown = visible(text).replace('\n', "\\n").replace('\t', "\\t");
    if cut.is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_as_a_command() {
        let hostile = "a\u{1b}[31m\u{7}\r\u{9b}2J\u{202e}b\tc\nä";
        let shown = "a\\u{1b}[31m\\u{7}\\r\\u{9b}2J\\u{202e}b\tc\nä";
        assert_eq!(visible(hostile), shown);
        assert_eq!(line(hostile), shown.replace('\t', "\\t").replace('\n', "\\n"));
        assert!(matches!(visible("plain\n\tß"), Cow::Borrowed(_)));
        assert_eq!(line(&"ß".repeat(1 << 20)).chars().count(), MAX_LINE + 1);
        assert_eq!(line(&"ß".repeat(MAX_LINE)), "ß".repeat(MAX_LINE));
    }
}

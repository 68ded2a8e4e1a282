//! Colours of verdicts and carets on terminals. `anstream` decides whether colours are used: by the kind of output, and
//! by `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE`.

use std::borrow::Cow;
use std::fmt::Write;

use anstyle::{AnsiColor, Style};

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const OPEN: Style = AnsiColor::Yellow.on_default();

/// Verdicts in the output of commands.
const VERDICTS: &[(&str, Style)] = &[
    ("accepted", GOOD),
    ("valid", GOOD),
    ("pass", GOOD),
    ("found", GOOD),
    ("refused", BAD),
    ("fail", BAD),
    ("crash", BAD),
    ("timeout", BAD),
    ("unexpected pass", BAD),
    ("invalid", BAD),
    ("not found", BAD),
    ("molehill", BAD),
    ("known failure", OPEN),
    ("not supported", OPEN),
];

/// The text with verdicts and carets in colour. A verdict is a whole field, delimited by line ends, colons or wide
/// gaps.
pub(super) fn paint(text: &str) -> Cow<'_, str> {
    let mut painted = String::new();
    for line in text.split_inclusive('\n') {
        let carets = line.trim();
        if !carets.is_empty() && carets.bytes().all(|byte| byte == b'^') {
            put(&mut painted, line, carets, BAD);
            continue;
        }
        let mut rest = line;
        while !rest.is_empty() {
            let end = [rest.find(": "), rest.find("  ")].into_iter().flatten().min();
            let (field, after) = rest.split_at(end.map_or(rest.len(), |end| end + 2));
            let word = field.trim_matches([' ', ':', '\n']);
            match VERDICTS.iter().find(|(verdict, _)| *verdict == word) {
                Some((_, style)) => put(&mut painted, field, word, *style),
                None => painted += field,
            }
            rest = after;
        }
    }
    Cow::Owned(painted)
}

/// Appends a field, with `part` in a style.
fn put(painted: &mut String, field: &str, part: &str, style: Style) {
    let (before, after) = field.split_once(part).unwrap_or((field, ""));
    // Writing to a String can't fail.
    let _ = write!(painted, "{before}{style}{part}{style:#}{after}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_and_carets_are_painted() {
        let (good, bad) = (GOOD.render(), BAD.render());
        let reset = GOOD.render_reset();
        for (text, painted) in [
            ("x: accepted\n", format!("x: {good}accepted{reset}\n")),
            (
                "refused   a.bin  valid\n",
                format!("{bad}refused{reset}   a.bin  {good}valid{reset}\n"),
            ),
            ("  ^\n", format!("  {bad}^{reset}\n")),
            (
                "fail: api.x: 3 pixels differ\n",
                format!("{bad}fail{reset}: api.x: 3 pixels differ\n"),
            ),
        ] {
            assert_eq!(paint(text), painted);
        }
        for text in ["", "valid programs\n", "1 passed, 0 failed", "a ^ b\n", "\n\n"] {
            assert_eq!(paint(text), text);
        }
    }
}

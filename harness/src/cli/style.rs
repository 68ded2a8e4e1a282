//! Adds colours to verdicts and carets in the output if `anstream` allows it (terminal, `NO_COLOR`, `CLICOLOR`,
//! `CLICOLOR_FORCE`). Control characters were escaped earlier, so that no input can insert colours.

use anstyle::{AnsiColor, Style};

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const OPEN: Style = AnsiColor::Yellow.on_default();

fn style(word: &str) -> Option<Style> {
    match word {
        "accepted" | "valid" | "pass" | "found" => Some(GOOD),
        "refused" | "fail" | "crash" | "timeout" | "unexpected pass" | "invalid" | "not found"
        | "not tested" | "missing feature" | "molehill" => Some(BAD),
        "known failure" | "not supported" | "allowed untested" => Some(OPEN),
        carets if !carets.is_empty() && carets.bytes().all(|byte| byte == b'^') => Some(BAD),
        _ => None,
    }
}

/// Adds colours to verdicts and carets in a text. A verdict is a whole field between line ends, colons or two spaces.
pub(super) fn paint(text: &str) -> String {
    let mut painted = String::new();
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while !rest.is_empty() {
            let end = [rest.find(": "), rest.find("  ")].into_iter().flatten().min();
            let (field, after) = rest.split_at(end.map_or(rest.len(), |end| end + 2));
            let word = field.trim_matches([' ', ':', '\n']);
            match style(word).and_then(|style| Some((style, field.split_once(word)?))) {
                Some((style, (before, after))) => {
                    painted += &format!("{before}{style}{word}{style:#}{after}");
                }
                None => painted += field,
            }
            rest = after;
        }
    }
    painted
}

#[cfg(test)]
#[path = "../../tests/unit/style.rs"]
mod tests;

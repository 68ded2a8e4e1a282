//! Cases for every error that Flash's error table lists: `scripts/errors.txt`.

use crate::calls::Calls as _;
use crate::case::{CallExpectation, Cases};
use crate::expected::{self, ErrorRow};
use crate::script::{self, ScriptRow};

const SCRIPT: &str = include_str!("../../../scripts/errors.txt");

pub(super) fn add(cases: &mut Cases) {
    for row in script::rows(cases, "api.error", SCRIPT, &|_| None) {
        let both = [Some(true), Some(false)];
        let ways = if row.has("once") { &[None][..] } else { &both };
        ways.iter().for_each(|checking| add_row(cases, &row, *checking));
    }
}

/// Adds a case with error checking on or off. If `checking` is `None`, the context keeps its default.
fn add_row(cases: &mut Cases, row: &ScriptRow, checking: Option<bool>) {
    let [number, what, ..] = row.words.as_slice() else { return };
    let end = checking.map_or("", |checking| if checking { ".checked" } else { ".unchecked" });
    let (name, expected, source) = match number.parse() {
        Ok(number) => (
            format!("api.error.{number}.{what}{end}"),
            expected(row, number, checking != Some(false)),
            format!("[context3d.error.{number}] {}", row.source),
        ),
        Err(_) => (what.clone(), CallExpectation::Allowed, row.source.clone()),
    };
    let steps = row.steps.clone();
    let case = cases.calls(name, &source, expected, move |s| {
        checking.map_or(Ok(()), |checking| s.set_error_checking(checking))?;
        script::run(&steps, s)
    });
    row.configure(case);
}

fn expected(row: &ScriptRow, number: u16, checking: bool) -> CallExpectation {
    let raised = expected::error(number).map_or(ErrorRow::Always, |row| row.raised);
    match (checking, row.has("succeeds"), raised) {
        (false, true, _) | (false, _, ErrorRow::ElseDrawn) => return CallExpectation::Allowed,
        (false, false, ErrorRow::ElseSkipped) => return CallExpectation::Skips(number),
        (false, false, ErrorRow::Always) | (true, ..) => {}
    }
    match (row.raises(number), row.option("class").and_then(expected::class_named)) {
        (CallExpectation::Raises { number, message, .. }, Some(class)) => {
            CallExpectation::Raises { number, class, message }
        }
        (expected, _) => expected,
    }
}

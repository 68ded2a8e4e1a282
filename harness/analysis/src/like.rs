//! A comparison of a draw with the other draws of its program in the frame.

use std::fmt;

use molehill_replay::table::aligned;
use serde::Serialize;

use crate::error::{InspectError, Result};
use crate::inspector::Inspector;
use crate::names::plain;
use crate::state_items::{StateArea, StateItem};

/// Maximum number of compared draws. The draws with the nearest call numbers are compared.
const OTHERS: usize = 5;
/// Maximum length of a value in the table, in characters.
const WIDTH: usize = 44;

/// A comparison of a draw with other draws of the same program in its frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LikeReport {
    pub call: usize,
    pub program: String,
    /// Total number of the program's draws in the frame.
    pub draws: usize,
    /// The calls of the compared draws: other draws of the program in the frame.
    pub others: Vec<usize>,
    pub rows: Vec<LikeRow>,
}

/// A slot whose value differs between the draws.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LikeRow {
    pub area: StateArea,
    pub name: String,
    /// The value of the state slot at the inspected draw; `None` if the slot is not set.
    pub value: Option<String>,
    /// The value of this state slot at each draw in [`LikeReport::others`].
    pub others: Vec<Option<String>>,
    /// True if all other draws have the same value and the inspected draw has a different value.
    pub odd: bool,
}

impl Inspector {
    /// Compares the state of a draw with the nearest other draws of the same program in the frame.
    pub fn like(&mut self, call: usize) -> Result<LikeReport> {
        let capture = std::sync::Arc::clone(self.capture());
        let frame = capture.frame_of(call).ok_or(InspectError::NotADraw(call))?.number;
        let passes = self.passes(frame)?;
        let pass = passes.iter().find(|pass| pass.draws.contains(&call));
        let context = pass.ok_or(InspectError::NotADraw(call))?.context;
        let own = passes.iter().filter(|pass| pass.context == context);
        let dry_run = self.dry_run(0)?;
        let program =
            |call: usize| dry_run.writes.last(context, StateItem::Program.slot(0), call)?.object;
        let wanted = program(call);
        let all = own.flat_map(|pass| &pass.draws).copied();
        let draws: Vec<usize> = all.filter(|draw| program(*draw) == wanted).collect();
        drop(dry_run);
        let mut others: Vec<usize> = draws.iter().copied().filter(|draw| *draw != call).collect();
        others.sort_by_key(|draw| draw.abs_diff(call));
        others.truncate(OTHERS);
        others.sort_unstable();
        let mut columns = Vec::new();
        for draw in [&[call], &others[..]].concat() {
            columns.push(self.state_at(draw)?.map_or(Vec::new(), |(.., rows)| rows));
        }
        let mut names: Vec<(StateArea, &str)> = Vec::new();
        for row in columns.iter().flatten().filter(|row| row.read) {
            if !names.contains(&(row.area, row.name.as_str())) {
                names.push((row.area, &row.name));
            }
        }
        let row = |(area, name): &(StateArea, &str)| {
            let value = |rows: &Vec<crate::state::StateField>| {
                let found = rows.iter().find(|row| row.area == *area && row.name == *name);
                found.map(|row| row.value.clone())
            };
            let mut values: Vec<_> = columns.iter().map(value).collect();
            let value = values.remove(0);
            let differs = values.iter().any(|other| *other != value);
            let odd = differs && values.iter().all(|other| values.first() == Some(other));
            let (area, name, others) = (*area, (*name).to_owned(), values);
            differs.then_some(LikeRow { area, name, value, others, odd })
        };
        let rows = names.iter().filter_map(row).collect();
        let program = wanted.map_or(String::new(), |id| capture.title(id));
        Ok(LikeReport { call, program, draws: draws.len(), others, rows })
    }
}

impl fmt::Display for LikeReport {
    /// Writes a table with a column per draw. `=` is the first draw's value; `!` marks a value that only the first draw
    /// has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LikeReport { call, program, draws, others, rows } = self;
        if others.is_empty() {
            return writeln!(f, "call {call} is the only draw with {program} in its frame");
        }
        writeln!(
            f,
            "call {call} compared with {} of {} other draws with {program}",
            others.len(),
            draws - 1
        )?;
        let calls = [&[*call], &others[..]].concat();
        let head = [String::new(), String::new()].into_iter();
        let mut lines: Vec<Vec<String>> =
            vec![head.chain(calls.iter().map(usize::to_string)).collect()];
        for row in rows {
            let text = |value: &Option<String>| match value {
                Some(value) => plain(value, WIDTH),
                None => "not set".to_owned(),
            };
            let other = |other: &Option<String>| {
                if *other == row.value { "=".to_owned() } else { text(other) }
            };
            let mark = if row.odd { "!" } else { "" };
            let first = [mark.to_owned(), row.name.clone(), text(&row.value)].into_iter();
            lines.push(first.chain(row.others.iter().map(other)).collect());
        }
        f.write_str(&aligned(&lines, "").concat())
    }
}

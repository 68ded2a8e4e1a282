//! The report: a table and bars for people, JSON for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::Target;
use crate::row::Row;

/// The measured rows of one target.
#[derive(Clone, Debug)]
pub struct Report {
    /// The backend that was measured.
    pub target: Target,
    /// The driver's description, for people.
    pub driver: String,
    /// Runs of each variant.
    pub rounds: usize,
    /// A row for each scene or capture.
    pub rows: Vec<Row>,
}

/// Width of the longest bar, in characters.
const BAR: usize = 48;

impl Report {
    /// The report as JSON. Each element of `rows` has among others `nsPerDraw`, `floorNsPerDraw`, `ratioToFloor`,
    /// `glCallsPerDraw` and `allocationsPerFrame`.
    pub fn json(&self) -> Value {
        json!({
            "backend": self.target.name(),
            "driver": self.driver,
            "runs": self.rounds,
            "rows": self.rows.iter().map(Row::json).collect::<Vec<_>>(),
        })
    }

    /// The report as text: a table, the calls by name if there is only one row, and bars. `baseline` is the JSON of an
    /// earlier report, to compare with.
    pub fn text(&self, baseline: Option<&Value>) -> String {
        let mut text = format!(
            "{} ({}), nanoseconds per draw, median of {} alternating runs\n\n",
            self.target.name(),
            self.driver,
            self.rounds
        );
        let mut lines = vec![
            [
                "",
                "total",
                "spread",
                "floor",
                "ratio",
                "front",
                "backend",
                "driver",
                "GL calls",
                "unfiltered",
                "bytes",
                "allocations",
                "peak KiB",
                "before",
            ]
            .map(str::to_owned)
            .to_vec(),
        ];
        lines.extend(self.rows.iter().map(|row| cells(row, baseline)));
        if baseline.is_none() {
            lines.iter_mut().for_each(|line| drop(line.pop()));
        }
        table(&mut text, &lines);
        for row in &self.rows {
            if let Some(why) = &row.no_floor {
                line(&mut text, &format!("{}: no floor: {why}", row.name));
            }
        }
        if let [row] = self.rows.as_slice() {
            by_name(&mut text, row);
        }
        text.push('\n');
        self.bars(&mut text);
        text
    }

    /// A bar for each row, split into front end, backend and driver, with a mark at the floor.
    fn bars(&self, text: &mut String) {
        let largest = self.rows.iter().map(|row| row.total.median()).fold(0.0, f64::max);
        let width = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
        for row in &self.rows {
            let mut bar = String::new();
            let parts = row.parts().unwrap_or([row.total.median(), 0.0, 0.0]);
            let mut end = 0.0;
            for (part, mark) in parts.into_iter().zip(['▓', '▒', '░']) {
                end += part;
                while bar.chars().count() < columns(end, largest) {
                    bar.push(mark);
                }
            }
            let floor = row.floor.as_ref().map(|floor| columns(floor.median(), largest).max(1));
            let bar: String = bar
                .chars()
                .enumerate()
                .map(|(column, mark)| if floor == Some(column + 1) { '│' } else { mark })
                .collect();
            line(text, &format!("{:width$}  {bar} {:.0}", row.name, row.total.median()));
        }
        line(
            text,
            "\n▓ context3d  ▒ backend-gl  ░ driver  │ floor: the same OpenGL calls from a list",
        );
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a number of columns"
)]
fn columns(value: f64, largest: f64) -> usize {
    (value / largest.max(f64::MIN_POSITIVE) * BAR as f64).round() as usize
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn cells(row: &Row, baseline: Option<&Value>) -> Vec<String> {
    let number = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    let [front, backend, driver] = row.parts().map_or([None; 3], |parts| parts.map(Some));
    let draws = crate::row::float(row.draws.max(1));
    vec![
        row.name.clone(),
        number(Some(row.total.median()), 1),
        format!("{:.0} %", row.total.spread() * 100.0),
        number(row.floor.as_ref().map(crate::Samples::median), 1),
        number(row.ratio(), 2),
        number(front, 1),
        number(backend, 1),
        number(driver, 1),
        number(Some(row.gl_calls_per_draw()), 2),
        number(Some(row.unfiltered_per_draw()), 2),
        number(Some(crate::row::float(row.bytes) / draws), 0),
        number(Some(row.allocations), 0),
        (row.peak / 1024).to_string(),
        number(before(row, baseline).map(|before| (row.total.median() / before - 1.0) * 100.0), 1)
            + " %",
    ]
}

/// Nanoseconds per draw in the baseline; `None` if it lacks the row.
fn before(row: &Row, baseline: Option<&Value>) -> Option<f64> {
    let rows = baseline?.get("rows")?.as_array()?;
    let found =
        rows.iter().find(|before| before.get("name").and_then(Value::as_str) == Some(&row.name));
    found?.get("nsPerDraw")?.as_f64().filter(|before| *before > 0.0)
}

/// Writes lines of cells in columns: the first left-aligned, the others right-aligned.
fn table(text: &mut String, lines: &[Vec<String>]) {
    let columns = lines.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            lines
                .iter()
                .filter_map(|line| line.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    for line in lines {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            // Writing to a string can't fail.
            let _ = match column {
                0 => write!(text, "{cell:width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        text.push('\n');
    }
}

/// OpenGL calls by name, next to those of an unfiltered translation.
fn by_name(text: &mut String, row: &Row) {
    let mut names: Vec<&str> = row.gl_calls.keys().chain(row.unfiltered.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    let mut lines = vec![vec![String::new(), "calls".to_owned(), "unfiltered".to_owned()]];
    for name in names {
        let count =
            |counts: &crate::row::Counts| counts.get(name).copied().unwrap_or(0).to_string();
        lines.push(vec![name.to_owned(), count(&row.gl_calls), count(&row.unfiltered)]);
    }
    text.push('\n');
    table(text, &lines);
    line(
        text,
        &format!(
            "\n{} calls of Flash's API and {} draws in {} frames; {} programs uploaded, {} compiled",
            row.calls,
            row.draws,
            row.frames,
            row.programs,
            row.compiles()
        ),
    );
}

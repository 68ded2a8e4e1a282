//! The report: a table for people, and JSON for programs.

use serde_json::{Value, json};

use crate::Target;
use crate::row::{Counts, Row, Samples, float};

/// The measured rows of one target.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    pub(crate) target: Target,
    /// The driver's description, for people.
    pub(crate) driver: String,
    /// Number of runs of each variant.
    pub(crate) rounds: usize,
    /// A row for each scene or capture.
    pub(crate) rows: Vec<Row>,
}

const HEADINGS: [&str; 13] = [
    "nanoseconds per draw",
    "total",
    "spread",
    "floor",
    "ratio",
    "context3d",
    "backend-gl",
    "driver",
    "GL calls",
    "unfiltered",
    "bytes",
    "allocations",
    "peak KiB",
];

impl Report {
    /// Returns the report as JSON. Each element of `rows` has among others `nsPerDraw`, `floorNsPerDraw`,
    /// `ratioToFloor`, `glCallsPerDraw` and `allocationsPerFrame`.
    pub(crate) fn json(&self) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(Row::json).collect();
        json!({ "backend": self.target.name(), "driver": self.driver, "runs": self.rounds, "rows": rows })
    }

    /// Returns a line that describes the measurement.
    pub(crate) fn title(&self) -> String {
        let (target, driver, rounds) = (self.target.name(), &self.driver, self.rounds);
        format!("{target} ({driver}), median of {rounds} alternating runs")
    }

    /// Returns the cells of a table: headings, and a line for each row. `baseline` is the JSON of an earlier report, to
    /// compare with. The column `floor` is a lower bound of a row's time: the time to issue the row's OpenGL calls from
    /// a recorded list.
    pub(crate) fn lines(&self, baseline: Option<&Value>) -> Vec<Vec<String>> {
        let headings = HEADINGS.into_iter().chain(baseline.map(|_| "change"));
        let headings = headings.map(str::to_owned).collect();
        let rows = self.rows.iter().map(|row| {
            let mut cells = cells(row);
            cells.extend(baseline.map(|baseline| change(row, baseline)));
            cells
        });
        std::iter::once(headings).chain(rows).collect()
    }

    /// Returns the reasons why lower bounds could not be measured. For a single row, also compares the OpenGL calls
    /// with those of a translation without state tracking.
    pub(crate) fn notes(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            if let Some(why) = &row.no_floor {
                text += &format!("{}: no floor: {why}\n", row.name);
            }
        }
        if let [row] = self.rows.as_slice() {
            text += &by_name(row);
        }
        text
    }
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

fn cells(row: &Row) -> Vec<String> {
    let [front, backend, driver] = row.parts().map_or([None; 3], |parts| parts.map(Some));
    vec![
        row.name.clone(),
        number(Some(row.total.median()), 1),
        format!("{:.0} %", row.total.spread() * 100.0),
        number(row.floor.as_ref().map(Samples::median), 1),
        number(row.ratio(), 2),
        number(front, 1),
        number(backend, 1),
        number(driver, 1),
        number(Some(row.gl_calls_per_draw()), 2),
        number(Some(row.unfiltered_per_draw()), 2),
        number(Some(float(row.bytes) / float(row.draws.max(1))), 0),
        number(Some(row.allocations), 0),
        (row.peak / 1024).to_string(),
    ]
}

/// Returns the change of the time per draw since the baseline; `-` if the baseline lacks the row.
fn change(row: &Row, baseline: &Value) -> String {
    let before = || {
        let mut rows = baseline.get("rows")?.as_array()?.iter();
        let named = |before: &&Value| before["name"].as_str() == Some(&row.name);
        rows.find(named)?.get("nsPerDraw")?.as_f64().filter(|before| *before > 0.0)
    };
    number(before().map(|before| (row.total.median() / before - 1.0) * 100.0), 1) + " %"
}

fn by_name(row: &Row) -> String {
    let mut names: Vec<&str> = row.gl_calls.keys().chain(row.unfiltered.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    let mut text = format!("\n{:>10}  {:>10}\n", "calls", "unfiltered");
    for name in names {
        let count = |counts: &Counts| counts.get(name).copied().unwrap_or(0);
        text += &format!("{:>10}  {:>10}  {name}\n", count(&row.gl_calls), count(&row.unfiltered));
    }
    let Row { calls, draws, frames, programs, .. } = row;
    text + &format!(
        "\n{calls} calls of Flash's API and {draws} draws in {frames} frames; {programs} programs uploaded, {} compiled\n",
        row.compiles()
    )
}

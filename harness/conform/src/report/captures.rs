//! A run on captures as a text table and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use super::summary::Totals;
use crate::capture_case::{ExpectedPicture, PictureDifference};
use crate::verdict::{Outcome, Verdict};

#[derive(Clone, Copy, Debug)]
pub struct CaptureRow<'a> {
    pub outcome: &'a Outcome,
    pub picture: Option<&'a ExpectedPicture>,
}

impl CaptureRow<'_> {
    /// The allowed difference from the expected picture: `0`, or `2, but for 16 pixels`.
    fn tolerance(&self) -> String {
        match self.picture {
            None => "-".to_owned(),
            Some(picture) if picture.max_outliers == 0 => picture.tolerance.to_string(),
            Some(picture) => {
                format!("{}, but for {} pixels", picture.tolerance, picture.max_outliers)
            }
        }
    }

    fn cells(&self) -> [String; HEADINGS.len()] {
        let off = |difference: Option<PictureDifference>| {
            difference.map_or_else(|| "-".to_owned(), |off| off.differing.to_string())
        };
        let result = self.outcome.capture.clone().unwrap_or_default();
        [
            self.outcome.name.clone(),
            self.outcome.verdict.name().to_owned(),
            result.frames.to_string(),
            result.draws.to_string(),
            result.skipped_draws.to_string(),
            result.errors.to_string(),
            off(result.expected),
            self.tolerance(),
            off(result.peer),
            format!("{:.1}", self.outcome.seconds),
        ]
    }

    fn json(&self) -> Value {
        let outcome = self.outcome;
        let mut row = json!({
            "name": outcome.name,
            "verdict": outcome.verdict,
            "reasons": outcome.reasons,
            "source": outcome.source,
            "tolerance": self.picture.map(|picture| picture.tolerance),
            "maxOutliers": self.picture.map(|picture| picture.max_outliers),
            "toleranceReason": self.picture.and_then(|picture| picture.reason.clone()),
            "seconds": outcome.seconds,
        });
        let result = json!(outcome.capture.clone().unwrap_or_default());
        if let (Value::Object(row), Value::Object(result)) = (&mut row, result) {
            row.extend(result);
        }
        row
    }
}

const HEADINGS: [&str; 10] = [
    "case",
    "verdict",
    "frames",
    "draws",
    "skipped",
    "errors",
    "off expected",
    "tolerance",
    "off peer",
    "seconds",
];

/// The table, the reasons of all cases that are not a plain pass, and a line with the counts.
pub fn table(rows: &[CaptureRow<'_>]) -> String {
    let cells: Vec<[String; HEADINGS.len()]> = rows.iter().map(CaptureRow::cells).collect();
    let mut widths = HEADINGS.map(str::len);
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    let mut line = |cells: &[String]| {
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            // Names and verdicts are left-aligned, numbers right-aligned. Writing to a String can't fail.
            let _ = if column < 2 {
                write!(text, "{cell:<width$}  ")
            } else {
                write!(text, "{cell:>width$}  ")
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    };
    line(&HEADINGS.map(str::to_owned));
    cells.iter().for_each(|row| line(row));
    text.push('\n');
    for complaint in rows.iter().flat_map(|row| row.outcome.complaints()) {
        let _ = writeln!(text, "{complaint}");
    }
    for row in rows {
        let draws = row.outcome.capture.as_ref().map_or(0, |result| result.not_presented);
        if draws > 0 {
            let _ = writeln!(text, "{}: nothing of {draws} draws was presented", row.outcome.name);
        }
    }
    let totals = totals(rows);
    let known = totals.count(Verdict::KnownFailure);
    if known > 0 {
        let _ = writeln!(text, "{known} known failures");
    }
    let (passed, failed) = (totals.count(Verdict::Pass), totals.failing());
    text + &format!("{passed} passed, {failed} failed\n")
}

fn totals(rows: &[CaptureRow<'_>]) -> Totals {
    Totals::of(rows.iter().map(|row| row.outcome))
}

/// The run as JSON: an object with `cases` and the three counts.
pub fn json(rows: &[CaptureRow<'_>]) -> Value {
    let totals = totals(rows);
    json!({
        "cases": rows.iter().map(CaptureRow::json).collect::<Vec<_>>(),
        "passed": totals.count(Verdict::Pass),
        "failed": totals.failing(),
        "knownFailures": totals.count(Verdict::KnownFailure),
    })
}

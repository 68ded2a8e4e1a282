//! Writes the results of capture cases as a table and as JSON.

use serde_json::{Value, json};

use crate::capture_case::ImageDifference;
use crate::results::ConformResults;
use crate::verdict::{CaptureResult, CaseOutcome};

type CaptureColumn = (&'static str, fn(&CaseOutcome, &CaptureResult) -> String);

const COLUMNS: [CaptureColumn; 10] = [
    ("case", |outcome, _| outcome.name.clone()),
    ("verdict", |outcome, _| outcome.verdict.name().to_owned()),
    ("frames", |_, result| result.frames.to_string()),
    ("draws", |_, result| result.draws.to_string()),
    ("skipped", |_, result| result.skipped_draws.to_string()),
    ("errors", |_, result| result.errors.to_string()),
    ("off expected", |_, result| off(result.expected)),
    ("tolerance", |_, result| match (result.tolerance, result.max_outliers) {
        (None, _) => "-".to_owned(),
        (Some(tolerance), None | Some(0)) => tolerance.to_string(),
        (Some(tolerance), Some(outliers)) => format!("{tolerance}, except in {outliers} pixels"),
    }),
    ("off peer", |_, result| off(result.peer)),
    ("seconds", |outcome, _| format!("{:.1}", outcome.seconds)),
];

fn off(difference: Option<ImageDifference>) -> String {
    difference.map_or_else(|| "-".to_owned(), |off| off.differing.to_string())
}

fn captures(results: &ConformResults) -> impl Iterator<Item = (&CaseOutcome, CaptureResult)> {
    let of_captures = results.outcomes.iter().filter(|outcome| outcome.kind == "capture");
    of_captures.map(|outcome| (outcome, outcome.capture.clone().unwrap_or_default()))
}

/// Returns the table's headings, then the cells of each capture. If the run has no captures, returns an empty table.
pub fn table(results: &ConformResults) -> Vec<Vec<String>> {
    let row = |(outcome, result)| COLUMNS.map(|(_, cell)| cell(outcome, &result)).to_vec();
    let rows: Vec<Vec<String>> = captures(results).map(row).collect();
    let headings = (!rows.is_empty()).then(|| COLUMNS.map(|(name, _)| name.to_owned()).to_vec());
    headings.into_iter().chain(rows).collect()
}

/// Returns a line for each capture that never presented an image.
pub fn not_presented(results: &ConformResults) -> String {
    let hidden = captures(results).filter(|(_, result)| result.not_presented > 0);
    hidden
        .map(|(CaseOutcome { name, .. }, CaptureResult { not_presented, .. })| {
            format!("{name}: none of {not_presented} draws was presented\n")
        })
        .collect()
}

pub fn json(results: &ConformResults) -> Vec<Value> {
    let row = |(outcome, result): (&CaseOutcome, CaptureResult)| {
        let mut row = json!({
            "name": outcome.name,
            "verdict": outcome.verdict,
            "reasons": outcome.reasons,
            "source": outcome.source,
            "evidence": outcome.evidence,
            "seconds": outcome.seconds,
        });
        if let (Value::Object(row), Value::Object(result)) = (&mut row, json!(result)) {
            row.extend(result);
        }
        row
    };
    captures(results).map(row).collect()
}

//! The cases of captures as rows of a table and as JSON.

use serde_json::{Value, json};

use crate::capture_case::PictureDifference;
use crate::results::Results;
use crate::verdict::{CaptureResult, Outcome};

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

fn captures(results: &Results) -> impl Iterator<Item = (&Outcome, CaptureResult)> {
    let of_captures = results.outcomes.iter().filter(|outcome| outcome.kind == "capture");
    of_captures.map(|outcome| (outcome, outcome.capture.clone().unwrap_or_default()))
}

/// Returns the headings and a line of cells for each capture; no line without captures.
pub fn table(results: &Results) -> Vec<Vec<String>> {
    let off = |difference: Option<PictureDifference>| {
        difference.map_or_else(|| "-".to_owned(), |off| off.differing.to_string())
    };
    let row = |(outcome, result): (&Outcome, CaptureResult)| {
        let outliers = result.max_outliers.filter(|outliers| *outliers > 0);
        let outliers = outliers.map(|outliers| format!(", but for {outliers} pixels"));
        let tolerance = result.tolerance.map_or("-".to_owned(), |it| it.to_string());
        vec![
            outcome.name.clone(),
            outcome.verdict.name().to_owned(),
            result.frames.to_string(),
            result.draws.to_string(),
            result.skipped_draws.to_string(),
            result.errors.to_string(),
            off(result.expected),
            tolerance + &outliers.unwrap_or_default(),
            off(result.peer),
            format!("{:.1}", outcome.seconds),
        ]
    };
    let rows: Vec<Vec<String>> = captures(results).map(row).collect();
    let headings = (!rows.is_empty()).then(|| HEADINGS.map(str::to_owned).to_vec());
    headings.into_iter().chain(rows).collect()
}

/// Returns the captures of which nothing was presented, a line for each.
pub fn not_presented(results: &Results) -> String {
    let hidden = captures(results).filter(|(_, result)| result.not_presented > 0);
    hidden
        .map(|(Outcome { name, .. }, CaptureResult { not_presented, .. })| {
            format!("{name}: nothing of {not_presented} draws was presented\n")
        })
        .collect()
}

/// Returns an object for each capture.
pub fn json(results: &Results) -> Vec<Value> {
    let row = |(outcome, result): (&Outcome, CaptureResult)| {
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

//! Tests the table that a run with captures prints.

use molehill_conform::capture_case::{CaptureResult, ImageDifference};
use molehill_conform::report::captures::{json, table};
use molehill_conform::results::{ConformResults, RunSettings};
use molehill_conform::{Attachments, CaseOutcome, Verdict};

fn outcome(name: &str, verdict: Verdict, reasons: &[&str]) -> CaseOutcome {
    CaseOutcome {
        name: name.to_owned(),
        kind: "capture".to_owned(),
        profile: "baseline".to_owned(),
        source: "by hand".to_owned(),
        verdict,
        reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
        evidence: None,
        seconds: 0.25,
        hash: None,
        capture: Some(CaptureResult {
            frames: 1,
            draws: 2,
            expected: Some(ImageDifference { differing: 3, max_delta: 9, same_size: true }),
            tolerance: Some(2),
            max_outliers: Some(16),
            ..CaptureResult::default()
        }),
        attachments: Attachments::default(),
    }
}

#[test]
fn a_table_shows_the_allowed_difference() {
    let outcomes = vec![outcome("a", Verdict::Pass, &[]), outcome("b", Verdict::Fail, &["why"])];
    let names = ["a", "b"].map(str::to_owned).into();
    let head = RunSettings::new("gl", "none", "d".to_owned(), names);
    let results = ConformResults { head, outcomes };
    let lines = table(&results);
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[1][..2], ["a", "pass"]);
    assert_eq!(lines[2][6..8], ["3", "2, except in 16 pixels"]);
    let json = json(&results);
    assert_eq!(
        (&json[0]["expected"]["differing"], &json[0]["maxOutliers"]),
        (&3.into(), &16.into())
    );
    assert_eq!((&json[1]["verdict"], &json[1]["reasons"][0]), (&"fail".into(), &"why".into()));
    // The printed table lists only captures.
    let mut other = results;
    other.outcomes.iter_mut().for_each(|outcome| outcome.kind = "scene".to_owned());
    assert_eq!(table(&other), [[""; 0]; 0]);
}

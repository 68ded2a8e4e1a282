//! The table of a run on captures.

use molehill_conform::capture_case::{CaptureResult, ExpectedPicture, PictureDifference};
use molehill_conform::report::captures::{CaptureRow, json, table};
use molehill_conform::{Attachments, Outcome, Verdict};

fn outcome(name: &str, verdict: Verdict, reasons: &[&str]) -> Outcome {
    Outcome {
        name: name.to_owned(),
        kind: "capture".to_owned(),
        profile: "baseline".to_owned(),
        source: "by hand".to_owned(),
        verdict,
        reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
        seconds: 0.25,
        hash: None,
        capture: Some(CaptureResult {
            frames: 1,
            draws: 2,
            expected: Some(PictureDifference { differing: 3, max_delta: 9, same_size: true }),
            ..CaptureResult::default()
        }),
        attachments: Attachments::default(),
    }
}

#[test]
fn the_closing_line_counts() {
    let picture = ExpectedPicture {
        path: "expected.png".into(),
        frame: 0,
        tolerance: 2,
        max_outliers: 16,
        reason: Some("edges".to_owned()),
    };
    let outcomes = [
        outcome("a", Verdict::Pass, &[]),
        outcome("b", Verdict::Fail, &["3 pixels differ"]),
        outcome("c", Verdict::KnownFailure, &["because"]),
        outcome("d", Verdict::UnexpectedPass, &["outdated"]),
    ];
    let rows = outcomes.each_ref().map(|outcome| CaptureRow { outcome, picture: Some(&picture) });
    let text = table(&rows);
    assert!(text.ends_with("\n1 known failures\n1 passed, 2 failed\n"), "{text}");
    assert!(
        text.contains("fail: b: 3 pixels differ\n") && text.contains("unexpected pass: d: "),
        "{text}"
    );
    let json = json(&rows);
    assert_eq!(
        (&json["passed"], &json["failed"], &json["knownFailures"]),
        (&1.into(), &2.into(), &1.into())
    );
    assert_eq!(json["cases"][0]["expected"]["differing"], 3);
    // A pass shows its allowed difference.
    assert!(text.contains("  3  2, but for 16 pixels  "), "{text}");
    assert_eq!(json["cases"][0]["toleranceReason"], "edges");
}

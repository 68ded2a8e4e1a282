//! Tests of verdicts on test cases, and of their lines in a results file.

use molehill_conform::capture_case::CaptureResult;
use molehill_conform::results::{ConformResults, RunSettings};
use molehill_conform::{Attachments, CaseOutcome, Verdict};
use molehill_replay::evidence::{
    ComparisonEvidence, Conclusion, Party, ResultTally, UntestedReason as NotTestedReason,
};
use serde_json::json;

#[test]
fn a_line_is_read_as_it_was_written() {
    let mut evidence = ComparisonEvidence::new(Party::renderer("OpenGL", "d"));
    evidence.add(Party::StoredImages, ResultTally { images: 1, ..ResultTally::default() });
    for verdict in Verdict::ALL {
        let mut outcome = CaseOutcome {
            name: "a.b".to_owned(),
            kind: "scene".to_owned(),
            profile: "baseline".to_owned(),
            source: "[agal.mov.1]".to_owned(),
            verdict: *verdict,
            reasons: vec!["\"because\"\n".to_owned()],
            evidence: Some(evidence.clone()),
            seconds: 0.125,
            hash: Some("0123".to_owned()),
            capture: Some(CaptureResult::default()),
            attachments: Attachments::default(),
        };
        let texts = &mut outcome.attachments.texts;
        texts.insert("calls".to_owned(), "clear()".into());
        texts.insert("AGAL".to_owned(), "mov oc, v0".into());
        let pictures = &mut outcome.attachments.pictures;
        pictures.insert("actual".to_owned(), "AAAA".into());
        let text = json!(outcome).to_string();
        assert!(text.contains(&format!("\"verdict\":\"{}\"", verdict.name())));
        assert_eq!(serde_json::from_str::<CaseOutcome>(&text).unwrap(), outcome);
    }
    assert!(serde_json::from_value::<CaseOutcome>(json!({"name": "a"})).is_err());
}

/// A case isn't tested if it has no evidence, compared nothing, or is its own oracle.
#[test]
fn a_pass_needs_evidence() {
    let device = || Party::renderer("OpenGL", "d");
    let outcome = |evidence| {
        let line = json!({"name": "a", "kind": "scene", "profile": "baseline", "verdict": "pass", "seconds": 0});
        let outcome: CaseOutcome = serde_json::from_value(line).unwrap();
        CaseOutcome { evidence, ..outcome }.checked()
    };
    let images = |images| ResultTally { images, ..ResultTally::default() };
    let with = |oracle, tally| {
        let mut evidence = ComparisonEvidence::new(device());
        evidence.add(oracle, tally);
        outcome(Some(evidence))
    };
    for (outcome, verdict, reason) in [
        (outcome(None), Verdict::NotTested, "not tested: no result was compared"),
        (with(Party::Formula, images(0)), Verdict::NotTested, "not tested: no result was compared"),
        (
            with(device(), images(1)),
            Verdict::NotTested,
            "not tested: both sides of the comparison are the same",
        ),
        (with(Party::renderer("OpenGL", "e"), images(1)), Verdict::Pass, ""),
    ] {
        assert_eq!((outcome.verdict, outcome.reasons.join("; ").as_str()), (verdict, reason));
    }
}

/// The conclusion of a run follows from the verdicts of its cases and their evidence.
#[test]
fn a_run_has_the_verdict_of_its_evidence() {
    let run = |verdicts: &[Verdict], cases, shard| {
        let outcome = |(number, verdict): (usize, &Verdict)| {
            let mut evidence = ComparisonEvidence::new(Party::renderer("OpenGL", "d"));
            if matches!(verdict, Verdict::Pass | Verdict::KnownFailure) {
                let tally = ResultTally {
                    images: 1,
                    differing: u64::from(*verdict != Verdict::Pass),
                    ..ResultTally::default()
                };
                evidence.add(Party::Formula, tally);
            }
            let line = json!({"name": number.to_string(), "kind": "scene", "profile": "baseline", "verdict": verdict, "seconds": 0});
            CaseOutcome { evidence: Some(evidence), ..serde_json::from_value(line).unwrap() }
        };
        let outcomes: Vec<CaseOutcome> = verdicts.iter().enumerate().map(outcome).collect();
        let names = (0..cases).map(|number: usize| number.to_string()).collect();
        let head = RunSettings::new("gl", "reference", "d".to_owned(), names);
        let head = RunSettings { shard, ..head };
        ConformResults { head, outcomes }.conclusion()
    };
    use Conclusion::{Agrees, Differs, NotTested as Untested};
    use Verdict::{AllowedUntested, Fail, KnownFailure, NotSupported, NotTested, Pass};
    let nothing = Untested(NotTestedReason::Nothing);
    for (verdicts, cases, shard, conclusion) in [
        (&[Pass, KnownFailure, NotSupported][..], 3, (1, 1), Agrees),
        (&[Pass, KnownFailure], 3, (1, 1), Differs),
        (&[Pass], 3, (1, 2), Agrees),
        (&[Pass, Fail, NotTested], 3, (1, 1), Differs),
        (&[Pass, NotTested], 2, (1, 1), nothing),
        (&[Pass, AllowedUntested], 2, (1, 1), Agrees),
        (&[AllowedUntested], 1, (1, 1), nothing),
        (&[NotSupported], 1, (1, 1), nothing),
        (&[NotSupported], 1, (1, 2), Agrees),
        (&[], 0, (1, 1), nothing),
    ] {
        assert_eq!(run(verdicts, cases, shard), conclusion, "{verdicts:?} {cases} {shard:?}");
    }
}

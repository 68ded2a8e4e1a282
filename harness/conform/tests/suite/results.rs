//! Tests of results files.

use molehill_conform::results::{ConformResults, ResultsWriter, RunSettings, write};
use molehill_conform::{Attachments, CaseOutcome, Verdict};

fn head(shard: (usize, usize)) -> RunSettings {
    let cases = ["a", "b"].map(str::to_owned).into();
    RunSettings { shard, ..RunSettings::new("gl", "reference", "d".to_owned(), cases) }
}

fn outcome(name: &str) -> CaseOutcome {
    CaseOutcome {
        name: name.to_owned(),
        kind: "calls".to_owned(),
        profile: "baseline".to_owned(),
        source: String::new(),
        verdict: Verdict::Pass,
        reasons: Vec::new(),
        evidence: None,
        seconds: 0.5,
        hash: None,
        capture: None,
        attachments: Attachments::default(),
    }
}

fn results(shard: (usize, usize), names: &[&str]) -> ConformResults {
    ConformResults { head: head(shard), outcomes: names.iter().map(|name| outcome(name)).collect() }
}

#[test]
fn a_line_that_was_cut_off_is_written_again() {
    let path = std::env::temp_dir().join(format!("molehill-results-{}.jsonl", std::process::id()));
    write(&path, &results((1, 1), &["a", "b"])).unwrap();
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    let (mut writer, before) = ResultsWriter::resume(&path, &head((1, 1))).unwrap();
    assert_eq!((before.outcomes.len(), before.missing()), (1, 1));
    writer.add(&outcome("b")).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), whole);
    let other = RunSettings { profile: Some("baseline".to_owned()), ..head((1, 2)) };
    let message = ResultsWriter::resume(&path, &other).unwrap_err().to_string();
    let said =
        "the run had other settings (profile: null, not \"baseline\"; shard: [1,1], not [1,2])";
    assert!(message.contains(said), "{message}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let whole =
        ConformResults::merge(vec![results((2, 2), &["b"]), results((1, 2), &["a"])]).unwrap();
    assert_eq!(whole, results((1, 1), &["a", "b"]));
    assert_eq!(whole.missing(), 0);
    assert!(ConformResults::merge(vec![results((1, 2), &["a"]), results((2, 2), &["a"])]).is_err());
    let mut other = results((2, 2), &["b"]);
    other.head.driver = "e".to_owned();
    let message = ConformResults::merge(vec![results((1, 2), &["a"]), other]).unwrap_err();
    assert_eq!(message.to_string(), "the files are of different runs: driver: \"d\", not \"e\"");
    // Both runs have the same number of cases, but other case names.
    let mut other = results((2, 2), &["c"]);
    other.head.cases = ["a", "c"].map(str::to_owned).into();
    let message = ConformResults::merge(vec![results((1, 2), &["a"]), other]).unwrap_err();
    let expected = "the files are of different runs: cases that only this run has: b; cases that only the other run has: c";
    assert_eq!(message.to_string(), expected);
    let mut other = results((2, 2), &["b"]);
    other.head.known_failures = "0".to_owned();
    assert!(ConformResults::merge(vec![results((1, 2), &["a"]), other]).is_err());
    assert!(ConformResults::merge(Vec::new()).is_err());
}

#[test]
fn a_case_that_is_not_in_the_run_is_refused() {
    let name = format!("molehill-results-other-{}.jsonl", std::process::id());
    let path = std::env::temp_dir().join(name);
    write(&path, &results((1, 1), &["a", "c"])).unwrap();
    let message = ConformResults::read(&path).unwrap_err().to_string();
    assert!(message.ends_with(": c is not a case of this run"), "{message}");
    std::fs::remove_file(path).unwrap();
}

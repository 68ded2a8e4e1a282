//! Tests `conform facts`, which lists the reference with its cases.

use molehill_conform::facts::{all, facts_of};
use molehill_conform::{CaseSet, SuiteOptions, device::ConformDevice};
use serde_json::Value;

use super::{conform, folder, text};

#[test]
fn facts_have_cases_and_their_verdicts() {
    let folder = folder("facts");
    let cases =
        SuiteOptions { case_set: CaseSet::Suite, ..SuiteOptions::new(ConformDevice::Null) }.cases();
    let cases = cases.unwrap();
    let calls = cases.iter().filter(|case| case.body.kind() == "calls");
    let cited = calls.filter_map(|case| Some((case, facts_of(&case.source).next()?)));
    let (case, fact) = cited.min_by_key(|(case, _)| &case.name).unwrap();
    let run = ["--backend", "null", "--filter", &case.name, "--out", "out"];
    conform(&folder, &run);
    let list = ["facts", "--filter", &case.name, "--baseline", "out/results.jsonl"];
    let lines = text(&conform(&folder, &list));
    assert!(
        lines.contains(&format!(
            "{} {}: {}\n    {} pass\n",
            fact.id, fact.grade, fact.text, case.name
        ))
    );
    let json = conform(&folder, &[&list[..], &["--json"]].concat());
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["facts"].as_array().unwrap().len(), all().len());
    let row = json["facts"].as_array().unwrap().iter().find(|row| row["id"] == *fact.id).unwrap();
    assert_eq!(row["cases"][0]["verdict"], "pass");
}

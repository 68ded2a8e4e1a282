//! Tests comparisons between conformance runs, and with a baseline.

use std::fs;

use super::{PASS, complaint, conform, folder, text};

/// Runs become columns of a table, and a folder of results files is a history.
#[test]
fn runs_are_compared() {
    let folder = folder("compare");
    conform(&folder, &PASS);
    fs::create_dir(folder.join("history")).unwrap();
    let old = fs::read_to_string(folder.join("out/results.jsonl")).unwrap();
    let line = old.lines().find(|line| line.contains("\"name\":\"self.pass.05\"")).unwrap();
    let new = old.replace(line, &line.replace("\"verdict\":\"pass\"", "\"verdict\":\"fail\""));
    // Only the run times of the cases differ, which isn't a difference.
    let again = old.replace("\"seconds\":", "\"seconds\":1");
    fs::write(folder.join("history/1.jsonl"), again).unwrap();
    fs::write(folder.join("history/2.jsonl"), new).unwrap();
    let compare = |runs: &[&str]| conform(&folder, &[&["compare", "-o", "page"], runs].concat());
    let output = compare(&["now=out", "history", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let differing = serde_json::json!({ "self.pass.05": "pass -> pass -> fail" });
    assert_eq!(json, serde_json::json!({ "runs": ["now", "1", "2"], "differing": differing }));
    assert!(fs::read_to_string(folder.join("page/index.html")).unwrap().contains("\"now\""));
    // Known-failure entries for drivers or cases that no run had may be unused.
    assert_eq!(compare(&["out", "--stale"]).status.code(), Some(0));
    let driver = old.split("\"driver\":\"").nth(1).and_then(|it| it.split('"').next()).unwrap();
    fs::create_dir(folder.join("soft")).unwrap();
    let soft = old.replacen(driver, "Mesa 22.3.6 softpipe", 1);
    fs::write(folder.join("soft/1.jsonl"), &soft).unwrap();
    assert_eq!(compare(&["soft", "--stale"]).status.code(), Some(0));
    let soft = soft.replacen("\"cases\":[", "\"cases\":[\"rtt.antialias.scissor\",", 1);
    fs::write(folder.join("soft/1.jsonl"), soft).unwrap();
    let output = compare(&["soft", "--stale"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let stale = complaint(&output);
    assert!(stale.contains("known failures that matched no result: "), "{stale}");
    assert!(stale.contains("*.antialias.scissor: "), "{stale}");
    assert!(!stale.contains("SwiftShader"), "{stale}");
    assert_eq!(compare(&["none"]).status.code(), Some(2));
}

/// A comparison with a complete baseline includes only the selected cases.
#[test]
fn a_selection_is_compared_with_a_whole_baseline() {
    let folder = folder("baseline");
    let all = ["--self-test", "--backend", "null", "--timeout", "1", "--out", "all"];
    conform(&folder, &all);
    let results = folder.join("all/results.jsonl");
    let text_of = fs::read_to_string(&results).unwrap();
    // One selected case differs, one is new, one is missing; cases that aren't selected differ, too.
    let changed = text_of.replace("\"self.pass.03\"", "\"self.pass.gone\"");
    let changed = changed.replace("\"self.known\"", "\"self.other.gone\"");
    let line = changed.lines().find(|line| line.contains("\"name\":\"self.pass.05\"")).unwrap();
    let changed =
        changed.replace(line, &line.replace("\"verdict\":\"pass\"", "\"verdict\":\"fail\""));
    fs::write(folder.join("base.jsonl"), changed).unwrap();
    let arguments = [&PASS[..5], &["--baseline", "base.jsonl"]].concat();
    let output = conform(&folder, &arguments);
    let printed = text(&output);
    let changes: Vec<&str> = printed.lines().filter(|line| line.starts_with("changed: ")).collect();
    assert_eq!(
        changes,
        [
            "changed: self.pass.03: absent -> pass",
            "changed: self.pass.05: fail -> pass",
            "changed: self.pass.gone: pass -> absent",
        ],
        "{printed}"
    );
    let json = conform(&folder, &[&arguments[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["changed"], &json["verdicts"]["pass"]), (&3.into(), &20.into()));
    assert_eq!(json["verdicts"]["notSupported"], 0);
    // An excluded case counts as not selected.
    let output = conform(&folder, &[&arguments[..], &["--exclude", "self.pass.0?"]].concat());
    assert!(!text(&output).contains("changed: self.pass.0"), "{}", text(&output));
}

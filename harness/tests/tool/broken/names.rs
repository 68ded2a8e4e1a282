//! Comparisons that must fail because an option names cases or frames that don't exist.

use std::fs;
use std::path::Path;

use super::Row;
use crate::run::molehill;

/// The capture of a case with a stored image.
const SCENE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/captures/scenes/api.back_buffer.50x37");

/// The arguments of a run of the runner's own cases, which need no device.
const RUN: [&str; 4] = ["conform", "--self-test", "--backend", "null"];

/// Writes a list of known failures with one row.
fn known(folder: &Path, file: &str, case: &str, more: &str) {
    let row = format!(r#"[{{"cases":"{case}","failure":"f","reason":"r"{more}}}]"#);
    fs::write(folder.join(file), row).unwrap();
}

/// Runs conformance cases before the comparison.
fn run(folder: &Path, arguments: &[&str]) {
    let output = molehill(folder, &[&RUN[..], arguments].concat()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Copies a test case; `text` is the content of its case file, and `file` the file's name.
fn case(folder: &Path, name: &str, file: &str, text: &str) {
    let case = folder.join(name).join("case");
    fs::create_dir_all(&case).unwrap();
    for file in ["capture.s3d.jsonl.zst", "expected.png"] {
        fs::copy(Path::new(SCENE).join(file), case.join(file)).unwrap();
    }
    fs::write(case.join(file), text).unwrap();
}

const TOML: &str = "expectedFrame = 0\ntolerance = 0\nmaxOutliers = 0\n";
const JSON: &str = r#"{"expectedFrame":0,"tolerance":0,"maxOutliers":0"#;

fn lists(folder: &Path) {
    for (file, text) in [("one", "self.pass.01"), ("two", "self.pass.02"), ("no", "self.no_such")] {
        fs::write(folder.join(file), text).unwrap();
    }
}

fn two_runs(folder: &Path) {
    lists(folder);
    run(folder, &["--caselist", "one", "--out", "first"]);
    run(folder, &["--caselist", "two", "--out", "second"]);
    fs::create_dir(folder.join("foreign")).unwrap();
    let results = fs::read_to_string(folder.join("first/results.jsonl")).unwrap();
    let results = results.replace(r#""name":"self.pass.01""#, r#""name":"self.pass.02""#);
    fs::write(folder.join("foreign/results.jsonl"), results).unwrap();
}

fn two_lists_of_known_failures(folder: &Path) {
    known(folder, "one.json", "self.fail", "");
    known(folder, "two.json", "self.fail", r#","backend":"gl""#);
    let one = ["--filter", "self.pass", "--known-failures", "one.json", "--out", "out"];
    run(folder, &one);
}

fn captures(folder: &Path) {
    case(folder, "good", "case.toml", TOML);
    case(folder, "other", "case.toml", &format!("{TOML}why = \"w\"\n"));
    case(folder, "toml", "case.toml", &format!("{TOML}known_failure = \"r\"\n"));
    case(folder, "json", "case.json", &format!("{JSON},\n\"tolerenceReason\":\"r\"}}"));
    known(folder, "known.json", "api", "");
    known(folder, "no.json", "capture.no_such", "");
}

macro_rules! row {
    ($name:literal, $prepare:expr, $intact:expr, $broken:expr, $says:literal) => {
        Row {
            name: $name,
            prepare: $prepare,
            intact: &$intact,
            broken: &$broken,
            environment: &[],
            status: 2,
            says: $says,
        }
    };
}

/// Returns the arguments of a run of the runner's own cases.
macro_rules! run {
    ($($argument:literal)+) => {
        ["conform", "--self-test", "--backend", "null", "--filter", "self.pass", $($argument),+]
    };
}

pub(super) const ROWS: &[Row] = &[
    row!(
        "a filter that matches no case",
        |_| (),
        run!["--slow" "0"],
        run!["--filter" "self.pas"],
        "--filter: no case matches \"self.pas\", did you mean \"self.pass\"?"
    ),
    row!(
        "an exclusion that matches no case",
        |_| (),
        run!["--exclude" "self.hang"],
        run!["--exclude" "self.hung"],
        "--exclude: no case matches \"self.hung\""
    ),
    row!(
        "a list with a case that doesn't exist",
        lists,
        run!["--caselist" "one"],
        run!["--caselist" "no"],
        "no: no case matches \"self.no_such\""
    ),
    row!(
        "a required area without a case",
        |_| (),
        run!["--require" "self.pass=20"],
        run!["--require" "self.no_such=0"],
        "--require: no case matches \"self.no_such\""
    ),
    row!(
        "a known failure of a case that doesn't exist",
        |folder| {
            known(folder, "known.json", "self.fail", "");
            known(folder, "no.json", "self.no_such", "");
        },
        run!["--known-failures" "known.json"],
        run!["--known-failures" "no.json"],
        "no.json: no case matches \"self.no_such\""
    ),
    row!(
        "a known failure of a capture that doesn't exist",
        captures,
        ["check", "good", "--backend", "reference", "--known-failures", "known.json"],
        ["check", "good", "--backend", "reference", "--known-failures", "no.json"],
        "no.json: no case matches \"capture.no_such\""
    ),
    row!(
        "a known failure of a driver that decided nothing",
        |folder| {
            run(folder, &["--filter", "self.pass", "--out", "out"]);
            known(folder, "known.json", "self.pass", "");
            known(folder, "no.json", "self.pass", r#","driver":"Null","versions":["Null"]"#);
        },
        ["conform", "compare", "out", "--stale", "--known-failures", "known.json"],
        ["conform", "compare", "out", "--stale", "--known-failures", "no.json"],
        "known failures that matched no result: self.pass: r"
    ),
    row!(
        "a misspelled key of case.toml",
        captures,
        ["check", "good", "--backend", "reference"],
        ["check", "toml", "--backend", "reference"],
        "case.toml: line 4: unknown key \"known_failure\", did you mean \"knownFailure\"?"
    ),
    row!(
        "a misspelled key of case.json",
        captures,
        ["check", "good", "--backend", "reference"],
        ["check", "json", "--backend", "reference"],
        "case.json: line 2: unknown key \"tolerenceReason\", did you mean \"toleranceReason\"?"
    ),
    row!(
        "a resumed run with another list",
        two_runs,
        run!["--caselist" "one" "--out" "third" "--resume"],
        run!["--caselist" "two" "--out" "third" "--resume"],
        "(cases that only this run has: self.pass.01; cases that only the other run has: self.pass.02); --resume needs the same settings"
    ),
    row!(
        "a resumed run with other known failures",
        two_lists_of_known_failures,
        run!["--known-failures" "one.json" "--out" "out" "--resume"],
        run!["--known-failures" "two.json" "--out" "out" "--resume"],
        "the run had other settings (knownFailures: "
    ),
    row!(
        "a resumed run with another case file",
        captures,
        [
            "conform",
            "--backend",
            "reference",
            "--filter",
            "capture",
            "--out",
            "out",
            "--resume",
            "--cases",
            "good"
        ],
        [
            "conform",
            "--backend",
            "reference",
            "--filter",
            "capture",
            "--out",
            "out",
            "--resume",
            "--cases",
            "other"
        ],
        "the run had other settings (captures: "
    ),
    row!(
        "a merge of two runs",
        two_runs,
        ["conform", "merge", "first", "-o", "whole"],
        ["conform", "merge", "first", "second", "-o", "whole"],
        "the files are of different runs: cases that only this run has: self.pass.01; cases that only the other run has: self.pass.02"
    ),
    row!(
        "a merge of a part with a case of another run",
        two_runs,
        ["conform", "merge", "first", "-o", "whole"],
        ["conform", "merge", "foreign", "-o", "whole"],
        "self.pass.02 is not a case of this run"
    ),
];

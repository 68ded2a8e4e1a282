//! Tests the conformance runner as users see it. Few tests need OpenGL: most cases need no device, or the reference
//! renderer.

mod comparison;
mod facts;
pub(crate) mod interrupted;
mod oracle;
mod players;
pub(crate) mod processes;
mod shards;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use molehill_conform::Verdict;
use molehill_conform::results::ConformResults;

use crate::run;

fn folder(name: &str) -> PathBuf {
    run::folder(&format!("conform-{name}"))
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    run::molehill(folder, &[&["conform"], arguments].concat())
}

fn conform(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn verdicts(path: &Path) -> BTreeMap<String, Verdict> {
    let results = ConformResults::read(path).unwrap();
    results.outcomes.into_iter().map(|outcome| (outcome.name, outcome.verdict)).collect()
}

/// The opcode `iid` can't be translated to Direct3D 9, which is a known failure.
#[test]
fn what_tokens_can_not_say_is_a_known_failure() {
    let folder = folder("shaders");
    let arguments =
        ["--filter", "api.instancing.iid.constants", "--shaders", "d3d9", "--out", "out"];
    let output = conform(&folder, &arguments);
    if text(&output).contains("no off-screen") {
        return run::skipped("no OpenGL");
    }
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let results = ConformResults::read(&folder.join("out/results.jsonl")).unwrap();
    assert_eq!(results.head.backend, "gl with shaders d3d9");
    let [outcome] = results.outcomes.as_slice() else {
        panic!("{:?}", results.outcomes.len());
    };
    assert_eq!(outcome.verdict, Verdict::KnownFailure);
    let reasons = outcome.reasons.join("; ");
    assert!(reasons.contains("Direct3D 9 has no instance id (`iid`)"), "{reasons}");
    // Without the list of known failures, the case fails.
    fs::write(folder.join("none.json"), "[]").unwrap();
    let output = conform(&folder, &[&arguments[..4], &["--known-failures", "none.json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("fail: api.instancing.iid.constants: "));
}

/// The names of test cases that pass.
const PASS: [&str; 7] =
    ["--self-test", "--backend", "null", "--filter", "self.pass", "--out", "out"];

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn earlier_results_are_not_replaced_in_silence() {
    let folder = folder("replaced");
    assert_eq!(complaint(&conform(&folder, &PASS)), "");
    let output = conform(&folder, &PASS);
    let printed = "out/results.jsonl: replacing the results of an earlier run (20 cases); use --resume to continue them\n";
    assert_eq!(complaint(&output), printed);
    // If other options are given with `--resume`, the tool reports the differences and keeps the results.
    let other = ["--resume", "--profile", "enhanced", "--filter", "self.pass.01"];
    let output = conform(&folder, &[&PASS[..], &other].concat());
    assert_eq!(output.status.code(), Some(2));
    let printed = "molehill: out/results.jsonl: the run had other settings (filter: [\"self.pass\"], not [\"self.pass\",\"self.pass.01\"]; \
                profile: null, not \"enhanced\"); \
                --resume needs the same settings\n";
    assert_eq!(complaint(&output), printed);
    assert_eq!(verdicts(&folder.join("out/results.jsonl")).len(), 20);
    // No temporary files remain in the folder.
    let files = fs::read_dir(folder.join("out")).unwrap();
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".lock", "index.html", "junit.xml", "results.jsonl"]);
}

/// Reports are replaced atomically: an open HTML page remains complete.
#[test]
fn reports_are_replaced_in_one_step() {
    let folder = folder("atomic");
    conform(&folder, &PASS);
    let open = |name: &str| fs::File::open(folder.join("out").join(name)).unwrap();
    let mut old = ["junit.xml", "index.html"].map(open);
    for name in ["junit.xml", "index.html"] {
        fs::write(folder.join("out").join(name), "old").unwrap();
    }
    conform(&folder, &PASS);
    for old in &mut old {
        assert_eq!(std::io::read_to_string(old).unwrap(), "old");
    }
}

#[test]
fn mutations_are_listed_with_what_they_do() {
    let output = conform(&folder("mutations"), &["list", "--mutation", "nonsense"]);
    assert_eq!(output.status.code(), Some(2));
    for mutation in molehill_conform::mutations::MUTATIONS {
        let printed = complaint(&output);
        let line = printed.lines().find(|line| line.trim_start().starts_with(mutation.name));
        assert!(line.is_some_and(|line| line.ends_with(mutation.what)), "{}", mutation.name);
    }
}

/// A filter that selects no case is an error for every command.
#[test]
fn a_selection_without_a_case_fails() {
    let folder = folder("nothing");
    for more in [&[][..], &["list"], &["facts"], &["mutants"], &["swf", "swf"], &["save", "save"]] {
        let output = conform(&folder, &[more, &["--filter", "api."]].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}: {}", text(&output));
    }
    assert!(!folder.join("swf").exists() && !folder.join("save").exists());
}

/// Every command that lists cases shows a case's source.
#[test]
fn sources_are_shown() {
    let folder = folder("sources");
    let list = |more: &[&str]| {
        let arguments = [&["list", "--filter", "api.scissor.all"], more].concat();
        let output = conform(&folder, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        text(&output)
    };
    let source = "[context3d.scissor.rectangle] [context3d.scissor.empty] [context3d.scissor.fraction]; \
                  capture scissor_rectangle";
    assert_eq!(list(&[]), "api.scissor.all\n");
    assert_eq!(list(&["--long"]), format!("api.scissor.all  scene  baseline  {source}\n"));
    let json: serde_json::Value = serde_json::from_str(&list(&["--json"])).unwrap();
    assert_eq!(json["cases"][0]["source"], source);
    conform(&folder, &PASS);
    let junit = fs::read_to_string(folder.join("out/junit.xml")).unwrap();
    let property = "<property name=\"source\" value=\"the runner&apos;s tests\"/>";
    assert_eq!(junit.matches(property).count(), 20, "{junit}");
    let results = ConformResults::read(&folder.join("out/results.jsonl")).unwrap();
    assert_eq!(results.outcomes[0].source, "the runner's tests");
}

/// A run tests nothing if the device supports none of its cases.
#[test]
fn a_run_that_tested_nothing_is_no_success() {
    let folder = folder("tested-nothing");
    let null = ["--backend", "null", "--filter", "api.scissor", "--out"];
    let output = conform(&folder, &[&null[..], &["out"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let said = "molehill: not tested: no result was compared (--allow-untested accepts this)\n";
    assert_eq!(complaint(&output), said);
    let output = conform(&folder, &[&null[..], &["allowed", "--allow-untested"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(complaint(&output).ends_with("; allowed by --allow-untested\n"));
    // A single shard may test nothing, but the whole run may not.
    for part in ["1/2", "2/2"] {
        let output = conform(&folder, &[&null[..], &[&part[..1], "--shard", part]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    }
    let output = conform(&folder, &["merge", "1", "2", "--out", "whole"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    // A run is a success if at least one case passes and the others are unsupported.
    let output = conform(&folder, &[&null[..4], &["--filter", "api.error.2006"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(complaint(&output), "");
}

/// If the driver lacks tessellation and the list of known failures doesn't say so, the run fails.
#[test]
#[cfg(target_os = "linux")]
fn what_the_driver_lacks_is_missing() {
    let folder = folder("lacks");
    let output = command(&folder, &["--filter", "hull.grid", "--out", "out"])
        .env("MESA_GL_VERSION_OVERRIDE", "3.3")
        .env("MESA_EXTENSION_OVERRIDE", "-GL_ARB_tessellation_shader")
        .output()
        .unwrap();
    if !["llvmpipe", "softpipe", "Mesa"].iter().any(|name| text(&output).contains(name)) {
        return run::skipped("no Mesa");
    }
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let results = ConformResults::read(&folder.join("out/results.jsonl")).unwrap();
    for outcome in results.outcomes {
        assert_eq!(outcome.verdict, Verdict::MissingFeature, "{}", outcome.name);
        assert_eq!(outcome.reasons, ["the driver has no tessellation (OpenGL 4.0, OpenGL ES 3.2)"]);
    }
}

/// A known-failure entry that matches no case is out of date.
#[test]
fn a_row_without_a_case_is_an_error() {
    let folder = folder("stale");
    let row = r#"[{"cases":["self.fail","self.no_such"],"failure":"x","reason":"r"}]"#;
    fs::write(folder.join("known.json"), row).unwrap();
    let output = conform(&folder, &["list", "--self-test", "--known-failures", "known.json"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let said = "molehill: known.json: no case matches \"self.no_such\"\n";
    assert_eq!(complaint(&output), said);
}

/// A known-failure entry must match the failure message of the case.
#[test]
fn another_failure_of_a_known_case_fails() {
    let folder = folder("another");
    let run = |failure: &str, status| {
        let row = format!(r#"[{{"cases":"self.fail","failure":"{failure}","reason":"r"}}]"#);
        fs::write(folder.join("known.json"), row).unwrap();
        let arguments = ["--self-test", "--backend", "null", "--filter", "self.fail"];
        let arguments = [&arguments[..], &["--known-failures", "known.json"]].concat();
        let output = conform(&folder, &arguments);
        assert_eq!(output.status.code(), Some(status), "{}", text(&output));
    };
    run("pixels differ", 1);
    // A matching known-failure entry makes the run succeed.
    run("the checked call was never reached", 0);
}

#[test]
fn fewer_passes_than_required_fail_the_run() {
    let folder = folder("require");
    let run = |require: &str| conform(&folder, &[&PASS[..], &["--require", require]].concat());
    assert_eq!(run("self.pass=20").status.code(), Some(0));
    let output = run("self.pass=21");
    assert_eq!(output.status.code(), Some(1));
    assert!(complaint(&output).ends_with("self.pass: 20 cases pass, 21 are required\n"));
    assert_eq!(run("self.pass").status.code(), Some(2));
}

#[test]
fn a_list_selects_cases() {
    let folder = folder("caselist");
    fs::write(folder.join("list"), "# some\nself.pass.03\n\nself.pass.05 # this one\n").unwrap();
    let arguments = ["list", "--self-test", "--caselist", "list"];
    assert_eq!(text(&conform(&folder, &arguments)), "self.pass.03\nself.pass.05\n");
    fs::write(folder.join("list"), "self.pass.99\n").unwrap();
    let output = conform(&folder, &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        complaint(&output),
        "molehill: list: no case matches \"self.pass.99\", did you mean \"self.pass.09\"?\n"
    );
}

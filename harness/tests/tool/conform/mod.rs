//! The conformance runner as a user meets it. Little here needs OpenGL: cases run above the device or on the reference
//! renderer.

mod facts;
mod interrupted;
mod oracle;
mod players;
mod shards;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use molehill_conform::device::Device;
use molehill_conform::results::Results;
use molehill_conform::{CaseSet, SuiteOptions, Verdict};

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
    let results = Results::read(path).unwrap();
    results.outcomes.into_iter().map(|outcome| (outcome.name, outcome.verdict)).collect()
}

/// `iid` has no counterpart in Direct3D 9: a failure, which is known, and nothing else draws instead.
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
    let results = Results::read(&folder.join("out/results.jsonl")).unwrap();
    assert_eq!(results.head.backend, "gl with shaders d3d9");
    let [outcome] = results.outcomes.as_slice() else {
        panic!("{:?}", results.outcomes.len());
    };
    assert_eq!(outcome.verdict, Verdict::KnownFailure);
    let reasons = outcome.reasons.join("; ");
    assert!(reasons.contains("Direct3D 9 has no instance id (`iid`)"), "{reasons}");
    // Without the list it fails.
    fs::write(folder.join("none.json"), "[]").unwrap();
    let output = conform(&folder, &[&arguments[..4], &["--known-failures", "none.json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("fail: api.instancing.iid.constants: "));
}

#[test]
fn a_case_that_dies_or_hangs_costs_only_itself() {
    let folder = folder("self-test");
    let arguments =
        ["--self-test", "--backend", "null", "--timeout", "1", "--jobs", "3", "--out", "out"];
    let output = conform(&folder, &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let verdicts = verdicts(&folder.join("out/results.jsonl"));
    assert_eq!(verdicts.len(), 28);
    for (name, verdict) in verdicts {
        let expected = match name.as_str() {
            "self.abort" | "self.exit" | "self.panic" => Verdict::Crash,
            "self.hang" => Verdict::Timeout,
            "self.fail" => Verdict::Fail,
            "self.known" => Verdict::KnownFailure,
            "self.unexpected" => Verdict::UnexpectedPass,
            _ => Verdict::Pass,
        };
        assert_eq!(verdict, expected, "{name}");
    }
    let page = fs::read_to_string(folder.join("out/index.html")).unwrap();
    // The output of a process that died is in the report.
    assert!(page.contains("as it should"));
    let junit = fs::read_to_string(folder.join("out/junit.xml")).unwrap();
    assert!(junit.contains("tests=\"28\" skipped=\"1\" errors=\"4\" failures=\"2\""), "{junit}");
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let folder = folder("resume");
    let results = folder.join("out/results.jsonl");
    let exclude = [
        "--exclude",
        "self.abort",
        "--exclude",
        "self.exit",
        "--exclude",
        "self.panic",
        "--exclude",
        "self.unexpected",
        "--exclude",
        "self.fail",
    ];
    let mut arguments =
        vec!["--self-test", "--backend", "null", "--timeout", "60", "--jobs", "1", "--out", "out"];
    arguments.extend(exclude);
    // The case that hangs precedes those that pass.
    let mut child =
        command(&folder, &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    while fs::read_to_string(&results).map_or(0, |text| text.lines().count()) < 1 {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = verdicts(&results);
    assert!(before.len() < 23);

    let timeout = arguments.iter().position(|argument| *argument == "60").unwrap();
    arguments[timeout] = "1";
    arguments.push("--resume");
    let output = conform(&folder, &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let after = verdicts(&results);
    assert_eq!(after.len(), 23);
    assert!(before.iter().all(|(name, verdict)| after.get(name) == Some(verdict)));
    // Nothing is left to run, and nothing runs again.
    let lines = fs::read(&results).unwrap();
    conform(&folder, &arguments);
    assert_eq!(fs::read(&results).unwrap(), lines);
    // The results of another run can't be continued.
    arguments.extend(["--filter", "self.pass"]);
    assert_eq!(conform(&folder, &arguments).status.code(), Some(2));
}

/// Cases that pass.
const PASS: [&str; 7] =
    ["--self-test", "--backend", "null", "--filter", "self.pass", "--out", "out"];

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Two runs into one folder would mix their results.
#[test]
fn a_folder_takes_one_run_at_a_time() {
    let folder = folder("lock");
    let hang = ["--self-test", "--backend", "null", "--filter", "self.hang", "--out", "out"];
    let mut first =
        command(&folder, &hang).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let results = folder.join("out/results.jsonl");
    let begin = Instant::now();
    while !results.is_file() {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    for arguments in [&PASS[..], &[&PASS[..], &["--resume"]].concat()] {
        let output = conform(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(complaint(&output).contains("out: another run is writing here"));
    }
    // A killed run holds no lock.
    first.kill().unwrap();
    first.wait().unwrap();
    let output = conform(&folder, &PASS);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(verdicts(&results).len(), 20);
}

#[test]
fn earlier_results_are_not_replaced_in_silence() {
    let folder = folder("replaced");
    assert_eq!(complaint(&conform(&folder, &PASS)), "");
    let output = conform(&folder, &PASS);
    let printed = "out/results.jsonl: replacing the results of an earlier run (20 cases); use --resume to continue them\n";
    assert_eq!(complaint(&output), printed);
    // The differences from another run are reported, and nothing is lost.
    let other = ["--resume", "--profile", "enhanced", "--filter", "self.pass.01"];
    let output = conform(&folder, &[&PASS[..], &other].concat());
    assert_eq!(output.status.code(), Some(2));
    let printed = "molehill: out/results.jsonl: the run had other settings (filter: [\"self.pass\"], not [\"self.pass\",\"self.pass.01\"]; \
                profile: null, not \"enhanced\"); \
                --resume needs the same settings\n";
    assert_eq!(complaint(&output), printed);
    assert_eq!(verdicts(&folder.join("out/results.jsonl")).len(), 20);
    // No temporary files are left.
    let files = fs::read_dir(folder.join("out")).unwrap();
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".lock", "index.html", "junit.xml", "results.jsonl"]);
}

/// Reports are replaced atomically: an open page stays complete.
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

/// A child whose parent was killed ends, even in the middle of a case that hangs.
#[test]
fn a_child_does_not_outlive_its_parent() {
    let folder = folder("orphan");
    let mut child = command(&folder, &["worker"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let options = SuiteOptions { case_set: CaseSet::SelfTest, ..SuiteOptions::new(Device::Null) };
    let mut orders = child.stdin.take().unwrap();
    writeln!(orders, "{}", serde_json::json!(options)).unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    assert!(lines.map_while(Result::ok).any(|line| line.contains("ready")));
    writeln!(orders, "self.hang").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None);
    // As when the parent dies.
    drop(orders);
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the child lives on");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Failures are logged when they happen.
#[test]
fn failures_are_told_at_once_off_a_terminal() {
    let folder = folder("at-once");
    let arguments = [
        "--self-test",
        "--backend",
        "null",
        "--filter",
        "self.fail",
        "--filter",
        "self.hang",
        "--jobs",
        "1",
    ];
    let mut child =
        command(&folder, &arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let errors = child.stderr.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(errors), &mut line).unwrap();
    assert!(line.starts_with("fail: self.fail: "), "{line}");
    // The other case still hangs.
    assert_eq!(child.try_wait().unwrap(), None);
    child.kill().unwrap();
    child.wait().unwrap();
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

/// A filter without a case is a mistake, whatever is to be done with the cases.
#[test]
fn a_selection_without_a_case_fails() {
    let folder = folder("nothing");
    for more in [&[][..], &["list"], &["facts"], &["mutants"], &["swf", "swf"], &["save", "save"]] {
        let output = conform(&folder, &[more, &["--filter", "api."]].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}: {}", text(&output));
    }
    assert!(!folder.join("swf").exists() && !folder.join("save").exists());
}

/// A case's source is shown wherever cases are.
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
    let results = Results::read(&folder.join("out/results.jsonl")).unwrap();
    assert_eq!(results.outcomes[0].source, "the runner's tests");
}

/// A run in which the device supports no case has tested nothing.
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
    // A part of a run may have tested nothing; the whole may not.
    for part in ["1/2", "2/2"] {
        let output = conform(&folder, &[&null[..], &[&part[..1], "--shard", part]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    }
    let output = conform(&folder, &["merge", "1", "2", "--out", "whole"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    // One case that passes is enough.
    let output = conform(&folder, &[&null[..4], &["--filter", "api.error.2006"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(complaint(&output), "");
}

/// A driver without tessellation lacks a feature, which no expectation names: the run fails.
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
    let results = Results::read(&folder.join("out/results.jsonl")).unwrap();
    for outcome in results.outcomes {
        assert_eq!(outcome.verdict, Verdict::MissingFeature, "{}", outcome.name);
        assert_eq!(outcome.reasons, ["the driver has no tessellation (OpenGL 4.0, OpenGL ES 3.2)"]);
    }
}

/// A row that names no case is out of date.
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

/// Another failure of a known case is none that is known.
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
    // Known: then the run has tested something, and nothing fails.
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

/// A case that dies and then passes is neither.
#[test]
fn what_passes_the_second_time_is_flaky() {
    let folder = folder("flaky");
    let run = |retries: &str| {
        let _ = fs::remove_file(folder.join("mark"));
        let arguments = ["--self-test", "--backend", "null", "--filter", "self.flaky"];
        let more = ["--filter", "self.fail", "--retries", retries, "--slow", "1", "--out", "out"];
        let mut command = command(&folder, &[&arguments[..], &more].concat());
        let output = command.env(molehill_conform::self_test::FLAKY, "mark").output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
        assert_eq!(text(&output).matches("slow: ").count(), 1);
        let verdicts = verdicts(&folder.join("out/results.jsonl"));
        assert_eq!(verdicts["self.fail"], Verdict::Fail);
        verdicts["self.flaky"]
    };
    assert_eq!(run("0"), Verdict::Crash);
    assert_eq!(run("2"), Verdict::Flaky);
}

/// Runs stand side by side, and a folder of results is a history.
#[test]
fn runs_are_compared() {
    let folder = folder("compare");
    conform(&folder, &PASS);
    fs::create_dir(folder.join("history")).unwrap();
    let old = fs::read_to_string(folder.join("out/results.jsonl")).unwrap();
    let line = old.lines().find(|line| line.contains("\"name\":\"self.pass.05\"")).unwrap();
    let new = old.replace(line, &line.replace("\"verdict\":\"pass\"", "\"verdict\":\"fail\""));
    // The same verdicts in another time.
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
    // Rows of drivers or cases that no run had need not decide.
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

/// Only the selected cases are compared, and counted.
#[test]
fn a_selection_is_compared_with_a_whole_baseline() {
    let folder = folder("baseline");
    let all = ["--self-test", "--backend", "null", "--timeout", "1", "--out", "all"];
    conform(&folder, &all);
    let results = folder.join("all/results.jsonl");
    let text_of = fs::read_to_string(&results).unwrap();
    // One selected case was otherwise, one is new, one is gone; the same of cases that are not selected.
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
    // An excluded case is not selected either.
    let output = conform(&folder, &[&arguments[..], &["--exclude", "self.pass.0?"]].concat());
    assert!(!text(&output).contains("changed: self.pass.0"), "{}", text(&output));
}

//! Tests the processes of a run: cases that crash or hang, runs that are killed and resumed, children without a parent.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use molehill_conform::device::ConformDevice;
use molehill_conform::{CaseSet, SuiteOptions, Verdict};

use super::{PASS, command, complaint, conform, folder, text, verdicts};

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
    // The report contains the last output of a crashed child process.
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
    // The case that hangs runs before those that pass.
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
    // Resuming a finished run runs no case.
    let lines = fs::read(&results).unwrap();
    conform(&folder, &arguments);
    assert_eq!(fs::read(&results).unwrap(), lines);
    // A run with other options can't be resumed.
    arguments.extend(["--filter", "self.pass"]);
    assert_eq!(conform(&folder, &arguments).status.code(), Some(2));
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
        assert!(complaint(&output).contains("out: another run is writing into this folder"));
    }
    // A killed run releases its lock.
    first.kill().unwrap();
    first.wait().unwrap();
    let output = conform(&folder, &PASS);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(verdicts(&results).len(), 20);
}

/// If its parent is killed, a child process ends, even during a case that hangs.
pub(crate) fn a_child_does_not_outlive_its_parent() {
    let folder = folder("orphan");
    let mut child = command(&folder, &["worker"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let options =
        SuiteOptions { case_set: CaseSet::SelfTest, ..SuiteOptions::new(ConformDevice::Null) };
    let mut orders = child.stdin.take().unwrap();
    writeln!(orders, "{}", serde_json::json!(options)).unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    assert!(lines.map_while(Result::ok).any(|line| line.contains("ready")));
    writeln!(orders, "self.hang").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None);
    // The parent's death also closes the pipe to the child process.
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

/// Failures are printed as soon as they happen.
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
    // The case `self.hang` is still running.
    assert_eq!(child.try_wait().unwrap(), None);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A case that crashes and then passes is neither a failure nor a pass.
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

//! Interrupts a conformance run with Ctrl-C, which sends SIGINT to the process group, or with a signal to its process.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use molehill_conform::Verdict;

use super::{command, conform, folder, text, verdicts};
use crate::parallel;

/// The arguments use one job, so that the cases before `self.hang` have finished when it runs.
const CASES: [&str; 14] = [
    "--self-test",
    "--backend",
    "null",
    "--filter",
    "self.known",
    "--filter",
    "self.fail",
    "--filter",
    "self.hang",
    "--jobs",
    "1",
    "--timeout",
    "60",
    "--resume",
];

/// Returns the ids of the running processes with this parent.
fn children(parent: u32) -> Vec<u32> {
    let ids = fs::read_dir("/proc").unwrap().flatten();
    let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id| status(*id).is_some_and(|(_, of)| of == parent)).collect()
}

/// Returns the state of a process, and its parent; `None` if no such process exists.
fn status(id: u32) -> Option<(char, u32)> {
    let line = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut fields = line.rsplit_once(") ")?.1.split(' ');
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

fn until(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a run as the leader of a process group, and waits until a case hangs. A background process of a script
/// ignores SIGINT, as do its children; `env` restores the default.
fn hanging(folder: &Path) -> Child {
    let tool = command(folder, &[&CASES[..], &["--out", "out"]].concat());
    let mut run = Command::new("env");
    run.arg("--default-signal=INT").arg(tool.get_program()).args(tool.get_args());
    run.current_dir(folder).process_group(0).stdin(Stdio::null());
    let run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let results = folder.join("out/results.jsonl");
    // Wait for the header and the result of the previous case.
    until("the first case", || {
        fs::read_to_string(&results).is_ok_and(|text| text.lines().count() == 2)
    });
    until("a child", || !children(run.id()).is_empty());
    run
}

pub(crate) fn an_interrupted_run_keeps_what_it_has_and_leaves_no_process() {
    parallel::each(&[("interrupted", false), ("interrupted-group", true)], |_, (name, group)| {
        interrupt(name, *group);
    });
}

/// Interrupts a run or its process group, and continues the run.
fn interrupt(name: &str, group: bool) {
    let folder = folder(name);
    let mut run = hanging(&folder);
    let own = children(run.id());
    let send = if group { kill_process_group } else { kill_process };
    send(Pid::from_child(&run), Signal::INT).unwrap();
    assert_eq!(run.wait().unwrap().signal(), Some(2), "{name}");
    let gone = |id: &u32| status(*id).is_none_or(|(state, _)| state == 'Z');
    until("the end of the children", || own.iter().all(gone));
    // A child process that the signal ends doesn't determine a verdict on its case.
    let results = folder.join("out/results.jsonl");
    let kept = verdicts(&results).into_iter().collect::<Vec<_>>();
    assert_eq!(kept, [("self.fail".to_owned(), Verdict::Fail)], "{name}");
    assert!(fs::read(&results).unwrap().ends_with(b"\n"));
    // Resuming the run adds the missing results.
    let mut arguments = [&CASES[..], &["--out", "out"]].concat();
    arguments[12] = "1";
    let output = conform(&folder, &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert_eq!(verdicts(&results).len(), 3);
}

//! Tests `molehill minimize` with commands that hang, fail, or ignore signals.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{capture, folder, molehill, run, stderr, stdout};

#[test]
fn a_test_that_an_empty_capture_passes_is_reported() {
    let folder = folder("minimize-empty");
    fs::write(folder.join("c"), capture(2, "")).unwrap();
    let output = run(&folder, &["minimize", "c", "--while", "true #", "-o", "small.s3d"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("0 calls of 2, "), "{}", stdout(&output));
    assert!(stderr(&output).contains("a capture without calls shows the bug too"));
    let output = run(&folder, &["minimize", "c", "--while", "grep -q 3.5", "-o", "small.s3d"]);
    assert!(stdout(&output).starts_with("1 calls of 2, "), "{}", stdout(&output));
    assert_eq!(stderr(&output), "");
}

/// The user's command receives a file with an unused name, which is removed at the end.
#[test]
fn no_file_of_the_user_is_touched() {
    let folder = folder("minimize-names");
    fs::write(folder.join("c"), capture(2, "")).unwrap();
    // The script uses `exec` to keep the process id, which the tool's first file names contain.
    let script = "for n in 0 1 2; do echo mine > small.candidate-$$-$n.s3d.jsonl; done; \
                  echo mine > small.candidate-$$.s3d.jsonl; exec \"$0\" \"$@\"";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_molehill")]);
    command.args(["minimize", "c", "--while", "grep -q 3.5", "-o", "small.s3d"]);
    let output = command.current_dir(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|file| file.to_str().unwrap().contains(".candidate-"));
    let texts: Vec<String> = files.map(|file| fs::read_to_string(file).unwrap()).collect();
    assert_eq!(texts, ["mine\n"; 4]);
}

/// A hanging command is killed with all its descendants.
pub(crate) fn a_command_has_a_time_limit() {
    let folder = folder("minimize-time");
    fs::write(folder.join("c"), capture(2, "")).unwrap();
    // The script `hang.sh` succeeds at once if a capture has a second frame. Without a second frame, the script waits
    // for a child process.
    fs::write(folder.join("hang.sh"), "grep -q '\"frame\":1' \"$1\" && exit\nsleep 600\nexit 1\n")
        .unwrap();
    let begin = Instant::now();
    let arguments =
        ["minimize", "c", "--while", "sh hang.sh", "--attempts", "3", "--time-limit", "1"];
    let output = run(&folder, &[&arguments[..], &["-o", "small.s3d"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("the command reached the time limit"), "{}", stderr(&output));
    assert!(begin.elapsed() < Duration::from_secs(300));
}

/// The file name may contain characters that a shell expands.
#[test]
fn the_command_gets_the_name_as_it_is() {
    let folder = folder("minimize-expansion");
    fs::write(folder.join("c"), capture(2, "")).unwrap();
    for out in ["small$x.s3d", "small`id`.s3d", "a \"b\" 'c'.s3d"] {
        let output = run(&folder, &["minimize", "c", "--while", "grep -q 3.5", "-o", out]);
        assert_eq!(output.status.code(), Some(0), "{out}: {}", stderr(&output));
        assert!(stdout(&output).starts_with("1 calls of 2, "), "{out}: {}", stdout(&output));
    }
}

/// A command's exit statuses 126 and 127 end the search, like in `git bisect run`. The best capture so far is written.
#[test]
fn a_command_that_can_t_be_run_ends_the_search() {
    let folder = folder("minimize-126");
    fs::write(folder.join("c"), capture(8, "")).unwrap();
    let script = "echo >> runs\n[ $(wc -l < runs) -lt 3 ] || exit 126\n";
    fs::write(folder.join("test.sh"), script).unwrap();
    let output = run(&folder, &["minimize", "c", "--while", "sh test.sh", "-o", "small.s3d.jsonl"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let message = "the command can't be run (exit status: 126): sh test.sh; \
                   small.s3d.jsonl has the best capture so far";
    assert!(stderr(&output).contains(message), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(folder.join("runs")).unwrap().lines().count(), 3);
    let best = fs::read_to_string(folder.join("small.s3d.jsonl")).unwrap();
    assert!(best.len() < capture(8, "").len(), "{best}");
    assert_eq!(candidates(&folder), 0);
}

fn candidates(folder: &Path) -> usize {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    files.filter(|name| name.to_string_lossy().contains(".candidate-")).count()
}

/// Ctrl-C ends the user's command with all its descendants, and the output file contains the smallest capture so far.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_search_has_its_best_capture() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = folder("minimize-interrupted");
    fs::write(folder.join("c"), capture(8, "")).unwrap();
    // The third run of the command hangs in a child process.
    let script = "echo >> runs\n[ $(wc -l < runs) -lt 3 ] && exit\nsleep 600 &\necho $! > hangs.new\n\
                  mv hangs.new hangs\nwait\n";
    fs::write(folder.join("test.sh"), script).unwrap();
    let arguments = ["minimize", "c", "--while", "sh test.sh", "-o", "small.s3d", "--json"];
    let mut command = molehill(&folder, &arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let tool = command.spawn().unwrap();
    let begin = Instant::now();
    while !folder.join("hangs").exists() {
        assert!(begin.elapsed() < Duration::from_secs(300));
        std::thread::sleep(Duration::from_millis(10));
    }
    // The output file always contains a complete capture.
    let calls = |name: &str| {
        let info = run(&folder, &["info", name, "--json"]);
        serde_json::from_str::<serde_json::Value>(&stdout(&info)).unwrap()["replay"]["calls"]
            .clone()
    };
    let before = calls("small.s3d");
    kill_process(Pid::from_child(&tool), Signal::INT).unwrap();
    let output = tool.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let answer: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&answer["interrupted"], &answer["finished"]), (&true.into(), &false.into()));
    assert_eq!((&answer["calls"], &calls("small.s3d")), (&before, &before));
    assert!(before.as_u64() < Some(8), "{before}");
    assert_eq!(candidates(&folder), 0);
    let hanging = fs::read_to_string(folder.join("hangs")).unwrap();
    let state = format!("/proc/{}/stat", hanging.trim());
    // A zombie process counts as ended.
    while fs::read_to_string(&state).is_ok_and(|state| !state.contains(") Z ")) {
        assert!(begin.elapsed() < Duration::from_secs(300), "the command's process still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

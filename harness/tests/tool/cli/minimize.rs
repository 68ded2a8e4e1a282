//! `molehill minimize` with a command that isn't well behaved.

use std::fs;
use std::time::{Duration, Instant};

use super::{capture, folder, run, stderr, stdout};

#[test]
fn a_test_that_an_empty_capture_passes_is_reported() {
    let folder = folder("minimize-empty");
    fs::write(folder.join("c"), capture(2, "")).unwrap();
    let output = run(&folder, &["minimize", "c", "--while", "true #", "-o", "small.s3d"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("0 calls of 2, "), "{}", stdout(&output));
    assert!(stderr(&output).contains("a capture without calls shows the fault too"));
    let output = run(&folder, &["minimize", "c", "--while", "grep -q 3.5", "-o", "small.s3d"]);
    assert!(stdout(&output).starts_with("1 calls of 2, "), "{}", stdout(&output));
    assert_eq!(stderr(&output), "");
}

/// The command gets a file of a new name, which is removed at the end.
#[test]
fn no_file_of_the_user_is_touched() {
    let folder = folder("minimize-names");
    fs::write(folder.join("c"), capture(2, "")).unwrap();
    // The tool replaces the shell, so that its process id is known: the names that it would take first are there.
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

/// A command that hangs ends with all that it started.
#[test]
fn a_command_has_a_time_limit() {
    let folder = folder("minimize-time");
    fs::write(folder.join("c"), capture(2, "")).unwrap();
    // Without the second frame it waits for a process of its own.
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

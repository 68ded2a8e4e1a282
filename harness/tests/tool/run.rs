//! Runs the tool as a child process in tests.
#![allow(dead_code, reason = "each test program uses a part")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Returns an empty folder for one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns a command that runs the tool in a folder, with empty standard input.
pub(crate) fn molehill(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_molehill"));
    command.args(arguments).current_dir(folder);
    command.env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

/// Reports that a test lacks a program or a driver. Panics if the environment variable `MOLEHILL_REQUIRE_TOOLS` is set.
#[track_caller]
pub(crate) fn skipped(reason: &str) {
    assert!(std::env::var_os("MOLEHILL_REQUIRE_TOOLS").is_none(), "required: {reason}");
    println!("skipped: {reason}");
}

pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Output {
    molehill(folder, arguments).output().unwrap()
}

/// Runs the tool with standard input.
pub(crate) fn run_with(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = molehill(folder, arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command may end without reading its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

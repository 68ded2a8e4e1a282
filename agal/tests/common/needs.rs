//! Tests that need files of `../shared`, beside the repository, or an independent GLSL compiler. Tests with a missing
//! requirement are skipped, or fail if an environment variable demands the requirement. Only `libtest_mimic` can report
//! skipped tests.
#![allow(dead_code, reason = "each test program uses a part")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use libtest_mimic::{Failed, Trial};

/// If this variable is set, tests with missing files fail and are not skipped.
const SHARED: &str = "MOLEHILL_REQUIRE_SHARED";
/// If this variable is set, tests with a missing tool fail and are not skipped.
const TOOLS: &str = "MOLEHILL_REQUIRE_TOOLS";

const COMPILER: &str = "glslangValidator";

/// Returns the path of a folder in `../shared`.
pub(crate) fn folder(name: &str) -> PathBuf {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let repository = folders.find(|folder| folder.join("Cargo.lock").is_file());
    let repository = repository.unwrap_or(Path::new("."));
    repository.join("../shared").join(name)
}

/// Returns the tests that `trials` creates for a folder in `../shared`, or one skipped test without the folder.
pub(crate) fn shared(name: &str, trials: impl FnOnce(&Path) -> Vec<Trial>) -> Vec<Trial> {
    let path = folder(name);
    let trials = match path.is_dir() {
        true => trials(&path),
        false => Vec::new(),
    };
    match trials.is_empty() {
        true => skipped(format!("no shared {name}"), SHARED),
        false => trials,
    }
}

/// Returns the tests that `trials` creates for the GLSL compiler. If the compiler is missing, returns one skipped test.
pub(crate) fn glslang(trials: impl FnOnce() -> Vec<Trial>) -> Vec<Trial> {
    match Command::new(COMPILER).arg("--version").output() {
        Ok(_) => trials(),
        Err(_) => skipped(format!("no {COMPILER}"), TOOLS),
    }
}

/// Returns a skipped test, or a failing test if the environment variable `required` is set.
fn skipped(reason: String, required: &str) -> Vec<Trial> {
    println!("skipped: {reason}");
    let required = std::env::var_os(required).is_some();
    let name = format!("skipped: {reason}");
    vec![Trial::test(name, || Err(reason.into())).with_ignored_flag(!required)]
}

/// Returns a test that runs on a file or folder.
pub(crate) fn trial(name: impl Into<String>, path: &Path, test: fn(&Path)) -> Trial {
    let path = path.to_owned();
    Trial::test(name, move || {
        test(&path);
        Ok(())
    })
}

pub(crate) fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// Writes a shader for the compiler to a folder, and keeps the file for inspection.
pub(crate) fn shader(folder: &str, name: &str, extension: &str, text: &str) -> io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("glslang").join(folder);
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{name}.{extension}"));
    fs::write(&path, text)?;
    Ok(path)
}

/// Runs the compiler on files. If compilation fails, returns the lines of the compiler's output that report errors.
pub(crate) fn compile(flags: &[&str], files: &[PathBuf]) -> Result<(), Failed> {
    assert!(!files.is_empty());
    let output = Command::new(COMPILER).args(flags).args(files).output()?;
    if output.status.success() {
        return Ok(());
    }
    // The output contains every file name, followed by the errors of the file.
    let text = String::from_utf8_lossy(&output.stdout);
    let mut present = "";
    let mut complaints = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if line.starts_with("ERROR") || line.starts_with("WARNING") {
            complaints.push(format!("{present}: {line}"));
        } else {
            present = line;
        }
    }
    Err(format!("{}\n{}", output.status, complaints.join("\n")).into())
}

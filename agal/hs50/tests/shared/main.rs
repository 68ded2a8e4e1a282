//! Tests with files outside of the repository: hull shaders and reference tables in `../shared`. Some tests also need
//! an independent GLSL compiler.

mod glslang;
#[path = "../../../tests/common/needs.rs"]
mod needs;
mod reference;
mod shaders;

use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = [shaders::trials(), reference::trials(), glslang::trials()];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}

/// Returns the shared hull shaders with a file extension, sorted; empty if the folder is missing.
fn files(extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(needs::folder("hs50")).into_iter();
    let paths = entries.flatten().flatten().map(|entry| entry.path());
    let has = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
    let mut files: Vec<_> = paths.filter(has).collect();
    files.sort();
    files
}

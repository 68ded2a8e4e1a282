//! What several test programs have: the shared shaders (`shared/hs50`, beside the repository).
#![allow(dead_code, reason = "not every test program uses all of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// Set where a missing folder is a failure and not a reason to skip.
pub(crate) const REQUIRED: &str = "MOLEHILL_REQUIRE_SHARED";

/// A folder beside the repository.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared")
        .join(name)
}

/// The files of the shared folder with an extension, sorted; none if it is missing.
pub(crate) fn files(extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder("hs50")).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    files
}

/// A file's name without extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Runs the trials, or says that the folder that they need is missing.
pub(crate) fn main(needed: &str, trials: impl FnOnce() -> Vec<Trial>) -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = folder(needed);
    let trials = if folder.exists() {
        trials()
    } else {
        println!("skipped: no shared {needed}");
        let absent = move || Err(format!("no {}", folder.display()).into());
        let required = std::env::var_os(REQUIRED).is_some();
        vec![Trial::test("skipped", absent).with_ignored_flag(!required)]
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

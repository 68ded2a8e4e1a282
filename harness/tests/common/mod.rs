//! Tests on the files in `../shared`, beside the repository. If it is missing they are counted as skipped, or fail if
//! the environment requires it; only `libtest_mimic` can count skipped tests.

use std::path::Path;

use libtest_mimic::Trial;

/// If set, missing files are a failure and not skipped.
const REQUIRED: &str = "MOLEHILL_REQUIRE_SHARED";

/// The tests that `trials` makes of the files of a folder in `../shared`, or one placeholder if there are none.
pub(crate) fn shared(folder: &str, trials: impl FnOnce(&Path) -> Vec<Trial>) -> Vec<Trial> {
    // Also for tests of crates in folders of the one that this file is in.
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let repository = folders.find(|folder| folder.join("Cargo.lock").is_file());
    let path = repository
        .unwrap_or(Path::new("."))
        .join("../shared")
        .join(folder);
    let trials = if path.is_dir() {
        trials(&path)
    } else {
        Vec::new()
    };
    if !trials.is_empty() {
        return trials;
    }
    println!("skipped: no shared {folder}");
    let required = std::env::var_os(REQUIRED).is_some();
    let missing = move || Err(format!("nothing in {}", path.display()).into());
    vec![Trial::test(format!("shared {folder}"), missing).with_ignored_flag(!required)]
}

/// A test of a file or a folder.
pub(crate) fn trial(name: impl Into<String>, path: &Path, test: fn(&Path)) -> Trial {
    let path = path.to_owned();
    Trial::test(name, move || {
        test(&path);
        Ok(())
    })
}

//! Tests on what lies in `../shared`, beside the repository. Where it is absent they are counted as skipped, or fail if the
//! environment says that it must be there; only a harness of its own (`libtest_mimic`) can count so.

use std::path::Path;

use libtest_mimic::Trial;

/// Set where missing files are a failure and not a reason to skip.
const REQUIRED: &str = "MOLEHILL_REQUIRE_SHARED";

/// The tests that `trials` makes of the files of a folder in `../shared`, or one in their stead if it makes none.
pub(crate) fn shared(folder: &str, trials: impl FnOnce(&Path) -> Vec<Trial>) -> Vec<Trial> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared")
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

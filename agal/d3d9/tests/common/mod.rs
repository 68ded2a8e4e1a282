//! Where the shared material lies, and what is in it.
#![allow(dead_code, reason = "each test uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

/// Set where a missing folder is a failure and not a reason to skip.
pub(crate) const REQUIRED: &str = "MOLEHILL_REQUIRE_SHARED";

/// A folder of the shared material.
pub(crate) fn shared(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared")
        .join(name)
}

/// A shader that Microsoft's compiler made.
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// The compiler's listing, if there is one.
    pub(crate) listing: Option<String>,
}

/// Every shared shader, by name.
pub(crate) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for entry in fs::read_dir(shared("d3d9")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "bin") {
            samples.push(Sample {
                name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
                bytes: fs::read(&path).unwrap(),
                listing: fs::read_to_string(path.with_extension("asm")).ok(),
            });
        }
    }
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(samples.len() >= 144);
    samples
}

/// The rows of a table, without comments and head.
pub(crate) fn rows(name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(shared("reference").join(name)).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
    lines.skip(1).map(cells).collect()
}

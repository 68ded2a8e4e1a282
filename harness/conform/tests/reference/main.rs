//! Tests of the reference: every fact is well formed and verified by a test or case, every cited fact exists, and
//! generated content matches the code. `UPDATE=1` writes the tables and the page of open questions.

mod citations;
mod facts;
mod tables;
mod written;

use std::path::{Path, PathBuf};
use std::{env, fs};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Panics with all error messages, one per line, if there are any.
fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "{}:\n{}", complaints.len(), complaints.join("\n"));
}

/// Compares a file of the repository with its generated content, or updates the file.
fn check_file(path: &str, text: &str) -> Option<String> {
    let file = root().join(path);
    if env::var_os("UPDATE").is_some() {
        fs::write(file, text).unwrap();
        return None;
    }
    let is = fs::read_to_string(file).unwrap_or_default();
    let differing = is.lines().zip(text.lines()).position(|(is, must)| is != must);
    let line = differing.unwrap_or(is.lines().count().min(text.lines().count())) + 1;
    (is != text).then(|| format!("{path}:{line} is out of date: UPDATE=1 writes it"))
}

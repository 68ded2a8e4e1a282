//! Tests deliberately broken comparisons: each must end with an exit status other than success.
//!
//! Each table row breaks a comparison from outside: no second renderer, a truncated input, a deliberate error of the
//! runner (`conform --break NAME`), a list that names nothing. The comparison without the deliberate error must
//! succeed, so that a row can't pass because its command always fails.

mod names;
mod programs;
mod sides;
mod suite;

use std::collections::BTreeSet;
use std::path::Path;

use super::run::{folder, molehill, stderr, stdout};

/// A row of the table: a deliberately broken comparison.
#[derive(Clone)]
pub(crate) struct Row {
    /// The name of the row, which describes how the comparison is broken.
    pub(crate) name: &'static str,
    /// Writes the input files of the commands `intact` and `broken`.
    pub(crate) prepare: fn(&Path),
    /// The arguments of the comparison without the deliberate error, which must end with status 0.
    pub(crate) intact: &'static [&'static str],
    /// The arguments of the command that compares with the deliberate error.
    pub(crate) broken: &'static [&'static str],
    /// Environment variables that break the command `broken`.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// The exit status of `broken`: 1 if the comparison finds a difference, 2 if nothing is compared.
    pub(crate) status: i32,
    /// A substring of the error message.
    pub(crate) says: &'static str,
}

#[test]
fn rows_have_different_names() {
    let rows = [suite::ROWS, sides::ROWS, programs::ROWS, names::ROWS].concat();
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), rows.len(), "two rows have the same name");
}

#[test]
fn broken_runs_of_the_suite_fail() {
    each_fails("suite", suite::ROWS);
}

#[test]
fn broken_comparisons_of_two_sides_fail() {
    each_fails("sides", sides::ROWS);
}

#[test]
fn broken_comparisons_of_programs_fail() {
    each_fails("programs", programs::ROWS);
}

#[test]
fn names_that_match_nothing_fail() {
    each_fails("names", names::ROWS);
}

/// Runs the command `broken` of each row, and each different command `intact` once.
fn each_fails(table: &str, rows: &[Row]) {
    let mut seen = BTreeSet::new();
    for (number, row) in rows.iter().enumerate() {
        let folder = folder(&format!("broken-{table}-{number}"));
        (row.prepare)(&folder);
        if seen.insert(row.intact) {
            let intact = molehill(&folder, row.intact).output().unwrap();
            assert_eq!(intact.status.code(), Some(0), "{}: intact: {}", row.name, stderr(&intact));
        }
        let mut broken = molehill(&folder, row.broken);
        broken.envs(row.environment.iter().copied());
        let broken = broken.output().unwrap();
        let text = stdout(&broken) + &stderr(&broken);
        assert_eq!(broken.status.code(), Some(row.status), "{}: {text}", row.name);
        assert!(text.contains(row.says), "{}: {text}", row.name);
    }
}

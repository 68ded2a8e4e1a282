//! The expected errors, limits and enumerations, written from the reference and not from the tested tables.

use std::collections::HashMap;
use std::sync::OnceLock;

use context3d::Profile;
use context3d::errors::ErrorClass;

const ERRORS: &str = include_str!("../expected/errors.tsv");
const LIMITS: &str = include_str!("../expected/limits.tsv");
const ENUMS: &str = include_str!("../expected/enums.tsv");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExpectedError {
    pub(crate) class: ErrorClass,
    pub(crate) raised: ErrorRow,
    /// The error message of Flash, with placeholders `%1` to `%4`.
    pub(crate) message: &'static str,
    pub(crate) source: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorRow {
    Always,
    /// Flash raises the error only if error checking is enabled. Without error checking, the draw is dropped.
    ElseSkipped,
    /// Flash raises the error only if error checking is enabled. Without error checking, the draw is executed.
    ElseDrawn,
}

/// The rows of a table of expected values, by the text of their first column.
pub(crate) type ExpectedRows = HashMap<&'static str, Vec<&'static str>>;

/// Parses the rows of a tab-separated table. Lines that begin with `#` are comments.
pub(crate) fn rows(table: &'static str) -> ExpectedRows {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.filter_map(|line| {
        let (key, rest) = line.split_once('\t')?;
        Some((key, rest.split('\t').collect()))
    });
    rows.collect()
}

/// Returns the expected error with this number. Returns `None`, which fails the case, if the table lacks the error.
pub(crate) fn error(number: u16) -> Option<ExpectedError> {
    static ROWS: OnceLock<HashMap<u16, ExpectedError>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| {
        let rows = rows(ERRORS).into_iter();
        rows.filter_map(|(number, row)| Some((number.parse().ok()?, parse(&row)?))).collect()
    });
    rows.get(&number).copied()
}

fn parse(row: &[&'static str]) -> Option<ExpectedError> {
    let [class, raised, message, source] = row else { return None };
    let raised = match *raised {
        "always" => ErrorRow::Always,
        "skipped" => ErrorRow::ElseSkipped,
        "drawn" => ErrorRow::ElseDrawn,
        _ => return None,
    };
    let class = class_named(class)?;
    Some(ExpectedError { class, raised, message, source })
}

pub(crate) fn class_named(name: &str) -> Option<ErrorClass> {
    use ErrorClass::{ArgumentError, Error, RangeError, TypeError};
    [Error, ArgumentError, RangeError, TypeError].into_iter().find(|class| class.name() == name)
}

pub(crate) fn limit(name: &str, profile: Profile) -> u64 {
    find_limit(name, profile).unwrap_or(0)
}

pub(crate) fn find_limit(name: &str, profile: Profile) -> Option<u64> {
    static ROWS: OnceLock<ExpectedRows> = OnceLock::new();
    let column = Profile::ALL.iter().position(|known| *known == profile).unwrap_or(usize::MAX);
    ROWS.get_or_init(|| rows(LIMITS)).get(name)?.get(column)?.parse().ok()
}

pub(crate) fn names(enumeration: &str) -> impl Iterator<Item = &'static str> {
    static ROWS: OnceLock<ExpectedRows> = OnceLock::new();
    let row = ROWS.get_or_init(|| rows(ENUMS)).get(enumeration);
    row.and_then(|row| row.first()).into_iter().flat_map(|names| names.split(' '))
}

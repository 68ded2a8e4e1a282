//! Tables with a row for each entry, as aligned text or as JSON.

use clap::ArgMatches;
use serde_json::{Map, Value, json};

use super::{Failure, output};

/// A column: its name, and its value in a row.
pub(super) type Column<T> = (&'static str, fn(&T) -> Value);

/// Prints rows as text, or with `--json` as a list below a name.
///
/// # Errors
/// Standard output can't be written.
pub(super) fn print<T>(
    matches: &ArgMatches,
    name: &str,
    columns: &[Column<T>],
    rows: &[T],
) -> Result<(), Failure> {
    match matches.get_flag("json") {
        true => output::print_json(&json!({ name: json_rows(columns, rows) })),
        false => output::print(&text(columns, rows)),
    }
}

/// The rows as JSON objects.
pub(super) fn json_rows<T>(columns: &[Column<T>], rows: &[T]) -> Vec<Value> {
    let object = |row: &T| {
        let members = columns.iter();
        Value::Object(Map::from_iter(members.map(|(name, value)| ((*name).to_owned(), value(row)))))
    };
    rows.iter().map(object).collect()
}

/// A line with the names of the columns, then a line for each row. Every column except the last is padded.
pub(super) fn text<T>(columns: &[Column<T>], rows: &[T]) -> String {
    let names = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let cells = |row: &T| columns.iter().map(|(_, value)| shown(&value(row))).collect();
    let lines: Vec<Vec<String>> = std::iter::once(names).chain(rows.iter().map(cells)).collect();
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let mut padded = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            padded += &format!("{cell:width$}  ");
        }
        text += padded.trim_end();
        text.push('\n');
    }
    text
}

/// A value as text in one line.
fn shown(value: &Value) -> String {
    let list = |values: &mut dyn Iterator<Item = &Value>| {
        let values: Vec<String> = values.map(shown).collect();
        values.join(" ")
    };
    match value {
        Value::Null => "-".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.replace('\n', " "),
        Value::Array(values) => list(&mut values.iter()),
        Value::Object(members) => list(&mut members.values()),
    }
}

//! Prints tables as aligned text or as JSON.

use serde_json::{Map, Value, json};

use super::{CommandFailure, CommandStatus, OutputFormat};
use molehill_replay::table::aligned;

/// A table column: its name, and a function that returns its value in a row.
pub(super) type TableColumn<T> = (&'static str, fn(&T) -> Value);

/// Prints table rows as text, or with `--json` as an object whose member `name` is the list of rows.
pub(super) fn print<T>(
    format: OutputFormat,
    name: &str,
    columns: &[TableColumn<T>],
    rows: &[T],
) -> Result<CommandStatus, CommandFailure> {
    format.print(&json!({ name: json_rows(columns, rows) }), || text(columns, rows))
}

pub(super) fn json_rows<T>(columns: &[TableColumn<T>], rows: &[T]) -> Vec<Value> {
    let member = |row: &T, (name, value): &TableColumn<T>| ((*name).to_owned(), value(row));
    let object = |row: &T| columns.iter().map(|column| member(row, column)).collect::<Map<_, _>>();
    rows.iter().map(|row| object(row).into()).collect()
}

/// Returns the table as text: a line with the column names, then a line for each row.
pub(super) fn text<T>(columns: &[TableColumn<T>], rows: &[T]) -> String {
    let names = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let cells = |row: &T| columns.iter().map(|(_, value)| shown(&value(row))).collect();
    let lines: Vec<Vec<String>> = std::iter::once(names).chain(rows.iter().map(cells)).collect();
    aligned(&lines, "").concat()
}

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

//! The results of a command for each of its inputs: shared by all commands that read programs.

use serde_json::{Value, json};

use super::{Failure, Format, Status, output};
use molehill_replay::table::aligned;

#[derive(Default)]
pub(super) struct InputResult {
    /// Its object in the list of inputs.
    pub(super) json: Value,
    pub(super) text: String,
    /// The reason why the input is refused, for standard error.
    pub(super) refusal: Option<String>,
}

impl InputResult {
    pub(super) fn refused(name: &str, reason: &str) -> Self {
        let json = json!({ "name": name, "error": reason });
        InputResult { json, text: String::new(), refusal: Some(reason.to_owned()) }
    }
}

/// A comment line with a title, for outputs with several parts.
pub(super) fn title(what: &str, name: &str) -> String {
    format!("// {what}{}\n", name.replace(['\n', '\r', '\\'], " "))
}

/// Prints the refusals to standard error; then prints the texts, or with `--json` an object with `members` and the list
/// of inputs.
pub(super) fn print(
    format: Format,
    members: Value,
    results: Vec<InputResult>,
) -> Result<Status, Failure> {
    let refusals = results.iter().filter_map(|result| result.refusal.as_ref());
    refusals.clone().for_each(|reason| output::tell(reason));
    let status = Status::of(refusals.count() == 0);
    let text: String = results.iter().map(|result| result.text.as_str()).collect();
    let inputs: Vec<Value> = results.into_iter().map(|result| result.json).collect();
    format.print(&with(members, [("inputs", inputs.into())]), || text)?;
    Ok(status)
}

pub(super) fn with(
    mut object: Value,
    members: impl IntoIterator<Item = (&'static str, Value)>,
) -> Value {
    members.into_iter().for_each(|(name, value)| object[name] = value);
    object
}

pub(super) struct Row {
    pub(super) good: bool,
    pub(super) name: String,
    pub(super) what: String,
    pub(super) findings: Vec<String>,
}

/// A table with a line for each input, followed by its findings.
pub(super) fn table(rows: &[Row], word: fn(bool) -> &'static str) -> String {
    let cells = |row: &Row| vec![word(row.good).to_owned(), row.name.clone(), row.what.clone()];
    let mut text = String::new();
    for (line, row) in aligned(&rows.iter().map(cells).collect::<Vec<_>>(), "").iter().zip(rows) {
        text += line;
        for finding in &row.findings {
            text += &format!("    {}\n", finding.replace('\n', "\n    "));
        }
    }
    text
}

//! The outcome of a command for each of its inputs: shared by all commands that read programs.

use clap::ArgMatches;
use serde_json::{Map, Value, json};

use super::{Failure, Status, output};

/// The outcome for one input.
#[derive(Default)]
pub(super) struct Outcome {
    /// Its object in the list of inputs.
    pub(super) json: Value,
    /// The text for standard output.
    pub(super) text: String,
    /// The reason why the input is refused, for standard error.
    pub(super) refusal: Option<String>,
}

impl Outcome {
    /// An input that is refused for this reason.
    pub(super) fn refused(name: &str, reason: &str) -> Self {
        Outcome {
            json: json!({ "name": name, "error": reason }),
            text: String::new(),
            refusal: Some(reason.to_owned()),
        }
    }
}

/// A comment line with a title, for outputs with several parts.
pub(super) fn title(what: &str, name: &str) -> String {
    format!("// {what}{}\n", name.replace(['\n', '\r', '\\'], " "))
}

/// Prints the refusals to standard error; then prints the texts, or with `--json` an object with `members` and the list
/// of inputs.
///
/// # Errors
/// Standard output can't be written.
pub(super) fn print(
    matches: &ArgMatches,
    members: Value,
    outcomes: Vec<Outcome>,
) -> Result<Status, Failure> {
    let refusals = outcomes.iter().filter_map(|outcome| outcome.refusal.as_ref());
    refusals.clone().for_each(|reason| output::tell(reason));
    let status = Status::of(refusals.count() == 0);
    let text: String = outcomes.iter().map(|outcome| outcome.text.as_str()).collect();
    let inputs: Vec<Value> = outcomes.into_iter().map(|outcome| outcome.json).collect();
    output::give(matches, || with(members, [("inputs", inputs.into())]), || text)?;
    Ok(status)
}

/// Adds members to an object.
pub(super) fn with(
    value: Value,
    members: impl IntoIterator<Item = (&'static str, Value)>,
) -> Value {
    let mut object = match value {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    let members = members.into_iter();
    object.extend(members.map(|(name, value)| (name.to_owned(), value)));
    Value::Object(object)
}

/// A verdict in a table.
pub(super) struct Row {
    pub(super) good: bool,
    pub(super) name: String,
    pub(super) what: String,
    pub(super) findings: Vec<String>,
}

/// A table with a line for each input, followed by its findings.
pub(super) fn table(rows: &[Row], word: impl Fn(bool) -> &'static str) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max();
    let width = width.unwrap_or(0);
    let line = |row: &Row| {
        let (word, name, what) = (word(row.good), &row.name, &row.what);
        let findings = row.findings.iter();
        let findings = findings.map(|text| format!("    {}\n", text.replace('\n', "\n    ")));
        let findings: String = findings.collect();
        let line = format!("{word:<8}  {name:width$}  {what}");
        format!("{}\n{findings}", line.trim_end())
    };
    rows.iter().map(line).collect()
}

//! `molehill agal errors`

use agal::ErrorKind;
use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};

use crate::cli::{Failure, Status, json_argument, output};

const AFTER_HELP: &str = "\
Examples:
  molehill agal errors
  molehill agal errors 3632 3648
  molehill agal errors --json | jq '.errors[] | select(.class != \"Error\")'

evidence: player-test and player-trace are a real player's output, documented is the ActionScript reference, message-only
is a published message whose class and cause are inferred (unverified).
raisedBy: the stage of Molehill that raises it.

In messages, %1 is the kind of program or a varying, %2 an operand, an opcode, a version or a count, %3 the token, %4 the
value of a sampler field.

Exit status: 0; 2 for an unknown number.";

/// A column of the list: its name, and its text.
type Column = (&'static str, fn(ErrorKind) -> String);

/// The columns of the error list; the message is last.
const COLUMNS: &[Column] = &[
    ("number", |kind| kind.number().to_string()),
    ("class", |kind| kind.class().name().to_owned()),
    ("evidence", |kind| kind.evidence().to_string()),
    ("raisedBy", |kind| kind.raised_by().name().to_owned()),
    ("message", |kind| kind.template().replace('\n', " ")),
];

pub(super) fn command() -> Command {
    Command::new("errors")
        .about("Lists the errors that Flash raises for AGAL programs")
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("numbers")
                .value_name("NUMBER")
                .num_args(0..)
                .value_parser(value_parser!(u16))
                .help("Only these errors"),
        )
        .arg(json_argument())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let numbers = matches.get_many::<u16>("numbers");
    let numbers: Vec<u16> = numbers.into_iter().flatten().copied().collect();
    let row = |number: u16| {
        let mut kinds = ErrorKind::ALL.iter().copied();
        let kind = kinds.find(|kind| kind.number() == number);
        kind.ok_or_else(|| Failure(format!("unknown AGAL error {number}")))
    };
    let kinds: Vec<ErrorKind> = match numbers.is_empty() {
        true => ErrorKind::ALL.to_vec(),
        false => numbers.into_iter().map(row).collect::<Result<_, _>>()?,
    };
    if matches.get_flag("json") {
        let one = |kind: &ErrorKind| {
            let members = COLUMNS.iter().map(|(name, text)| {
                let value = match *name {
                    "number" => kind.number().into(),
                    _ => Value::from(text(*kind)),
                };
                ((*name).to_owned(), value)
            });
            let reason = kind.raised_by().reason().into();
            let reason = ("neverBecause".to_owned(), reason);
            Value::Object(Map::from_iter(members.chain([reason])))
        };
        let list: Vec<Value> = kinds.iter().map(one).collect();
        output::print_json(&serde_json::json!({ "errors": list }))?;
    } else {
        output::print(&(table(&kinds) + &never(&kinds)))?;
    }
    Ok(Status::Success)
}

/// The reasons of errors that are never raised.
fn never(kinds: &[ErrorKind]) -> String {
    let reasons = kinds.iter().filter_map(|kind| {
        let reason = kind.raised_by().reason()?;
        Some(format!("{} is never raised: {reason}\n", kind.number()))
    });
    let reasons: String = reasons.collect();
    match reasons.is_empty() {
        true => reasons,
        false => format!("\n{reasons}"),
    }
}

/// One line per error, with all columns but the last padded.
fn table(kinds: &[ErrorKind]) -> String {
    let mut rows = vec![Vec::from_iter(
        COLUMNS.iter().map(|(name, _)| (*name).to_owned()),
    )];
    for kind in kinds {
        rows.push(COLUMNS.iter().map(|(_, text)| text(*kind)).collect());
    }
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line += &format!("{cell:width$}  ");
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

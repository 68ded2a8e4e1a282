//! `molehill agal errors`

use agal::errors::ErrorKind;
use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::Value;

use crate::cli::outcome::with;
use crate::cli::table::{self, Column};
use crate::cli::{Failure, Status, arguments, output};

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

/// The columns of the table of errors, the message last.
const COLUMNS: &[Column<ErrorKind>] = &[
    ("number", |kind| kind.number().into()),
    ("class", |kind| kind.class().name().into()),
    ("evidence", |kind| kind.evidence().to_string().into()),
    ("raisedBy", |kind| kind.raised_by().name().into()),
    ("message", |kind| kind.template().replace('\n', " ").into()),
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
        .arg(arguments::json())
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
        let reasons = kinds.iter().map(|kind| kind.raised_by().reason());
        let rows = table::json_rows(COLUMNS, &kinds).into_iter().zip(reasons);
        let rows = rows.map(|(row, reason)| with(row, [("neverBecause", reason.into())]));
        let list: Vec<Value> = rows.collect();
        output::print_json(&serde_json::json!({ "errors": list }))?;
    } else {
        output::print(&(table::text(COLUMNS, &kinds) + &never(&kinds)))?;
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

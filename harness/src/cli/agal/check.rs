//! `molehill agal check`

use std::fmt::Write;

use clap::{ArgMatches, Command};
use serde_json::json;

use super::arguments::{inputs, rules, rules_of};
use super::program::groups;
use super::verdict::{Verdict, check_group};
use crate::cli::outcome::{Row, table};
use crate::cli::{Failure, Status, arguments, output};

const AFTER_HELP: &str = "\
Examples:
  molehill agal check vertex.bin fragment.bin
      two programs of different kinds are also linked, like a text with both
  molehill agal check --profile baseline --swf 20 shader.agal
  molehill agal check programs --json | jq '.inputs[] | select(.accepted | not)'

Prints the result of Program3D.upload for the profile and the SWF version: Flash's first error with number, class, message
and token. A program's kind (vertex or fragment) is --stage, else that of the file's name, else that of its header. A
folder, or more than two files, gives a table and a count.

Exit status: 0; 1 if any program is rejected; 2 if the input can't be used.";

pub(super) fn command() -> Command {
    Command::new("check")
        .about("Checks programs and pairs as Flash does")
        .after_help(AFTER_HELP)
        .args(inputs())
        .args(rules())
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let groups = groups(matches)?;
    let rules = rules_of(matches);
    let verdicts = groups.iter().map(|group| check_group(group, &rules));
    let verdicts: Vec<Verdict<'_>> = verdicts.collect();
    let refused = verdicts.iter().filter(|verdict| !verdict.is_accepted());
    let refused = refused.count();
    let newest = rules.swf_version == u32::MAX;
    let accepted = verdicts.len() - refused;
    let json = || {
        json!({
            "profile": rules.profile.name(),
            "swfVersion": (!newest).then_some(rules.swf_version),
            "inputs": verdicts.iter().map(Verdict::json).collect::<Vec<_>>(),
            "accepted": accepted,
            "refused": refused,
        })
    };
    let text = || match verdicts.as_slice() {
        [verdict] => one(verdict),
        verdicts => {
            let rows: Vec<Row> = verdicts.iter().map(row).collect();
            let (table, count) = (table(&rows, word), rows.len());
            format!("{table}\n{count} inputs: {accepted} accepted, {refused} refused\n")
        }
    };
    output::give(matches, json, text)?;
    Ok(Status::of(refused == 0))
}

fn word(accepted: bool) -> &'static str {
    match accepted {
        true => "accepted",
        false => "refused",
    }
}

/// The result of each program of one input, and of the pair.
fn one(verdict: &Verdict<'_>) -> String {
    let name = &verdict.group.name;
    let mut text = String::new();
    // Writing to a String can't fail.
    for program in &verdict.programs {
        let what = program.candidate.describe();
        let _ = writeln!(text, "{name}: {what}: {}", word(program.valid.is_ok()));
    }
    if let Some(linked) = &verdict.linked {
        let _ = writeln!(text, "{name}: linked: {}", word(linked.is_ok()));
    }
    for complaint in verdict.complaints() {
        let _ = writeln!(text, "{complaint}");
    }
    text
}

fn row(verdict: &Verdict<'_>) -> Row {
    let programs = verdict.programs.iter();
    let what: Vec<String> = programs.map(|program| program.candidate.describe()).collect();
    Row {
        good: verdict.is_accepted(),
        name: verdict.group.name.clone(),
        what: match what.is_empty() {
            true => "text".to_owned(),
            false => what.join(" + "),
        },
        findings: verdict.complaints(),
    }
}

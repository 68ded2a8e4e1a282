//! `molehill agal check`

use std::fmt::Write;

use agal::Rules;
use clap::{ArgMatches, Command};
use serde_json::json;

use super::arguments::{inputs, rules, rules_of};
use super::program::groups;
use super::verdict::{Verdict, check_group};
use crate::cli::{Failure, Status, json_argument, output};

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
        .arg(json_argument())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let groups = groups(matches)?;
    let rules = rules_of(matches);
    let verdicts: Vec<Verdict<'_>> = groups
        .iter()
        .map(|group| check_group(group, &rules))
        .collect();
    let refused = verdicts.iter().filter(|verdict| !verdict.is_accepted());
    let refused = refused.count();
    if matches.get_flag("json") {
        output::print_json(&json!({
            "profile": rules.profile.name(),
            "swfVersion": (rules != Rules { swf_version: u32::MAX, ..rules }).then_some(rules.swf_version),
            "inputs": verdicts.iter().map(Verdict::json).collect::<Vec<_>>(),
            "accepted": verdicts.len() - refused,
            "refused": refused,
        }))?;
    } else {
        let text = match verdicts.as_slice() {
            [verdict] => one(verdict),
            verdicts => table(verdicts, refused),
        };
        output::print(&text)?;
    }
    Ok(match refused {
        0 => Status::Success,
        _ => Status::Mismatch,
    })
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

/// One line per input, followed by its errors, and the count.
fn table(verdicts: &[Verdict<'_>], refused: usize) -> String {
    let names = verdicts
        .iter()
        .map(|verdict| verdict.group.name.chars().count());
    let width = names.max().unwrap_or(0);
    let mut text = String::new();
    for verdict in verdicts {
        let name = &verdict.group.name;
        let what: Vec<String> = verdict
            .programs
            .iter()
            .map(|program| program.candidate.describe())
            .collect();
        let what = match what.is_empty() {
            true => "text".to_owned(),
            false => what.join(" + "),
        };
        let _ = writeln!(
            text,
            "{:<8}  {name:width$}  {what}",
            word(verdict.is_accepted())
        );
        for complaint in verdict.complaints() {
            let _ = writeln!(text, "    {}", complaint.replace('\n', "\n    "));
        }
    }
    let accepted = verdicts.len() - refused;
    let _ = writeln!(
        text,
        "\n{} inputs: {accepted} accepted, {refused} refused",
        verdicts.len()
    );
    text
}

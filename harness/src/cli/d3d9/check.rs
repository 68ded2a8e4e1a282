//! `molehill d3d9 check`

use std::fmt::Write;

use ::d3d9::check::{Caps, Options, Report, Severity, check};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use super::{dis, input};
use crate::cli::{Failure, Status, json_argument, output};

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 check shader.bin
  molehill d3d9 check shaders --json | jq '.inputs[] | select(.valid | not)'
  molehill d3d9 check --caps 2_b shader.bin

The rules and limits of the shader's version: what is wrong, in which instruction (counted from 1, declarations
included), by which rule. Warnings refuse nothing. Several files or a folder give a table.

Exit status: 0, 1 if any shader breaks a rule, 2 if the input can't be used.";

pub(super) fn command() -> Command {
    Command::new("check")
        .about("Checks shaders against the rules and limits of their versions")
        .after_help(AFTER_HELP)
        .arg(input::argument())
        .arg(dis::slots_argument())
        .arg(
            Arg::new("caps")
                .long("caps")
                .value_name("PROFILE")
                .value_parser(PossibleValuesParser::new(Caps::NAMES.map(|(name, _)| name)))
                .default_value("most")
                .help("What the device of a 2_x shader can do"),
        )
        .arg(json_argument())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let inputs = input::read(matches)?;
    let caps = matches.get_one::<String>("caps");
    let options = Options {
        slots: dis::slots(matches),
        caps: caps
            .and_then(|name| Caps::from_name(name))
            .unwrap_or(Caps::MOST),
    };
    let (mut refused, mut text, mut list) = (0, String::new(), Vec::new());
    let width = inputs.iter().map(|input| input.name.chars().count()).max();
    let width = width.unwrap_or(0);
    for input in &inputs {
        let (name, word, what) = match &input.shader {
            Err(error) => {
                refused += 1;
                list.push(json!({ "name": input.name, "valid": false, "error": error }));
                (
                    &input.name,
                    "refused",
                    format!("\n    {}", error.replace('\n', "\n    ")),
                )
            }
            Ok(program) => {
                let report = check(program, &options);
                refused += usize::from(!report.is_valid());
                list.push(json(&input.name, program.version.name(), &report));
                let mut what = format!("{:8} {}", program.version, report.slots);
                for finding in &report.findings {
                    let _ = write!(what, "\n    {finding}");
                }
                let word = if report.is_valid() {
                    "valid"
                } else {
                    "refused"
                };
                (&input.name, word, what)
            }
        };
        let _ = writeln!(text, "{word:<8}  {name:width$}  {what}");
    }
    if inputs.len() > 1 {
        let valid = inputs.len().saturating_sub(refused);
        let _ = writeln!(
            text,
            "\n{} shaders: {valid} valid, {refused} refused",
            inputs.len()
        );
    }
    if matches.get_flag("json") {
        output::print_json(&json!({ "inputs": list, "refused": refused }))?;
    } else {
        output::print(&text)?;
    }
    Ok(if refused == 0 {
        Status::Success
    } else {
        Status::Mismatch
    })
}

fn json(name: &str, version: &str, report: &Report) -> Value {
    let findings = report.findings.iter().map(|finding| {
        json!({
            "rule": finding.rule.number(),
            "error": finding.severity == Severity::Error,
            "instruction": finding.instruction,
            "message": finding.message,
        })
    });
    json!({
        "name": name,
        "version": version,
        "valid": report.is_valid(),
        "slots": { "texture": report.slots.texture, "arithmetic": report.slots.arithmetic },
        "textureOrder": report.texture_order,
        "findings": findings.collect::<Vec<_>>(),
    })
}

//! `molehill d3d9 check`

use ::d3d9::check::{Caps, Options, Report, Severity, check};
use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use super::{dis, input};
use crate::cli::arguments::{self, choice, chosen};
use crate::cli::outcome::{Row, table};
use crate::cli::{Failure, Status, output};

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 check shader.bin
  molehill d3d9 check shaders --json | jq '.inputs[] | select(.valid | not)'
  molehill d3d9 check --caps 2_b shader.bin

Checks the rules and limits of the shader's version. A finding names the instruction (counted from 1, including
declarations), the rule and the problem. Warnings don't make a shader invalid. Several files or a folder give a table.

Exit status: 0; 1 if any shader breaks a rule; 2 if the input can't be used.";

pub(super) fn command() -> Command {
    Command::new("check")
        .about("Checks shaders against the rules and limits of their versions")
        .after_help(AFTER_HELP)
        .arg(input::argument())
        .arg(dis::slots_argument())
        .arg(
            choice(
                "caps",
                "PROFILE",
                Caps::NAMES.map(|(name, _)| name),
                "Capabilities of the device for 2_x shaders",
            )
            .default_value("most"),
        )
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let inputs = input::read(matches)?;
    let options = Options {
        slots: dis::slots(matches),
        caps: chosen(matches, "caps", Caps::from_name).unwrap_or(Caps::MAX),
    };
    let (mut rows, mut list) = (Vec::new(), Vec::new());
    for input in &inputs {
        let name = input.name.clone();
        let (good, what, findings) = match &input.shader {
            Err(error) => {
                list.push(json!({ "name": name, "valid": false, "error": error }));
                (false, String::new(), vec![error.clone()])
            }
            Ok(program) => {
                let report = check(program, &options);
                list.push(json(&name, program.version.name(), &report));
                let what = format!("{:8} {}", program.version, report.facts.slots);
                let findings = report.findings.iter().map(ToString::to_string);
                (report.is_valid(), what, findings.collect())
            }
        };
        rows.push(Row { good, name, what, findings });
    }
    let refused = rows.iter().filter(|row| !row.good).count();
    let json = || json!({ "inputs": list, "refused": refused });
    let text = || {
        let mut text = table(&rows, |good| if good { "valid" } else { "refused" });
        if rows.len() > 1 {
            let (all, valid) = (rows.len(), rows.len() - refused);
            text += &format!("\n{all} shaders: {valid} valid, {refused} refused\n");
        }
        text
    };
    output::give(matches, json, text)?;
    Ok(Status::of(refused == 0))
}

fn json(name: &str, version: &str, report: &Report) -> Value {
    let findings = report.findings.iter().map(|finding| {
        json!({
            "rule": finding.rule.number(),
            "error": finding.severity == Severity::Error,
            "instruction": finding.location.0,
            "message": finding.message,
        })
    });
    json!({
        "name": name,
        "version": version,
        "valid": report.is_valid(),
        "slots": dis::slots_json(&report.facts.slots),
        "textureOrder": report.facts.texture_order,
        "findings": findings.collect::<Vec<_>>(),
    })
}

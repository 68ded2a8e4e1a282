//! `molehill d3d9 check`

use ::d3d9::check::{Caps, Report, Severity, check};
use serde_json::{Value, json};

use super::input::Inputs;
use super::text::slots_json;
use crate::cli::per_input::table;
use crate::cli::{Failure, Row, Status, choice};

/// Checks shaders against the rules and limits of their versions
#[derive(clap::Args)]
pub(in crate::cli) struct Check {
    #[command(flatten)]
    inputs: Inputs,
    /// Capabilities of the device for 2_x shaders
    #[arg(long, value_name = "PROFILE", default_value = "most", value_parser = choice(Caps::NAMES.map(|(name, caps)| (caps, name))))]
    caps: Caps,
}

impl Check {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let inputs = self.inputs.read()?;
        let (mut rows, mut list) = (Vec::new(), Vec::new());
        for input in &inputs {
            let name = input.name.clone();
            let (good, what, findings) = match &input.shader {
                Err(error) => {
                    list.push(json!({ "name": name, "valid": false, "error": error }));
                    (false, String::new(), vec![error.clone()])
                }
                Ok(program) => {
                    let report = check(program, &self.caps);
                    list.push(json(&name, program.version.name(), &report));
                    let what = format!("{:8} {}", program.version, report.facts.slots);
                    let findings = report.findings.iter().map(ToString::to_string);
                    (report.is_valid(), what, findings.collect())
                }
            };
            rows.push(Row { good, name, what, findings });
        }
        let refused = rows.iter().filter(|row| !row.good).count();
        self.inputs.output.print(&json!({ "inputs": list, "refused": refused }), || {
            let mut text = table(&rows, |good| if good { "valid" } else { "refused" });
            if rows.len() > 1 {
                let (all, valid) = (rows.len(), rows.len() - refused);
                text += &format!("\n{all} shaders: {valid} valid, {refused} refused\n");
            }
            text
        })?;
        Ok(Status::of(refused == 0))
    }
}

fn json(name: &str, version: &str, report: &Report) -> Value {
    let findings = report.findings.iter().map(|finding| {
        json!({
            "rule": finding.rule.number(), "error": finding.severity == Severity::Error,
            "instruction": finding.location.0, "message": finding.message,
        })
    });
    json!({
        "name": name, "version": version, "valid": report.is_valid(), "slots": slots_json(&report.facts.slots),
        "textureOrder": report.facts.texture_order, "findings": findings.collect::<Vec<_>>(),
    })
}

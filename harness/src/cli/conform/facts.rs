//! `molehill conform facts`

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::ChosenCases;
use crate::cli::{CommandFailure, CommandStatus, OutputFormat};
use molehill_conform::facts::{all, facts_of};
use molehill_conform::results::ConformResults;

/// Lists the facts of the reference with their cases; --baseline adds verdicts
#[derive(clap::Args)]
pub(super) struct Facts {
    #[command(flatten)]
    chosen: ChosenCases,
    /// results.jsonl of a run
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
}

impl Facts {
    /// Prints each fact of the reference with its cases and, if a run is given, their verdicts.
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let cases = self.chosen.cases()?;
        let run = self.baseline.map(|path| ConformResults::read(&path)).transpose()?;
        let outcomes = run.as_ref().map_or(&[][..], |run| &run.outcomes).iter();
        let verdicts: HashMap<&str, &str> =
            outcomes.map(|outcome| (outcome.name.as_str(), outcome.verdict.name())).collect();
        let mut by_fact: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for case in &cases {
            let row = json!({ "name": case.name, "verdict": verdicts.get(case.name.as_str()) });
            for fact in facts_of(&case.source) {
                by_fact.entry(&fact.id).or_default().push(row.clone());
            }
        }
        let row = |fact: &molehill_conform::facts::Fact| {
            let cases = by_fact.get(fact.id.as_str()).cloned().unwrap_or_default();
            json!({
                "id": fact.id, "page": fact.page, "line": fact.line, "grade": fact.grade, "text": fact.text,
                "cases": cases,
            })
        };
        let rows: Vec<Value> = all().iter().map(row).collect();
        self.format.print(&json!({ "facts": rows }), || {
            let mut text = String::new();
            for (row, fact) in rows.iter().zip(all()) {
                // Writing to a String can't fail.
                let _ = writeln!(text, "{} {}: {}", fact.id, fact.grade, fact.text);
                for case in row["cases"].as_array().into_iter().flatten() {
                    let [name, verdict] =
                        ["name", "verdict"].map(|key| case[key].as_str().unwrap_or_default());
                    let _ = writeln!(text, "    {}", format!("{name} {verdict}").trim_end());
                }
            }
            text
        })
    }
}

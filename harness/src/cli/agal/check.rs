//! `molehill agal check`

use serde_json::json;

use super::arguments::{Inputs, RulesArguments};
use super::program::groups;
use super::verdict::{Verdict, check_group};
use crate::cli::per_input::table;
use crate::cli::{Failure, Row, Status};

/// Checks programs and pairs as Flash does
#[derive(clap::Args)]
pub(in crate::cli) struct Check {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    rules: RulesArguments,
}

impl Check {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let groups = groups(&self.inputs)?;
        let rules = self.rules.rules();
        let verdicts: Vec<_> = groups.iter().map(|group| check_group(group, &rules)).collect();
        let accepted = verdicts.iter().filter(|verdict| verdict.is_accepted()).count();
        let refused = verdicts.len() - accepted;
        let answer = json!({
            "profile": rules.profile.name(),
            "inputs": verdicts.iter().map(Verdict::json).collect::<Vec<_>>(), "accepted": accepted,
            "refused": refused,
        });
        self.inputs.output.print(&answer, || match verdicts.as_slice() {
            [verdict] => one(verdict),
            verdicts => {
                let rows: Vec<Row> = verdicts.iter().map(row).collect();
                let (table, count) = (table(&rows, word), rows.len());
                format!("{table}\n{count} inputs: {accepted} accepted, {refused} refused\n")
            }
        })?;
        Ok(Status::of(refused == 0))
    }
}

fn word(accepted: bool) -> &'static str {
    if accepted { "accepted" } else { "refused" }
}

/// The result of each program of one input, and of the pair.
fn one(verdict: &Verdict<'_>) -> String {
    let name = &verdict.group.name;
    let programs = verdict.programs.iter();
    let programs = programs.map(|program| (program.candidate.describe(), program.valid.is_ok()));
    let linked = verdict.linked.iter().map(|linked| ("linked".to_owned(), linked.is_ok()));
    let lines =
        programs.chain(linked).map(|(what, good)| format!("{name}: {what}: {}\n", word(good)));
    let complaints = verdict.complaints().into_iter().map(|complaint| complaint + "\n");
    lines.chain(complaints).collect()
}

fn row(verdict: &Verdict<'_>) -> Row {
    let programs = verdict.programs.iter();
    let what: Vec<String> = programs.map(|program| program.candidate.describe()).collect();
    Row {
        good: verdict.is_accepted(),
        name: verdict.group.name.clone(),
        what: if what.is_empty() { "text".to_owned() } else { what.join(" + ") },
        findings: verdict.complaints(),
    }
}

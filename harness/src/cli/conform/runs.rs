//! `molehill conform merge` and `compare`: combine several runs.

use std::path::PathBuf;

use serde_json::json;

use super::reports::{PAGE, ReportArguments, prepare, tell_of_earlier};
use super::run::KnownFailureArguments;
use crate::cli::{CommandFailure, CommandStatus, OutputFormat, UntestedArguments, output};
use molehill_conform::SuiteOptions;
use molehill_conform::device::ConformDevice;
use molehill_conform::report::{RESULTS, ReportColumn, Totals, differences, differing, html};
use molehill_conform::results::{ConformResults, write};
use molehill_replay::evidence::{ComparisonEvidence, Party, ResultTally};

/// Merges the reports of shards
#[derive(clap::Args)]
pub(super) struct Merge {
    /// The shards' --out folders
    #[arg(value_name = "DIR", required = true)]
    dirs: Vec<PathBuf>,
    /// Folder for the whole report
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    reports: ReportArguments,
}

impl Merge {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let parts = self.dirs.iter().map(|dir| ConformResults::read(&dir.join(RESULTS)));
        let mut whole = ConformResults::merge(parts.collect::<Result<_, _>>()?)?;
        whole.outcomes.iter_mut().for_each(|outcome| self.reports.allow_untested(outcome));
        let baseline = self.reports.baseline(&whole.head.cases)?;
        let _lock = prepare(&self.out)?;
        let path = self.out.join(RESULTS);
        tell_of_earlier(&path, "");
        write(&path, &whole)?;
        self.reports.finish(&whole, Some(&self.out), baseline, 0)
    }
}

/// Compares runs side by side
#[derive(clap::Args)]
#[command(
    after_help = "Exit status: 0; 2 if a run can't be read, is compared with nothing or itself or, with --stale, if an entry is stale."
)]
pub(super) struct Compare {
    /// Results file, --out folder of a run, or folder of results files
    #[arg(value_name = "[NAME=]RUN", required = true)]
    runs: Vec<String>,
    /// Folder for the page
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    known: KnownFailureArguments,
    /// Fail if a known-failure entry of a driver matched no result
    #[arg(long)]
    stale: bool,
    #[command(flatten)]
    untested: UntestedArguments,
    #[command(flatten)]
    format: OutputFormat,
}

impl Compare {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let mut columns = Vec::new();
        for run in &self.runs {
            columns.extend(ReportColumn::read(run)?);
        }
        let differing = differing(&columns);
        if let Some(out) = &self.out {
            output::make_folder(out)?;
            output::write(&out.join(PAGE), html(&columns))?;
        }
        let row = |ReportColumn { name, results }: &ReportColumn| {
            let totals = Totals::of(&results.outcomes).describe();
            format!("{name}: {} ({}): {totals}\n", results.head.driver, results.head.backend)
        };
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        self.format.print(&json!({ "runs": names, "differing": differing }), || {
            columns.iter().map(row).collect::<String>() + &differences(&differing)
        })?;
        if !self.stale {
            // Runs with identical results count as the same run.
            let party = |ReportColumn { results, .. }: &ReportColumn| {
                Party::renderer(&results.head.backend, results.text())
            };
            let mut evidence =
                ComparisonEvidence::new(columns.last().map_or(Party::RecordedText, party));
            for column in columns.iter().rev().skip(1) {
                let texts = column.results.outcomes.len() as u64;
                evidence.add(party(column), ResultTally { texts, ..ResultTally::default() });
            }
            return Ok(self.untested.status(&evidence));
        }
        let known_failures = self.known.known_failures;
        let options = SuiteOptions { known_failures, ..SuiteOptions::new(ConformDevice::Gl) };
        let runs: Vec<ConformResults> = columns.into_iter().map(|column| column.results).collect();
        let stale = options.expectations()?.without_use(&runs);
        if stale.is_empty() {
            return Ok(CommandStatus::Success);
        }
        Err(CommandFailure(format!("known failures that matched no result: {}", stale.join("; "))))
    }
}

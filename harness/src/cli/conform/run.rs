//! Runs conformance cases. `molehill conform` and `molehill check` share this module.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::Duration;

use clap::value_parser;

use super::reports::{ReportArguments, prepare, tell_of_earlier};
use super::selection::SelectionArguments;
use crate::cli::{CommandFailure, CommandStatus, ProgressLine, named, output};
use molehill_conform::case::{Case, CaseBody};
use molehill_conform::pool::{CasePool, MEMORY, START};
use molehill_conform::report::{RESULTS, Totals};
use molehill_conform::results::{ConformResults, ResultsWriter, RunSettings};
use molehill_conform::{CaseOutcome, ConformFault, SuiteOptions, shard};

#[derive(clap::Args)]
pub(in crate::cli) struct KnownFailureArguments {
    /// File of known failures and unsupported features with reasons [default: the project's list]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) known_failures: Option<PathBuf>,
}

/// The options for the child processes that run cases.
#[derive(clap::Args)]
pub(in crate::cli) struct PoolArguments {
    /// Number of parallel cases [default: one per processor]
    #[arg(short, long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Time limit of a case
    #[arg(long, value_name = "SECONDS", hide_short_help = true, default_value = "60", value_parser = value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

impl PoolArguments {
    pub(in crate::cli) fn pool(&self, options: &SuiteOptions) -> Result<CasePool, CommandFailure> {
        Ok(CasePool {
            program: std::env::current_exe().map_err(CommandFailure::of("this program"))?,
            arguments: ["conform", "worker"].map(OsString::from).to_vec(),
            options: options.clone(),
            jobs: self.jobs(),
            timeout: Duration::from_secs(self.timeout),
            start: START,
            memory: MEMORY,
        })
    }

    fn jobs(&self) -> usize {
        self.jobs.map_or_else(processors, usize::from)
    }
}

fn processors() -> usize {
    available_parallelism().map_or(1, |count| count.get())
}

/// The options that select cases.
#[derive(clap::Args)]
pub(in crate::cli) struct CaseArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    pub(in crate::cli) known: KnownFailureArguments,
    /// Run only shard I of N
    #[arg(long, value_name = "I/N", hide_short_help = true, default_value = "1/1", value_parser = shard)]
    shard: (usize, usize),
}

/// The options of a run.
#[derive(clap::Args)]
pub(in crate::cli) struct RunArguments {
    #[command(flatten)]
    pub(in crate::cli) cases: CaseArguments,
    /// Folder for the reports, and for images of captures: NAME.png, NAME.expected.png and NAME.peer.png
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Continue the run in --out
    #[arg(long, requires = "out", hide_short_help = true)]
    resume: bool,
    #[command(flatten)]
    pub(in crate::cli) pool: PoolArguments,
    /// Run a failing case again, up to N times
    #[arg(long, value_name = "N", hide_short_help = true, default_value = "0", value_parser = value_parser!(u16).range(0..=100))]
    retries: u16,
    #[command(flatten)]
    pub(super) reports: ReportArguments,
    /// Inject an error into the runner, to test that the run fails
    #[arg(long = "break", value_name = "NAME", hide = true, value_parser = named(ConformFault::ALL, ConformFault::name))]
    fault: Option<ConformFault>,
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    match text.split_once('/').map(|(index, count)| (index.parse(), count.parse())) {
        Some((Ok(index), Ok(count))) if (1..=count).contains(&index) && count <= 10_000 => {
            Ok((index, count))
        }
        _ => Err("must be I/N with I from 1 to N".to_owned()),
    }
}

pub(in crate::cli) struct SelectedCases {
    pub(super) cases: Vec<Case>,
    /// The settings that identify the run, without the driver, which isn't known yet.
    head: RunSettings,
    /// The number of cases that are skipped because they need another renderer.
    left_out: usize,
    baseline: Option<ConformResults>,
}

impl CaseArguments {
    /// Returns the cases that the options select. `baseline` receives the names of all cases of the run.
    pub(super) fn selected(
        &self,
        options: &SuiteOptions,
        baseline: impl FnOnce(&BTreeSet<String>) -> Result<Option<ConformResults>, CommandFailure>,
    ) -> Result<SelectedCases, CommandFailure> {
        let (mut cases, selection) = self.selection.cases(options)?;
        let all = cases.len();
        if options.oracle.is_none() {
            cases.retain(|case| !case.uses_oracle());
        }
        let (whole, left_out) = (cases.len(), all - cases.len());
        if all == 0 {
            return Err(CommandFailure("no case matches the selection".to_owned()));
        }
        if whole == 0 {
            return Err(CommandFailure(format!(
                "all {all} cases need another renderer (--oracle)"
            )));
        }
        let head = options.run_settings(&cases, selection)?;
        let baseline = baseline(&head.cases)?;
        let times = baseline.as_ref().map(ConformResults::times).unwrap_or_default();
        let (index, count) = self.shard;
        let cases = shard::select(cases, index, count, &times);
        Ok(SelectedCases { cases, head, left_out, baseline })
    }
}

impl RunArguments {
    pub(in crate::cli) fn selected(
        &self,
        options: &SuiteOptions,
    ) -> Result<SelectedCases, CommandFailure> {
        self.cases.selected(options, |names| self.reports.baseline(names))
    }

    pub(in crate::cli) fn start(
        &self,
        mut options: SuiteOptions,
        selected: SelectedCases,
    ) -> Result<CommandStatus, CommandFailure> {
        let SelectedCases { mut cases, head, left_out, baseline } = selected;
        let out = self.out.as_deref();
        let _lock = out.map(prepare).transpose()?;
        options.fault = self.fault;
        if cases.iter().any(|case| matches!(case.body, CaseBody::Capture(_))) {
            options.pictures.clone_from(&self.out);
        }
        // Each parallel case gets an equal share of the CPU cores.
        let jobs = self.pool.jobs().min(cases.len()).max(1);
        let share = NonZeroUsize::new(processors() / jobs);
        options.renderer.threads = options.renderer.threads.or(share);
        let pool = self.pool.pool(&options)?;
        let head = RunSettings { driver: pool.driver()?, shard: self.cases.shard, ..head };
        if self.fault == Some(ConformFault::NoCases) {
            cases.clear();
        }
        let results = self.run_all(&pool, &cases, head)?;
        self.reports.finish(&results, out, baseline, left_out)
    }

    /// Creates the results file, or opens it to continue an earlier run and also returns that run's results.
    fn begin(
        &self,
        path: &Path,
        head: &RunSettings,
    ) -> Result<(ResultsWriter, ConformResults), CommandFailure> {
        if self.resume && path.is_file() {
            return Ok(ResultsWriter::resume(path, head)?);
        }
        tell_of_earlier(path, "; use --resume to continue them");
        let fresh = ConformResults { head: head.clone(), outcomes: Vec::new() };
        Ok((ResultsWriter::create(path, head)?, fresh))
    }

    /// Runs the remaining cases, runs failing ones again, and writes each outcome immediately.
    fn run_all(
        &self,
        pool: &CasePool,
        cases: &[Case],
        head: RunSettings,
    ) -> Result<ConformResults, CommandFailure> {
        let (mut writer, mut results) = if let Some(out) = &self.out {
            let (writer, before) = self.begin(&out.join(RESULTS), &head)?;
            (Some(writer), before)
        } else {
            (None, ConformResults { head, outcomes: Vec::new() })
        };
        for retry in 0..=self.retries {
            let times = results.times();
            let failed = results.outcomes.iter().filter(|outcome| outcome.verdict.fails());
            let mut failed: HashMap<String, CaseOutcome> =
                failed.map(|outcome| (outcome.name.clone(), outcome.clone())).collect();
            let again = |name: &str| match retry {
                0 => !times.contains_key(name),
                _ => failed.contains_key(name),
            };
            let left: Vec<Case> = cases.iter().filter(|case| again(&case.name)).cloned().collect();
            if retry > 0 {
                results.outcomes.retain(|outcome| !outcome.verdict.fails());
            }
            let totals = Totals::of(&results.outcomes);
            run_cases(pool, &left, totals, |mut outcome| {
                if retry > 0
                    && let Some(before) = failed.remove(&outcome.name)
                {
                    outcome = outcome.after(before, retry);
                }
                self.reports.allow_untested(&mut outcome);
                if let Some(writer) = &mut writer {
                    writer.add(&outcome)?;
                }
                results.outcomes.push(outcome);
                Ok(())
            })?;
        }
        results.sort();
        Ok(results)
    }
}

/// Runs test cases, and prints failures and progress. `totals` counts the cases that ran before.
fn run_cases(
    pool: &CasePool,
    cases: &[Case],
    mut totals: Totals,
    mut done: impl FnMut(CaseOutcome) -> Result<(), CommandFailure>,
) -> Result<(), CommandFailure> {
    let mut progress = ProgressLine::new();
    let (mut count, total) = (0, cases.len() as u64);
    let result = pool.run(cases, |outcome| {
        totals.add(outcome.verdict);
        count += 1;
        if outcome.verdict.fails() {
            progress.suspend(|| outcome.complaints().take(1).for_each(|text| output::tell(&text)));
        }
        let what = || format!("{count} of {total} cases: {}", totals.describe());
        progress.update(|| (what(), count, Some(total)));
        done(outcome)
    });
    progress.finish();
    result
}

//! The pool of processes of a run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use clap::value_parser;

use crate::cli::{Failure, Progress, output};
use molehill_conform::case::Case;
use molehill_conform::pool::{MEMORY, Pool, START};
use molehill_conform::report::Totals;
use molehill_conform::{Outcome, SuiteOptions};

#[derive(clap::Args)]
pub(in crate::cli) struct KnownFailures {
    /// File of known failures and missing features with reasons [default: the project's list]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) known_failures: Option<PathBuf>,
}

/// The options of child processes that run cases.
#[derive(clap::Args)]
pub(in crate::cli) struct PoolArguments {
    /// Parallel cases [default: one per processor]
    #[arg(short, long, value_name = "N", value_parser = value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Time limit of a case
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

impl PoolArguments {
    pub(in crate::cli) fn pool(&self, options: &SuiteOptions) -> Result<Pool, Failure> {
        Ok(Pool {
            program: std::env::current_exe().map_err(Failure::of("this program"))?,
            arguments: ["conform", "worker"].map(OsString::from).to_vec(),
            options: options.clone(),
            jobs: self.jobs(),
            timeout: Duration::from_secs(self.timeout),
            start: START,
            memory: MEMORY,
        })
    }

    pub(in crate::cli) fn jobs(&self) -> usize {
        self.jobs.map_or_else(processors, usize::from)
    }
}

pub(in crate::cli) fn processors() -> usize {
    available_parallelism().map_or(1, |count| count.get())
}

/// Runs cases, and prints failures and progress. `totals` are those of cases that ran before.
pub(in crate::cli) fn run_cases(
    pool: &Pool,
    cases: &[Case],
    mut totals: Totals,
    mut done: impl FnMut(Outcome) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut progress = Progress::new();
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

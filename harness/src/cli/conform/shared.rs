//! What `conform` and `check` share.

use std::ffi::OsString;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use clap::{Arg, ArgMatches, value_parser};

use crate::cli::arguments::{option, path, profile_of};
use crate::cli::progress::{Done, Progress};
use crate::cli::{Failure, output, renderer};
use molehill_conform::case::Case;
use molehill_conform::device::Device;
use molehill_conform::mutations::Mutation;
use molehill_conform::pool::{MEMORY, Pool, START};
use molehill_conform::report::Totals;
use molehill_conform::{CaseSet, Outcome, SuiteOptions};

/// The option `--known-failures`.
pub(in crate::cli) fn known_failures() -> Arg {
    path(
        "known-failures",
        "FILE",
        "File of known failures and missing features with reasons [default: the project's list]",
    )
}

/// Options of `conform` and `check` for [`pool`].
pub(in crate::cli) fn pool_arguments(timeout: &'static str) -> [Arg; 2] {
    [
        option("jobs", "N", "Parallel cases [default: one per processor]")
            .value_parser(value_parser!(u16).range(1..=256)),
        option("timeout", "SECONDS", "Time limit of a case")
            .value_parser(value_parser!(u64).range(1..=86_400))
            .default_value(timeout),
    ]
}

fn get<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.try_get_one::<T>(name).ok().flatten().cloned()
}

fn is_set(matches: &ArgMatches, name: &str) -> bool {
    get::<bool>(matches, name).unwrap_or(false)
}

/// The options of `conform`.
pub(super) fn suite_options(matches: &ArgMatches) -> SuiteOptions {
    let named = |name| Device::from_name(&get::<String>(matches, name)?);
    let device = match is_set(matches, "gles") {
        true => Device::Gles,
        false => named("backend").unwrap_or(Device::Gl),
    };
    let folders = matches.get_many::<PathBuf>("cases").into_iter().flatten();
    let mut options = SuiteOptions::new(device);
    options.oracle = named("oracle").unwrap_or(options.oracle);
    options.renderer.shaders = renderer::shaders(matches);
    options.renderer.workarounds = renderer::workarounds(matches);
    options.mutation =
        get::<&Mutation>(matches, "mutation").map(|mutation| mutation.name.to_owned());
    options.profile = profile_of(matches);
    options.folders = folders.cloned().collect();
    options.known_failures = get(matches, "known-failures");
    options.case_set = match (is_set(matches, "self-test"), is_set(matches, "mutants")) {
        (true, _) => CaseSet::SelfTest,
        (false, true) => CaseSet::Mutants,
        (false, false) => CaseSet::Suite,
    };
    options
}

/// Child processes that run cases, with the options of [`pool_arguments`].
pub(in crate::cli) fn pool(options: &SuiteOptions, matches: &ArgMatches) -> Result<Pool, Failure> {
    let program = std::env::current_exe();
    let seconds = get::<u64>(matches, "timeout").unwrap_or(60);
    Ok(Pool {
        program: program.map_err(|error| Failure(format!("this program: {error}")))?,
        arguments: ["conform", "worker"].map(OsString::from).to_vec(),
        options: options.clone(),
        jobs: jobs(matches),
        timeout: Duration::from_secs(seconds),
        start: START,
        memory: MEMORY,
    })
}

/// Number of parallel cases.
pub(in crate::cli) fn jobs(matches: &ArgMatches) -> usize {
    let processors = || available_parallelism().map_or(1, |count| count.get());
    get::<u16>(matches, "jobs").map_or_else(processors, usize::from)
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
    let ran = pool.run(cases, |outcome| {
        totals.add(outcome.verdict);
        count += 1;
        if outcome.verdict.fails() {
            progress.suspend(|| outcome.complaints().take(1).for_each(|text| output::tell(&text)));
        }
        progress.update(|| Done {
            what: format!("{count} of {total} cases: {}", totals.describe()),
            done: count,
            total: Some(total),
        });
        done(outcome)
    });
    progress.finish();
    ran
}

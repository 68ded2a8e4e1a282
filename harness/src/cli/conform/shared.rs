//! Settings shared by a run and its child processes: `conform`, `check`, and the worker that both start.

use std::ffi::OsString;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use backend_gl::workarounds::Workarounds;
use clap::{Arg, ArgMatches, Command, value_parser};
use context3d::Profile;

use crate::cli::arguments::{flag, option, path, profile_of};
use crate::cli::progress::{Done, Progress};
use crate::cli::{Failure, output, renderer};
use molehill_conform::case::Case;
use molehill_conform::device::{Device, Shaders};
use molehill_conform::mutations::Mutation;
use molehill_conform::pool::{MEMORY, Pool, START};
use molehill_conform::report::Totals;
use molehill_conform::{Expectations, Outcome, Settings, cases, self_test};
use molehill_reference::Options;

/// The cases and their settings.
#[derive(Clone)]
pub(in crate::cli) struct Shared {
    pub(in crate::cli) device: Device,
    pub(in crate::cli) oracle: Device,
    pub(in crate::cli) mutation: Option<&'static Mutation>,
    pub(in crate::cli) profile: Option<Profile>,
    pub(in crate::cli) options: Options,
    pub(in crate::cli) workarounds: Workarounds,
    pub(in crate::cli) shaders: Shaders,
    /// Folders with captures.
    pub(in crate::cli) folders: Vec<PathBuf>,
    /// Whether only captures are run, named by their folders.
    pub(in crate::cli) captures_only: bool,
    pub(in crate::cli) known_failures: Option<PathBuf>,
    /// Folder for pictures of captures.
    pub(in crate::cli) pictures: Option<PathBuf>,
    pub(in crate::cli) self_test: bool,
    /// Whether the cases are deliberate errors.
    pub(in crate::cli) mutants: bool,
}

/// The option `--known-failures`.
pub(in crate::cli) fn known_failures() -> Arg {
    path(
        "known-failures",
        "FILE",
        "File of known failures and missing features with reasons [default: the project's list]",
    )
}

/// Options of `conform` and `check` for [`Shared::pool`].
pub(in crate::cli) fn pool_arguments(timeout: &'static str) -> [Arg; 2] {
    [
        option("jobs", "N", "Parallel cases [default: one per processor]")
            .value_parser(value_parser!(u16).range(1..=256)),
        option("timeout", "SECONDS", "Time limit of a case")
            .value_parser(value_parser!(u64).range(1..=86_400))
            .default_value(timeout),
    ]
}

/// Options of the worker that pass on the options of `check`.
pub(super) fn worker_arguments(command: Command) -> Command {
    command
        .arg(flag("captures-only", "Only captures"))
        .arg(path("pictures", "DIR", "Folder for pictures of captures"))
        .arg(
            option("threads", "N", "Threads of the reference renderer")
                .value_parser(value_parser!(NonZeroUsize)),
        )
        .arg(option("samples", "N", "Samples a pixel").value_parser(value_parser!(u8)))
        .arg(flag("no-blocks", "Decode the blocks of ATF textures"))
}

fn get<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.try_get_one::<T>(name).ok().flatten().cloned()
}

fn is_set(matches: &ArgMatches, name: &str) -> bool {
    get::<bool>(matches, name).unwrap_or(false)
}

impl Shared {
    /// The options of `conform` and its worker.
    pub(super) fn read(matches: &ArgMatches) -> Shared {
        let named = |name| Device::from_name(&get::<String>(matches, name)?);
        let device = match is_set(matches, "gles") {
            true => Device::Gles,
            false => named("backend").unwrap_or(Device::Gl),
        };
        let folders = matches.get_many::<PathBuf>("cases").into_iter().flatten();
        Shared {
            device,
            oracle: named("oracle").unwrap_or_else(|| device.default_oracle()),
            mutation: get(matches, "mutation"),
            profile: profile_of(matches),
            options: Options {
                threads: get(matches, "threads").or(Some(NonZeroUsize::MIN)),
                samples: get(matches, "samples"),
                blocks: !is_set(matches, "no-blocks"),
                ..Options::default()
            },
            workarounds: renderer::workarounds(matches),
            shaders: renderer::shaders(matches),
            folders: folders.cloned().collect(),
            captures_only: is_set(matches, "captures-only"),
            known_failures: get(matches, "known-failures"),
            pictures: get(matches, "pictures"),
            self_test: is_set(matches, "self-test"),
            mutants: is_set(matches, "mutants"),
        }
    }

    /// The options as arguments of the worker.
    fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = ["conform", "worker"].map(OsString::from).to_vec();
        let mut add = |name: &str, value: Option<OsString>| {
            arguments.extend(value.map(|value| [name.into(), value]).into_iter().flatten());
        };
        add("--backend", Some(self.device.name().into()));
        add("--shaders", Some(self.shaders.name().into()));
        add("--oracle", Some(self.oracle.name().into()));
        add("--mutation", self.mutation.map(|mutation| mutation.name.into()));
        add("--profile", self.profile.map(|profile| profile.name().into()));
        add("--threads", self.options.threads.map(|threads| threads.to_string().into()));
        add("--samples", self.options.samples.map(|samples| samples.to_string().into()));
        add(
            "--workaround",
            (!self.workarounds.is_empty()).then(|| self.workarounds.to_string().into()),
        );
        add("--known-failures", self.known_failures.clone().map(Into::into));
        add("--pictures", self.pictures.clone().map(Into::into));
        for folder in &self.folders {
            add("--cases", Some(folder.into()));
        }
        let flags = [
            ("--no-blocks", !self.options.blocks),
            ("--captures-only", self.captures_only),
            ("--self-test", self.self_test),
            ("--mutants", self.mutants),
        ];
        let set = flags.into_iter().filter(|(_, set)| *set);
        arguments.extend(set.map(|(name, _)| OsString::from(name)));
        arguments
    }

    /// The settings of a worker.
    pub(super) fn settings(self) -> Result<Settings, Failure> {
        Ok(Settings {
            known: self.expectations()?,
            device: self.device,
            mutation: self.mutation,
            oracle: self.oracle,
            profile: self.profile,
            options: self.options,
            workarounds: self.workarounds,
            front: None,
            shaders: self.shaders,
            pictures: self.pictures,
        })
    }

    /// The known failures.
    pub(in crate::cli) fn expectations(&self) -> Result<Expectations, Failure> {
        match self.self_test && self.known_failures.is_none() {
            true => Ok(Expectations::parse(self_test::KNOWN)?),
            false => expectations(self.known_failures.as_ref()),
        }
    }

    /// All cases.
    pub(in crate::cli) fn tree(&self) -> Result<Vec<Case>, Failure> {
        let mut list = match (self.self_test, self.captures_only) {
            (true, _) => self_test::cases(),
            (false, true) => Vec::new(),
            (false, false) if self.mutants => cases::mutants(),
            (false, false) => cases::all(),
        };
        if !self.folders.is_empty() {
            let captures = cases::captures(&self.folders, !self.captures_only);
            list.extend(captures?);
        }
        match cases::duplicate(&list) {
            Some(name) => Err(Failure(format!("two cases have the name {name}"))),
            None => Ok(list),
        }
    }

    /// Child processes that run cases, with the options of [`pool_arguments`].
    pub(in crate::cli) fn pool(&self, matches: &ArgMatches) -> Result<Pool, Failure> {
        let program = std::env::current_exe();
        let seconds = get::<u64>(matches, "timeout").unwrap_or(60);
        Ok(Pool {
            program: program.map_err(|error| Failure(format!("this program: {error}")))?,
            arguments: self.arguments(),
            jobs: jobs(matches),
            timeout: Duration::from_secs(seconds),
            start: START,
            memory: MEMORY,
        })
    }
}

/// The known failures in a file, or the project's.
pub(super) fn expectations(file: Option<&PathBuf>) -> Result<Expectations, Failure> {
    let known = match file {
        Some(path) => {
            let text = fs::read_to_string(path).map_err(Failure::of(path.display()))?;
            Expectations::parse(&text)
        }
        None => Expectations::built_in(),
    };
    Ok(known?)
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

//! What `molehill conform` understands.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use context3d::Profile;

use crate::cli::{Failure, json_argument, output, profile, profile_argument};
use molehill_conform::mutations::{MUTATIONS, Mutation};
use molehill_conform::pool::Pool;
use molehill_conform::results::Results;
use molehill_conform::{Case, Device, Expectations, cases, glob, self_test};

const AFTER_HELP: &str = "\
Examples:
  molehill conform --out conform
  molehill conform --filter 'api.blend' --gles
  molehill conform --filter '*.error.*' --exclude '*.unchecked' --list
  molehill conform --baseline last/results.jsonl --shard 2/4 --out part-2
  molehill conform merge part-1 part-2 part-3 part-4 --out whole
  molehill conform --cases captures --filter capture

Cases have names with dots; a pattern matches a case or all that is below it, * stands for anything. Every case runs in a
child process: one that dies or hangs is reported by name, and the run goes on.

  pass             everything is as it should be
  fail             something is not
  not supported    the device lacks a feature, which is named
  known failure    it fails for a reason that is known
  unexpected pass  it is listed as a known failure and passes
  crash, timeout   the process that ran it died, or gave no answer

Expectations failures are a JSON list of objects: \"cases\" (a pattern), \"reason\", and optionally \"backend\" and \"driver\" (a
part of the driver's name). They also hold where that backend is the oracle.

In the folder --out: results.jsonl (a line a case, written as they come: an interrupted run goes on with --resume),
junit.xml, and index.html, a page that needs nothing else. A run that is not resumed replaces them, and says so. Without
--out nothing is written. One run at a time writes into a folder.

Shards are balanced by the times in --baseline. Ready files for GitHub Actions and Kubernetes: harness/ci.

Exit status: 0 if no case fails, crashes or hangs, 1 if one does, 2 if nothing can be run.";

/// What cases run on, unless another backend is named.
const BACKEND: &str = "gl";
/// Seconds that a case may take.
const TIMEOUT: &str = "60";

fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn path(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    option(name, value, help).value_parser(value_parser!(PathBuf))
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

/// The mutation of a name; the error lists all of them.
fn mutation(name: &str) -> Result<&'static Mutation, String> {
    Mutation::named(name).ok_or_else(|| {
        let width = MUTATIONS.iter().map(|mutation| mutation.name.len()).max();
        let width = width.unwrap_or(0);
        let rows = MUTATIONS.iter();
        let rows = rows.map(|mutation| format!("\n  {:width$}  {}", mutation.name, mutation.what));
        format!(
            "no such mutation; the mutations are:{}",
            rows.collect::<String>()
        )
    })
}

/// Options that a run and its children share.
fn shared(command: Command) -> Command {
    let names = |suits: fn(&Device) -> bool| {
        let devices = Device::ALL.iter().filter(|device| suits(device));
        PossibleValuesParser::new(devices.map(|device| device.name()))
    };
    command
        .arg(
            option("backend", "BACKEND", "What is put to the test")
                .value_parser(names(|_| true))
                .default_value(BACKEND),
        )
        .arg(
            option("oracle", "BACKEND", "Whose pictures are right")
                .value_parser(names(|device| device.draws())),
        )
        .arg(flag("gles", "The same as --backend gles").conflicts_with("backend"))
        .arg(profile_argument().help("Profile of every context; cases that need another one are not supported [default: each case's own]"))
        .arg(
            path("cases", "DIR", "A folder with captures that are cases, may be given again")
                .action(ArgAction::Append),
        )
        .arg(path("known-failures", "FILE", "Failures with reasons [default: the project's list]"))
        .arg(
            option("mutation", "NAME", "Have the backend get one thing wrong, to see that cases notice; a wrong name lists all, with what they do")
                .value_parser(mutation)
                .alias("fault"),
        )
        .arg(flag("self-test", "Cases that test the runner").hide(true))
}

pub(crate) fn command() -> Command {
    let conform = Command::new("conform")
        .about("Runs the conformance suite on a backend and reports")
        .after_help(AFTER_HELP)
        .args_conflicts_with_subcommands(true)
        .arg(
            option("filter", "PATTERN", "Only these cases, may be given again")
                .action(ArgAction::Append),
        )
        .arg(
            option("exclude", "PATTERN", "Not these cases, may be given again")
                .action(ArgAction::Append),
        )
        .arg(flag("list", "Print the names and run nothing"))
        .arg(
            path(
                "save",
                "DIR",
                "Write the captures of these scenes and run nothing",
            )
            .conflicts_with("list"),
        )
        .arg(
            option("jobs", "N", "Cases at a time [default: one a processor]")
                .value_parser(value_parser!(u16).range(1..=256)),
        )
        .arg(option("shard", "I/N", "Only part I of N").default_value("1/1"))
        .arg(path(
            "baseline",
            "FILE",
            "results.jsonl of an earlier run: for times, and for what has changed",
        ))
        .arg(output::argument("DIR", "Folder for the reports"))
        .arg(flag("resume", "Go on with the run in --out").requires("out"))
        .arg(
            option("timeout", "SECONDS", "How long a case may take")
                .value_parser(value_parser!(u64).range(1..=86_400))
                .default_value(TIMEOUT),
        )
        .arg(json_argument());
    shared(conform).subcommand(merge()).subcommand(shared(
        Command::new("worker")
            .about("Runs the cases whose names come on standard input")
            .hide(true),
    ))
}

fn merge() -> Command {
    Command::new("merge")
        .about("Joins the reports of shards")
        .arg(
            Arg::new("dirs")
                .value_name("DIR")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("The shards' --out folders"),
        )
        .arg(output::argument("DIR", "Folder for the whole report").required(true))
        .arg(path(
            "baseline",
            "FILE",
            "results.jsonl of an earlier run, for what has changed",
        ))
        .arg(json_argument())
}

/// What is to be run on what.
pub(super) struct Chosen {
    pub(super) device: Device,
    pub(super) oracle: Device,
    pub(super) mutation: Option<&'static Mutation>,
    pub(super) profile: Option<Profile>,
    pub(super) known: Expectations,
    self_test: bool,
    folders: Vec<PathBuf>,
    known_file: Option<PathBuf>,
    filter: Vec<String>,
    exclude: Vec<String>,
}

fn all<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Vec<T> {
    let values = matches.try_get_many::<T>(name).ok().flatten();
    values.into_iter().flatten().cloned().collect()
}

impl Chosen {
    pub(super) fn read(matches: &ArgMatches) -> Result<Chosen, Failure> {
        let named = |name| {
            matches
                .get_one::<String>(name)
                .and_then(|name| Device::from_name(name))
        };
        let device = match matches.get_flag("gles") {
            true => Device::Gles,
            false => named("backend").unwrap_or(Device::Gl),
        };
        let self_test = matches.get_flag("self-test");
        let known_file = matches.get_one::<PathBuf>("known-failures").cloned();
        let known = match &known_file {
            Some(path) => {
                let text = fs::read_to_string(path);
                let text = text.map_err(|error| Failure(format!("{}: {error}", path.display())))?;
                Expectations::parse(&text)
            }
            None if self_test => Expectations::parse(self_test::KNOWN),
            None => Expectations::built_in(),
        };
        Ok(Chosen {
            device,
            oracle: named("oracle").unwrap_or_else(|| device.default_oracle()),
            mutation: matches.get_one::<&'static Mutation>("mutation").copied(),
            profile: profile(matches),
            known: known.map_err(|error| Failure(error.to_string()))?,
            self_test,
            folders: all(matches, "cases"),
            known_file,
            filter: all(matches, "filter"),
            exclude: all(matches, "exclude"),
        })
    }

    /// Every case there is.
    pub(super) fn tree(&self) -> Result<Vec<Case>, Failure> {
        let mut list = match self.self_test {
            true => self_test::cases(),
            false => cases::all(),
        };
        if !self.folders.is_empty() {
            list.extend(
                cases::captures(&self.folders).map_err(|error| Failure(error.to_string()))?,
            );
        }
        match cases::duplicate(&list) {
            Some(name) => Err(Failure(format!("two cases have the name {name}"))),
            None => Ok(list),
        }
    }

    /// The cases that were asked for. Those about another profile than the one that contexts get are left out.
    pub(super) fn cases(&self) -> Result<Vec<Case>, Failure> {
        let mut list = self.tree()?;
        let any = |patterns: &[String], name: &str| patterns.iter().any(|p| glob::matches(p, name));
        list.retain(|case| {
            let here = self
                .profile
                .is_none_or(|profile| !case.exact_profile || profile == case.setup.profile);
            here && (self.filter.is_empty() || any(&self.filter, &case.name))
                && !any(&self.exclude, &case.name)
        });
        Ok(list)
    }

    /// Children that run them.
    pub(super) fn pool(&self, matches: &ArgMatches) -> Result<Pool, Failure> {
        let program =
            std::env::current_exe().map_err(|error| Failure(format!("this program: {error}")))?;
        let mut arguments: Vec<OsString> = ["conform", "worker", "--backend", self.device.name()]
            .map(OsString::from)
            .to_vec();
        arguments.extend(["--oracle", self.oracle.name()].map(OsString::from));
        if let Some(mutation) = self.mutation {
            arguments.extend(["--mutation", mutation.name].map(OsString::from));
        }
        if let Some(profile) = self.profile {
            arguments.extend(["--profile", profile.name()].map(OsString::from));
        }
        for (name, paths) in [
            ("--cases", &self.folders),
            (
                "--known-failures",
                &self.known_file.iter().cloned().collect(),
            ),
        ] {
            for path in paths {
                arguments.extend([OsString::from(name), path.clone().into()]);
            }
        }
        if self.self_test {
            arguments.push("--self-test".into());
        }
        let jobs = matches.get_one::<u16>("jobs").copied();
        let processors = || available_parallelism().map_or(1, |count| count.get());
        let seconds = matches.get_one::<u64>("timeout").copied().unwrap_or(60);
        Ok(Pool {
            program,
            arguments,
            jobs: jobs.map_or_else(processors, usize::from),
            timeout: Duration::from_secs(seconds),
        })
    }
}

/// Which part of a run.
pub(super) struct Part {
    pub(super) index: usize,
    pub(super) count: usize,
}

/// The option `--shard`.
pub(super) fn part(matches: &ArgMatches) -> Result<Part, Failure> {
    let text = matches
        .get_one::<String>("shard")
        .map_or("1/1", String::as_str);
    let numbers = text.split_once('/').and_then(|(index, count)| {
        let number = |text: &str| text.parse::<usize>().ok();
        Some((number(index)?, number(count)?))
    });
    match numbers {
        Some((index, count)) if (1..=count).contains(&index) && count <= 10_000 => {
            Ok(Part { index, count })
        }
        _ => Err(Failure(format!(
            "--shard {text:?}: must be I/N, I from 1 to N"
        ))),
    }
}

/// The option `--baseline`.
pub(super) fn baseline(matches: &ArgMatches) -> Result<Option<Results>, Failure> {
    let path = matches.get_one::<PathBuf>("baseline");
    Ok(path.map(|path| Results::read(path)).transpose()?)
}

/// The option `--out`.
pub(super) fn out(matches: &ArgMatches) -> Option<&Path> {
    matches.get_one::<PathBuf>("out").map(PathBuf::as_path)
}

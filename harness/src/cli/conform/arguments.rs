//! What `molehill conform` understands.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::shared::{Shared, known_failures, pool_arguments, worker_arguments};
use crate::cli::renderer::{self, shaders_argument};
use crate::cli::{Failure, json_argument, output, profile_argument};
use molehill_conform::mutations::{MUTATIONS, Mutation};
use molehill_conform::results::Results;
use molehill_conform::{Case, Device, glob};

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

Known failures are a JSON list of objects: \"cases\" (a pattern or a list), \"reason\", and optionally \"backend\" and
\"driver\" (a part of the driver's name). They also hold where that backend is the oracle. A JSON object of names and reasons is a list
of captures.

In the folder --out: results.jsonl (a line a case, written as they come: an interrupted run goes on with --resume),
junit.xml, and index.html, a page that needs nothing else. A run that is not resumed replaces them, and says so. Without
--out nothing is written. One run at a time writes into a folder.

Shards are balanced by the times in --baseline. Ready files for GitHub Actions and Kubernetes: harness/ci.

Exit status: 0 if no case fails, crashes or hangs, 1 if one does, 2 if nothing can be run.";

/// What cases run on, unless another backend is named.
const BACKEND: &str = "gl";
/// Seconds that a case may take.
const TIMEOUT: &str = "60";

pub(super) fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

pub(super) fn path(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    option(name, value, help).value_parser(value_parser!(PathBuf))
}

pub(super) fn flag(name: &'static str, help: &'static str) -> Arg {
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
        .arg(shaders_argument())
        .arg(flag("gles", "The same as --backend gles").conflicts_with("backend"))
        .arg(profile_argument().help("Profile of every context; cases that need another one are not supported [default: each case's own]"))
        .arg(
            path("cases", "DIR", "A folder with captures that are cases, may be given again")
                .action(ArgAction::Append),
        )
        .arg(known_failures())
        .arg(
            option("mutation", "NAME", "Have the backend get one thing wrong, to see that cases notice; a wrong name lists all, with what they do")
                .value_parser(mutation)
                .alias("fault"),
        )
        .arg(renderer::workaround_argument())
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
            flag(
                "long",
                "With --list: also each case's kind, profile and source",
            )
            .requires("list"),
        )
        .arg(
            path(
                "save",
                "DIR",
                "Write the captures of these scenes and run nothing",
            )
            .conflicts_with("list"),
        )
        .arg(option("shard", "I/N", "Only part I of N").default_value("1/1"))
        .arg(path(
            "baseline",
            "FILE",
            "results.jsonl of an earlier run: for times, and for what has changed",
        ))
        .arg(output::argument("DIR", "Folder for the reports"))
        .arg(flag("resume", "Go on with the run in --out").requires("out"))
        .args(pool_arguments(TIMEOUT))
        .arg(json_argument());
    shared(conform)
        .subcommand(merge())
        .subcommand(worker_arguments(shared(
            Command::new("worker")
                .about("Runs the cases whose names come on standard input")
                .hide(true),
        )))
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

/// The cases that were asked for. Those about another profile than the one that contexts get are left out.
pub(super) fn cases(shared: &Shared, matches: &ArgMatches) -> Result<Vec<Case>, Failure> {
    let mut list = shared.tree()?;
    let patterns = |name| -> Vec<&String> {
        let values = matches.get_many::<String>(name);
        values.into_iter().flatten().collect()
    };
    let (filter, exclude) = (patterns("filter"), patterns("exclude"));
    let any = |patterns: &[&String], name: &str| patterns.iter().any(|p| glob::matches(p, name));
    list.retain(|case| {
        let here = shared
            .profile
            .is_none_or(|profile| !case.exact_profile || profile == case.setup.profile);
        here && (filter.is_empty() || any(&filter, &case.name)) && !any(&exclude, &case.name)
    });
    Ok(list)
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

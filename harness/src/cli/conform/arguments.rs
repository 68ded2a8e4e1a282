//! Arguments of `molehill conform`.

use std::path::{Path, PathBuf};

use clap::{ArgAction, ArgMatches, Command};

use super::shared::{Shared, known_failures, pool_arguments, worker_arguments};
use crate::cli::arguments::{self, choice, files, flag, option, path};
use crate::cli::renderer::{self, shaders_argument};
use crate::cli::{Failure, output};
use molehill_conform::case::Case;
use molehill_conform::device::Device;
use molehill_conform::glob::Selection;
use molehill_conform::mutations::{MUTATIONS, Mutation};
use molehill_conform::results::Results;

const AFTER_HELP: &str = "\
Examples:
  molehill conform --out conform
  molehill conform --filter 'api.blend' --gles
  molehill conform --filter '*.error.*' --exclude '*.unchecked' --list
  molehill conform --baseline last/results.jsonl --shard 2/4 --out part-2
  molehill conform merge part-1 part-2 part-3 part-4 --out whole
  molehill conform --cases captures --filter capture

Names of cases have parts separated by dots; a pattern matches a case and all cases below it, * matches anything. Every
case runs in a child process: one that crashes or hangs is reported, and the run continues.

  pass             all checks passed
  fail             a check failed
  not supported    the device lacks a feature, which is named
  known failure    it fails for a known reason
  unexpected pass  it is listed as a known failure but passes
  crash, timeout   its process died, or gave no result in time

Known failures are a JSON list of objects: \"cases\" (a pattern or a list), \"reason\", and optionally \"backend\",
\"shaders\" and \"driver\" (a part of the driver's name). They also apply if that backend is the oracle. A JSON
object maps names of captures to reasons.

The folder --out gets results.jsonl (one line per case, written immediately: --resume continues an interrupted run),
junit.xml, and index.html, a self-contained page. A run without --resume replaces them, with a warning. Without --out
nothing is written. Only one run at a time can write into a folder.

Shards are balanced by the times in --baseline. Files for GitHub Actions and Kubernetes: harness/ci.

With --baseline, the selected cases are compared: those with another verdict or other pictures, new ones, and those that
are only in the baseline.

Exit status: 0; 1 if a case fails, crashes or hangs, or if the device supports none of the cases; 2 if no case matches,
or nothing can be run.";

/// Default backend.
const BACKEND: &str = "gl";
/// Time limit of a case in seconds.
const TIMEOUT: &str = "60";

/// The mutation with this name; the error lists all of them.
fn mutation(name: &str) -> Result<&'static Mutation, String> {
    Mutation::named(name).ok_or_else(|| {
        let width = MUTATIONS.iter().map(|mutation| mutation.name.len()).max();
        let width = width.unwrap_or(0);
        let rows = MUTATIONS.iter();
        let rows = rows.map(|mutation| format!("\n  {:width$}  {}", mutation.name, mutation.what));
        format!("unknown mutation; the mutations are:{}", rows.collect::<String>())
    })
}

/// Options of a run that are passed to its children.
fn shared(command: Command) -> Command {
    let names = |suits: fn(&Device) -> bool| {
        let devices = Device::ALL.iter().filter(move |device| suits(device));
        devices.map(|device| device.name()).collect::<Vec<_>>()
    };
    command
        .arg(
            choice("backend", "BACKEND", names(|_| true), "Backend to test")
                .default_value(BACKEND),
        )
        .arg(choice(
            "oracle",
            "BACKEND",
            names(|device| device.draws()),
            "Renderer to compare with",
        ))
        .arg(shaders_argument())
        .arg(flag("gles", "The same as --backend gles").conflicts_with("backend"))
        .arg(arguments::profile().help("Profile of every context; cases that need another one are not supported [default: each case's own]"))
        .arg(
            path("cases", "DIR", "Folder with capture cases; repeatable")
                .action(ArgAction::Append),
        )
        .arg(known_failures())
        .arg(
            option("mutation", "NAME", "Add a deliberate error to the backend, to test the cases; an unknown name lists all mutations")
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
        .arg(option("filter", "PATTERN", "Only these cases; repeatable").action(ArgAction::Append))
        .arg(option("exclude", "PATTERN", "Not these cases; repeatable").action(ArgAction::Append))
        .arg(flag("list", "Print the names without running"))
        .arg(
            flag("long", "With --list: also each case's kind, profile and source").requires("list"),
        )
        .arg(
            path("save", "DIR", "Write the selected scenes as captures without running")
                .conflicts_with("list"),
        )
        .arg(option("shard", "I/N", "Only part I of N").default_value("1/1"))
        .arg(path("baseline", "FILE", "results.jsonl of an earlier run, for times and changes"))
        .arg(output::argument("DIR", "Folder for the reports"))
        .arg(flag("resume", "Continue the run in --out").requires("out"))
        .args(pool_arguments(TIMEOUT))
        .arg(arguments::json());
    shared(conform).subcommand(merge()).subcommand(worker_arguments(shared(
        Command::new("worker").about("Runs the cases named on standard input").hide(true),
    )))
}

fn merge() -> Command {
    Command::new("merge")
        .about("Joins the reports of shards")
        .arg(files("dirs", "DIR", "The shards' --out folders").required(true).num_args(1..))
        .arg(output::argument("DIR", "Folder for the whole report").required(true))
        .arg(path("baseline", "FILE", "results.jsonl of an earlier run, for changes"))
        .arg(arguments::json())
}

/// The options `--filter` and `--exclude`.
pub(super) fn selection(matches: &ArgMatches) -> Selection {
    let patterns = |name| {
        let values = matches.get_many::<String>(name);
        values.into_iter().flatten().cloned().collect()
    };
    Selection { filter: patterns("filter"), exclude: patterns("exclude") }
}

/// The requested cases. Cases that require another profile than the given one are omitted.
pub(super) fn cases(shared: &Shared, matches: &ArgMatches) -> Result<Vec<Case>, Failure> {
    let mut list = shared.tree()?;
    let selection = selection(matches);
    list.retain(|case| {
        let here = shared
            .profile
            .is_none_or(|profile| !case.exact_profile || profile == case.setup.profile);
        here && selection.contains(&case.name)
    });
    Ok(list)
}

/// A part of a run.
pub(super) struct Part {
    pub(super) index: usize,
    pub(super) count: usize,
}

/// The option `--shard`.
pub(super) fn part(matches: &ArgMatches) -> Result<Part, Failure> {
    let text = matches.get_one::<String>("shard").map_or("1/1", String::as_str);
    let numbers = text.split_once('/').and_then(|(index, count)| {
        let number = |text: &str| text.parse::<usize>().ok();
        Some((number(index)?, number(count)?))
    });
    match numbers {
        Some((index, count)) if (1..=count).contains(&index) && count <= 10_000 => {
            Ok(Part { index, count })
        }
        _ => Err(Failure(format!("--shard {text:?}: must be I/N, I from 1 to N"))),
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

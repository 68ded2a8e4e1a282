//! Arguments of `molehill conform`.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::shared::{known_failures, pool_arguments};
use crate::cli::arguments::{self, choice, files, flag, option, path};
use crate::cli::renderer::{self, shaders_argument};
use crate::cli::{Failure, output};
use molehill_conform::case::Case;
use molehill_conform::cases;
use molehill_conform::device::Device;
use molehill_conform::glob::Selection;
use molehill_conform::mutations::{MUTATIONS, Mutation};
use molehill_conform::results::Results;
use molehill_conform::{CaseSet, SuiteOptions};

const AFTER_HELP: &str = "\
Examples:
  molehill conform --out conform
  molehill conform --filter 'api.blend' --gles
  molehill conform --filter '*.error.*' --exclude '*.unchecked' --list
  molehill conform --baseline last/results.jsonl --shard 2/4 --out part-2
  molehill conform merge part-1 part-2 part-3 part-4 --out whole
  molehill conform compare gl gles webgl=page/results.jsonl --out compared
  molehill conform compare history --out compared
  molehill conform --cases captures --filter capture

Names of cases have parts separated by dots; a pattern matches a case and all cases below it, * matches anything. Every
case runs in a child process: one that crashes or hangs is reported, and the run continues.

  pass             all checks passed
  fail             a check failed
  not supported    the device lacks a feature, which is named, as expected
  missing feature  it lacks one, and no expectation says so
  known failure    it fails for a known reason
  unexpected pass  it is listed as a known failure but passes
  crash, timeout   its process died, or gave no result in time
  flaky            it failed, and passed when it was run again (--retries)

What is known is a JSON list of objects: \"cases\" (a pattern or a list), \"failure\" (a text of the failure, or a list:
every failure has one of them), \"reason\", and optionally \"verdict\" (\"fail\" or \"not supported\"), \"backend\",
\"shaders\", and \"driver\" (a part of the driver's name) with \"versions\" (such as \"Mesa 22.3\"). Rows also apply if
that backend is the oracle. A row that names no case is an error. A JSON object maps names of captures to reasons.

A list of cases has a name on each line; # begins a comment. A name that no case has is an error.

The folder --out gets results.jsonl (one line per case, written immediately: --resume continues an interrupted run),
junit.xml, and index.html, a self-contained page. A run without --resume replaces them, with a warning. Without --out
nothing is written. Only one run at a time can write into a folder.

Shards are balanced by the times in --baseline. Files for GitHub Actions and Kubernetes: harness/ci.

With --baseline, the page has two columns, and the cases with another verdict or other pictures are listed. \"conform
compare\" does the same for any number of runs.

Exit status: 0; 1 if a case fails, crashes or hangs, if fewer cases pass than --require says, or if the device supports
none of the cases; 2 if no case matches, or nothing can be run.";

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

/// Options of a run that its children get.
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
        .arg(arguments::profile().help("Profile of every context; cases that need another one are left out [default: each case's own]"))
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
        .arg(flag("mutants", "Deliberate errors as cases: each passes if some case of the suite detects it"))
        .arg(flag("self-test", "Cases that test the runner").hide(true))
}

pub(crate) fn command() -> Command {
    let conform = Command::new("conform")
        .about("Runs the conformance suite on a backend and reports")
        .after_help(AFTER_HELP)
        .args_conflicts_with_subcommands(true)
        .arg(option("filter", "PATTERN", "Only these cases; repeatable").action(ArgAction::Append))
        .arg(option("exclude", "PATTERN", "Not these cases; repeatable").action(ArgAction::Append))
        .arg(path("caselist", "FILE", "Only the cases that are listed in a file"))
        .arg(flag("known", "Only cases that a row of the known failures of any driver names"))
        .arg(flag("list", "Print the names without running"))
        .arg(
            flag("long", "With --list: also each case's kind, profile and source").requires("list"),
        )
        .arg(
            path("save", "DIR", "Write the selected scenes as captures without running")
                .conflicts_with("list"),
        )
        .arg(
            option("bless", "REASON", "In the repository: take the reference renderer's pictures of the selected scenes as expected, after looking at them")
                .conflicts_with_all(["list", "save"]),
        )
        .arg(option("shard", "I/N", "Only part I of N").default_value("1/1"))
        .arg(path("baseline", "FILE", "results.jsonl of an earlier run, for times and changes"))
        .arg(output::argument("DIR", "Folder for the reports"))
        .arg(flag("resume", "Continue the run in --out").requires("out"))
        .args(pool_arguments(TIMEOUT))
        .arg(
            option("retries", "N", "Run a case that fails up to N times more")
                .value_parser(value_parser!(u16).range(0..=100))
                .default_value("0"),
        )
        .args(judging())
        .arg(arguments::json());
    let worker = Command::new("worker").about("Runs the cases named on standard input").hide(true);
    shared(conform).subcommand(merge()).subcommand(compare()).subcommand(worker)
}

fn merge() -> Command {
    Command::new("merge")
        .about("Joins the reports of shards")
        .arg(files("dirs", "DIR", "The shards' --out folders").required(true).num_args(1..))
        .arg(output::argument("DIR", "Folder for the whole report").required(true))
        .arg(path("baseline", "FILE", "results.jsonl of an earlier run, for changes"))
        .args(judging())
        .arg(arguments::json())
}

fn compare() -> Command {
    Command::new("compare")
        .about("Shows runs side by side")
        .arg(Arg::new("runs").value_name("[NAME=]RUN").required(true).num_args(1..).help(
            "Results file, --out folder, or folder of results files in the order of their names",
        ))
        .arg(output::argument("DIR", "Folder for the page"))
        .arg(known_failures())
        .arg(flag("stale", "Fail if a row of the known failures of a driver decided nothing"))
        .arg(arguments::json())
        .after_help("Exit status: 0; 1 with --stale, if a row is stale; 2 if a run can't be read.")
}

/// Options of the report on a run.
fn judging() -> [Arg; 2] {
    [
        option("require", "AREA=N", "Fail if fewer than N cases below AREA pass; repeatable")
            .value_parser(requirement)
            .action(ArgAction::Append),
        option("slow", "N", "Print the N slowest cases")
            .value_parser(value_parser!(u16))
            .default_value("0"),
    ]
}

/// A pattern of cases, and the least number of them that pass.
pub(super) type Requirement = (String, usize);

fn requirement(text: &str) -> Result<Requirement, String> {
    let (area, number) = text.split_once('=').ok_or("must be AREA=N")?;
    let number = number.parse().map_err(|_| "N must be a number".to_owned())?;
    Ok((area.to_owned(), number))
}

/// The options `--filter`, `--exclude`, `--caselist` and `--known`: the requested cases. Cases that can't run in the
/// given profile are omitted.
pub(super) fn cases(
    options: &SuiteOptions,
    matches: &ArgMatches,
) -> Result<(Vec<Case>, Selection), Failure> {
    let mut list = options.cases()?;
    let known = options.expectations()?;
    // The list is one for the cases and the mutants of them.
    let others = if options.case_set == CaseSet::Mutants { cases::all() } else { cases::mutants() };
    if let [pattern, ..] = known.without_case(list.iter().chain(&others)).as_slice() {
        return Err(Failure(format!("known failures: no case matches {pattern:?}")));
    }
    let patterns = |name| {
        let values = matches.get_many::<String>(name);
        values.into_iter().flatten().cloned().collect()
    };
    let names = match matches.get_one::<PathBuf>("caselist") {
        Some(path) => listed(path, &list)?,
        None => BTreeSet::new(),
    };
    let selection = Selection { filter: patterns("filter"), exclude: patterns("exclude"), names };
    let only_known = matches.get_flag("known");
    list.retain(|case| {
        case.in_profile(options.profile).is_some()
            && selection.contains(&case.name)
            && (!only_known || known.names(&case.name))
    });
    Ok((list, selection))
}

/// The names in a list of cases.
fn listed(path: &Path, cases: &[Case]) -> Result<BTreeSet<String>, Failure> {
    let text = std::fs::read_to_string(path).map_err(Failure::of(path.display()))?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let names: BTreeSet<String> =
        lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let exist: HashSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    match names.iter().find(|name| !exist.contains(name.as_str())) {
        Some(name) => Err(Failure::of(path.display())(format!("there is no case {name}"))),
        None if names.is_empty() => Err(Failure::of(path.display())("no case is listed")),
        None => Ok(names),
    }
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

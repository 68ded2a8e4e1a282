//! `molehill bench`

use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::Value;

use super::{Failure, Status, arguments, output};
use molehill_bench::{Failed, Recorded, Report, Row, Scene, Target, counts, driver};
use molehill_conform::capture_case::capture_in;

const AFTER_HELP: &str = "\
Examples:
  molehill bench
      every scene on OpenGL, compared with the same OpenGL calls made directly
  molehill bench --backend noop --scene flashlike --scene draws:100000:10
      only Molehill's own time, with OpenGL functions that do nothing; 100,000 draws, 10 objects
  molehill bench capture.s3d.jsonl --json > before.json
  molehill bench capture.s3d.jsonl --baseline before.json
  molehill bench captures --counts counts.tsv
      OpenGL calls, bytes, compiled programs, allocations of all captures in a folder, compared with a table

Scenes: draws, constants4, constants16, textures, programs, buffers, uploads, instances, targets, flashlike. A scene has 1000
draws per frame that alternate between 10 objects; :DRAWS and :OBJECTS after its name change these numbers. Times are medians
of alternating runs, in nanoseconds per draw: processor time of the calling thread, or wall time for the reference renderer.

Exit status: 0; 1 if counts differ; 2 if it can't run.";

pub(super) fn command() -> Command {
    let path = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
    };
    Command::new("bench")
        .about("Measures Molehill's overhead over the same OpenGL calls")
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("capture")
                .value_name("CAPTURE")
                .num_args(0..)
                .value_parser(value_parser!(PathBuf))
                .help("Captures, or folders of them"),
        )
        .arg(
            Arg::new("scene")
                .long("scene")
                .value_name("NAME[:DRAWS[:OBJECTS]]")
                .action(ArgAction::Append)
                .value_parser(|text: &str| text.parse::<Scene>())
                .help("Scene; repeatable [default: all, if there is no capture]"),
        )
        .arg(
            Arg::new("backend")
                .long("backend")
                .value_name("WHICH")
                .default_value(Target::default().name())
                .value_parser(PossibleValuesParser::new(Target::NAMES.map(|(_, name)| name)))
                .help("gl, gles, noop (OpenGL functions that do nothing), null (packets are only counted), reference"),
        )
        .arg(
            Arg::new("loop")
                .long("loop")
                .value_name("N")
                .default_value("9")
                .value_parser(value_parser!(u16).range(1..))
                .help("Number of runs of each variant"),
        )
        .arg(path("baseline", "Compare with the --json output of an earlier run"))
        .arg(path("svg", "Write a chart"))
        .arg(path("counts", "Compare the captures' counts with this table").requires("capture"))
        .arg(
            Arg::new("update")
                .long("update")
                .action(ArgAction::SetTrue)
                .requires("counts")
                .help("Write the table instead of comparing"),
        )
        .arg(arguments::json())
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure(format!("{}: {error}", path.display()))
}

/// The captures of the arguments with their names: files, and those in folders or one folder deeper.
fn captures(matches: &ArgMatches) -> Result<Vec<(String, PathBuf)>, Failure> {
    let mut found = Vec::new();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for path in matches.get_many::<PathBuf>("capture").into_iter().flatten() {
        if !path.is_dir() {
            found.push((name(path), path.clone()));
        } else if let Some(capture) = capture_in(path) {
            found.push((name(path), capture));
        } else {
            let entries = fs::read_dir(path).map_err(|error| failed(path, &error))?;
            let before = found.len();
            let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
            found.extend(folders.filter_map(|folder| Some((name(&folder), capture_in(&folder)?))));
            if found.len() == before {
                return Err(failed(path, &"no captures"));
            }
        }
    }
    found.sort();
    Ok(found)
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let captures = captures(matches)?;
    if let Some(table) = matches.get_one::<PathBuf>("counts") {
        return count(&captures, table, matches.get_flag("update"));
    }
    let target = matches.get_one::<String>("backend");
    let target = target.and_then(|name| Target::from_name(name)).unwrap_or_default();
    let rounds = matches.get_one::<u16>("loop").copied().map_or(1, usize::from);
    let mut scenes: Vec<Scene> = matches.get_many("scene").into_iter().flatten().copied().collect();
    if scenes.is_empty() && captures.is_empty() {
        scenes = Scene::all().collect();
    }
    let baseline = matches.get_one::<PathBuf>("baseline");
    let baseline = baseline.map(|path| read(path)).transpose()?;
    let rows = rows(&scenes, &captures, target, rounds);
    let report = rows.and_then(|rows| Ok(Report { target, driver: driver(target)?, rounds, rows }));
    let report = report.map_err(|error| Failure(error.to_string()))?;
    if let Some(path) = matches.get_one::<PathBuf>("svg") {
        output::write(path, report.svg())?;
    }
    match matches.get_flag("json") {
        true => output::print_json(&report.json())?,
        false => output::print(&report.text(baseline.as_ref()))?,
    }
    Ok(Status::Success)
}

fn read(path: &Path) -> Result<Value, Failure> {
    let text = fs::read(path).map_err(|error| failed(path, &error))?;
    serde_json::from_slice(&text).map_err(|error| failed(path, &error))
}

fn rows(
    scenes: &[Scene],
    captures: &[(String, PathBuf)],
    target: Target,
    rounds: usize,
) -> Result<Vec<Row>, Failed> {
    let scenes = scenes.iter().map(|scene| molehill_bench::scene(scene, target, rounds));
    let captures = captures
        .iter()
        .map(|(name, path)| molehill_bench::capture(&Recorded::read(path)?, name, target, rounds));
    scenes.chain(captures).collect()
}

/// Compares the counts, which don't depend on the machine, with a table; or writes the table.
fn count(captures: &[(String, PathBuf)], table: &Path, update: bool) -> Result<Status, Failure> {
    let rows = captures.iter().map(|(name, path)| Recorded::read(path)?.count(name));
    let rows: Vec<Row> =
        rows.collect::<Result<_, Failed>>().map_err(|error| Failure(error.to_string()))?;
    if update {
        output::write(table, counts::table(&rows))?;
        return Ok(Status::Success);
    }
    let expected = fs::read_to_string(table).map_err(|error| failed(table, &error))?;
    let differences = counts::differences(&rows, &expected);
    for difference in &differences {
        output::print(&format!("{difference}\n"))?;
    }
    output::print(&format!("{} captures, {} differ\n", rows.len(), differences.len()))?;
    Ok(match differences.is_empty() {
        true => Status::Success,
        false => Status::Mismatch,
    })
}

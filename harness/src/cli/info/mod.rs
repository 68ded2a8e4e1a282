//! `molehill info`

mod json;
mod objects;
mod summary;
mod text;

use std::path::PathBuf;

use clap::{ArgMatches, Command};
use molehill_capture::{Index, Reader};
use serde_json::{Value, json};

use super::capture::Interruption;
use super::outcome::with;
use super::table::{self, Column};
use super::{Failure, Status, arguments, capture, output};
use molehill_inspect::info::{Info, Uploaded, inspect};

const AFTER_HELP: &str = "\
Examples:
  molehill info capture.s3d.jsonl.zst
  molehill info capture.s3d.jsonl --json | jq .calls
  molehill info -s huge.s3d
      frames, calls and objects from the index of a binary capture, without reading all of it
  molehill info captures
      a row for each capture in and below the folder
  molehill info capture.s3d.jsonl --objects
      every object with its size, its uses and the calls that create and dispose it

Replays the capture without drawing, so it needs no OpenGL.

Exit status: 0; 2 if the capture is invalid. The content before the error is printed.";

pub(super) fn command() -> Command {
    Command::new("info")
        .about("Shows the content of a capture: calls, programs, textures, features")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(arguments::flag(
            "objects",
            "Show every object with its size and users instead",
        ))
        .arg(
            arguments::flag(
                "summary",
                "Show only the numbers of frames, calls and objects; fast for binary captures with an index",
            )
            .short('s'),
        )
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    if matches.get_flag("objects") {
        return objects::run(matches);
    }
    let captures = capture::in_and_below(&arguments::path_of(matches, "capture"));
    if captures.len() > 1 {
        return overview(&captures, matches);
    }
    let (path, mut reader) = capture::open(matches)?;
    let name = capture::name(&path);
    if matches.get_flag("summary") {
        let header = reader.header().clone();
        let (index, failure) = Index::read(reader);
        let failure = failure.map(|error| Interruption::of_capture(&error, &name));
        let summary = summary::Summary::new(&header, &index);
        let json = || summary.json(failure.as_ref());
        output::give(matches, json, || summary.text())?;
        return failure.map_or(Ok(Status::Success), Interruption::status);
    }
    let (info, failure) = inspect(&mut reader);
    let failure = failure.map(|error| Interruption::of_replay(&error, &name));
    let json = || with(json::json(&info), [("failure", json!(failure))]);
    output::give(matches, json, || text::text(&name, &info))?;
    failure.map_or(Ok(Status::Success), Interruption::status)
}

/// A capture of a folder: its path, its content, and its error.
type Row = (String, Option<Info>, Option<String>);

/// A number from a capture; null if it can't be read.
fn number(row: &Row, of: fn(&Info) -> u64) -> Value {
    row.1.as_ref().map(of).into()
}

const COLUMNS: &[Column<Row>] = &[
    ("capture", |(name, ..)| name.as_str().into()),
    ("title", |(_, info, _)| {
        let info = info.as_ref();
        info.map(|info| info.header.title.clone()).into()
    }),
    ("frames", |row| number(row, |info| info.report.frames)),
    ("calls", |row| number(row, |info| info.report.calls)),
    ("draws", |row| number(row, |info| info.report.draws)),
    ("contexts", |row| number(row, |info| info.report.contexts)),
    ("programs", |row| number(row, |info| info.programs.len() as u64)),
    ("errors", |row| number(row, |info| info.report.errors.total)),
    ("failure", |(.., failure)| failure.clone().into()),
];

/// A row for each capture of a folder.
fn overview(captures: &[PathBuf], matches: &ArgMatches) -> Result<Status, Failure> {
    let row = |path: &PathBuf| {
        let name = capture::name(path);
        match Reader::open(path) {
            Err(error) => (name, None, Some(error.to_string())),
            Ok(mut reader) => {
                let (info, failure) = inspect(&mut reader);
                (name, Some(info), failure.map(|error| error.to_string()))
            }
        }
    };
    let rows: Vec<Row> = captures.iter().map(row).collect();
    let json = || json!({ "captures": table::json_rows(COLUMNS, &rows) });
    output::give(matches, json, || table::text(COLUMNS, &rows))?;
    match rows.iter().filter(|(.., failure)| failure.is_some()).count() {
        0 => Ok(Status::Success),
        count => Err(Failure(format!("{count} captures can't be read to the end"))),
    }
}

/// The kinds of data with their sizes in bytes.
fn uploaded(uploaded: &Uploaded) -> [(&'static str, u64); 5] {
    let Uploaded { vertices, indices, programs, textures, constants } = *uploaded;
    [
        ("vertices", vertices),
        ("indices", indices),
        ("programs", programs),
        ("textures", textures),
        ("constants", constants),
    ]
}

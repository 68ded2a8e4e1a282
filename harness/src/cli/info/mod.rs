//! `molehill info`

mod json;
mod text;

use clap::{ArgMatches, Command};
use molehill_inspect::ObjectUse;

use super::arguments::flag;
use super::inspect::open;
use super::outcome::with;
use super::table::{self, Column};
use super::{Failure, Status, arguments, capture, output};
use molehill_replay::info::{Uploaded, inspect};

const AFTER_HELP: &str = "\
Examples:
  molehill info capture.s3d.jsonl.zst
  molehill info capture.s3d.jsonl --json | jq .calls
  molehill info capture.s3d.jsonl --objects
      every object with its size, its uses and the calls that create and dispose it

Replays the capture without drawing, so it needs no OpenGL.

Exit status: 0; 2 if the capture is invalid. The content before the error is printed.";

pub(super) fn command() -> Command {
    Command::new("info")
        .about("Shows the content of a capture: calls, programs, textures, features")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(flag(
            "objects",
            "Show instead who uses which object, and sizes",
        ))
        .arg(arguments::json())
}

const COLUMNS: [Column<ObjectUse>; 8] = [
    ("object", |used| used.object.clone().into()),
    ("bytes", |used| used.bytes.into()),
    ("uploads", |used| used.uploads.into()),
    ("uses", |used| used.uses.into()),
    ("draws", |used| used.draws.into()),
    ("created", |used| used.created.into()),
    ("last", |used| used.last.into()),
    ("disposed", |used| used.disposed.into()),
];

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    if matches.get_flag("objects") {
        let inspector = open(matches, None)?;
        table::print(matches, "objects", &COLUMNS, &inspector.objects())?;
        return Ok(Status::Success);
    }
    let (path, mut reader) = capture::open(matches)?;
    let name = capture::name(&path);
    let (info, failure) = inspect(&mut reader);
    let failure = failure.map(|error| error.located(&name));
    let json = || with(json::json(&info), [("failure", failure.clone().into())]);
    output::give(matches, json, || text::text(&name, &info))?;
    failure.map_or(Ok(Status::Success), |failure| Err(Failure(failure)))
}

/// The kinds of data with their sizes in bytes.
fn uploaded(uploaded: &Uploaded) -> [(&'static str, u64); 5] {
    let Uploaded {
        vertices,
        indices,
        programs,
        textures,
        constants,
    } = *uploaded;
    [
        ("vertices", vertices),
        ("indices", indices),
        ("programs", programs),
        ("textures", textures),
        ("constants", constants),
    ]
}

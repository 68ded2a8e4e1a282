//! `molehill info`

mod json;
mod summary;
mod text;

use clap::{ArgMatches, Command};
use molehill_capture::Index;

use super::outcome::with;
use super::{Failure, Status, arguments, capture, output};
use molehill_replay::info::{Uploaded, inspect};

const AFTER_HELP: &str = "\
Examples:
  molehill info capture.s3d.jsonl.zst
  molehill info capture.s3d.jsonl --json | jq .calls
  molehill info -s huge.s3d
      frames, calls and objects from the index of a binary capture, at once

Replays the capture without drawing, so it needs no OpenGL.

Exit status: 0; 2 if the capture is invalid. The content before the error is printed.";

pub(super) fn command() -> Command {
    Command::new("info")
        .about("Shows the content of a capture: calls, programs, textures, features")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(
            arguments::flag(
                "summary",
                "Only numbers of frames, calls and objects, without reading a binary capture whole",
            )
            .short('s'),
        )
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let (path, mut reader) = capture::open(matches)?;
    let name = capture::name(&path);
    if matches.get_flag("summary") {
        let header = reader.header().clone();
        let (index, failure) = Index::read(reader);
        let failure = failure.map(|error| error.located(&name));
        let summary = summary::Summary::new(&header, &index);
        match matches.get_flag("json") {
            true => output::print_json(&summary.json(failure.as_deref()))?,
            false => output::print(&summary.text())?,
        }
        return failure.map_or(Ok(Status::Success), |failure| Err(Failure(failure)));
    }
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

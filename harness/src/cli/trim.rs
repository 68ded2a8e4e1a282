//! `molehill trim`

use clap::{Arg, ArgMatches, Command};
use molehill_capture::Form;
use serde_json::json;

use super::inspect::{open, print, range};
use super::{Failure, Status, arguments, capture, output};

const AFTER_HELP: &str = "\
Examples:
  molehill trim capture.s3d.jsonl --frames 120-130 -o part.s3d.jsonl
  molehill trim capture.s3d.jsonl --frames 120 -o part.s3d.jsonl && molehill replay part.s3d.jsonl -o frames

The part is self-contained: it begins with calls that rebuild the objects that are still used, with their content, and the state.
Frames keep their numbers and draw the same pictures. It needs no OpenGL.";

pub(super) fn command() -> Command {
    Command::new("trim")
        .about("Extracts frames into a self-contained capture")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(
            Arg::new("frames")
                .long("frames")
                .value_name("A-B")
                .required(true)
                .value_parser(range::<u32>)
                .help("First and last frame, or a single frame"),
        )
        .arg(output::argument("FILE", "The capture to write").required(true))
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let (first, last) = matches.get_one("frames").copied().unwrap_or_default();
    let mut inspector = open(matches, Some(last))?;
    let before = inspector.capture().call_count();
    let trimmed = molehill_inspect::trim(&mut inspector, first, last)?;
    let bytes = write(matches, &trimmed.capture)?;
    let answer = json!({
        "calls": trimmed.capture.call_count(),
        "restored": trimmed.restored,
        "before": before,
        "bytes": bytes,
    });
    print(matches, &answer, |_| {
        let (calls, restored) = (trimmed.capture.call_count(), trimmed.restored);
        format!(
            "{calls} calls of {before}, the first {restored} rebuild the state; {bytes} bytes\n"
        )
    })
}

/// Writes a capture to the file of `--out`; returns its size in bytes.
pub(super) fn write(
    matches: &ArgMatches,
    capture: &molehill_inspect::Capture,
) -> Result<usize, Failure> {
    let path = matches.get_one::<std::path::PathBuf>("out").cloned();
    let path = path.unwrap_or_default();
    let bytes = capture.write(Vec::new(), Form::of(&path));
    let bytes = bytes.map_err(|error| Failure(error.to_string()))?;
    output::write(&path, &bytes)?;
    Ok(bytes.len())
}

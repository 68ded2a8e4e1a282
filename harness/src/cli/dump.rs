//! `molehill dump`

use clap::{Arg, ArgMatches, Command};
use serde_json::json;

use super::inspect::{frame, open, print, range};
use super::{Failure, Status, arguments, capture};

const AFTER_HELP: &str = "\
Examples:
  molehill dump capture.s3d.jsonl
  molehill dump capture.s3d.jsonl --calls 120-180
  molehill dump capture.s3d.jsonl --frame 3 | grep '!'
      the errors of frame 3

Each line has the call's number, its frame and pass, the object and the call. After ! follows the error that it raises, or
why a draw is skipped. It needs no OpenGL.";

pub(super) fn command() -> Command {
    Command::new("dump")
        .about("Shows calls as text, with their passes, objects and errors")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(
            Arg::new("calls")
                .long("calls")
                .value_name("A-B")
                .value_parser(range::<usize>)
                .conflicts_with("frame")
                .help("Only these calls, counted from 1"),
        )
        .arg(frame())
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let frame = matches.get_one::<u32>("frame").copied();
    let inspector = open(matches, frame)?;
    let calls = matches.get_one::<(usize, usize)>("calls").copied();
    let lines = match (frame, calls) {
        (Some(frame), _) => inspector.dump_frame(frame),
        (None, Some((first, last))) => inspector.dump(first..=last),
        (None, None) => match inspector.capture().call_count() {
            0 => Ok(Vec::new()),
            last => inspector.dump(1..=last),
        },
    };
    let lines = lines?;
    print(matches, &json!({ "calls": lines }), |_| {
        lines.iter().map(|line| format!("{line}\n")).collect()
    })
}

//! `molehill demo`

use std::fs;

use clap::{ArgMatches, Command};

use super::arguments::{file, flag, path_of};
use super::{Failure, Status, output};
use crate::demo;

const AFTER_HELP: &str = "\
Examples:
  molehill demo knot.s3d.jsonl
  molehill demo --check harness/captures/knot.s3d.jsonl

The demo is a program written against Context3D: its calls are checked and recorded. Recording needs no OpenGL;
\"molehill replay\" draws it.

Exit status: 0; 1 if --check finds a difference; 2 if the file can't be read or written.";

pub(super) fn command() -> Command {
    Command::new("demo")
        .about("Records the demo: a woven torus knot over a mirror floor")
        .after_help(AFTER_HELP)
        .arg(file("file", "The capture to write").required(true))
        .arg(flag("check", "Compare with the file instead of writing it"))
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let path = path_of(matches, "file");
    let name = path.display();
    let capture = demo::record(Vec::new())?;
    if !matches.get_flag("check") {
        output::write(&path, &capture)?;
        output::print(&format!("{name}: {} frames, {} bytes\n", demo::FRAMES, capture.len()))?;
        return Ok(Status::Success);
    }
    let there = fs::read(&path).map_err(Failure::of(&name))?;
    if there == capture {
        output::print(&format!("{name}: up to date\n"))?;
        return Ok(Status::Success);
    }
    let differs = |(here, now): (&[u8], &[u8])| here != now;
    let lines = there.split(|byte| *byte == b'\n').zip(capture.split(|byte| *byte == b'\n'));
    let line = lines.into_iter().position(differs).map_or(0, |line| line + 1);
    output::print(&format!("{name}: differs from the current recording, first in line {line}\n"))?;
    Ok(Status::Mismatch)
}

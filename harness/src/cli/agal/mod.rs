//! `molehill agal`: the tools for AGAL programs, one module per subcommand.

mod arguments;
mod asm;
mod check;
mod dis;
mod errors;
mod fuzz;
mod glsl;
pub(in crate::cli) mod input;
mod other_half;
mod program;
mod run;
mod verdict;

use clap::{ArgMatches, Command};

use super::{Failure, Status, Subcommand};

/// Every subcommand.
const SUBCOMMANDS: &[Subcommand] = &[
    (asm::command, asm::run),
    (dis::command, dis::run),
    (check::command, check::run),
    (glsl::command, glsl::run),
    (run::command, run::run),
    (errors::command, errors::run),
    (fuzz::command, fuzz::run),
];

const AFTER_HELP: &str = "\
Examples:
  molehill agal check programs
  molehill agal dis shader.bin | sed s/fc0/fc4/ | molehill agal asm --out changed.bin
  molehill agal glsl --target 300es vertex.agal fragment.agal
  molehill agal run blur.agal v0=0.5,0.5 fc0=1 fs0=picture.png --trace
  molehill agal errors 3632 3648
  molehill agal fuzz --seconds 60

Programs are read from files, from folders (all programs in and below) or from standard input (-, or no file), as text or
bytecode. The format is --format, or is detected from the content:
  bytecode  starts with the byte A0
  hex       only hexadecimal digits (0x, blanks and commas are skipped); the first byte is A0
  base64    only base64 characters and blanks; the first byte is A0
  text      any other UTF-8 without control characters
  bytecode  everything else, so that damaged programs can be inspected
In a folder, files that end in .agal, .agalbin, .bin, .hex or .b64 are read.

Text is in the syntax of Adobe's AGALMiniAssembler. Comment lines may describe it: // version: 2, // vertex, // fragment. A
text with both sections is a pair. Otherwise the kind of program is --stage, or is taken from the file's name (a part
between dots that is vsh, vert, vertex, fsh, frag or fragment) or from its registers (fc0 is only in fragment programs).

Exit status: 0; 1 if any program is rejected; 2 if the input can't be used.";

pub(super) fn command() -> Command {
    let about = "Assembles, disassembles, checks, translates, runs and fuzzes AGAL programs";
    super::group("agal", about, AFTER_HELP, SUBCOMMANDS)
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    super::dispatch(SUBCOMMANDS, matches)
}

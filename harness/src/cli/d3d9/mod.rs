//! `molehill d3d9`: the tools for Direct3D 9 shaders, one module per subcommand.

mod asm;
mod check;
mod dis;
mod from_agal;
mod fuzz;
mod glsl;
mod input;
mod run;
mod tables;

use clap::{ArgMatches, Command};

use super::{Failure, Status, Subcommand};

/// Every subcommand.
const SUBCOMMANDS: &[Subcommand] = &[
    (dis::command, dis::run),
    (asm::command, asm::run),
    (check::command, check::run),
    (glsl::command, glsl::run),
    (run::command, run::run),
    (from_agal::command, from_agal::run),
    (fuzz::command, fuzz::run),
    (tables::opcodes_command, tables::opcodes),
    (tables::registers_command, tables::registers),
];

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 dis shader.bin
  molehill d3d9 asm shader.txt --out shader.bin
  molehill d3d9 check shaders
  molehill d3d9 glsl --target 300es vertex.bin pixel.bin
  molehill d3d9 run shader.bin t0=0.5,0.5 c0=1 s0=picture.png --trace
  molehill d3d9 from-agal program.agal --model 2_0 --out shader.bin
  molehill d3d9 fuzz --seconds 60
  molehill d3d9 opcodes --json

Shaders come from files, from folders (all in and below) or from standard input (-, or no file at all). What a file holds
is told by its content:
  words    begins with a version: 00 02 FF FF is ps_2_0
  numbers  a C array of words or bytes (0xFFFF0200, 0x0200001F, …), or hexadecimal digits and nothing else
  base64   nothing but letters of base64 and blanks, with a version in front
  text     anything else that is UTF-8: assembly, which names its version first
AGAL bytecode, DXBC containers and effects are told by name. In a folder, files that end in .bin, .vso, .pso, .o, .fxc,
.hex, .b64, .asm, .vsh, .psh or .txt are read.

Exit status: 0 if all is well, 1 if any shader is refused, 2 if the input can't be used.";

pub(super) fn command() -> Command {
    let about = "Assembles, disassembles, checks, translates, runs and compares Direct3D 9 shaders";
    super::group("d3d9", about, AFTER_HELP, SUBCOMMANDS)
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    super::dispatch(SUBCOMMANDS, matches)
}

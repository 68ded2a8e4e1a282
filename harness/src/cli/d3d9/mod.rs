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

Shaders are read from files, from folders (all shaders in and below) or from standard input (-, or no file). The format is
detected from the content:
  words    begins with a version: 00 02 FF FF is ps_2_0
  numbers  a C array of words or bytes (0xFFFF0200, 0x0200001F, …), or only hexadecimal digits
  base64   only base64 characters and blanks; the bytes begin with a version
  text     any other UTF-8: assembly, which begins with its version
AGAL bytecode, DXBC containers and effects are rejected, with their type. In a folder, files that end in .bin, .vso, .pso,
.o, .fxc, .hex, .b64, .asm, .vsh, .psh or .txt are read.

Exit status: 0; 1 if any shader is rejected; 2 if the input can't be used.";

pub(super) fn command() -> Command {
    let about = "Assembles, disassembles, checks, translates, runs and compares Direct3D 9 shaders";
    super::group("d3d9", about, AFTER_HELP, SUBCOMMANDS)
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    super::dispatch(SUBCOMMANDS, matches)
}

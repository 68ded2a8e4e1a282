//! `molehill hs50`: the tools for Direct3D 11 hull shaders, one or two subcommands per module.

mod draw;
mod fuzz;
mod input;
mod patch;
mod run;
mod show;
mod translate;

use clap::{ArgMatches, Command};

use super::{Failure, Status, Subcommand};

/// Every subcommand.
const SUBCOMMANDS: &[Subcommand] = &[
    (show::info_command, show::info),
    (translate::dis_command, translate::dis),
    (translate::asm_command, translate::asm),
    (show::check_command, show::check),
    (show::registers_command, show::registers),
    (translate::glsl_command, translate::glsl),
    (run::command, run::run),
    (draw::command, draw::run),
    (fuzz::command, fuzz::run),
];

const AFTER_HELP: &str = "\
Examples:
  molehill hs50 info shader.dxbc
  molehill hs50 dis --exact shader.dxbc | molehill hs50 asm -o again.dxbc
  molehill hs50 check shaders
  molehill hs50 registers --phase fork
  molehill hs50 run shader.dxbc --patch points.json --trace
  molehill hs50 draw shader.dxbc -o patch.png
  molehill hs50 fuzz --seconds 60

A shader is read from a file or from standard input (-, or no file): a container, hexadecimal digits or base64 of one, or a
listing. The format is detected from the content. Vertex, domain and pixel shaders of shader model 5 can be listed; only
hull shaders can be checked, run and translated.

A patch is JSON: {\"points\": [[[x, y, z, w], …], …], \"primitive\": 0, \"cb\": {\"0\": [[…], …]}, \"t\": {\"0\": [word, …], \"1\":
\"picture.png\"}, \"s\": {\"0\": \"linear,clamp,mipnone\"}}. A point has a register for each element of the input signature.
Numbers are floats; text like \"0x3f800000\" or \"7u\" is bits. A picture of six squares from top to bottom is a cube texture.
Missing points are generated; other missing values are 0.

Exit status: 0; 1 if a rule is broken or driver and interpreter differ; 2 if the input can't be used.";

pub(super) fn command() -> Command {
    let about =
        "Reads, lists, assembles, checks, runs, translates and draws Direct3D 11 hull shaders";
    super::group("hs50", about, AFTER_HELP, SUBCOMMANDS)
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    super::dispatch(SUBCOMMANDS, matches)
}

//! Tests with files outside the repository: the programs of Flash games in `../shared`, and an independent GLSL
//! compiler.

#[path = "../common/mod.rs"]
mod common;
mod glslang;
#[path = "../common/naga.rs"]
mod naga;
#[path = "../common/needs.rs"]
mod needs;
mod programs;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = [programs::trials(), glslang::trials()];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}

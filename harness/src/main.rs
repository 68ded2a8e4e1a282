//! `molehill`: replays, inspects and checks recorded Stage3D programs.

use std::process::ExitCode;

fn main() -> ExitCode {
    molehill::cli::main(std::env::args_os())
}

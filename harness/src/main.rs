//! The tool `molehill` replays, inspects and checks recorded Stage3D programs.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main(std::env::args_os())
}

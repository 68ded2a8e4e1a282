//! `molehill inspect`: starts the inspector's window, a separate program.

use std::env::consts::EXE_SUFFIX;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process;

use clap::{Arg, ArgMatches, Command, value_parser};

use super::{Failure, Status, capture};

const PROGRAM: &str = "molehill-inspector";

const AFTER_HELP: &str = "\
Examples:
  molehill inspect capture.s3d
  molehill inspect capture.s3d --frame 3 --draw 12
  molehill inspect capture.s3d --frame 3 --at 100,80 --step
  molehill inspect capture.s3d --compare expected.png
  molehill inspect capture.s3d --frame 3 --screenshot frame.png

Starts the program molehill-inspector, from the folder of molehill or from PATH. `molehill-inspector --help` explains its
options: --frame N, --draw N or --call N, --at X,Y, --step, --compare FILE, --size WIDTH,HEIGHT, --theme dark|light|system,
--screenshot FILE. From the source tree: cargo run --release -p molehill-inspector --features desktop -- capture.s3d";

pub(super) fn command() -> Command {
    Command::new("inspect")
        .about("Opens a capture in the inspector's window")
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("arguments")
                .value_name("CAPTURE [OPTION]")
                .value_parser(value_parser!(OsString))
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .help("Capture in either format, plain or zstd, or its folder; then options of the window"),
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let arguments = matches.get_many::<OsString>("arguments").into_iter().flatten();
    let arguments = arguments.map(|argument| match Path::new(argument).is_dir() {
        true => capture::in_folder(Path::new(argument)).map(PathBuf::into_os_string),
        false => Ok(argument.clone()),
    });
    let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
    let beside = std::env::current_exe().ok();
    let beside = beside.map(|own| own.with_file_name(format!("{PROGRAM}{EXE_SUFFIX}")));
    let program = beside.filter(|file| file.is_file());
    let program = program.as_deref().map_or(OsStr::new(PROGRAM), Path::as_os_str);
    match process::Command::new(program).args(arguments).status() {
        Ok(status) if status.success() => Ok(Status::Success),
        Ok(status) => Err(Failure(format!("{PROGRAM} ended with {status}"))),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Failure(format!(
            "{PROGRAM} is neither beside molehill nor in PATH; install it with `cargo install --path harness/inspector`, or run `cargo run --release -p {PROGRAM} --features desktop -- CAPTURE`"
        ))),
        Err(error) => Err(Failure(format!("{PROGRAM}: {error}"))),
    }
}

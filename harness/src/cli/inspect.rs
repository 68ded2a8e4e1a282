//! `molehill inspect`: starts the inspector, which is a separate program with a window.

use std::env::consts::EXE_SUFFIX;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use super::capture_argument::file_of;
use super::{CommandFailure, CommandStatus};

const PROGRAM: &str = "molehill-inspector";

/// Opens a capture in the inspector
#[derive(clap::Args)]
pub(super) struct Inspect {
    /// Capture (.s3d, .s3d.jsonl, plain or zstd), or its folder; then options of the inspector
    #[arg(value_name = "CAPTURE [OPTION]", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Inspect {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let capture = self.arguments.first().map(Path::new);
        if let Some(capture) =
            capture.filter(|it| !it.as_os_str().as_encoded_bytes().starts_with(b"-"))
        {
            fs::metadata(capture).map_err(CommandFailure::of(capture.display()))?;
        }
        let file = |argument| file_of(Path::new(&argument)).map(PathBuf::into_os_string);
        let arguments = self.arguments.into_iter().map(|argument: OsString| file(argument));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        let beside = std::env::current_exe().ok();
        let beside = beside.map(|own| own.with_file_name(format!("{PROGRAM}{EXE_SUFFIX}")));
        let program = beside.filter(|file| file.is_file());
        let program = program.as_deref().map_or(OsStr::new(PROGRAM), Path::as_os_str);
        match start(Command::new(program).args(arguments)) {
            Ok(status) if status.success() => Ok(CommandStatus::Success),
            Ok(status) => Err(CommandFailure(format!("{PROGRAM} ended with {status}"))),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(CommandFailure(format!(
                "{PROGRAM} is neither in molehill's folder nor in PATH; install it with `cargo install --path \
                 harness/inspector --features desktop`, or run `cargo run --release -p {PROGRAM} --features desktop -- CAPTURE`"
            ))),
            Err(error) => Err(CommandFailure(format!("{PROGRAM}: {error}"))),
        }
    }
}

/// Replaces this process by the inspector, which then receives signals. Returns only if the inspector can't be started.
#[cfg(unix)]
fn start(program: &mut Command) -> io::Result<ExitStatus> {
    Err(std::os::unix::process::CommandExt::exec(program))
}

/// Runs the inspector as a child process until it ends.
#[cfg(not(unix))]
fn start(program: &mut Command) -> io::Result<ExitStatus> {
    program.status()
}

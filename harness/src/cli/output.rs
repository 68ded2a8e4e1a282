//! Where results go: standard output and standard error, where the reader may have gone away (`molehill info x | head`),
//! and the files and folders of `--out`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Arg, value_parser};

use super::Failure;
use molehill_replay::files;
use molehill_replay::terminal::visible;

/// Prints to standard output; what a terminal would obey is shown escaped. A reader that has gone away has read enough:
/// that is no failure.
///
/// # Errors
/// Anything else, a full disk for example.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    print_bytes(visible(text).as_bytes())
}

/// As [`print`], any bytes as they are.
///
/// # Errors
/// As [`print`].
pub(super) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// As [`print`], a JSON value with line breaks.
///
/// # Errors
/// As [`print`].
pub(super) fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print_bytes(format!("{value:#}\n").as_bytes())
}

/// Says something on standard error; what a terminal would obey is shown escaped.
pub(super) fn tell(text: &str) {
    // There is no place left to say that this failed.
    let _ = writeln!(io::stderr().lock(), "{}", visible(text));
}

/// Says on standard error what went wrong.
pub(super) fn complain(text: &str) {
    tell(&format!("molehill: {text}"));
}

/// The option `--out`, or another one that names where results go.
pub(super) fn argument(value: &'static str, help: &'static str) -> Arg {
    Arg::new("out")
        .short('o')
        .long("out")
        .value_name(value)
        .value_parser(value_parser!(PathBuf))
        .help(help)
}

/// Makes a folder for results.
///
/// # Errors
/// A file in its place, and what else keeps it from being made.
pub(super) fn make_folder(path: &Path) -> Result<(), Failure> {
    files::make_folder(path).map_err(|error| Failure(format!("{}: {error}", path.display())))
}

/// Writes a file in one step, in the place of the one that is there.
///
/// # Errors
/// What keeps it from being written.
pub(super) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    files::write(path, bytes.as_ref())
        .map_err(|error| Failure(format!("{}: {error}", path.display())))
}

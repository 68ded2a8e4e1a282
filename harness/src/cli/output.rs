//! Output to standard output and standard error, which may be closed (`molehill info x | head`), and to the files and
//! folders of `--out`.

use std::io::{self, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use clap::{Arg, ArgMatches};
use serde_json::Value;

use super::style::paint;
use super::{Failure, arguments};
use molehill_replay::files;
use molehill_replay::terminal::visible;

/// Prints to standard output, with control characters escaped and, on a terminal, verdicts in colour. A closed pipe is
/// not an error.
///
/// # Errors
/// All other errors, such as a full disk.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => print_bytes(visible(text).as_bytes()),
        _ => print_to(anstream::stdout().lock(), paint(&visible(text)).as_bytes()),
    }
}

/// As [`print`], for bytes, without escaping.
///
/// # Errors
/// As [`print`].
pub(super) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    print_to(io::stdout().lock(), bytes)
}

fn print_to(mut output: impl Write, bytes: &[u8]) -> Result<(), Failure> {
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// As [`print`], for a JSON value with line breaks.
///
/// # Errors
/// As [`print`].
pub(super) fn print_json(value: &Value) -> Result<(), Failure> {
    print_bytes(format!("{value:#}\n").as_bytes())
}

/// Prints text, or with `--json` an object.
///
/// # Errors
/// As [`print`].
pub(super) fn give(
    matches: &ArgMatches,
    json: impl FnOnce() -> Value,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    match matches.get_flag("json") {
        true => print_json(&json()),
        false => print(&text()),
    }
}

/// Prints to standard error, with control characters escaped.
pub(super) fn tell(text: &str) {
    // A failure can't be reported anywhere.
    let _ = match AutoStream::choice(&io::stderr()) {
        ColorChoice::Never => writeln!(io::stderr().lock(), "{}", visible(text)),
        _ => writeln!(anstream::stderr().lock(), "{}", paint(&visible(text))),
    };
}

/// Prints an error message to standard error.
pub(super) fn complain(text: &str) {
    tell(&format!("molehill: {text}"));
}

/// The option `--out`, or another one for an output path.
pub(super) fn argument(value: &'static str, help: &'static str) -> Arg {
    arguments::path("out", value, help).short('o')
}

/// Creates a folder for results.
///
/// # Errors
/// A file has this name, or the folder can't be created.
pub(super) fn make_folder(path: &Path) -> Result<(), Failure> {
    files::make_folder(path).map_err(Failure::of(path.display()))
}

/// Writes a file atomically, replacing an existing one.
///
/// # Errors
/// The file can't be written.
pub(super) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    files::write(path, bytes.as_ref()).map_err(Failure::of(path.display()))
}

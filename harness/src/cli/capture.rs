//! The argument for a capture.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};

use super::arguments::{file, path_of};
use super::{Failure, Status, folder};
use molehill_capture::{CaptureError, Position, Reader};
use molehill_conform::capture_case::capture_in;
use molehill_replay::ReplayError;
use serde::Serialize;

/// File extensions of captures.
const ENDS: [&str; 4] = [".s3d", ".s3d.zst", ".s3d.jsonl", ".s3d.jsonl.zst"];
/// Number of a folder's captures that are listed if the choice is ambiguous.
const NAMED: usize = 5;

/// Why a command did not reach the end of a capture. With [`Position::located`], messages have the capture's name too.
#[derive(Debug, Serialize)]
pub(super) struct Interruption {
    message: String,
    line: Option<u64>,
    call: Option<u64>,
}

impl Interruption {
    /// An error in the capture, or of its replay.
    pub(super) fn new(at: Option<Position>, message: String) -> Self {
        let number = |number: u64| Some(number).filter(|number| *number > 0);
        Interruption {
            message,
            line: at.and_then(|at| number(at.line)),
            call: at.and_then(|at| number(at.call)),
        }
    }

    pub(super) fn of_replay(error: &ReplayError, name: &str) -> Self {
        Interruption::new(error.at(), error.located(name))
    }

    pub(super) fn of_capture(error: &CaptureError, name: &str) -> Self {
        Interruption::new(Some(error.at), error.located(name))
    }

    /// The result of a command that was interrupted.
    pub(super) fn status(self) -> Result<Status, Failure> {
        Err(Failure(self.message))
    }
}

/// The argument.
pub(super) fn argument() -> Arg {
    let help = "Capture in either format, plain or zstd, or its folder; - for standard input";
    file("capture", help).value_name("CAPTURE").required(true)
}

/// The name of an input for messages.
pub(super) fn name(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

/// Opens the capture of the argument and returns its path.
///
/// # Errors
/// A file that is not a capture, and a folder with none or several.
pub(super) fn open(matches: &ArgMatches) -> Result<(PathBuf, Reader), Failure> {
    open_path(&path_of(matches, "capture"))
}

/// As [`open`], for any path.
///
/// # Errors
/// As [`open`].
pub(super) fn open_path(path: &Path) -> Result<(PathBuf, Reader), Failure> {
    let path = file_of(path)?;
    match Reader::open(&path) {
        Ok(reader) => Ok((path, reader)),
        Err(error) => Err(Failure(error.located(&name(&path)))),
    }
}

/// The file of a path: for a folder, its capture.
///
/// # Errors
/// A folder with no capture or several.
pub(super) fn file_of(path: &Path) -> Result<PathBuf, Failure> {
    match path.as_os_str() != "-" && path.is_dir() {
        true => in_folder(path),
        false => Ok(path.to_owned()),
    }
}

/// The captures in and below a folder; a file that is named is the only one.
pub(super) fn in_and_below(path: &Path) -> Vec<PathBuf> {
    if path.as_os_str() == "-" || !path.is_dir() || capture_in(path).is_some() {
        return vec![path.to_owned()];
    }
    let found = folder::files(path, &["s3d", "jsonl", "zst"]).unwrap_or_default();
    found.into_iter().filter(|file| is_capture(file)).collect()
}

fn is_capture(file: &Path) -> bool {
    let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
    ENDS.iter().any(|end| name.ends_with(end)) && file.is_file()
}

/// The capture of a case, or the only one of a folder.
pub(super) fn in_folder(folder: &Path) -> Result<PathBuf, Failure> {
    if let Some(capture) = capture_in(folder) {
        return Ok(capture);
    }
    let failed = |reason: String| Failure(format!("{}: {reason}", folder.display()));
    let entries = fs::read_dir(folder).map_err(|error| failed(error.to_string()))?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut captures: Vec<PathBuf> = files.filter(|file| is_capture(file)).collect();
    captures.sort();
    match captures.as_slice() {
        [] => Err(failed(format!("no file ends in {}", ENDS.join(", ")))),
        [capture] => Ok(capture.clone()),
        several => {
            let names = several.iter().take(NAMED);
            let names: Vec<String> = names.map(|path| path.display().to_string()).collect();
            let more = if several.len() > NAMED { ", …" } else { "" };
            let count = several.len();
            Err(failed(format!("{count} captures found; choose one: {}{more}", names.join(", "))))
        }
    }
}

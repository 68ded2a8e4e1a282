//! The argument for a capture.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Failure, Format, Status, output};
use molehill_analysis::{Capture, Inspector, Limits, edit};
use molehill_capture::{Form, Position, Reader};
use molehill_replay::folder::{capture_in, is_recording, only_capture_in};

/// The capture of a command, and the form of its answer.
#[derive(clap::Args)]
pub(super) struct CaptureArgument {
    /// Capture in either format, plain or zstd, or its folder; - for standard input
    #[arg(value_name = "CAPTURE")]
    pub(super) capture: PathBuf,
    /// Change it first: a file with a JSON object a line, see "molehill diff --help"
    #[arg(long, value_name = "FILE")]
    pub(super) edit: Option<PathBuf>,
    #[command(flatten)]
    pub(super) format: Format,
}

impl CaptureArgument {
    pub(super) fn open(&self) -> Result<(String, Reader), Failure> {
        if self.edit.is_none() {
            return open(&self.capture);
        }
        let bytes = self.read(Limits::default())?.write(Vec::new(), Form::Binary)?;
        Ok((name(&self.capture), Reader::seekable(Cursor::new(bytes))?))
    }

    /// An inspector of the capture, or of its frames up to this one.
    pub(super) fn inspector(&self, last_frame: Option<u32>) -> Result<Inspector, Failure> {
        self.read(Limits { last_frame, ..Limits::default() }).map(Inspector::new)
    }

    /// The capture with the changes of `--edit`.
    pub(super) fn read(&self, limits: Limits) -> Result<Capture, Failure> {
        let Some(path) = &self.edit else { return read(&self.capture, limits) };
        let whole = read(&self.capture, Limits::default())?;
        let text = fs::read_to_string(path).map_err(Failure::of(path.display()))?;
        let beside = path.parent().unwrap_or(Path::new(""));
        let edits = edit::parse(&whole, &text, &mut |name| fs::read(beside.join(name)));
        let changed = edits.and_then(|edits| edit::apply(&whole, &edits));
        changed.map_err(Failure::of(path.display()))
    }
}

/// Reads a capture; prints a warning if its end is damaged.
pub(super) fn read(path: &Path, limits: Limits) -> Result<Capture, Failure> {
    let (name, reader) = open(path)?;
    let capture = Capture::open(reader, limits).map_err(Failure::of(&name))?;
    if let Some(failure) = capture.failure() {
        output::complain(&format!("{name}: {failure}; the part before it is shown"));
    }
    Ok(capture)
}

/// Why a command did not reach the end of a capture. With [`Position::located`], messages have the capture's name too.
#[derive(Debug, Serialize)]
pub(super) struct Interruption {
    message: String,
    line: Option<u64>,
    call: Option<u64>,
}

impl Interruption {
    pub(super) fn new(at: Option<Position>, message: String) -> Self {
        let number = |number: u64| Some(number).filter(|number| *number > 0);
        let (line, call) = (at.and_then(|at| number(at.line)), at.and_then(|at| number(at.call)));
        Interruption { message, line, call }
    }

    /// The result of a command that may have been interrupted.
    pub(super) fn status(interruption: Option<Self>) -> Result<Status, Failure> {
        interruption.map_or(Ok(Status::Success), |interruption| Err(Failure(interruption.message)))
    }
}

pub(super) fn name(path: &Path) -> String {
    if path.as_os_str() == "-" {
        return "standard input".to_owned();
    }
    path.display().to_string()
}

/// Opens a capture, or that of a folder, and returns its name.
pub(super) fn open(path: &Path) -> Result<(String, Reader), Failure> {
    let path = file_of(path)?;
    let reader = Reader::open(&path).map_err(|error| Failure(error.located(&name(&path))))?;
    Ok((name(&path), reader))
}

/// The file of a path: for a folder, its capture. A folder with none or several is an error.
pub(super) fn file_of(path: &Path) -> Result<PathBuf, Failure> {
    let is_file = path.as_os_str() == "-" || !path.is_dir();
    if is_file { Ok(path.to_owned()) } else { only_capture_in(path).map_err(Failure) }
}

/// The captures in and below a folder; a file that is named is the only one.
pub(super) fn in_and_below(path: &Path) -> Vec<PathBuf> {
    if path.as_os_str() == "-" || !path.is_dir() || capture_in(path).is_some() {
        return vec![path.to_owned()];
    }
    let found = files(path, &["s3d", "jsonl", "zst"]).unwrap_or_default();
    found.into_iter().filter(|file| is_recording(file)).collect()
}

/// Returns the files with these extensions in a folder and up to nine levels below it, sorted; links to folders are
/// ignored. Errors don't name the folder.
pub(super) fn files(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).max_depth(9) {
        let path = entry.map_err(|error| error.to_string())?.into_path();
        let extension = path.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        if extensions.iter().any(|known| known.eq_ignore_ascii_case(extension)) && path.is_file() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(format!("no files with .{} here", extensions.join(", .")));
    }
    files.sort();
    Ok(files)
}

//! The command-line argument that names a capture.

use std::ffi::OsStr;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use serde::Serialize;
use walkdir::{DirEntry, WalkDir};

use super::{CommandFailure, CommandStatus, OutputFormat, output};
use molehill_analysis::{Capture, CaptureLimits, Inspector, edit};
use molehill_capture::{CapturePosition, CaptureReader, Form};
use molehill_conform::capture_case::MAX_DEPTH;
use molehill_replay::folder::{capture_in, is_recording, only_capture_in};

/// The capture of a command, and the output format.
#[derive(clap::Args)]
pub(super) struct CaptureArgument {
    /// Capture (.s3d, .s3d.jsonl, plain or zstd), or its folder; - for standard input
    #[arg(value_name = "CAPTURE")]
    pub(super) capture: PathBuf,
    /// Apply changes first: a file with one JSON object per line, see "molehill diff --help"
    #[arg(long, value_name = "FILE")]
    pub(super) edit: Option<PathBuf>,
    #[command(flatten)]
    pub(super) format: OutputFormat,
}

impl CaptureArgument {
    pub(super) fn open(&self) -> Result<(String, CaptureReader), CommandFailure> {
        if self.edit.is_none() {
            return open(&self.capture);
        }
        let bytes = self.read(CaptureLimits::default())?.write(Vec::new(), Form::Binary)?;
        Ok((name(&self.capture), CaptureReader::seekable(Cursor::new(bytes))?))
    }

    /// Returns an inspector of the capture, limited to frames up to `last_frame` if given.
    pub(super) fn inspector(&self, last_frame: Option<u32>) -> Result<Inspector, CommandFailure> {
        self.read(CaptureLimits { last_frame, ..CaptureLimits::default() }).map(Inspector::new)
    }

    pub(super) fn read(&self, limits: CaptureLimits) -> Result<Capture, CommandFailure> {
        let Some(path) = &self.edit else { return read(&self.capture, limits) };
        let whole = read(&self.capture, CaptureLimits::default())?;
        let text = fs::read_to_string(path).map_err(CommandFailure::of(path.display()))?;
        let beside = path.parent().unwrap_or(Path::new(""));
        let edits = edit::parse(&whole, &text, &mut |name| fs::read(beside.join(name)));
        let changed = edits.and_then(|edits| edit::apply(&whole, &edits));
        changed.map_err(CommandFailure::of(path.display()))
    }
}

/// Reads a capture. If the end of the capture is damaged, prints a warning.
pub(super) fn read(path: &Path, limits: CaptureLimits) -> Result<Capture, CommandFailure> {
    let (name, reader) = open(path)?;
    let capture = Capture::open(reader, limits).map_err(CommandFailure::of(&name))?;
    if let Some(failure) = capture.failure() {
        output::complain(&format!("{name}: {failure}; the content before the error is shown"));
    }
    Ok(capture)
}

/// The reason why a command did not reach the end of a capture.
#[derive(Debug, Serialize)]
pub(super) struct Interruption {
    message: String,
    line: Option<u64>,
    call: Option<u64>,
}

impl Interruption {
    pub(super) fn new(at: Option<CapturePosition>, message: String) -> Self {
        let number = |number: u64| Some(number).filter(|number| *number > 0);
        let (line, call) = (at.and_then(|at| number(at.line)), at.and_then(|at| number(at.call)));
        Interruption { message, line, call }
    }

    /// Returns the result of a command that may have been interrupted.
    pub(super) fn status(interruption: Option<Self>) -> Result<CommandStatus, CommandFailure> {
        interruption.map_or(Ok(CommandStatus::Success), |interruption| {
            Err(CommandFailure(interruption.message))
        })
    }
}

pub(super) fn name(path: &Path) -> String {
    if path.as_os_str() == "-" {
        return "standard input".to_owned();
    }
    path.display().to_string()
}

/// Opens a capture file, or the capture of a folder. Returns the capture's name and a reader.
pub(super) fn open(path: &Path) -> Result<(String, CaptureReader), CommandFailure> {
    let path = file_of(path)?;
    let reader =
        CaptureReader::open(&path).map_err(|error| CommandFailure(error.located(&name(&path))))?;
    Ok((name(&path), reader))
}

/// Returns the capture file of a path: for a folder, its only capture. No capture, or several, is an error.
pub(super) fn file_of(path: &Path) -> Result<PathBuf, CommandFailure> {
    let is_file = path.as_os_str() == "-" || !path.is_dir();
    if is_file { Ok(path.to_owned()) } else { only_capture_in(path).map_err(CommandFailure) }
}

/// Returns the captures in and below a folder. If the path is a file, returns this file.
pub(super) fn in_and_below(path: &Path) -> Vec<PathBuf> {
    if path.as_os_str() == "-" || !path.is_dir() || capture_in(path).is_some() {
        return vec![path.to_owned()];
    }
    let found = files(path, &["s3d", "jsonl", "zst"]).unwrap_or_default();
    found.into_iter().filter(|file| is_recording(file)).collect()
}

/// Returns the files with these extensions in and below a folder. The error doesn't contain the folder's name.
pub(super) fn files(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut files = all_below(folder).map_err(|error| error.to_string())?;
    files.retain(|file| has_extension(file, extensions));
    if files.is_empty() {
        return Err(format!("the folder has no files with .{}", extensions.join(", .")));
    }
    Ok(files)
}

/// Returns the files in a folder and up to eight levels of folders below it, by name. Links to folders are ignored.
pub(super) fn all_below(folder: &Path) -> walkdir::Result<Vec<PathBuf>> {
    let entries = WalkDir::new(folder).max_depth(MAX_DEPTH + 1).sort_by_file_name().into_iter();
    let paths =
        entries.map(|entry| entry.map(DirEntry::into_path)).collect::<Result<Vec<_>, _>>()?;
    Ok(paths.into_iter().filter(|path| path.is_file()).collect())
}

pub(super) fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    let extension = file.extension().and_then(OsStr::to_str).unwrap_or_default();
    extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

//! Finds captures in folders.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// File names of a case's capture, plain or compressed.
pub const CAPTURE_FILES: [&str; 3] = ["capture.s3d", "capture.s3d.jsonl", "capture.s3d.jsonl.zst"];
/// The file extensions of captures.
pub const CAPTURE_ENDS: [&str; 4] = [".s3d", ".s3d.zst", ".s3d.jsonl", ".s3d.jsonl.zst"];
/// Maximum number of captures that an error message lists if a folder contains several.
const NAMED: usize = 5;

/// Returns the files of a folder, sorted by name. Errors: the folder can't be read.
pub fn files_in(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(dir)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = paths.collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}

/// Returns the capture files of a folder, sorted by name. Errors: the folder can't be read.
pub fn recordings_in(dir: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(files_in(dir)?.into_iter().filter(|file| is_recording(file)).collect())
}

/// Returns whether a file's name has the extension of a capture.
pub fn is_recording(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    CAPTURE_ENDS.iter().any(|end| name.ends_with(end)) && file.is_file()
}

/// Returns the capture in the folder of a test case.
pub fn capture_in(dir: &Path) -> Option<PathBuf> {
    let files = CAPTURE_FILES.iter().map(|name| dir.join(name));
    files.into_iter().find(|file| file.is_file())
}

/// Returns the capture of a test case, or the only capture of a folder. Errors: a message for no or several captures.
pub fn only_capture_in(dir: &Path) -> Result<PathBuf, String> {
    if let Some(capture) = capture_in(dir) {
        return Ok(capture);
    }
    let name = dir.display();
    let captures = recordings_in(dir).map_err(|error| format!("{name}: {error}"))?;
    match captures.as_slice() {
        [] => Err(format!("{name}: no file ends in {}", CAPTURE_ENDS.join(", "))),
        [capture] => Ok(capture.clone()),
        several => {
            let names = several.iter().take(NAMED).map(|path| path.display().to_string());
            let (names, count): (Vec<String>, _) = (names.collect(), several.len());
            let more = if count > NAMED { ", …" } else { "" };
            Err(format!("{name}: {count} captures found; choose one: {}{more}", names.join(", ")))
        }
    }
}

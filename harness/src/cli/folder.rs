//! The files of a folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

const MAX_DEPTH: usize = 9;

/// All files below a folder with these extensions, sorted; links to folders are ignored. Errors don't name the folder.
pub(super) fn files(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).max_depth(MAX_DEPTH) {
        let path = entry.map_err(|error| error.to_string())?.into_path();
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
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

//! The files of a folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Depth of the search below a folder.
const MAX_DEPTH: usize = 8;

/// All files below a folder with these extensions, sorted; links to folders are ignored.
///
/// # Errors
/// A folder that can't be read or has no such files, as a message without the folder's name.
pub(super) fn files(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    search(folder, extensions, 0, &mut files).map_err(|error| error.to_string())?;
    if files.is_empty() {
        return Err(format!("no files with .{} here", extensions.join(", .")));
    }
    files.sort();
    Ok(files)
}

fn search(
    folder: &Path,
    extensions: &[&str],
    depth: usize,
    files: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let extension = path.extension().and_then(OsStr::to_str);
        let known = extension.is_some_and(|extension| {
            extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
        });
        if entry.file_type()?.is_dir() {
            if depth < MAX_DEPTH {
                search(&path, extensions, depth + 1, files)?;
            }
        } else if known && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

//! `--out` of the commands that write one file per program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::{Failure, output};

/// Writes files with these names and contents. A single one goes to `out` itself, unless that is a folder or `is_file`
/// is false for its extension (empty if none); otherwise they go into the folder `out`.
///
/// # Errors
/// Several files for a file name, two with the same name, and those of the file system.
pub(super) fn write(
    out: &Path,
    is_file: impl Fn(&str) -> bool,
    files: &[(String, impl AsRef<[u8]>)],
) -> Result<(), Failure> {
    let extension = out.extension().unwrap_or_default().to_string_lossy();
    let is_file = !out.is_dir() && is_file(&extension);
    match files {
        [] => return Ok(()),
        [(_, bytes)] if is_file => return output::write(out, bytes),
        files if is_file && !extension.is_empty() => {
            let (out, count) = (out.display(), files.len());
            return Err(Failure(format!(
                "{out}: {count} programs need a folder, not a file; --stage selects one of a pair"
            )));
        }
        _ => output::make_folder(out)?,
    }
    let mut taken = BTreeSet::new();
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| out.join(name)).collect();
    if let Some(path) = paths.iter().find(|path| !taken.insert(*path)) {
        let path = path.display();
        return Err(Failure(format!("{path} would be written twice")));
    }
    paths
        .iter()
        .zip(files)
        .try_for_each(|(path, (_, bytes))| output::write(path, bytes))
}

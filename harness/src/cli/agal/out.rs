//! `--out` of the commands that write a file a program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::{Failure, output};

/// Writes files with these names and contents: one to `out` itself, if that is no folder and `is_file` holds of its
/// extension (none is empty); else into that folder.
///
/// # Errors
/// Several for what has the name of a file, two of one name, and those of the file system.
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
                "{out}: {count} programs need a folder, and this is the name of a file; of a pair, --stage takes one"
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

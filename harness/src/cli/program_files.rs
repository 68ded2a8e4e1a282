//! Output of programs as bytes: the options that assemblers share, and the files that are written.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::input::to_base64;
use super::{Failure, output};

#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) base64: bool,
    /// Whether the option for digits is set.
    pub(super) is_digits: bool,
    /// The name of that option, and its conversion of a program's bytes.
    pub(super) digits: (&'static str, fn(&[u8]) -> String),
}

/// Writes programs, given with the names of their files, to `out`. Without it they go to standard output (nothing with
/// `--json`), as digits on a terminal. Several programs go into a folder, unless `is_file` says that the extension of
/// `out` is a file's. Several programs can't go to standard output as raw bytes.
pub(super) fn write(
    out: Option<&Path>,
    form: Form,
    json: bool,
    several: bool,
    is_file: impl Fn(&str) -> bool,
    programs: Vec<(String, Vec<u8>)>,
) -> Result<(), Failure> {
    let (option, digits) = form.digits;
    let raw = !form.is_digits && !form.base64;
    let terminal = out.is_none() && io::stdout().is_terminal();
    let written = |bytes: Vec<u8>| {
        if form.base64 {
            (to_base64(&bytes) + "\n").into_bytes()
        } else if raw && !terminal {
            bytes
        } else {
            digits(&bytes).into_bytes()
        }
    };
    let files = programs.into_iter();
    let files: Vec<_> = files.map(|(name, bytes)| (name, written(bytes))).collect();
    if let Some(out) = out {
        return write_files(out, |extension| !several || is_file(extension), &files);
    }
    if json {
        return Ok(());
    }
    if raw && several {
        let reason = format!("several programs need --out DIR, --{option} or --base64");
        return Err(Failure(reason));
    }
    files.iter().try_for_each(|(_, bytes)| output::print_bytes(bytes))
}

/// Writes files with these names and contents. A single one goes to `out` itself, unless that is a folder or `is_file`
/// is false for its extension (empty if none); otherwise they go into the folder `out`, with different names.
pub(super) fn write_files(
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
            let count = files.len();
            return Err(Failure::of(out.display())(format!(
                "{count} programs need a folder, not a file; --stage selects one of a pair"
            )));
        }
        _ => output::make_folder(out)?,
    }
    let mut seen = BTreeSet::new();
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| out.join(name)).collect();
    if let Some(path) = paths.iter().find(|path| !seen.insert(*path)) {
        return Err(Failure(format!("{} would be written twice", path.display())));
    }
    paths.iter().zip(files).try_for_each(|(path, (_, bytes))| output::write(path, bytes))
}

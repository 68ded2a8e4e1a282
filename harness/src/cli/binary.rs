//! Output of programs as bytes: the options that assemblers share, and the files that are written.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};

use super::arguments::flag;
use super::input::to_base64;
use super::{Failure, output};

/// How an assembler writes bytes as digits: the name of the option, and the conversion of a program's bytes.
pub(super) type Digits = (&'static str, fn(&[u8]) -> String);

/// `--out`, the option for digits with its help, and `--base64`.
pub(super) fn arguments((digits, _): Digits, help: &'static str) -> [Arg; 3] {
    [
        output::argument("PATH", "File for one program, folder for several"),
        flag(digits, help).conflicts_with("base64"),
        flag("base64", "Write base64, one line per program"),
    ]
}

/// Writes programs, given with the names of their files, to `--out`. Without `--out` it writes to standard output
/// (nothing with `--json`), as digits on a terminal. Several programs go into a folder, unless `is_file` says that the
/// extension of `--out` is a file's.
///
/// # Errors
/// Several programs on standard output as raw bytes, and those of [`write_files`].
pub(super) fn write(
    matches: &ArgMatches,
    (option, digits): Digits,
    several: bool,
    is_file: impl Fn(&str) -> bool,
    programs: Vec<(String, Vec<u8>)>,
) -> Result<(), Failure> {
    let out = matches.get_one::<PathBuf>("out");
    let raw = !matches.get_flag(option) && !matches.get_flag("base64");
    let terminal = out.is_none() && io::stdout().is_terminal();
    let written = |bytes: Vec<u8>| match (matches.get_flag("base64"), raw && !terminal) {
        (true, _) => (to_base64(&bytes) + "\n").into_bytes(),
        (_, true) => bytes,
        _ => digits(&bytes).into_bytes(),
    };
    let files = programs.into_iter();
    let files: Vec<_> = files.map(|(name, bytes)| (name, written(bytes))).collect();
    if let Some(out) = out {
        return write_files(out, |extension| !several || is_file(extension), &files);
    }
    if matches.get_flag("json") {
        return Ok(());
    }
    if raw && several {
        let reason = format!("several programs need --out DIR, --{option} or --base64");
        return Err(Failure(reason));
    }
    let mut bytes = files.iter().map(|(_, bytes)| bytes);
    bytes.try_for_each(|bytes| output::print_bytes(bytes))
}

/// Writes files with these names and contents. A single one goes to `out` itself, unless that is a folder or `is_file`
/// is false for its extension (empty if none); otherwise they go into the folder `out`.
///
/// # Errors
/// Several files for a file name, two with the same name, and those of the file system.
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
    paths.iter().zip(files).try_for_each(|(path, (_, bytes))| output::write(path, bytes))
}

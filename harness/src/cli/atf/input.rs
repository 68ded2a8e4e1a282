//! Finds ATF files in files, folders, captures and standard input.

use std::fmt::Display;
use std::io::{Cursor, Read};
use std::path::Path;

use crate::cli::CommandFailure;
use crate::cli::capture_argument::{file_of, files, in_and_below, name as name_of};
use crate::cli::input::{bounded, source, stem};
use molehill_capture::{CaptureReader, CaptureRecord};

/// The maximum size of an ATF file in bytes: more than six faces of 4096×4096 in every encoding.
const MAX_BYTES: u64 = 1 << 30;
/// The first bytes of captures: JSON, JSON with byte order mark, zstd, binary. No ATF file begins like a capture.
const CAPTURES: [&[u8]; 4] = [b"{", b"\xef\xbb\xbf", b"\x28\xb5\x2f\xfd", b"\x89S3D"];
const EXTENSION: &str = "atf";

pub(super) struct AtfSource<'a> {
    /// The ATF file's name in messages: the file and, in a capture, the line.
    pub(super) name: String,
    /// The prefix of the names of the PNG files that are written.
    pub(super) stem: String,
    pub(super) bytes: &'a [u8],
}

type AtfVisitor<'a> = dyn FnMut(AtfSource<'_>) -> Result<(), CommandFailure> + 'a;

/// Passes each ATF file at a path to the function `see`. Returns messages about files that can't be read.
pub(super) fn each(path: &Path, see: &mut AtfVisitor<'_>) -> Result<Vec<String>, CommandFailure> {
    if path.as_os_str() == "-" || !path.is_dir() {
        let failure = one(path, see)?;
        return Ok(failure.into_iter().collect());
    }
    let files = match files(path, &[EXTENSION]) {
        Ok(files) => files,
        // A folder that contains a capture stands for this capture, as in other commands.
        Err(error) => match in_and_below(path).as_slice() {
            [] => return Ok(vec![format!("{}: {error}", path.display())]),
            captures => captures.iter().map(|path| file_of(path)).collect::<Result<_, _>>()?,
        },
    };
    let mut failures = Vec::new();
    for file in files {
        failures.extend(one(&file, see)?);
    }
    Ok(failures)
}

fn one(path: &Path, see: &mut AtfVisitor<'_>) -> Result<Option<String>, CommandFailure> {
    let name = name_of(path);
    let failed = |error: &dyn Display| Ok(Some(format!("{name}: {error}")));
    let mut start = Vec::new();
    let opened = source(path).and_then(|mut source| {
        source.by_ref().take(4).read_to_end(&mut start)?;
        Ok(source)
    });
    let rest = match opened {
        Ok(rest) => rest,
        Err(error) => return failed(&error),
    };
    let is_capture = CAPTURES.iter().any(|begin| start.starts_with(begin));
    let whole = Cursor::new(start).chain(rest);
    let stem = stem(path, "atf").to_owned();
    if is_capture {
        return uploads(whole, &name, &stem, see);
    }
    match bounded(whole, MAX_BYTES) {
        Err(error) => failed(&error),
        Ok(bytes) => see(AtfSource { name, stem, bytes: &bytes }).map(|()| None),
    }
}

/// Passes each ATF file that a capture uploads to the function `see`. Returns a message if the capture can't be read.
fn uploads(
    source: impl Read + Send + 'static,
    name: &str,
    stem: &str,
    see: &mut AtfVisitor<'_>,
) -> Result<Option<String>, CommandFailure> {
    let reader = match CaptureReader::new(source) {
        Ok(reader) => reader,
        Err(error) => return Ok(Some(error.located(name))),
    };
    for record in reader {
        let (line, record) = match record {
            Ok(record) => record,
            Err(error) => return Ok(Some(error.located(name))),
        };
        if let CaptureRecord::Call(call) = record
            && let Some(bytes) = call.call.atf_file()
        {
            let (name, stem) = (format!("{name}:{line}"), format!("{stem}-{line}"));
            see(AtfSource { name, stem, bytes })?;
        }
    }
    Ok(None)
}

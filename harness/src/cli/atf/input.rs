//! Finds ATF files in files, folders, captures and standard input.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use crate::cli::capture_argument::{file_of, in_and_below, name as name_of};
use crate::cli::input::stem;
use crate::cli::{Failure, capture_argument};
use molehill_capture::{Reader, Record};

/// Largest ATF file: more than six faces of 4096×4096 in every encoding.
const MAX_BYTES: u64 = 1 << 30;
/// First bytes of captures, which no ATF file has: JSON, JSON after a byte order mark, zstd, binary.
const CAPTURES: [&[u8]; 4] = [b"{", b"\xef\xbb\xbf", b"\x28\xb5\x2f\xfd", b"\x89S3D"];
const EXTENSION: &str = "atf";

pub(super) struct Source<'a> {
    /// Name for messages: the file, with the line of a capture.
    pub(super) name: String,
    /// Prefix of its pictures' names.
    pub(super) stem: String,
    pub(super) bytes: &'a [u8],
}

type See<'a> = dyn FnMut(Source<'_>) -> Result<(), Failure> + 'a;

/// Passes every ATF file of a path to `see`. Returns messages about those that can't be read.
pub(super) fn each(path: &Path, see: &mut See<'_>) -> Result<Vec<String>, Failure> {
    if path.as_os_str() == "-" || !path.is_dir() {
        let failure = one(path, see)?;
        return Ok(failure.into_iter().collect());
    }
    let files = match capture_argument::files(path, &[EXTENSION]) {
        Ok(files) => files,
        // A folder with a capture stands for the capture, as for other commands.
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

fn one(path: &Path, see: &mut See<'_>) -> Result<Option<String>, Failure> {
    let name = name_of(path);
    let failed = |error: &dyn Display| Ok(Some(format!("{name}: {error}")));
    let (start, source) = match open(path) {
        Ok(opened) => opened,
        Err(error) => return failed(&error),
    };
    let is_capture = CAPTURES.iter().any(|begin| start.starts_with(begin));
    let source = Cursor::new(start).chain(source);
    let stem = stem(path, "atf").to_owned();
    if is_capture {
        return uploads(source, &name, &stem, see);
    }
    let mut bytes = Vec::new();
    match source.take(MAX_BYTES + 1).read_to_end(&mut bytes) {
        Err(error) => failed(&error),
        Ok(read) if read as u64 > MAX_BYTES => failed(&format!("longer than {MAX_BYTES} bytes")),
        Ok(_) => see(Source { name, stem, bytes: &bytes }).map(|()| None),
    }
}

/// The first bytes of a file or of standard input, and a reader for all of it.
fn open(path: &Path) -> io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let standard = path.as_os_str() == "-";
    let mut source: Box<dyn Read + Send> =
        if standard { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    let mut start = Vec::new();
    source.by_ref().take(4).read_to_end(&mut start)?;
    Ok((start, source))
}

fn uploads(
    source: impl Read + Send + 'static,
    name: &str,
    stem: &str,
    see: &mut See<'_>,
) -> Result<Option<String>, Failure> {
    let reader = match Reader::new(source) {
        Ok(reader) => reader,
        Err(error) => return Ok(Some(error.located(name))),
    };
    for record in reader {
        let (line, record) = match record {
            Ok(record) => record,
            Err(error) => return Ok(Some(error.located(name))),
        };
        if let Record::Call(call) = record
            && let Some(bytes) = call.call.atf_file()
        {
            see(Source { name: format!("{name}:{line}"), stem: format!("{stem}-{line}"), bytes })?;
        }
    }
    Ok(None)
}

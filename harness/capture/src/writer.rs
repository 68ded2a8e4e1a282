//! Writes captures as JSON Lines or in the binary format.

use std::borrow::Borrow;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use crate::binary::{BinaryWriter, MAX_INDEX_BYTES};
use crate::error::CaptureErrorKind;
use crate::header::CaptureHeader;
use crate::index::CaptureIndex;
use crate::json::Json;
use crate::limits::MAX_LINE_BYTES;
use crate::note::CaptureNote;
use crate::record::{CallLine, CaptureRecord};

/// The file format of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Lines of JSON, for reading and editing.
    #[default]
    Lines,
    /// Compressed blocks with an index.
    Binary,
}

impl Form {
    /// Returns the form for a file name, ignoring a `.zst` at its end: `.s3d` is binary, all other names are lines.
    pub fn of(path: &Path) -> Self {
        let end = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        match end.as_deref() {
            Some("zst") => Form::of(Path::new(path.file_stem().unwrap_or_default())),
            Some("s3d") => Form::Binary,
            _ => Form::Lines,
        }
    }
}

/// Writes a capture of either form. Lines have their keys in FORMAT.md's order.
#[derive(Debug)]
pub struct CaptureWriter<W: Write> {
    output: W,
    state: WriterState,
    version: u32,
    pub(crate) limits: ReaderLimits,
}

/// Maximum number of entries of an index, about a hundred megabytes in memory.
const MAX_ENTRIES: usize = 4 << 20;

/// The maximum sizes that readers accept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReaderLimits {
    pub(crate) line: u64,
    /// Maximum bytes of a binary record's bulk data.
    pub(crate) record: u64,
    pub(crate) index: usize,
}

#[derive(Debug)]
enum WriterState {
    Lines(Vec<u8>),
    /// The binary writer, and the index, which is `None` once it exceeds the limit.
    Binary(Box<BinaryWriter>, Option<CaptureIndex>),
}

impl<W: Write> CaptureWriter<W> {
    /// Starts a capture of JSON Lines with its header, in version 1 of the format, which lacks events. Returns I/O
    /// errors of `output`.
    pub fn new(output: W, header: &CaptureHeader) -> io::Result<Self> {
        Self::with_form(output, header, Form::Lines, 1)
    }

    /// Starts a capture with its header. Events need version 2 ([`crate::EVENT_VERSION`]), notes and stacks version 3
    /// ([`crate::NOTE_VERSION`]). Returns errors of `output`.
    pub fn with_form(
        mut output: W,
        header: &CaptureHeader,
        form: Form,
        version: u32,
    ) -> io::Result<Self> {
        let mut line = header.line(version)?;
        let state = match form {
            Form::Binary => {
                let binary = BinaryWriter::new(&mut output, &line)?;
                WriterState::Binary(Box::new(binary), Some(CaptureIndex::default()))
            }
            Form::Lines => {
                line.push(b'\n');
                output.write_all(&line)?;
                WriterState::Lines(line)
            }
        };
        let (line, record) = (MAX_LINE_BYTES, BinaryWriter::MAX_RECORD_BYTES);
        let limits = ReaderLimits { line, record, index: MAX_INDEX_BYTES };
        Ok(CaptureWriter { output, state, version, limits })
    }

    /// Writes a record. A binary capture buffers a block of about a megabyte. Errors: those of `output`; a record that
    /// needs a newer version; a record that is too long for a line or a block. A rejected record is not written, and
    /// the capture can be continued.
    pub fn write<C: Borrow<CallLine>, N: Borrow<CaptureNote>>(
        &mut self,
        record: &CaptureRecord<C, N>,
    ) -> io::Result<()> {
        self.put(record.version(), record.to_json(), record.frame().is_some())
    }

    /// Writes a call, with the errors of [`CaptureWriter::write`].
    pub fn call(&mut self, line: &CallLine) -> io::Result<()> {
        self.put(line.version(), line.to_json(), false)
    }

    /// Writes the end of a frame, with the errors of [`CaptureWriter::write`].
    pub fn frame(&mut self, frame: u32) -> io::Result<()> {
        self.put(1, CaptureRecord::<CallLine>::Frame(frame).to_json(), true)
    }

    fn put(&mut self, version: u32, mut json: Json<'_>, ends_frame: bool) -> io::Result<()> {
        if self.version < version {
            let text =
                format!("{} needs version {version} of the format", CaptureRecord::name(&json));
            return Err(invalid(text));
        }
        match &mut self.state {
            WriterState::Lines(line) => {
                write_line(line, &json, self.limits.line)?;
                self.output.write_all(line)
            }
            WriterState::Binary(binary, index) => {
                // The size is checked before payloads are added, so that a rejected record doesn't change the file.
                if bytes(&mut json) > self.limits.record {
                    return Err(too_long(&json, self.limits.record));
                }
                drop(index.take_if(|index| index.len() >= MAX_ENTRIES));
                index.iter_mut().for_each(|index| index.add(&json));
                binary.record(&mut self.output, json, ends_frame)
            }
        }
    }

    /// Writes all complete records to the output and flushes the output.
    pub fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            WriterState::Lines(_) => self.output.flush(),
            WriterState::Binary(binary, _) => binary.flush(&mut self.output),
        }
    }

    /// Ends the capture, flushes the output and returns it.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        if let WriterState::Binary(binary, index) = &mut self.state {
            let index = index.as_ref().map(|index| index.encode(&binary.blocks));
            let index = index.filter(|index| index.len() <= self.limits.index);
            binary.finish(&mut self.output, index)?;
        }
        Ok(self.output)
    }

    pub(crate) fn pending(&self) -> u64 {
        match &self.state {
            WriterState::Lines(_) => 0,
            WriterState::Binary(binary, _) => binary.pending(),
        }
    }
}

/// Writes a record as a line of at most `limit` bytes. Not generic, so that this package compiles and optimises the
/// code.
fn write_line(line: &mut Vec<u8>, json: &Json<'_>, limit: u64) -> io::Result<()> {
    line.clear();
    serde_json::to_writer(&mut *line, json)?;
    if line.len() as u64 > limit {
        return Err(too_long(json, limit));
    }
    line.push(b'\n');
    Ok(())
}

fn bytes(json: &mut Json<'_>) -> u64 {
    let mut sum = 0;
    let counted = json.leaves::<std::convert::Infallible>(&mut |leaf| {
        if let Json::Bytes(bytes) = leaf {
            sum += bytes.len() as u64;
        }
        Ok(())
    });
    counted.map_or_else(|never| match never {}, |()| sum)
}

fn too_long(json: &Json<'_>, limit: u64) -> io::Error {
    let kind = CaptureErrorKind::LineTooLong { limit };
    invalid(format!("{}: {kind}", CaptureRecord::name(json)))
}

fn invalid(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

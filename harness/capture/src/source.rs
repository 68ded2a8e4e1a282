//! The source of a capture: a file or standard input, in either form, decompressed while reading. Lines have a bounded
//! length.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use memchr::memchr;

use crate::binary::{PayloadSource, starts_like};
use crate::error::CaptureErrorKind;
use crate::limits::MAX_LINE_BYTES;
use crate::zstd::{ZstdError, ZstdReader, is_zstd, read_some};

/// Buffer size of reads, in bytes.
const CHUNK: usize = 256 << 10;

/// A byte order mark, which some editors on Windows write before UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";

pub(crate) struct Lines {
    input: Box<dyn BufRead + Send>,
    buffer: Vec<u8>,
    pub(crate) number: u64,
    limit: u64,
    /// An uncompressed, seekable file and its size in bytes.
    file: Option<(File, u64)>,
    next: LinePosition,
    /// Known positions, for seeking; the first is the start of the file.
    positions: Vec<LinePosition>,
}

#[derive(Clone, Copy, Default)]
struct LinePosition {
    offset: u64,
    /// Number of lines before the position, and number of non-blank lines before the position.
    lines: u64,
    filled: u64,
}

const POSITIONS_APART: u64 = 1 << 20;

/// Largest binary capture, in bytes, that is held in memory because it is compressed as a whole or comes through a
/// pipe.
const MAX_IN_MEMORY: u64 = 1 << 30;

pub(crate) enum CaptureInput {
    Lines(Lines),
    /// A binary capture, and the error that truncated it, if any.
    Binary(Box<dyn PayloadSource>, Option<CaptureErrorKind>),
}

impl CaptureInput {
    pub(crate) fn open(path: &Path) -> Result<Self, CaptureErrorKind> {
        if path.as_os_str() == "-" {
            return CaptureInput::new(io::stdin());
        }
        let mut file = File::open(path).map_err(CaptureErrorKind::Io)?;
        let (start, binary) = starts_like(&mut file).map_err(CaptureErrorKind::Io)?;
        if binary {
            return Ok(CaptureInput::Binary(Box::new(file), None));
        }
        let plain = !is_zstd(&start);
        let of_file = file.metadata().ok().filter(|of| plain && of.is_file());
        let again = of_file.and_then(|of| Some((file.try_clone().ok()?, of.len())));
        let mut input = CaptureInput::new(io::Cursor::new(start).chain(file))?;
        if let CaptureInput::Lines(lines) = &mut input {
            lines.file = again;
        }
        Ok(input)
    }

    /// Reads a capture from a stream. Detects the form and the compression by the first bytes.
    pub(crate) fn new(mut source: impl Read + Send + 'static) -> Result<Self, CaptureErrorKind> {
        let mut start = [0; 4];
        let length = read_some(&mut source, &mut start).map_err(CaptureErrorKind::Io)?;
        let start = start.get(..length).unwrap_or_default().to_vec();
        let compressed = is_zstd(&start);
        let source = io::Cursor::new(start).chain(source);
        let mut input: Box<dyn Read + Send> = if compressed {
            Box::new(ZstdReader::new(BufReader::with_capacity(CHUNK, source)))
        } else {
            Box::new(source)
        };
        let (start, binary) = starts_like(&mut input).map_err(fault)?;
        let mut input = io::Cursor::new(start).chain(input);
        if !binary {
            return Ok(CaptureInput::Lines(Lines::new(input)));
        }
        let mut bytes = Vec::new();
        let read = (&mut input).take(MAX_IN_MEMORY + 1).read_to_end(&mut bytes);
        if bytes.len() as u64 > MAX_IN_MEMORY {
            let text = format!(
                "a binary capture that is compressed or read from a pipe may have at most {} MiB; unpack it into a file first",
                MAX_IN_MEMORY >> 20
            );
            let error = io::Error::new(io::ErrorKind::FileTooLarge, text);
            return Err(CaptureErrorKind::Io(error));
        }
        Ok(CaptureInput::Binary(Box::new(io::Cursor::new(bytes)), read.err().map(fault)))
    }
}

impl Lines {
    fn new(source: impl Read + Send + 'static) -> Self {
        Lines {
            input: Box::new(BufReader::with_capacity(CHUNK, source)),
            buffer: Vec::new(),
            number: 0,
            limit: MAX_LINE_BYTES,
            file: None,
            next: LinePosition::default(),
            positions: vec![LinePosition::default()],
        }
    }

    /// Returns the last line read. After an error, returns the part of the line before the error.
    pub(crate) fn line(&self) -> &[u8] {
        &self.buffer
    }

    /// Returns the size in bytes of an uncompressed file, or `None` for other sources.
    pub(crate) fn file_bytes(&self) -> Option<u64> {
        self.file.as_ref().map(|(_, bytes)| *bytes)
    }

    /// Seeks to a line by its 0-based index, not counting blank lines. The seek reads forwards from the nearest entry
    /// of `positions` before the line.
    pub(crate) fn seek(&mut self, filled: u64) -> Result<(), CaptureErrorKind> {
        let Some((file, _)) = &self.file else {
            return Err(CaptureErrorKind::NoSeek);
        };
        let behind = self.positions.partition_point(|position| position.filled <= filled);
        let start = self.positions.iter().take(behind).next_back().copied().unwrap_or_default();
        let mut file = file.try_clone().map_err(CaptureErrorKind::Io)?;
        file.seek(SeekFrom::Start(start.offset)).map_err(CaptureErrorKind::Io)?;
        self.input = Box::new(BufReader::with_capacity(CHUNK, file));
        (self.next, self.number) = (start, start.lines);
        while self.next.filled < filled && self.next()?.is_some() {}
        Ok(())
    }

    /// Reads to the end of the line, but at most one byte more than the limit, and returns the number of bytes.
    fn read_line(&mut self) -> io::Result<u64> {
        loop {
            let available = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            let most = (self.limit + 1).saturating_sub(self.buffer.len() as u64);
            let most = available.len().min(usize::try_from(most).unwrap_or(usize::MAX));
            let available = available.get(..most).unwrap_or_default();
            let end = memchr(b'\n', available);
            let length = end.map_or(most, |end| end + 1);
            self.buffer.extend_from_slice(available.get(..length).unwrap_or_default());
            self.input.consume(length);
            if end.is_some() || length == 0 {
                return Ok(self.buffer.len() as u64);
            }
        }
    }

    /// Reads the next line that is not blank, and returns it without its end; `None` at the end of the capture.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, CaptureErrorKind> {
        loop {
            self.buffer.clear();
            let apart = |last: &LinePosition| self.next.offset >= last.offset + POSITIONS_APART;
            if self.file.is_some() && self.positions.last().is_none_or(apart) {
                self.positions.push(self.next);
            }
            self.number += 1;
            let length = self.read_line().map_err(fault)?;
            if length == 0 {
                self.number -= 1;
                return Ok(None);
            }
            if length > self.limit {
                return Err(CaptureErrorKind::LineTooLong { limit: self.limit });
            }
            self.next.offset += length;
            self.next.lines = self.number;
            if self.number == 1 && self.buffer.starts_with(BOM) {
                self.buffer.drain(..BOM.len());
            }
            if !self.buffer.trim_ascii().is_empty() {
                self.next.filled += 1;
                return Ok(Some(self.buffer.trim_ascii_end()));
            }
        }
    }
}

fn fault(error: io::Error) -> CaptureErrorKind {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<ZstdError>()) {
        Some(ZstdError(reason)) => CaptureErrorKind::Zstd(reason.clone()),
        None => CaptureErrorKind::Io(error),
    }
}

#[cfg(test)]
#[path = "../tests/unit/source.rs"]
mod tests;

//! Reads the records of a capture.

use std::io::{Read, Seek};
use std::path::Path;

use crate::binary::BinaryReader;
use crate::error::{CaptureError, CaptureErrorKind, CapturePosition};
use crate::foreign;
use crate::header::{CaptureHeader, NOTE_VERSION};
use crate::index::CaptureIndex;
use crate::json::{Json, parse};
use crate::known_objects::KnownObjects;
use crate::limits::MAX_OBJECTS;
use crate::note::CaptureNote;
use crate::record::{CaptureRecord, RecordSummary};
use crate::source::{CaptureInput, Lines};

/// Maximum distance between notes, in records, up to which the reader reads all records in between instead of seeking.
const FAR: u64 = 4096;

/// The source of records, by the capture's form.
enum ReaderState {
    Lines(Lines),
    Binary(Box<BinaryReader>),
}

impl ReaderState {
    /// Returns whether the source has another record.
    fn more(&mut self) -> Result<bool, CaptureErrorKind> {
        match self {
            ReaderState::Lines(lines) => Ok(lines.next()?.is_some()),
            ReaderState::Binary(binary) => binary.more(),
        }
    }

    /// Reads the next record, with its payloads if `with_payloads` is set.
    fn next(&mut self, with_payloads: bool) -> Result<Json<'_>, CaptureErrorKind> {
        match self {
            ReaderState::Lines(lines) => read_json(lines.line().trim_ascii_end()),
            ReaderState::Binary(binary) => binary.next(with_payloads),
        }
    }

    /// Returns the 1-based number of the last line read.
    fn number(&self) -> u64 {
        match self {
            ReaderState::Lines(lines) => lines.number,
            ReaderState::Binary(binary) => binary.record + 1,
        }
    }
}

/// Reads a capture record by record. The iterator returns each record with the number of its line (for a binary
/// capture, of the JSON Lines form), and ends after an error. A reader may be sent to another thread.
pub struct CaptureReader {
    state: ReaderState,
    header: CaptureHeader,
    version: u32,
    objects: KnownObjects,
    /// Number of records read so far.
    records: u64,
    calls: u64,
    failed: bool,
}

impl CaptureReader {
    /// Opens a capture of either form, plain or zstd; `-` is standard input.
    /// Errors: the file can't be read, or does not begin with a valid header.
    pub fn open(path: &Path) -> Result<Self, CaptureError> {
        Self::from_input(CaptureInput::open(path))
    }

    /// Reads a capture of either form, plain or zstd, from any source. A binary capture is first read into memory, at
    /// most a gigabyte; [`CaptureReader::open`] and [`CaptureReader::seekable`] have no such limit. Errors: those of
    /// [`CaptureReader::open`].
    pub fn new(source: impl Read + Send + 'static) -> Result<Self, CaptureError> {
        Self::from_input(CaptureInput::new(source))
    }

    /// Reads an uncompressed binary capture from a seekable source, as needed. Errors: those of
    /// [`CaptureReader::open`].
    pub fn seekable(source: impl Read + Seek + Send + 'static) -> Result<Self, CaptureError> {
        Self::from_input(Ok(CaptureInput::Binary(Box::new(source), None)))
    }

    fn from_input(input: Result<CaptureInput, CaptureErrorKind>) -> Result<Self, CaptureError> {
        let at = |line| move |kind| CaptureError { at: CapturePosition { line, call: 0 }, kind };
        let input = input.map_err(|kind| match kind {
            CaptureErrorKind::Io(_) => at(0)(kind),
            kind => at(1)(kind),
        })?;
        let (state, (header, version)) = match input {
            CaptureInput::Binary(source, interruption) => {
                let (binary, line) = BinaryReader::open(source, interruption).map_err(at(1))?;
                let header = read_json(&line).and_then(CaptureHeader::from_json);
                (ReaderState::Binary(Box::new(binary)), header.map_err(at(1))?)
            }
            CaptureInput::Lines(mut lines) => {
                let header = match lines.next() {
                    Ok(Some(line)) => read_json(line).and_then(CaptureHeader::from_json),
                    Ok(None) => Err(CaptureErrorKind::NoHeader),
                    Err(kind) => Err(kind),
                };
                let header = header.map_err(|kind| match foreign::kind(lines.line()) {
                    Some(what) => at(0)(CaptureErrorKind::Foreign(what)),
                    None => at(lines.number.max(1))(kind),
                })?;
                (ReaderState::Lines(lines), header)
            }
        };
        Ok(CaptureReader {
            state,
            header,
            version,
            objects: KnownObjects::default(),
            records: 0,
            calls: 0,
            failed: false,
        })
    }

    /// Returns the capture's header, its first line.
    pub fn header(&self) -> &CaptureHeader {
        &self.header
    }

    /// Returns the version of the format: 2 may contain events, 3 also notes.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Returns the size in bytes of the last record read, including its bitmaps and byte arrays.
    pub fn line_bytes(&self) -> usize {
        match &self.state {
            ReaderState::Lines(lines) => lines.line().len(),
            ReaderState::Binary(binary) => binary.record_bytes,
        }
    }

    /// Returns the size in bytes of an uncompressed file of lines, in which [`CaptureReader::seek`] can also go back,
    /// or `None` for other captures.
    pub fn text_bytes(&self) -> Option<u64> {
        match &self.state {
            ReaderState::Lines(lines) => lines.file_bytes(),
            ReaderState::Binary(_) => None,
        }
    }

    /// Seeks to a record by its 0-based index. A binary capture is read from the start of the record's block, an
    /// uncompressed file of lines from the nearest known position before the record. A text capture that is compressed,
    /// or that isn't a file, can only be read forwards.
    /// Errors: [`CaptureErrorKind::NoSeek`] for an earlier record of a capture that can only be read forwards; errors
    /// of reading the capture.
    pub fn seek(&mut self, index: &CaptureIndex, record: u64) -> Result<(), CaptureError> {
        let forwards =
            matches!(&self.state, ReaderState::Lines(lines) if lines.file_bytes().is_none());
        if forwards && record < self.records {
            return Err(self.error(CaptureErrorKind::NoSeek));
        }
        if forwards {
            while self.records < record && self.next().transpose()?.is_some() {}
            return Ok(());
        }
        self.objects = index.objects_before(record);
        self.failed = false;
        self.records = record;
        self.calls = index.calls_before(record);
        let done = match &mut self.state {
            ReaderState::Binary(binary) => binary.seek(&index.blocks, record),
            // The header is line 0.
            ReaderState::Lines(lines) => lines.seek(record + 1),
        };
        done.map_err(|kind| self.error(kind))
    }

    /// Calls `see` with the next record, unchecked and without payloads. Returns false at the end of the capture.
    fn skim(&mut self, see: impl FnOnce(&Json<'_>)) -> Result<bool, CaptureError> {
        let seen = self.state.more().and_then(|more| {
            if more {
                let json = self.state.next(false)?;
                self.calls +=
                    u64::from(matches!(CaptureRecord::summary(&json), RecordSummary::Call { .. }));
                see(&json);
            }
            Ok(more)
        });
        seen.map_err(|kind| self.error(kind))
    }

    /// Returns the index at the end of a binary capture. Returns `None` for a capture of lines, or if the index is
    /// missing or damaged; [`CaptureIndex::scan`] then builds one.
    pub fn index(&mut self) -> Option<CaptureIndex> {
        match &mut self.state {
            ReaderState::Binary(binary) => CaptureIndex::parse(&binary.index()?).ok(),
            ReaderState::Lines(_) => None,
        }
    }

    /// Reads the notes, each with the index of its record, without reading the data of calls. [`CaptureReader::seek`]
    /// must be able to go back in the capture; call it before reading the next record. Notes after damaged data are
    /// missing.
    pub fn notes(&mut self, index: &CaptureIndex) -> Vec<(u64, CaptureNote)> {
        let (mut notes, mut at) = (Vec::new(), u64::MAX);
        if self.version < NOTE_VERSION {
            return notes;
        }
        for record in index.others() {
            let far = at > record || record - at > FAR;
            if far && self.seek(index, record).is_err() {
                break;
            }
            at = if far { record } else { at };
            while at < record && matches!(self.skim(|_| ()), Ok(true)) {
                at += 1;
            }
            match self.next() {
                Some(Ok((_, CaptureRecord::Note(note)))) => notes.push((record, note)),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break,
            }
            at += 1;
        }
        notes
    }

    /// Adds a line number to an error. An error in a binary block gets the line of the next record; other errors get
    /// the last line read.
    fn error(&self, kind: CaptureErrorKind) -> CaptureError {
        let line = match (&self.state, &kind) {
            (ReaderState::Binary(binary), CaptureErrorKind::Block { .. }) => binary.record + 2,
            _ => self.state.number(),
        };
        let call = match kind {
            CaptureErrorKind::FrameOrder { .. }
            | CaptureErrorKind::Key { record: "frame" | "event" | "note", .. } => 0,
            _ => self.calls + 1,
        };
        CaptureError { at: CapturePosition { line, call }, kind }
    }

    fn read(&mut self) -> Result<Option<CaptureRecord>, CaptureErrorKind> {
        if !self.state.more()? {
            return Ok(None);
        }
        let json = self.state.next(true)?;
        let record = CaptureRecord::from_json(json, &mut self.objects, self.version);
        let record = record.map_err(|kind| *kind)?;
        self.records += 1;
        self.calls += u64::from(matches!(record, CaptureRecord::Call(_)));
        Ok(Some(record))
    }
}

impl Iterator for CaptureReader {
    type Item = Result<(u64, CaptureRecord), CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        match self.read() {
            Ok(record) => Some(Ok((self.state.number(), record?))),
            Err(kind) => {
                self.failed = true;
                Some(Err(self.error(kind)))
            }
        }
    }
}

impl CaptureIndex {
    /// Opens a capture and returns its index. The index is read from the end of a binary capture; for other captures,
    /// and if it is missing or damaged, all records are read, without payloads. If the capture is damaged, the error
    /// has the position, and the index covers the records before it. The errors are those of [`CaptureReader::open`].
    pub fn open(path: &Path) -> Result<(Self, Option<CaptureError>), CaptureError> {
        CaptureReader::open(path).map(|mut reader| CaptureIndex::scan(&mut reader))
    }

    /// Like [`CaptureIndex::open`], but for a reader at its first record. The scan may leave the reader at the end;
    /// [`CaptureReader::seek`] moves the reader back if the capture is seekable.
    pub fn scan(reader: &mut CaptureReader) -> (Self, Option<CaptureError>) {
        if let Some(index) = reader.index() {
            return (index, None);
        }
        let mut index = CaptureIndex::default();
        let error = loop {
            match reader.skim(|json| index.add(json)) {
                Ok(true) if index.len() > MAX_OBJECTS => {
                    break Some(reader.error(CaptureErrorKind::TooMany { limit: MAX_OBJECTS }));
                }
                Ok(true) => {}
                Ok(false) => break None,
                Err(error) => break Some(error),
            }
        };
        index.stage3ds.clear();
        if let ReaderState::Binary(binary) = &reader.state {
            index.blocks.clone_from(&binary.blocks);
        }
        (index, error)
    }
}

/// Counts the frames of a capture, for progress displays, without checking calls. Returns `None` if the count can't be
/// determined, as for standard input.
pub fn count_frames(path: &Path) -> Option<u64> {
    let index = path.is_file().then(|| CaptureIndex::open(path))?;
    index.ok().map(|(index, _)| index.frames().count() as u64)
}

fn read_json(line: &[u8]) -> Result<Json<'_>, CaptureErrorKind> {
    parse(line).map_err(|error| {
        let text = error.to_string();
        let suffix = format!(" at line {} column {}", error.line(), error.column());
        let reason = text.strip_suffix(&suffix).unwrap_or(&text).to_owned();
        CaptureErrorKind::Json { column: error.column(), reason }
    })
}

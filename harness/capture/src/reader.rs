//! Reads the records of a capture.

use std::io::{Read, Seek};
use std::path::Path;

use super::binary::Binary;
use super::call::Call;
use super::error::{CaptureError, CaptureErrorKind, Position};
use super::fields::{Fields, Line, Whole};
use super::foreign;
use super::header::Header;
use super::index::{BlockPlace, Index};
use super::json::{Json, parse};
use super::objects::{ObjectId, Objects};
use super::record::read_record;
use super::source::{Input, Lines};

/// A record: a line of the JSON Lines form after the header.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A call.
    Call(CallLine),
    /// The end of an SWF frame, counted from 0.
    Frame(u32),
    /// An event that the player dispatched to the program.
    Event(EventLine),
}

/// An event with its object and time.
#[derive(Clone, Debug, PartialEq)]
pub struct EventLine {
    /// The object that dispatched it.
    pub on: ObjectId,
    /// The event.
    pub event: Event,
    /// Seconds since the start of the recording.
    pub time: Option<f64>,
}

/// An event of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// `textureReady`: an asynchronous upload succeeded.
    TextureReady,
    /// `error` with its number: an asynchronous upload failed.
    Error(u16),
}

impl Event {
    /// ActionScript's type of the event.
    pub fn name(self) -> &'static str {
        match self {
            Event::TextureReady => TEXTURE_READY,
            Event::Error(_) => ERROR,
        }
    }

    /// The number of the error, if the event is one.
    pub(super) fn throws(self) -> Option<u16> {
        match self {
            Event::TextureReady => None,
            Event::Error(number) => Some(number),
        }
    }
}

pub(super) const TEXTURE_READY: &str = "textureReady";
pub(super) const ERROR: &str = "error";

/// A call with its receiver, result and other metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct CallLine {
    /// The receiver.
    pub on: ObjectId,
    /// The call with its arguments.
    pub call: Call,
    /// The object that the call created.
    pub result: Option<ObjectId>,
    /// Number of the Flash error that the call raised in the recording player.
    pub throws: Option<u16>,
    /// Seconds since the start of the recording.
    pub time: Option<f64>,
}

/// The source of records, by the capture's form.
enum State {
    Lines(Lines),
    Binary(Box<Binary>),
}

impl State {
    /// Whether there is another record, which can then be read.
    #[inline]
    fn more(&mut self) -> Result<bool, CaptureErrorKind> {
        match self {
            State::Lines(lines) => Ok(lines.next()?.is_some()),
            State::Binary(binary) => binary.more(),
        }
    }

    /// Reads the next record as a whole.
    fn whole(&mut self, with_payloads: bool) -> Result<Json<'_>, CaptureErrorKind> {
        match self {
            State::Lines(lines) => read_json(lines.line().trim_ascii_end()),
            State::Binary(binary) => binary.whole(with_payloads),
        }
    }

    /// Number of the last line read.
    fn number(&self) -> u64 {
        match self {
            State::Lines(lines) => lines.number(),
            State::Binary(binary) => binary.record() + 1,
        }
    }
}

/// Reads a capture record by record. The iterator returns each record with the number of its line (for a binary
/// capture, of the JSON Lines form), and ends after an error. A reader may be sent to another thread.
pub struct Reader {
    state: State,
    header: Header,
    version: u32,
    objects: Objects,
    /// Number of records read, and of the calls among them.
    records: u64,
    calls: u64,
    failed: bool,
}

impl Reader {
    /// Opens a capture of either form, plain or zstd; `-` is standard input.
    ///
    /// # Errors
    /// The file can't be read, or does not begin with a valid header.
    pub fn open(path: &Path) -> Result<Self, CaptureError> {
        Self::from_input(Input::open(path))
    }

    /// Reads a capture of either form, plain or zstd, from any source. A binary capture is first read into memory, at
    /// most a gigabyte; [`Reader::open`] and [`Reader::seekable`] have no such limit.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn new(source: impl Read + Send + 'static) -> Result<Self, CaptureError> {
        Self::from_input(Input::new(source))
    }

    /// Reads an uncompressed file of a binary capture from `source` as needed.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn seekable(source: impl Read + Seek + Send + 'static) -> Result<Self, CaptureError> {
        Self::from_input(Ok(Input::Binary(Box::new(source), None)))
    }

    fn from_input(input: Result<Input, CaptureErrorKind>) -> Result<Self, CaptureError> {
        let at = |line| move |kind| CaptureError { at: Position { line, call: 0 }, kind };
        let input = input.map_err(|kind| match kind {
            CaptureErrorKind::Io(_) => at(0)(kind),
            kind => at(1)(kind),
        })?;
        let (state, (header, version)) = match input {
            Input::Binary(source, interruption) => {
                let (binary, line) = Binary::open(source, interruption).map_err(at(1))?;
                let header = read_json(&line).and_then(|json| Header::read(json));
                (State::Binary(Box::new(binary)), header.map_err(at(1))?)
            }
            Input::Lines(mut lines) => {
                let header = match lines.next() {
                    Ok(Some(line)) => read_json(line).and_then(|json| Header::read(json)),
                    Ok(None) => Err(CaptureErrorKind::NoHeader),
                    Err(kind) => Err(kind),
                };
                let header = header.map_err(|kind| match foreign::kind(lines.line()) {
                    Some(what) => at(0)(CaptureErrorKind::Foreign(what)),
                    None => at(lines.number().max(1))(kind),
                })?;
                (State::Lines(lines), header)
            }
        };
        Ok(Reader {
            state,
            header,
            version,
            objects: Objects::default(),
            records: 0,
            calls: 0,
            failed: false,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The version of the format: 1, or 2 if there may be events.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Bytes of the last record read, including its bitmaps and byte arrays.
    pub fn line_bytes(&self) -> usize {
        match &self.state {
            State::Lines(lines) => lines.line().len(),
            State::Binary(binary) => binary.record_bytes(),
        }
    }

    /// Size in bytes of an uncompressed file of lines, in which [`Reader::seek`] can also go back; `None` for all other
    /// captures.
    pub fn text_bytes(&self) -> Option<u64> {
        match &self.state {
            State::Lines(lines) => lines.file_bytes(),
            State::Binary(_) => None,
        }
    }

    /// Makes `record`, counted from 0, the next one. A binary capture is read from the start of the record's block, an
    /// uncompressed file of lines from the nearest known position before the record. Other captures can only be read
    /// forwards.
    ///
    /// # Errors
    /// [`CaptureErrorKind::NoSeek`] for a record that was already read, if the capture can only be read forwards;
    /// errors of reading the capture.
    pub fn seek(&mut self, index: &Index, record: u64) -> Result<(), CaptureError> {
        let done = match &mut self.state {
            State::Binary(binary) => {
                self.objects = Objects::before(record, index);
                self.failed = false;
                self.calls = index.calls_before(record);
                binary.seek(index, record)
            }
            State::Lines(lines) if lines.file_bytes().is_some() => {
                self.objects = Objects::before(record, index);
                self.failed = false;
                self.records = record;
                self.calls = index.calls_before(record);
                // The header is line 0.
                lines.seek(record + 1)
            }
            State::Lines(_) if record < self.records => Err(CaptureErrorKind::NoSeek),
            State::Lines(_) => {
                while self.records < record && self.next().transpose()?.is_some() {}
                Ok(())
            }
        };
        done.map_err(|kind| self.error(kind))
    }

    /// Passes the next record to `see`, unchecked and without payloads. Returns false at the end.
    pub(super) fn skim(&mut self, see: impl FnOnce(&Json<'_>)) -> Result<bool, CaptureError> {
        let seen = match self.state.more() {
            Ok(true) => self.state.whole(false).map(|json| {
                let is_call = matches!(&json, Json::Object(object) if object.get("call").is_some());
                self.calls += u64::from(is_call);
                see(&json);
            }),
            Ok(false) => return Ok(false),
            Err(kind) => Err(kind),
        };
        seen.map(|()| true).map_err(|kind| self.error(kind))
    }

    /// The index at the end of a binary capture. `None` for a capture of lines, and if the index is missing or damaged;
    /// [`Index::read`] then builds one.
    pub fn index(&mut self) -> Option<Index> {
        match &mut self.state {
            State::Binary(binary) => binary.index(),
            State::Lines(_) => None,
        }
    }

    /// The blocks that were read so far.
    pub(super) fn places(&self) -> Vec<BlockPlace> {
        match &self.state {
            State::Binary(binary) => binary.places().to_vec(),
            State::Lines(_) => Vec::new(),
        }
    }

    /// Adds the line to an error: that of the next record for an error in a block, else the last line read.
    fn error(&self, kind: CaptureErrorKind) -> CaptureError {
        let line = match (&self.state, &kind) {
            (State::Binary(binary), CaptureErrorKind::Block { .. }) => binary.record() + 2,
            _ => self.state.number(),
        };
        let call = match kind {
            CaptureErrorKind::FrameOrder { .. }
            | CaptureErrorKind::Key { place: "frame" | "event", .. } => 0,
            _ => self.calls + 1,
        };
        CaptureError { at: Position { line, call }, kind }
    }

    /// Reads the next record in any order of its fields.
    #[cold]
    fn in_any_order(&mut self) -> Result<Record, CaptureErrorKind> {
        let Json::Object(object) = self.state.whole(true)? else {
            return Err(CaptureErrorKind::NotAnObject);
        };
        let fields = &mut Whole::new(object);
        let record = read_record(fields, &mut self.objects, self.version);
        let record = record.map_err(|kind| *kind)?;
        self.records += 1;
        self.calls += u64::from(matches!(record, Record::Call(_)));
        Ok(record)
    }

    #[cold]
    fn fail(&mut self, kind: CaptureErrorKind) -> CaptureError {
        self.failed = true;
        self.error(kind)
    }
}

impl Iterator for Reader {
    type Item = Result<(u64, Record), CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        match self.state.more() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(kind) => return Some(Err(self.fail(kind))),
        }
        // Returned from here, because it costs more to move a record than to read one.
        match &mut self.state {
            State::Lines(lines) => {
                let mut line = Line::new(lines.line().trim_ascii_end());
                if let Ok(record) = read_record(&mut line, &mut self.objects, self.version)
                    && line.is_complete()
                {
                    self.records += 1;
                    self.calls += u64::from(matches!(record, Record::Call(_)));
                    return Some(Ok((lines.number(), record)));
                }
            }
            State::Binary(binary) => {
                let mut fields = binary.fields();
                if let Ok(record) = read_record(&mut fields, &mut self.objects, self.version)
                    && fields.is_complete()
                {
                    let size = fields.size();
                    drop(fields);
                    binary.pass(size);
                    self.records += 1;
                    self.calls += u64::from(matches!(record, Record::Call(_)));
                    return Some(Ok((binary.record() + 1, record)));
                }
            }
        }
        let record = self.in_any_order().map_err(|kind| self.fail(kind));
        Some(record.map(|record| (self.state.number(), record)))
    }
}

/// Number of frames in a capture, for progress displays; calls are not checked. `None` if unknown, as for standard
/// input.
pub fn count_frames(path: &Path) -> Option<u64> {
    let index = path.is_file().then(|| Index::open(path))?;
    index.ok().map(|(index, _)| index.frames().count() as u64)
}

fn read_json(line: &[u8]) -> Result<Json<'_>, CaptureErrorKind> {
    parse(line).map_err(|error| {
        let text = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let reason = text.strip_suffix(&place).unwrap_or(&text).to_owned();
        CaptureErrorKind::Json { column: error.column(), reason }
    })
}

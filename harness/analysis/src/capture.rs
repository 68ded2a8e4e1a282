//! A capture with an index of its calls, frames and objects. Calls are in memory, or read from the file on demand.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{
    Call, CallLine, CaptureError, CaptureHeader, CaptureIndex, CaptureNote, CaptureReader,
    CaptureRecord, CaptureWriter, Creation, Form, NOTE_VERSION,
};

use crate::error::{InspectError, Result};
use crate::notes::{CallSite, Notes};
use crate::pages::Pages;
pub use crate::pages::{CaptureEntry, NumberedRecord};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureLimits {
    /// The last frame to read. `None` reads all frames.
    pub last_frame: Option<u32>,
    /// Maximum size in bytes of the text lines that are read into memory.
    pub bytes: u64,
    /// Maximum size in bytes of an uncompressed JSON Lines file that is read into memory. Larger files are read on
    /// demand.
    pub file_bytes: u64,
}

impl Default for CaptureLimits {
    /// Returns the default limits: 4 GiB of text lines in memory, and 256 MiB for uncompressed JSON Lines files.
    fn default() -> Self {
        CaptureLimits { last_frame: None, bytes: 4 << 30, file_bytes: 256 << 20 }
    }
}

/// The calls of an SWF frame. Calls after the last frame end form an additional frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureFrame {
    /// The frame's number in the capture. Calls after the last frame end get the next number.
    pub number: u32,
    /// The range of the frame's calls, as 1-based call numbers.
    pub calls: Range<usize>,
    pub ended: bool,
    /// The range of the frame's records, as 0-based indices, including the frame's end.
    pub records: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureObject {
    pub kind: ObjectKind,
    /// The 1-based index of the call that created or first named the object; 0 if no call did.
    pub created: usize,
}

enum CaptureStore {
    /// The records are in memory, with their line numbers. Captures derived from this capture share the calls.
    Memory(Vec<NumberedRecord>),
    File(Box<Mutex<Pages>>),
}

/// A capture that is being read into memory in several steps: see [`Capture::read`].
#[derive(Default)]
pub struct CaptureRead {
    records: Vec<NumberedRecord>,
    bytes: u64,
    failed: Option<CaptureError>,
    /// The pixel data of uploads, deduplicated.
    pixels: HashSet<Arc<Vec<u8>>>,
}

impl CaptureRead {
    /// Reads at most `most` records. Returns true at the end of the capture, after an invalid line, or after
    /// [`CaptureLimits::last_frame`].
    pub fn advance(
        &mut self,
        reader: &mut CaptureReader,
        limits: CaptureLimits,
        most: usize,
    ) -> Result<bool> {
        for _ in 0..most {
            let Some(record) = reader.next() else { return Ok(true) };
            self.bytes = self.bytes.saturating_add(reader.line_bytes() as u64);
            if self.bytes > limits.bytes {
                return Err(InspectError::TooLarge(limits.bytes));
            }
            match record {
                Ok((line, mut record)) => {
                    self.share_pixels(&mut record);
                    self.records.push((line, CaptureEntry::from(record)));
                }
                Err(error) => self.failed = Some(error),
            }
            if let (Some(last), Some((_, CaptureEntry::Frame(frame)))) =
                (limits.last_frame, self.records.last())
                && *frame >= last
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn share_pixels(&mut self, record: &mut CaptureRecord) {
        if let CaptureRecord::Call(line) = record
            && let Call::TextureUploadFromBitmapData { source: Some(source), .. }
            | Call::TextureUploadFromBitmapDataAsync { source: Some(source), .. } =
                &mut line.call
        {
            match self.pixels.get(&source.bgra) {
                Some(known) => source.bgra = Arc::clone(known),
                None => drop(self.pixels.insert(Arc::clone(&source.bgra))),
            }
        }
    }

    pub fn finish(mut self, reader: &CaptureReader) -> Result<Capture> {
        if let Some(error) = self.failed.take_if(|_| self.records.is_empty()) {
            return Err(error.into());
        }
        let capture = Capture::memory(reader.header().clone(), self.records);
        let failure = self.failed.map(|error| error.to_string());
        Ok(Capture { bytes: self.bytes, failure, ..capture })
    }
}

pub struct Capture {
    header: CaptureHeader,
    store: CaptureStore,
    index: CaptureIndex,
    records: usize,
    calls: usize,
    frames: Vec<CaptureFrame>,
    objects: BTreeMap<ObjectId, CaptureObject>,
    bytes: u64,
    failure: Option<String>,
    /// The capture's annotations, loaded on first use.
    notes: OnceLock<Notes>,
}

impl std::fmt::Debug for Capture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Capture { records, calls, .. } = self;
        write!(f, "Capture({calls} calls in {records} records)")
    }
}

impl Capture {
    /// Opens a capture. Binary captures with an index and large uncompressed JSON Lines files are read on demand; JSON
    /// Lines files are first indexed in one pass. Binary captures without an index, compressed captures and small files
    /// are read into memory: see [`Capture::read`].
    pub fn open(mut reader: CaptureReader, limits: CaptureLimits) -> Result<Capture> {
        if let Some(index) = reader.index() {
            return Ok(Capture::file(reader, index, limits.last_frame));
        }
        if reader.text_bytes().is_none_or(|bytes| bytes <= limits.file_bytes) {
            return Capture::read(&mut reader, limits);
        }
        match CaptureIndex::scan(&mut reader) {
            (index, Some(error)) if index.records() == 0 => Err(error.into()),
            (index, failed) => Ok(Capture {
                failure: failed.map(|error| error.to_string()),
                ..Capture::file(reader, index, limits.last_frame)
            }),
        }
    }

    /// Reads a capture into memory. Reading ends at an invalid line: see [`Capture::failure`].
    pub fn read(reader: &mut CaptureReader, limits: CaptureLimits) -> Result<Capture> {
        let mut reading = CaptureRead::default();
        while !reading.advance(reader, limits, usize::MAX)? {}
        reading.finish(reader)
    }

    /// Creates a capture of these records. The first record gets line number 2, because line 1 is the header.
    pub fn new(
        header: CaptureHeader,
        records: impl IntoIterator<Item = impl Into<CaptureEntry>>,
    ) -> Capture {
        let records = records.into_iter().map(Into::into);
        Capture::memory(header, (2..).zip(records).collect())
    }

    fn memory(header: CaptureHeader, records: Vec<NumberedRecord>) -> Capture {
        let index = CaptureIndex::of(records.iter().map(|(_, record)| record));
        Capture::with(header, CaptureStore::Memory(records), index, None)
    }

    fn file(reader: CaptureReader, index: CaptureIndex, last_frame: Option<u32>) -> Capture {
        let header = reader.header().clone();
        let store = CaptureStore::File(Box::new(Mutex::new(Pages::new(reader))));
        Capture::with(header, store, index, last_frame)
    }

    fn with(
        header: CaptureHeader,
        store: CaptureStore,
        index: CaptureIndex,
        last_frame: Option<u32>,
    ) -> Capture {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let calls_before = |record| number(index.calls_before(record));
        let frame = |frame, ended, records: Range<u64>| CaptureFrame {
            number: frame,
            calls: calls_before(records.start) + 1..calls_before(records.end) + 1,
            ended,
            records: number(records.start)..number(records.end),
        };
        let is_last = |frame: u32| last_frame.is_some_and(|last| frame >= last);
        let last = index.frames().find(|(frame, _)| is_last(*frame));
        let end = last.map_or(index.records(), |(_, records)| records.end);
        let ended = index.frames().take_while(|(_, records)| records.end <= end);
        let mut frames: Vec<CaptureFrame> = Vec::new();
        let (mut start, mut next) = (0, 0);
        for (number, records) in ended {
            (start, next) = (records.end, number.saturating_add(1));
            frames.push(frame(number, true, records));
        }
        if start < end {
            frames.push(frame(next, false, start..end));
        }
        let created = index.objects().iter().filter(|made| made.record < end);
        let object = |made: &Creation| {
            (made.id, CaptureObject { kind: made.kind, created: calls_before(made.record) + 1 })
        };
        let objects = created.map(object).collect();
        let (records, calls) = (number(end), calls_before(end));
        let (bytes, failure, notes) = (0, None, OnceLock::new());
        Capture { header, store, index, records, calls, frames, objects, bytes, failure, notes }
    }

    pub fn header(&self) -> &CaptureHeader {
        &self.header
    }

    /// Returns the size in bytes of the lines that were read into memory. For a capture that was created from records
    /// or is read on demand, the size is 0.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the error message of the invalid line at which reading stopped.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub(crate) fn notes(&self) -> &Notes {
        self.notes.get_or_init(|| {
            let mut notes = Notes::default();
            let mut add = |record, note: &CaptureNote| {
                let after = self.frames.partition_point(|frame| frame.records.end <= record);
                let frame = self.frames.get(after).map_or(0, |frame| frame.records.start);
                notes.add(note, record, frame);
            };
            match &self.store {
                CaptureStore::Memory(records) => {
                    for (record, (_, entry)) in records.iter().enumerate() {
                        if let CaptureEntry::Note(note) = entry {
                            add(record, note);
                        }
                    }
                }
                CaptureStore::File(pages) => {
                    let mut pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
                    for (record, note) in pages.notes(&self.index) {
                        add(usize::try_from(record).unwrap_or(usize::MAX), &note);
                    }
                }
            }
            notes
        })
    }

    /// Returns the number of calls. Calls are numbered from 1.
    pub fn call_count(&self) -> usize {
        self.calls
    }

    pub fn frames(&self) -> &[CaptureFrame] {
        &self.frames
    }

    pub fn objects(&self) -> &BTreeMap<ObjectId, CaptureObject> {
        &self.objects
    }

    /// Returns a call with its line number in the file.
    pub fn call(&self, call: usize) -> Result<(u64, Arc<CallLine>)> {
        match self.record(self.record_index(call)?)? {
            Some((line, CaptureEntry::Call(call))) => Ok((line, call)),
            _ => Err(self.no_call(call)),
        }
    }

    /// Returns the number of the last complete frame. Errors: [`InspectError::NoFrame`] without a complete frame.
    pub fn last_complete_frame(&self) -> Result<u32> {
        let mut ended = self.frames().iter().rev().filter(|frame| frame.ended);
        let missing = InspectError::NoFrame { frame: 0, there: None };
        ended.next().map(|frame| frame.number).ok_or(missing)
    }

    pub fn frame(&self, number: u32) -> Result<&CaptureFrame> {
        let index = self.frames.binary_search_by_key(&number, |frame| frame.number);
        let found = index.ok().and_then(|index| self.frames.get(index));
        let ends = self.frames.first().zip(self.frames.last());
        found.ok_or(InspectError::NoFrame {
            frame: number,
            there: ends.map(|(first, last)| (first.number, last.number)),
        })
    }

    pub(crate) fn kind(&self, id: ObjectId) -> Option<ObjectKind> {
        self.objects.get(&id).map(|object| object.kind)
    }

    /// Returns the call that created an object, or `None` if the call can't be read.
    pub(crate) fn creation(&self, id: ObjectId) -> Option<Arc<CallLine>> {
        Some(self.call(self.objects.get(&id)?.created).ok()?.1)
    }

    /// Returns the context that created an object; for a context, returns its own id.
    pub(crate) fn context_of(&self, on: ObjectId) -> ObjectId {
        let is_context = self.kind(on) == Some(ObjectKind::Context3D);
        if is_context { on } else { self.creation(on).map_or(on, |line| line.on) }
    }

    pub fn frame_of(&self, call: usize) -> Option<&CaptureFrame> {
        let after = self.frames.partition_point(|frame| frame.calls.end <= call);
        self.frames.get(after)
    }

    pub(crate) fn record_count(&self) -> usize {
        self.records
    }

    /// Returns the record with a 0-based index and its line number. Returns `None` after the last record.
    pub fn record(&self, record: usize) -> Result<Option<NumberedRecord>> {
        if record >= self.records {
            return Ok(None);
        }
        match &self.store {
            CaptureStore::Memory(records) => Ok(records.get(record).cloned()),
            CaptureStore::File(pages) => {
                let mut pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(pages.record(&self.index, record)?)
            }
        }
    }

    pub(crate) fn records(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = Result<NumberedRecord>> {
        range.map_while(|record| self.record(record).transpose())
    }

    /// Returns the 0-based index of a call's record.
    pub fn record_index(&self, call: usize) -> Result<usize> {
        let number = call.checked_sub(1).filter(|_| call <= self.calls);
        let record = number.and_then(|call| self.index.record_of_call(call as u64));
        record.and_then(|it| usize::try_from(it).ok()).ok_or_else(|| self.no_call(call))
    }

    /// Returns the number of the first call at or after a record.
    pub(crate) fn first_call(&self, record: usize) -> usize {
        usize::try_from(self.index.calls_before(record as u64)).unwrap_or(usize::MAX - 1) + 1
    }

    fn no_call(&self, call: usize) -> InspectError {
        InspectError::NoCall { call, last: self.calls }
    }

    /// Writes the capture as text or binary, in the oldest version of the format that supports all its records.
    pub fn write<W: std::io::Write>(&self, output: W, form: Form) -> std::io::Result<W> {
        let mut writer = CaptureWriter::with_form(output, &self.header, form, self.version()?)?;
        for record in self.records(0..self.records) {
            writer.write(&record.map_err(invalid)?.1)?;
        }
        writer.finish()
    }

    fn version(&self) -> std::io::Result<u32> {
        let mut version = 1;
        for record in self.records(0..self.records) {
            version = version.max(record.map_err(invalid)?.1.version());
            if version == NOTE_VERSION {
                break;
            }
        }
        Ok(version)
    }
}

pub(crate) fn invalid(error: InspectError) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string())
}

impl Capture {
    /// Returns the name that the host gave to an object.
    pub fn label(&self, id: ObjectId) -> Option<&str> {
        self.notes().names.get(&id).map(String::as_str)
    }

    /// Returns the name annotations of the objects that the calls `creating` created, and the call stacks of the calls
    /// in `of`.
    pub(crate) fn notes_about<'a>(
        &'a self,
        creating: &'a [CallLine],
        of: impl Iterator<Item = &'a CallLine>,
    ) -> impl Iterator<Item = CaptureEntry> + 'a {
        let notes = self.notes();
        let named = creating.iter().filter_map(|line| line.result).filter_map(|on| {
            let text = notes.names.get(&on)?.clone();
            Some(CaptureNote::Name { on, text })
        });
        let used: BTreeSet<u32> = of.filter_map(|line| line.stack).collect();
        let stacks = used.into_iter().filter_map(|number| {
            let functions = notes.stacks.get(&number)?.clone();
            Some(CaptureNote::Stack { number, functions })
        });
        named.chain(stacks).map(|note| CaptureEntry::Note(Arc::new(note)))
    }

    /// Returns the marker regions and the call stack of a call.
    pub fn call_site(&self, call: usize, line: &CallLine) -> CallSite {
        let notes = self.notes();
        let stack = line.stack.and_then(|number| notes.stacks.get(&number));
        let frame = self.frame_of(call).map_or(0, |frame| frame.records.start);
        let regions = self.record_index(call).map_or(&[][..], |at| notes.parts_at(at, frame));
        let markers = regions.iter().map(|text| text.as_ref().to_owned()).collect();
        CallSite { markers, stack: stack.cloned().unwrap_or_default() }
    }
}

//! A capture: its calls, in memory or read from its file when needed, with an index of calls, frames and objects.

use std::collections::{BTreeMap, HashSet};
use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{
    Call, CallLine, CaptureError, Form, Header, Index, NOTE_VERSION, Reader, Record, Writer,
};

use crate::error::{InspectError, Result};
use crate::notes::Notes;
use crate::pages::Pages;
pub use crate::pages::{Entry, Numbered};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The last frame to read, all if `None`; later calls are not read.
    pub last_frame: Option<u32>,
    /// Most bytes of lines to hold in memory.
    pub bytes: u64,
    /// Largest plain file of lines, in bytes, that is read into memory. Larger ones are read from the file when needed.
    pub file_bytes: u64,
}

impl Default for Limits {
    /// The whole capture: up to 4 GiB of lines in memory, and plain files of lines up to 256 MiB.
    fn default() -> Self {
        Limits { last_frame: None, bytes: 4 << 30, file_bytes: 256 << 20 }
    }
}

/// The calls of an SWF frame; those after the last frame end count as another frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The frame's number in the capture. Calls after the last frame end have the next number.
    pub number: u32,
    /// Numbers of its calls, counted from 1.
    pub calls: Range<usize>,
    pub ended: bool,
    /// Indices of its records, counted from 0, including the frame's end.
    pub records: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    pub kind: ObjectKind,
    /// The call that created the object, or first named it; 0 for none.
    pub created: usize,
}

enum Store {
    /// In memory, with their lines. Captures that are made from this one share the calls.
    Memory {
        records: Vec<Numbered>,
        calls: Vec<usize>,
    },
    File {
        index: Index,
        pages: Box<Mutex<Pages>>,
    },
}

/// A capture that is being read into memory in parts: see [`Capture::read`].
#[derive(Default)]
pub struct Reading {
    records: Vec<Numbered>,
    bytes: u64,
    failed: Option<CaptureError>,
    /// The pixels of uploads, so that equal ones are in memory once.
    pixels: HashSet<Arc<Vec<u8>>>,
}

impl Reading {
    /// Reads at most `most` records. Returns whether reading is finished: at the end of the capture, after an invalid
    /// line, or after [`Limits::last_frame`].
    pub fn advance(&mut self, reader: &mut Reader, limits: Limits, most: usize) -> Result<bool> {
        for _ in 0..most {
            let Some(record) = reader.next() else { return Ok(true) };
            self.bytes = self.bytes.saturating_add(reader.line_bytes() as u64);
            if self.bytes > limits.bytes {
                return Err(InspectError::TooLarge(limits.bytes));
            }
            match record {
                Ok((line, mut record)) => {
                    self.share_pixels(&mut record);
                    self.records.push((line, Entry::from(record)));
                }
                Err(error) => self.failed = Some(error),
            }
            if let (Some(last), Some((_, Entry::Frame(frame)))) =
                (limits.last_frame, self.records.last())
                && *frame >= last
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn share_pixels(&mut self, record: &mut Record) {
        if let Record::Call(line) = record
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

    pub fn finish(mut self, reader: &Reader) -> Result<Capture> {
        if let Some(error) = self.failed.take_if(|_| self.records.is_empty()) {
            return Err(error.into());
        }
        let capture = Capture::memory(reader.header().clone(), self.records);
        let failure = self.failed.map(|error| error.to_string());
        Ok(Capture { bytes: self.bytes, failure, ..capture })
    }
}

pub struct Capture {
    header: Header,
    store: Store,
    records: usize,
    calls: usize,
    frames: Vec<Frame>,
    objects: BTreeMap<ObjectId, Object>,
    bytes: u64,
    failure: Option<String>,
    /// Read from a file when they are needed first.
    notes: OnceLock<Notes>,
}

impl std::fmt::Debug for Capture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Capture { records, calls, .. } = self;
        write!(f, "Capture({calls} calls in {records} records)")
    }
}

impl Capture {
    /// Opens a capture. Records are read from the file when needed, and not kept, if it is a binary capture with an
    /// index (which is opened without reading all of it) or a large plain file of lines (which is read once to build
    /// the index). All other captures are read into memory: see [`Capture::read`].
    pub fn open(mut reader: Reader, limits: Limits) -> Result<Capture> {
        if let Some(index) = reader.index() {
            return Ok(Capture::file(reader, index, limits.last_frame));
        }
        if reader.text_bytes().is_none_or(|bytes| bytes <= limits.file_bytes) {
            return Capture::read(&mut reader, limits);
        }
        match Index::scan(&mut reader) {
            (index, Some(error)) if index.records() == 0 => Err(error.into()),
            (index, failed) => Ok(Capture {
                failure: failed.map(|error| error.to_string()),
                ..Capture::file(reader, index, limits.last_frame)
            }),
        }
    }

    /// Reads a capture into memory. An invalid line ends it: see [`Capture::failure`].
    pub fn read(reader: &mut Reader, limits: Limits) -> Result<Capture> {
        let mut reading = Reading::default();
        while !reading.advance(reader, limits, usize::MAX)? {}
        reading.finish(reader)
    }

    /// Creates a capture of these records. The first one is in line 2.
    pub fn new(header: Header, records: impl IntoIterator<Item = impl Into<Entry>>) -> Capture {
        let records = records.into_iter().map(Into::into);
        Capture::memory(header, (2..).zip(records).collect())
    }

    fn memory(header: Header, records: Vec<Numbered>) -> Capture {
        let (mut ends, mut objects, mut calls) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut notes = Notes::default();
        for (index, (_, record)) in records.iter().enumerate() {
            match record {
                Entry::Call(line) => {
                    calls.push(index);
                    note_objects(&mut objects, line, calls.len());
                }
                Entry::Frame(number) => ends.push((*number, index + 1, calls.len())),
                Entry::Event(_) => {}
                Entry::Note(note) => {
                    let first = ends.last().map_or(0, |(_, end, _)| *end);
                    notes.add(note, index, first);
                }
            }
        }
        let counts = (records.len(), calls.len());
        let store = Store::Memory { records, calls };
        Capture { notes: notes.into(), ..Capture::with(header, store, ends, objects, counts) }
    }

    fn file(reader: Reader, index: Index, last_frame: Option<u32>) -> Capture {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let calls_before = |record| number(index.calls_before(record));
        let mut ends = Vec::new();
        let mut end = index.records();
        for (frame, records) in index.frames() {
            ends.push((frame, number(records.end), calls_before(records.end)));
            if last_frame.is_some_and(|last| frame >= last) {
                end = records.end;
                break;
            }
        }
        let created = index.objects().iter().filter(|made| made.record < end);
        let objects = created.map(|made| {
            (made.id, Object { kind: made.kind, created: calls_before(made.record) + 1 })
        });
        let (objects, counts) = (objects.collect(), (number(end), calls_before(end)));
        let header = reader.header().clone();
        let store = Store::File { index, pages: Box::new(Mutex::new(Pages::new(reader))) };
        Capture::with(header, store, ends, objects, counts)
    }

    /// `ends` are the frames' numbers, with the number of records and calls up to the end of each.
    fn with(
        header: Header,
        store: Store,
        ends: Vec<(u32, usize, usize)>,
        objects: BTreeMap<ObjectId, Object>,
        (records, calls): (usize, usize),
    ) -> Capture {
        let mut frames: Vec<Frame> = Vec::new();
        let mut add = |number: Option<u32>, record: usize, call: usize| {
            let last = frames.last();
            let (first, start) = last.map_or((0, 1), |last| (last.records.end, last.calls.end));
            let next = last.map_or(0, |last| last.number.saturating_add(1));
            if number.is_some() || first < record {
                frames.push(Frame {
                    number: number.unwrap_or(next),
                    calls: start..call + 1,
                    ended: number.is_some(),
                    records: first..record,
                });
            }
        };
        for (number, record, call) in ends {
            add(Some(number), record, call);
        }
        add(None, records, calls);
        let (failure, notes) = (None, OnceLock::new());
        Capture { header, store, records, calls, frames, objects, bytes: 0, failure, notes }
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Bytes of the lines that were read into memory; 0 for a capture that was created from records or is read from its
    /// file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The message of the invalid line at which reading ended early.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub(crate) fn notes(&self) -> &Notes {
        self.notes.get_or_init(|| {
            let mut notes = Notes::default();
            if let Store::File { index, pages } = &self.store {
                let mut pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
                for (record, note) in pages.notes(index) {
                    let record = usize::try_from(record).unwrap_or(usize::MAX);
                    let after = self.frames.partition_point(|frame| frame.records.end <= record);
                    let frame = self.frames.get(after).map_or(0, |frame| frame.records.start);
                    notes.add(&note, record, frame);
                }
            }
            notes
        })
    }

    /// The number of calls, which is also the number of the last call.
    pub fn call_count(&self) -> usize {
        self.calls
    }

    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    pub fn objects(&self) -> &BTreeMap<ObjectId, Object> {
        &self.objects
    }

    /// A call with its line in the file.
    pub fn call(&self, call: usize) -> Result<(u64, Arc<CallLine>)> {
        match self.record(self.record_index(call)?)? {
            Some((line, Entry::Call(call))) => Ok((line, call)),
            _ => Err(self.no_call(call)),
        }
    }

    pub fn frame(&self, number: u32) -> Result<&Frame> {
        let index = self.frames.binary_search_by_key(&number, |frame| frame.number);
        let found = index.ok().and_then(|index| self.frames.get(index));
        let ends = self.frames.first().zip(self.frames.last());
        found.ok_or(InspectError::NoFrame {
            frame: number,
            there: ends.map(|(first, last)| (first.number, last.number)),
        })
    }

    /// The context of a call's receiver: objects were created by theirs.
    pub(crate) fn context_of(&self, on: ObjectId) -> ObjectId {
        let object = self.objects.get(&on).filter(|object| object.kind != ObjectKind::Context3D);
        let call = object.and_then(|object| self.call(object.created).ok());
        call.map_or(on, |(_, line)| line.on)
    }

    pub fn frame_of(&self, call: usize) -> Option<&Frame> {
        let after = self.frames.partition_point(|frame| frame.calls.end <= call);
        self.frames.get(after)
    }

    pub(crate) fn record_count(&self) -> usize {
        self.records
    }

    /// A record, counted from 0, with its line; `None` after the last one.
    pub fn record(&self, record: usize) -> Result<Option<Numbered>> {
        if record >= self.records {
            return Ok(None);
        }
        match &self.store {
            Store::Memory { records, .. } => Ok(records.get(record).cloned()),
            Store::File { index, pages } => {
                let mut pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(pages.record(index, record)?)
            }
        }
    }

    pub(crate) fn records(&self, range: Range<usize>) -> impl Iterator<Item = Result<Numbered>> {
        range.map_while(|record| self.record(record).transpose())
    }

    /// The index of a call's record, counted from 0.
    pub fn record_index(&self, call: usize) -> Result<usize> {
        let number = call.checked_sub(1).filter(|_| call <= self.calls);
        let record = number.and_then(|call| match &self.store {
            Store::Memory { calls, .. } => calls.get(call).copied(),
            Store::File { index, .. } => usize::try_from(index.record_of_call(call as u64)?).ok(),
        });
        record.ok_or_else(|| self.no_call(call))
    }

    /// The number of a record's call, counted from 1; for another record, of the call before it.
    pub(crate) fn call_of(&self, record: usize) -> u64 {
        match &self.store {
            Store::Memory { calls, .. } => calls.partition_point(|call| *call <= record) as u64,
            Store::File { index, .. } => index.calls_before(record as u64 + 1),
        }
    }

    /// Checks a range of calls: it must not be empty, and all calls must exist.
    pub(crate) fn calls(&self, range: RangeInclusive<usize>) -> Result<RangeInclusive<usize>> {
        if range.is_empty() {
            return Err(InspectError::EmptyRange);
        }
        self.record_index(*range.start())?;
        self.record_index(*range.end())?;
        Ok(range)
    }

    fn no_call(&self, call: usize) -> InspectError {
        InspectError::NoCall { call, last: self.calls }
    }

    /// Writes the capture in any form, in the oldest version of the format that has all its records.
    pub fn write<W: std::io::Write>(&self, output: W, form: Form) -> std::io::Result<W> {
        let mut writer = Writer::with_form(output, &self.header, form, self.version()?)?;
        for record in self.records(0..self.records) {
            record.map_err(invalid)?.1.write(&mut writer)?;
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

fn note_objects(objects: &mut BTreeMap<ObjectId, Object>, line: &CallLine, created: usize) {
    if line.call.info().receivers == [ObjectKind::Stage3D] {
        let kind = ObjectKind::Stage3D;
        objects.entry(line.on).or_insert(Object { kind, created });
    }
    if let (Some(id), Some(kind)) = (line.result, line.call.creates()) {
        objects.insert(id, Object { kind, created });
    }
}

//! The index of a capture: where its frames, calls and objects are.

use std::ops::Range;
use std::path::Path;

use super::binary::{BlockKind, Cursor, MAX_INDEX_BYTES, put};
use super::call::CALLS;
use super::error::{BlockFault, CaptureError, CaptureErrorKind, Position};
use super::json::Json;
use super::objects::{MAX_OBJECTS, ObjectId, ObjectKind, STAGE3DS};
use super::reader::Reader;
use super::writer::Line;

/// The position of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockPlace {
    pub(super) kind: BlockKind,
    pub(super) offset: u64,
    /// Number of the block's first record or payload.
    pub(super) first: u64,
}

/// A record that is not a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    record: u64,
    /// The number of the frame that ends; `None` for an event.
    frame: Option<u32>,
}

/// The creation of an object, or the first call on a Stage3D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Creation {
    /// The object's id.
    pub id: ObjectId,
    /// The object's class.
    pub kind: ObjectKind,
    /// Number of the record that creates it.
    pub record: u64,
}

/// The frames, calls and objects of a capture. Records and calls are counted from 0; record 0 is in line 2 of the JSON
/// Lines form.
#[derive(Debug, Default, PartialEq)]
pub struct Index {
    records: u64,
    marks: Vec<Mark>,
    objects: Vec<Creation>,
    places: Vec<BlockPlace>,
}

impl Index {
    /// Opens a capture and returns its index. The index is read from the end of a binary capture; for other captures,
    /// and if it is missing or damaged, all records are read, without payloads. If the capture is damaged, the error
    /// says where, and the index covers everything before.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn open(path: &Path) -> Result<(Self, Option<CaptureError>), CaptureError> {
        Reader::open(path).map(Index::read)
    }

    /// As [`Index::open`], for a reader that has read nothing yet.
    pub fn read(mut reader: Reader) -> (Self, Option<CaptureError>) {
        Index::scan(&mut reader)
    }

    /// As [`Index::read`]. Afterwards the reader may be at the end; [`Reader::seek`] moves it back if the capture
    /// allows that.
    pub fn scan(reader: &mut Reader) -> (Self, Option<CaptureError>) {
        if let Some(index) = reader.index() {
            return (index, None);
        }
        let (mut index, mut stage3ds) = (Index::default(), Vec::new());
        let error = loop {
            match reader.skim(|json| index.skim(json, &mut stage3ds)) {
                Ok(true) if index.marks.len() + index.objects.len() > MAX_OBJECTS => {
                    let kind = CaptureErrorKind::TooMany { limit: MAX_OBJECTS };
                    let (line, call) = (index.records + 1, index.calls());
                    let at = Position { line, call };
                    break Some(CaptureError { at, kind });
                }
                Ok(true) => {}
                Ok(false) => break None,
                Err(error) => break Some(error),
            }
        };
        index.places = reader.places();
        (index, error)
    }

    /// Number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Number of calls.
    pub fn calls(&self) -> u64 {
        self.records.saturating_sub(self.marks.len() as u64)
    }

    /// The frames: number, and range of records from the end of the previous frame to the frame's own end.
    pub fn frames(&self) -> impl Iterator<Item = (u32, Range<u64>)> {
        let ends = self.marks.iter().filter_map(|mark| Some((mark.frame?, mark.record + 1)));
        ends.scan(0, |start, (frame, end)| {
            let first = std::mem::replace(start, end);
            Some((frame, first..end))
        })
    }

    /// The records of a frame; `None` if there is no such frame.
    pub fn frame(&self, frame: u32) -> Option<Range<u64>> {
        self.frames().find(|(number, _)| *number == frame).map(|(_, records)| records)
    }

    /// The record of a call; `None` if there is no such call.
    pub fn record_of_call(&self, call: u64) -> Option<u64> {
        let before = |mark: usize| Some(self.marks.get(mark)?.record - mark as u64);
        let (mut low, mut high) = (0, self.marks.len());
        while low < high {
            let middle = low.midpoint(high);
            match before(middle) {
                Some(calls) if calls <= call => low = middle + 1,
                _ => high = middle,
            }
        }
        call.checked_add(low as u64).filter(|record| *record < self.records)
    }

    /// Number of calls before a record.
    pub fn calls_before(&self, record: u64) -> u64 {
        let others = self.marks.partition_point(|mark| mark.record < record);
        record.min(self.records).saturating_sub(others as u64)
    }

    /// The objects in the order of their creation.
    pub fn objects(&self) -> &[Creation] {
        &self.objects
    }

    pub(super) fn places(&self) -> &[BlockPlace] {
        &self.places
    }

    /// The number of the last frame that ends before a record.
    pub(super) fn last_frame(&self, record: u64) -> Option<u32> {
        let before = self.marks.partition_point(|mark| mark.record < record);
        self.marks.iter().take(before).rev().find_map(|mark| mark.frame)
    }

    /// Adds the next record. Errors in it are found when it is read.
    fn skim(&mut self, json: &Json<'_>, stage3ds: &mut Vec<ObjectId>) {
        let record = self.records;
        self.records += 1;
        let Json::Object(object) = json else { return };
        let number = |key| match object.get(key) {
            Some(Json::Integer(number)) => u64::try_from(*number).ok(),
            _ => None,
        };
        let Some(Json::Text(name)) = object.get("call") else {
            let frame = number("frame").and_then(|frame| u32::try_from(frame).ok());
            return self.marks.push(Mark { record, frame });
        };
        let info = CALLS.iter().find(|info| info.name == name);
        if info.is_some_and(|info| info.receivers == [ObjectKind::Stage3D])
            && let Some(id) = number("on").map(ObjectId)
            && stage3ds.len() < STAGE3DS as usize
            && !stage3ds.contains(&id)
        {
            stage3ds.push(id);
            self.objects.push(Creation { id, kind: ObjectKind::Stage3D, record });
        }
        if let Some((id, kind)) = number("result").zip(info.and_then(|info| info.creates)) {
            self.objects.push(Creation { id: ObjectId(id), kind, record });
        }
    }

    /// Parses the output of [`IndexWriter::finish`].
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, BlockFault> {
        let wrong = || BlockFault::Malformed("an index with inconsistent records");
        // Each entry starts with the difference of its record to the previous entry's.
        let step = |last: &mut u64, cursor: &mut Cursor<'_>| {
            *last = last.checked_add(cursor.leb()?).ok_or_else(wrong)?;
            Ok::<u64, BlockFault>(*last)
        };
        let mut cursor = Cursor(bytes);
        let mut index = Index { records: cursor.leb()?, ..Index::default() };
        let mut last = 0;
        for _ in 0..cursor.count()? {
            let record = step(&mut last, &mut cursor)?;
            let frame = cursor.leb()?.checked_sub(1).map(u32::try_from);
            let frame = frame.transpose().map_err(|_| wrong())?;
            index.marks.push(Mark { record, frame });
        }
        let ordered = index.marks.is_sorted_by(|a, b| a.record < b.record);
        let within = index.marks.last();
        if !ordered || within.is_some_and(|mark| mark.record >= index.records) {
            return Err(wrong());
        }
        last = 0;
        for _ in 0..cursor.count()? {
            let record = step(&mut last, &mut cursor)?;
            let id = ObjectId(cursor.leb()?);
            let length = cursor.count()?;
            let name = cursor.take(length)?;
            let kind = ObjectKind::ALL.into_iter().find(|kind| kind.name().as_bytes() == name);
            let kind = kind.ok_or(BlockFault::Malformed("an unknown class"))?;
            index.objects.push(Creation { id, kind, record });
        }
        for _ in 0..cursor.count()? {
            let kind = BlockKind::from_byte(cursor.byte()?);
            let kind = kind.ok_or(BlockFault::Malformed("an unknown kind of block"))?;
            let (offset, first) = (cursor.leb()?, cursor.leb()?);
            index.places.push(BlockPlace { kind, offset, first });
        }
        Ok(index)
    }
}

/// A list that is being encoded.
#[derive(Debug, Default)]
struct List {
    count: u64,
    last: u64,
    bytes: Vec<u8>,
}

impl List {
    /// Starts an entry with the difference of its record to the previous entry's.
    fn entry(&mut self, record: u64) -> &mut Vec<u8> {
        put(record - self.last, &mut self.bytes);
        (self.count, self.last) = (self.count + 1, record);
        &mut self.bytes
    }

    fn append_to(&self, out: &mut Vec<u8>) {
        put(self.count, out);
        out.extend_from_slice(&self.bytes);
    }
}

/// An index that is being encoded.
#[derive(Debug, Default)]
pub(super) struct IndexWriter {
    marks: List,
    objects: List,
    stage3ds: Vec<ObjectId>,
    places: List,
    too_long: bool,
}

impl IndexWriter {
    pub(super) fn record(&mut self, number: u64, record: Line<'_>) {
        if self.too_long {
            return;
        }
        match record {
            Line::Frame(frame) => put(u64::from(frame) + 1, self.marks.entry(number)),
            Line::Event(_) => put(0, self.marks.entry(number)),
            Line::Call(line) => {
                let stage3d = line.call.info().receivers == [ObjectKind::Stage3D];
                if stage3d && !self.stage3ds.contains(&line.on) {
                    self.stage3ds.push(line.on);
                    self.create(number, line.on, ObjectKind::Stage3D);
                }
                if let Some((id, kind)) = line.result.zip(line.call.creates()) {
                    self.create(number, id, kind);
                }
            }
        }
        self.too_long = self.marks.bytes.len() + self.objects.bytes.len() > MAX_INDEX_BYTES;
    }

    fn create(&mut self, record: u64, id: ObjectId, kind: ObjectKind) {
        let entry = self.objects.entry(record);
        put(id.0, entry);
        put(kind.name().len() as u64, entry);
        entry.extend_from_slice(kind.name().as_bytes());
    }

    pub(super) fn block(&mut self, place: BlockPlace) {
        self.places.count += 1;
        self.places.bytes.push(place.kind as u8);
        put(place.offset, &mut self.places.bytes);
        put(place.first, &mut self.places.bytes);
    }

    /// The encoded index; `None` if it would be too long.
    pub(super) fn finish(&self, records: u64) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        put(records, &mut out);
        [&self.marks, &self.objects, &self.places]
            .into_iter()
            .for_each(|list| list.append_to(&mut out));
        (!self.too_long).then_some(out)
    }
}

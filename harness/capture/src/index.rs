//! The index of a capture: the records of its frames, calls and objects.

use std::borrow::Borrow;
use std::ops::Range;

use crate::binary::{BlockKind, BlockPosition, LebCursor, put};
use crate::error::BlockFault;
use crate::json::Json;
use crate::known_objects::KnownObjects;
use crate::limits::STAGE3DS;
use crate::object::{ObjectId, ObjectKind};
use crate::record::{CallLine, CaptureRecord, RecordSummary};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    record: u64,
    /// The number of the ended frame; `None` for an event or a note.
    frame: Option<u32>,
}

/// The creation of an object, or the first call on a Stage3D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Creation {
    /// The id of the object.
    pub id: ObjectId,
    /// The class of the object.
    pub kind: ObjectKind,
    /// Index of the record that creates the object or first refers to it.
    pub record: u64,
}

/// The frames, calls and objects of a capture. Records and calls are counted from 0; record 0 is in line 2 of the JSON
/// Lines form.
#[derive(Debug, Default, PartialEq)]
pub struct CaptureIndex {
    records: u64,
    marks: Vec<Mark>,
    objects: Vec<Creation>,
    pub(crate) blocks: Vec<BlockPosition>,
    /// The Stage3Ds of the records that were added so far.
    pub(crate) stage3ds: Vec<ObjectId>,
}

impl CaptureIndex {
    /// Builds the index of records in memory.
    pub fn of<'r, C: Borrow<CallLine> + 'r, N: 'r>(
        records: impl IntoIterator<Item = &'r CaptureRecord<C, N>>,
    ) -> CaptureIndex {
        let mut index = CaptureIndex::default();
        records.into_iter().for_each(|record| index.add_summary(RecordSummary::of(record)));
        index
    }

    /// Adds the next record, without checks, because a reader reports the record's errors.
    pub(crate) fn add(&mut self, json: &Json<'_>) {
        self.add_summary(CaptureRecord::summary(json));
    }

    fn add_summary(&mut self, summary: RecordSummary) {
        let record = self.records;
        self.records += 1;
        match summary {
            RecordSummary::Frame(frame) => self.marks.push(Mark { record, frame: Some(frame) }),
            RecordSummary::Other => self.marks.push(Mark { record, frame: None }),
            RecordSummary::Call { created, stage3d } => {
                let full = self.stage3ds.len() >= STAGE3DS as usize;
                let first = stage3d.filter(|id| !full && !self.stage3ds.contains(id));
                self.stage3ds.extend(first);
                let objects = first.map(|id| (id, ObjectKind::Stage3D)).into_iter().chain(created);
                self.objects.extend(objects.map(|(id, kind)| Creation { id, kind, record }));
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.marks.len() + self.objects.len()
    }

    /// Returns the number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns the number of calls.
    pub fn calls(&self) -> u64 {
        self.records.saturating_sub(self.marks.len() as u64)
    }

    /// Returns each frame's number and its range of records, from the end of the previous frame to its own end.
    pub fn frames(&self) -> impl Iterator<Item = (u32, Range<u64>)> {
        let ends = self.marks.iter().filter_map(|mark| Some((mark.frame?, mark.record + 1)));
        ends.scan(0, |start, (frame, end)| {
            let first = std::mem::replace(start, end);
            Some((frame, first..end))
        })
    }

    /// Returns the records of a frame, from the end of the previous frame to its own end.
    pub fn frame(&self, frame: u32) -> Option<Range<u64>> {
        self.frames().find(|(number, _)| *number == frame).map(|(_, records)| records)
    }

    /// Returns the index of the record that contains a call.
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

    /// Returns the number of calls before a record.
    pub fn calls_before(&self, record: u64) -> u64 {
        let others = self.marks.partition_point(|mark| mark.record < record);
        record.min(self.records).saturating_sub(others as u64)
    }

    /// Returns the objects in the order of their creation.
    pub fn objects(&self) -> &[Creation] {
        &self.objects
    }

    /// Returns the indices of records that are neither calls nor frame ends: events and notes.
    pub(crate) fn others(&self) -> impl Iterator<Item = u64> {
        let others = self.marks.iter().filter(|mark| mark.frame.is_none());
        others.map(|mark| mark.record)
    }

    pub(crate) fn objects_before(&self, record: u64) -> KnownObjects {
        let created = self.objects.iter().take_while(|creation| creation.record < record);
        let created = created.map(|creation| (creation.id, creation.kind));
        KnownObjects::new(created, self.last_frame(record))
    }

    fn last_frame(&self, record: u64) -> Option<u32> {
        let before = self.marks.partition_point(|mark| mark.record < record);
        self.marks.iter().take(before).rev().find_map(|mark| mark.frame)
    }

    /// Parses the output of [`CaptureIndex::encode`].
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, BlockFault> {
        let wrong = || BlockFault::Malformed("an index with inconsistent records");
        // An entry starts with the difference between its record index and the previous entry's.
        let step = |last: &mut u64, cursor: &mut LebCursor<'_>| {
            *last = last.checked_add(cursor.leb()?).ok_or_else(wrong)?;
            Ok::<u64, BlockFault>(*last)
        };
        let mut cursor = LebCursor(bytes);
        let mut index = CaptureIndex { records: cursor.leb()?, ..CaptureIndex::default() };
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
            index.blocks.push(BlockPosition { kind, offset, first });
        }
        Ok(index)
    }

    /// Encodes the index. An entry starts with the difference between its record index and the previous entry's.
    pub(crate) fn encode(&self, blocks: &[BlockPosition]) -> Vec<u8> {
        let out = &mut Vec::new();
        put(self.records, out);
        put(self.marks.len() as u64, out);
        let mut last = 0;
        for Mark { record, frame } in &self.marks {
            put(record - std::mem::replace(&mut last, *record), out);
            put(frame.map_or(0, |frame| u64::from(frame) + 1), out);
        }
        put(self.objects.len() as u64, out);
        last = 0;
        for Creation { id, kind, record } in &self.objects {
            put(record - std::mem::replace(&mut last, *record), out);
            put(id.0, out);
            put(kind.name().len() as u64, out);
            out.extend_from_slice(kind.name().as_bytes());
        }
        put(blocks.len() as u64, out);
        for BlockPosition { kind, offset, first } in blocks {
            out.push(*kind as u8);
            put(*offset, out);
            put(*first, out);
        }
        std::mem::take(out)
    }
}

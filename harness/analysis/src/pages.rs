//! The records of a capture: in memory, or of a file and read when they are needed.

use std::collections::VecDeque;
use std::sync::Arc;

use molehill_capture::{
    CallLine, CaptureError, EVENT_VERSION, EventLine, Index, NOTE_VERSION, Note, Reader, Record,
    Writer,
};

/// A record of a capture. Copies share the call.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    Call(Arc<CallLine>),
    Frame(u32),
    Event(EventLine),
    Note(Arc<Note>),
}

impl From<Record> for Entry {
    fn from(record: Record) -> Self {
        match record {
            Record::Call(line) => Entry::Call(Arc::new(line)),
            Record::Frame(frame) => Entry::Frame(frame),
            Record::Event(event) => Entry::Event(event),
            Record::Note(note) => Entry::Note(Arc::new(note)),
        }
    }
}

impl Entry {
    pub(crate) fn call(&self) -> Option<&CallLine> {
        if let Entry::Call(line) = self { Some(line) } else { None }
    }

    /// As [`Record::version`].
    pub(crate) fn version(&self) -> u32 {
        match self {
            Entry::Call(line) => line.version(),
            Entry::Frame(_) => 1,
            Entry::Event(_) => EVENT_VERSION,
            Entry::Note(_) => NOTE_VERSION,
        }
    }

    pub(crate) fn write<W: std::io::Write>(self, writer: &mut Writer<W>) -> std::io::Result<()> {
        match self {
            Entry::Call(line) => writer.call(&line),
            Entry::Frame(frame) => writer.frame(frame),
            Entry::Event(event) => writer.write(&Record::Event(event)),
            Entry::Note(note) => writer.write(&Record::Note((*note).clone())),
        }
    }
}

/// A record with its line in the file.
pub type Numbered = (u64, Entry);

/// A page ends after this many records, or bytes.
const PAGE_RECORDS: usize = 512;
const PAGE_BYTES: usize = 8 << 20;
/// Bytes of pages that are cached. The page that was used last is always kept, even if it is larger.
const KEPT_BYTES: usize = 16 << 20;

struct Page {
    first: usize,
    records: Vec<Numbered>,
    bytes: usize,
}

/// Reads records in pages, and caches the pages.
pub(crate) struct Pages {
    reader: Reader,
    /// The index of the record that the reader reads next; `usize::MAX` if unknown.
    next: usize,
    /// Most recently used first.
    pages: VecDeque<Page>,
}

impl Pages {
    pub(crate) fn new(reader: Reader) -> Self {
        Pages { reader, next: usize::MAX, pages: VecDeque::new() }
    }

    /// All notes.
    pub(crate) fn notes(&mut self, index: &Index) -> Vec<(u64, Note)> {
        self.next = usize::MAX;
        self.reader.notes(index)
    }

    /// The record with this index; `None` after the last one.
    pub(crate) fn record(
        &mut self,
        index: &Index,
        record: usize,
    ) -> Result<Option<Numbered>, CaptureError> {
        let holds = |page: &Page| (page.first..page.first + page.records.len()).contains(&record);
        let cached = self.pages.iter().position(holds);
        let page = match cached.and_then(|cached| self.pages.remove(cached)) {
            Some(page) => page,
            None => {
                let Some(page) = self.load(index, record)? else { return Ok(None) };
                let mut kept = page.bytes;
                self.pages.retain(|page| {
                    kept += page.bytes;
                    kept <= KEPT_BYTES
                });
                page
            }
        };
        let found = page.records.get(record - page.first).cloned();
        self.pages.push_front(page);
        Ok(found)
    }

    fn load(&mut self, index: &Index, record: usize) -> Result<Option<Page>, CaptureError> {
        if self.next != record {
            self.next = usize::MAX;
            self.reader.seek(index, record as u64)?;
            self.next = record;
        }
        let mut page = Page { first: record, records: Vec::new(), bytes: 0 };
        while page.records.len() < PAGE_RECORDS && page.bytes < PAGE_BYTES {
            match self.reader.next() {
                Some(Ok((line, record))) => page.records.push((line, record.into())),
                // The records before an error are valid.
                Some(Err(error)) => {
                    self.next = usize::MAX;
                    return if page.records.is_empty() { Err(error) } else { Ok(Some(page)) };
                }
                None => break,
            }
            self.next += 1;
            page.bytes += self.reader.line_bytes() + size_of::<Entry>();
        }
        Ok((!page.records.is_empty()).then_some(page))
    }
}

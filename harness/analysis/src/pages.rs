//! Reads a capture's records from its file in pages.

use std::collections::VecDeque;

use molehill_capture::{CaptureError, CaptureIndex, CaptureNote, CaptureReader, SharedRecord};

/// A record of a capture. Clones share the call or annotation.
pub type CaptureEntry = SharedRecord;

/// A record with its line number in the file.
pub type NumberedRecord = (u64, CaptureEntry);

/// Maximum number of records in a page.
const PAGE_RECORDS: usize = 512;
/// Size in bytes at which a page ends.
const PAGE_BYTES: usize = 8 << 20;
/// Maximum bytes of cached pages. The most recently used page stays cached, even if this page is larger than the
/// maximum.
const KEPT_BYTES: usize = 16 << 20;

struct CapturePage {
    first: usize,
    records: Vec<NumberedRecord>,
    bytes: usize,
}

/// Reads records from the file in pages, and caches the pages.
pub(crate) struct Pages {
    reader: CaptureReader,
    /// The index of the next record in the reader; `usize::MAX` if unknown.
    next: usize,
    /// The cached pages, most recently used first.
    pages: VecDeque<CapturePage>,
}

impl Pages {
    pub(crate) fn new(reader: CaptureReader) -> Self {
        Pages { reader, next: usize::MAX, pages: VecDeque::new() }
    }

    /// Reads all annotations.
    pub(crate) fn notes(&mut self, index: &CaptureIndex) -> Vec<(u64, CaptureNote)> {
        self.next = usize::MAX;
        self.reader.notes(index)
    }

    /// Returns the record with a 0-based index, or `None` after the last record.
    pub(crate) fn record(
        &mut self,
        index: &CaptureIndex,
        record: usize,
    ) -> Result<Option<NumberedRecord>, CaptureError> {
        let holds =
            |page: &CapturePage| (page.first..page.first + page.records.len()).contains(&record);
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

    fn load(
        &mut self,
        index: &CaptureIndex,
        record: usize,
    ) -> Result<Option<CapturePage>, CaptureError> {
        if self.next != record {
            self.next = usize::MAX;
            self.reader.seek(index, record as u64)?;
            self.next = record;
        }
        let mut page = CapturePage { first: record, records: Vec::new(), bytes: 0 };
        while page.records.len() < PAGE_RECORDS && page.bytes < PAGE_BYTES {
            match self.reader.next() {
                Some(Ok((line, record))) => page.records.push((line, record.into())),
                // An error invalidates only the records after it.
                Some(Err(error)) => {
                    self.next = usize::MAX;
                    return if page.records.is_empty() { Err(error) } else { Ok(Some(page)) };
                }
                None => break,
            }
            self.next += 1;
            page.bytes += self.reader.line_bytes() + size_of::<CaptureEntry>();
        }
        Ok((!page.records.is_empty()).then_some(page))
    }
}

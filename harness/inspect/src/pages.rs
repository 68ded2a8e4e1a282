//! The records of a file, read when they are needed.

use std::collections::VecDeque;

use molehill_capture::{CaptureError, Index, Reader};

use crate::capture::Entry;

/// A page ends after this many records, or bytes.
const PAGE_RECORDS: usize = 512;
const PAGE_BYTES: usize = 8 << 20;
/// Bytes of pages that are cached. The page that was used last is always kept, even if it is larger.
const KEPT_BYTES: usize = 128 << 20;

/// Consecutive records.
struct Page {
    first: usize,
    records: Vec<(u64, Entry)>,
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
    /// The reader may be at any position.
    pub(crate) fn new(reader: Reader) -> Self {
        Pages { reader, next: usize::MAX, pages: VecDeque::new() }
    }

    /// The record with this index; `None` after the last one.
    pub(crate) fn record(
        &mut self,
        index: &Index,
        record_index: usize,
    ) -> Result<Option<(u64, Entry)>, CaptureError> {
        let holds =
            |page: &Page| (page.first..page.first + page.records.len()).contains(&record_index);
        let page = match self.pages.iter().position(holds) {
            Some(0) => {
                let page = self.pages.front();
                return Ok(
                    page.and_then(|page| page.records.get(record_index - page.first).cloned())
                );
            }
            Some(found) => self.pages.remove(found),
            None => self.load(index, record_index)?,
        };
        let Some(page) = page else { return Ok(None) };
        let record = page.records.get(record_index - page.first).cloned();
        self.pages.push_front(page);
        let mut kept = 0;
        self.pages.retain(|page| {
            let is_first = kept == 0;
            kept += page.bytes.max(1);
            is_first || kept <= KEPT_BYTES
        });
        Ok(record)
    }

    fn load(&mut self, index: &Index, record_index: usize) -> Result<Option<Page>, CaptureError> {
        if self.next != record_index {
            self.next = usize::MAX;
            self.reader.seek(index, record_index as u64)?;
            self.next = record_index;
        }
        let mut page = Page { first: record_index, records: Vec::new(), bytes: 0 };
        while page.records.len() < PAGE_RECORDS && page.bytes < PAGE_BYTES {
            match self.reader.next() {
                Some(Ok((line, record))) => page.records.push((line, record.into())),
                // The records before an error are valid.
                Some(Err(error)) => {
                    self.next = usize::MAX;
                    match page.records.is_empty() {
                        true => return Err(error),
                        false => return Ok(Some(page)),
                    }
                }
                None => break,
            }
            self.next += 1;
            page.bytes += self.reader.line_bytes() + size_of::<Entry>();
        }
        Ok((!page.records.is_empty()).then_some(page))
    }
}

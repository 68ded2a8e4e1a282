//! Writes blocks.

use std::hash::Hasher as _;
use std::io::{self, Write};

use twox_hash::XxHash3_64;

use crate::error::CaptureErrorKind;
use crate::index::{BlockPlace, IndexWriter};
use crate::writer::{Line, too_long, write_record};

use super::encode::Encoder;
use super::{
    BLOCK_HEAD, BlockKind, END_MAGIC, FILE_HEAD, Head, MAGIC, MAX_BLOCK_BYTES, MAX_INDEX_BYTES,
    VERSION, compressed,
};

/// A block ends when it has this many bytes.
const BLOCK_BYTES: usize = 1 << 20;
/// Most bytes of a record's bulk data: its payloads may share a block with earlier ones and their hashes.
const MAX_RECORD_BYTES: u64 = MAX_BLOCK_BYTES - 2 * BLOCK_BYTES as u64;
/// A block of records ends after this many frames, which bounds the loss if the process is killed.
const BLOCK_FRAMES: u32 = 60;

/// In an uncompressed capture, payloads of at least this many bytes get a block of their own and are written without a
/// copy.
const LARGE_PAYLOAD: usize = 64 << 10;

/// The checksum of both parts as one.
fn checksum(bytes: &[u8], more: &[u8]) -> u64 {
    if more.is_empty() {
        return XxHash3_64::oneshot(bytes);
    }
    let mut hash = XxHash3_64::new();
    hash.write(bytes);
    hash.write(more);
    hash.finish()
}

/// Compressed blocks may have at most this many percent of their original size. Records are worth any gain; payloads
/// only a large one, because they are read again and again.
const RECORDS_PERCENT: usize = 90;
const PAYLOADS_PERCENT: usize = 50;

/// Writes a binary capture, whole blocks at a time.
#[derive(Debug)]
pub(crate) struct BinaryWriter {
    encoder: Encoder,
    /// Bytes written so far.
    offset: u64,
    /// Number of records, and number of records before the current block.
    records: u64,
    first: u64,
    frames: u32,
    index: IndexWriter,
    compress: bool,
    /// Largest index in bytes.
    pub(crate) max_index: usize,
    /// Whether a block was written only in part, so that nothing may follow it.
    failed: bool,
}

impl BinaryWriter {
    pub(crate) fn new(output: &mut impl Write, header: &str, compress: bool) -> io::Result<Self> {
        let mut head = MAGIC.to_vec();
        head.extend(VERSION.to_le_bytes());
        head.resize(FILE_HEAD, 0);
        output.write_all(&head)?;
        let mut writer = BinaryWriter {
            encoder: Encoder::default(),
            offset: FILE_HEAD as u64,
            records: 0,
            first: 0,
            frames: 0,
            index: IndexWriter::default(),
            compress,
            max_index: MAX_INDEX_BYTES,
            failed: false,
        };
        writer.block(output, BlockKind::Header, 0, [header.as_bytes(), &[]], 0)?;
        output.flush()?;
        Ok(writer)
    }

    /// Bytes that wait for their block to be written.
    pub(crate) fn pending(&self) -> u64 {
        (self.encoder.len() + self.encoder.payloads.pending.len()) as u64
    }

    pub(crate) fn record(&mut self, output: &mut impl Write, record: Line<'_>) -> io::Result<()> {
        // Refused before anything is numbered, so that the records before it are complete.
        if let Line::Call(line) = record
            && line.call.bytes() as u64 > MAX_RECORD_BYTES
        {
            return Err(too_long(record, MAX_RECORD_BYTES));
        }
        if let (false, Line::Call(line)) = (self.compress, record)
            && let Some(bytes) = line.call.payload().filter(|bytes| bytes.len() >= LARGE_PAYLOAD)
            && self.encoder.payloads.is_new(bytes)
        {
            self.payloads(output)?;
            if let Some((first, head)) = self.encoder.payloads.take_alone() {
                self.block(output, BlockKind::Payloads, first, [&head, bytes], 0)?;
            }
        }
        write_record(record, &mut self.encoder);
        self.encoder.payloads.end_record();
        self.index.record(self.records, record);
        self.records += 1;
        self.frames += u32::from(matches!(record, Line::Frame(_)));
        if self.encoder.payloads.pending.len() >= BLOCK_BYTES {
            self.payloads(output)?;
        }
        match self.encoder.len() >= BLOCK_BYTES
            || self.encoder.is_full()
            || self.frames >= BLOCK_FRAMES
        {
            true => self.flush(output),
            false => Ok(()),
        }
    }

    fn payloads(&mut self, output: &mut impl Write) -> io::Result<()> {
        match self.encoder.payloads.take() {
            Some((first, bytes)) => {
                self.block(output, BlockKind::Payloads, first, [&bytes, &[]], PAYLOADS_PERCENT)
            }
            None => Ok(()),
        }
    }

    /// Writes the current block.
    pub(crate) fn flush(&mut self, output: &mut impl Write) -> io::Result<()> {
        self.payloads(output)?;
        if self.records > self.first {
            let bytes = self.encoder.take();
            self.block(output, BlockKind::Records, self.first, [&bytes, &[]], RECORDS_PERCENT)?;
            (self.first, self.frames) = (self.records, 0);
        }
        output.flush()
    }

    /// Ends the file with an index.
    pub(crate) fn finish(&mut self, output: &mut impl Write) -> io::Result<()> {
        if self.failed {
            return output.flush();
        }
        self.flush(output)?;
        let at = self.offset;
        let index = self.index.finish(self.records);
        let Some(index) = index.filter(|index| index.len() <= self.max_index) else {
            // An empty index marks the file as complete; readers build the index themselves.
            self.block(output, BlockKind::Index, 0, [&[], &[]], 0)?;
            return output.flush();
        };
        self.block(output, BlockKind::Index, 0, [&index, &[]], RECORDS_PERCENT)?;
        let offset = at.to_le_bytes();
        output.write_all(&offset)?;
        output.write_all(&XxHash3_64::oneshot(&offset).to_le_bytes())?;
        output.write_all(&END_MAGIC)?;
        output.flush()
    }

    fn block(
        &mut self,
        output: &mut impl Write,
        kind: BlockKind,
        first: u64,
        [bytes, more]: [&[u8]; 2],
        percent: usize,
    ) -> io::Result<()> {
        let block_too_long = |_| {
            let kind = CaptureErrorKind::LineTooLong { limit: MAX_BLOCK_BYTES };
            io::Error::new(io::ErrorKind::InvalidInput, kind.to_string())
        };
        self.failed = true;
        let length = bytes.len() + more.len();
        let limit = Some(length as u64).filter(|bytes| *bytes <= MAX_BLOCK_BYTES);
        let raw = u32::try_from(limit.unwrap_or(u64::MAX)).map_err(block_too_long)?;
        let percent = Some(percent).filter(|percent| self.compress && *percent > 0);
        let zstd = percent.and_then(|percent| compressed(bytes, percent));
        let stored = zstd.as_deref().unwrap_or(bytes);
        let head = Head {
            kind: kind as u8,
            zstd: zstd.is_some(),
            stored: u32::try_from(stored.len() + more.len()).map_err(block_too_long)?,
            raw,
            first,
            checksum: checksum(stored, more),
        };
        output.write_all(&head.to_bytes())?;
        output.write_all(stored)?;
        output.write_all(more)?;
        if matches!(kind, BlockKind::Records | BlockKind::Payloads) {
            let offset = self.offset;
            self.index.block(BlockPlace { kind, offset, first });
        }
        self.offset += (BLOCK_HEAD + stored.len() + more.len()) as u64;
        self.failed = false;
        Ok(())
    }
}

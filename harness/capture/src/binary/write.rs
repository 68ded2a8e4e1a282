//! Writes blocks.

use std::io::{self, Write};

use twox_hash::XxHash3_64;

use crate::error::CaptureErrorKind;
use crate::json::Json;

use super::block::{
    BLOCK_HEAD, BlockKind, BlockPosition, END_MAGIC, FILE_HEAD, Head, INLINE_BYTES, MAGIC,
    MAX_BLOCK_BYTES, VERSION, compressed,
};
use super::encode::Encoder;
use super::payloads::PayloadWriter;

/// Size in bytes at which a block ends.
const BLOCK_BYTES: usize = 1 << 20;
/// Number of frames after which a block of records ends, to limit the decoding for one frame.
const BLOCK_FRAMES: u32 = 60;

/// A block is stored compressed if it shrinks to this percentage or less. Payloads must shrink more than records,
/// because they are decompressed repeatedly.
const RECORDS_PERCENT: usize = 90;
const PAYLOADS_PERCENT: usize = 50;

/// Writes a binary capture in complete blocks.
#[derive(Debug, Default)]
pub(crate) struct BinaryWriter {
    encoder: Encoder,
    payloads: PayloadWriter,
    offset: u64,
    /// Number of records in the file, and of those before the current block.
    records: u64,
    first: u64,
    frames: u32,
    pub(crate) blocks: Vec<BlockPosition>,
    /// True if writing a block has failed, so that no block may follow.
    failed: bool,
}

impl BinaryWriter {
    /// Maximum bytes of a record's bulk data. `MAX_RECORD_BYTES` is lower than a block's maximum size, because a block
    /// also contains hashes and earlier payloads.
    pub(crate) const MAX_RECORD_BYTES: u64 = MAX_BLOCK_BYTES - 2 * BLOCK_BYTES as u64;

    pub(crate) fn new(output: &mut impl Write, header: &[u8]) -> io::Result<Self> {
        let mut head = MAGIC.to_vec();
        head.extend(VERSION.to_le_bytes());
        head.resize(FILE_HEAD, 0);
        output.write_all(&head)?;
        let offset = FILE_HEAD as u64;
        let mut writer = BinaryWriter { offset, ..BinaryWriter::default() };
        writer.block(output, BlockKind::Header, 0, header, 0)?;
        output.flush()?;
        Ok(writer)
    }

    /// Returns the number of bytes in blocks that are not written yet.
    pub(crate) fn pending(&self) -> u64 {
        (self.encoder.len() + self.payloads.pending.len()) as u64
    }

    pub(crate) fn record(
        &mut self,
        output: &mut impl Write,
        mut json: Json<'_>,
        ends_frame: bool,
    ) -> io::Result<()> {
        json.leaves(&mut |leaf| {
            if let Json::Bytes(bytes) = leaf
                && bytes.len() > INLINE_BYTES
            {
                *leaf = Json::Payload(self.payloads.number(bytes));
            }
            Ok::<(), io::Error>(())
        })?;
        self.encoder.value(&json);
        self.records += 1;
        self.frames += u32::from(ends_frame);
        if self.payloads.pending.len() >= BLOCK_BYTES {
            self.write_payloads(output)?;
        }
        if self.encoder.len() >= BLOCK_BYTES
            || self.encoder.is_full()
            || self.frames >= BLOCK_FRAMES
        {
            self.flush(output)?;
        }
        Ok(())
    }

    fn write_payloads(&mut self, output: &mut impl Write) -> io::Result<()> {
        let Some((first, bytes)) = self.payloads.take() else { return Ok(()) };
        self.block(output, BlockKind::Payloads, first, &bytes, PAYLOADS_PERCENT)
    }

    pub(crate) fn flush(&mut self, output: &mut impl Write) -> io::Result<()> {
        if !self.failed {
            self.write_payloads(output)?;
            if self.records > self.first {
                let bytes = self.encoder.take();
                self.block(output, BlockKind::Records, self.first, &bytes, RECORDS_PERCENT)?;
                (self.first, self.frames) = (self.records, 0);
            }
        }
        output.flush()
    }

    /// Ends a flushed file with its index. If the index is `None`, an empty one marks the file as complete, and readers
    /// build the index themselves.
    pub(crate) fn finish(
        &mut self,
        output: &mut impl Write,
        index: Option<Vec<u8>>,
    ) -> io::Result<()> {
        if self.failed {
            return output.flush();
        }
        let at = self.offset.to_le_bytes();
        let bytes = index.as_deref().unwrap_or_default();
        let percent = if index.is_some() { RECORDS_PERCENT } else { 0 };
        self.block(output, BlockKind::Index, 0, bytes, percent)?;
        if index.is_some() {
            output.write_all(&at)?;
            output.write_all(&XxHash3_64::oneshot(&at).to_le_bytes())?;
            output.write_all(&END_MAGIC)?;
        }
        output.flush()
    }

    fn block(
        &mut self,
        output: &mut impl Write,
        kind: BlockKind,
        first: u64,
        bytes: &[u8],
        percent: usize,
    ) -> io::Result<()> {
        let block_too_long = |_| {
            let kind = CaptureErrorKind::LineTooLong { limit: MAX_BLOCK_BYTES };
            io::Error::new(io::ErrorKind::InvalidInput, kind.to_string())
        };
        self.failed = true;
        let limit = Some(bytes.len() as u64).filter(|bytes| *bytes <= MAX_BLOCK_BYTES);
        let raw = u32::try_from(limit.unwrap_or(u64::MAX)).map_err(block_too_long)?;
        let zstd = Some(percent).filter(|most| *most > 0).and_then(|most| compressed(bytes, most));
        let stored = zstd.as_deref().unwrap_or(bytes);
        let head = Head {
            kind: kind as u8,
            zstd: zstd.is_some(),
            stored: u32::try_from(stored.len()).map_err(block_too_long)?,
            raw,
            first,
            checksum: XxHash3_64::oneshot(stored),
        };
        output.write_all(&head.to_bytes())?;
        output.write_all(stored)?;
        if matches!(kind, BlockKind::Records | BlockKind::Payloads) {
            self.blocks.push(BlockPosition { kind, offset: self.offset, first });
        }
        self.offset += (BLOCK_HEAD + stored.len()) as u64;
        self.failed = false;
        Ok(())
    }
}

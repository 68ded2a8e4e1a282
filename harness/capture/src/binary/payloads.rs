//! Payloads: long byte sequences that are stored once, and read only when a record refers to them.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::error::{BlockFault, CaptureErrorKind};

use super::block::{BLOCK_HEAD, Head, content, decompressed};
use super::leb::{LebCursor, put};

/// Maximum total size of cached payload blocks in bytes, in addition to the current block.
const CACHE_BYTES: usize = 128 << 20;
/// Minimum number of bytes that each cached block takes from `CACHE_BYTES`. This minimum limits the number of cached
/// blocks, because every read of a payload searches all cached blocks.
const CACHED_BLOCK: usize = 128 << 10;

pub(crate) trait PayloadSource: Read + Seek + Send {}
impl<T: Read + Seek + Send> PayloadSource for T {}

pub(super) struct BlockFile {
    pub(super) source: Box<dyn PayloadSource>,
    pub(super) length: u64,
}

impl BlockFile {
    pub(super) fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> Result<(), CaptureErrorKind> {
        self.source.seek(SeekFrom::Start(at)).map_err(CaptureErrorKind::Io)?;
        self.source.read_exact(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => block_fault(at, BlockFault::CutOff),
            _ => CaptureErrorKind::Io(error),
        })
    }

    pub(super) fn head(&mut self, at: u64) -> Result<Head, CaptureErrorKind> {
        let mut head = [0; BLOCK_HEAD];
        self.read_at(at, &mut head)?;
        let head = Head::parse(&head).map_err(|fault| block_fault(at, fault))?;
        let fits = head.end(at) <= self.length;
        fits.then_some(head).ok_or_else(|| block_fault(at, BlockFault::CutOff))
    }

    /// Returns the decompressed bytes of the block at offset `at`. The caller has checked the block's `head`.
    pub(super) fn body(&mut self, at: u64, head: &Head) -> Result<Vec<u8>, CaptureErrorKind> {
        let mut stored = vec![0; head.stored as usize];
        self.read_at(at + BLOCK_HEAD as u64, &mut stored)?;
        decompressed(stored, head).map_err(|fault| block_fault(at, fault))
    }
}

pub(super) fn block_fault(offset: u64, fault: BlockFault) -> CaptureErrorKind {
    CaptureErrorKind::Block { offset, fault }
}

struct PayloadBlock {
    first: u64,
    bytes: Vec<u8>,
    /// Start of each payload in `bytes`, and the end of the last payload. A payload takes at least 17 bytes in the
    /// block, so `bounds` takes less than a quarter of the block.
    bounds: Vec<u32>,
}

impl PayloadBlock {
    fn parse(first: u64, bytes: Vec<u8>) -> Result<Self, BlockFault> {
        let mut cursor = LebCursor(&bytes);
        let count = cursor.count()?;
        let mut table = LebCursor(cursor.0);
        for _ in 0..count {
            cursor.count()?;
            cursor.take(16)?;
        }
        let mut bounds = Vec::with_capacity(count + 1);
        let position = |cursor: &LebCursor<'_>| {
            let bytes = bytes.len() - cursor.0.len();
            u32::try_from(bytes).map_err(|_| BlockFault::Malformed("a position out of range"))
        };
        bounds.push(position(&cursor)?);
        for _ in 0..count {
            let length = table.count()?;
            let hash = table.take(16)?.first_chunk().copied();
            if content(cursor.take(length)?) != u128::from_le_bytes(hash.unwrap_or_default()) {
                return Err(BlockFault::Content);
            }
            bounds.push(position(&cursor)?);
        }
        Ok(PayloadBlock { first, bytes, bounds })
    }

    fn payload(&self, number: u64) -> Option<&[u8]> {
        let index = usize::try_from(number - self.first).ok()?;
        let [start, end] = *self.bounds.get(index..)?.first_chunk()?;
        self.bytes.get(Range { start: start as usize, end: end as usize })
    }

    fn size(&self) -> usize {
        (self.bytes.len() + self.bounds.len() * size_of::<u32>()).max(CACHED_BLOCK)
    }
}

/// Positions of the payload blocks, and the cache of decompressed ones.
#[derive(Default)]
pub(super) struct Payloads {
    /// Index of the first payload, and file offset, of each block.
    pub(super) blocks: Vec<(u64, u64)>,
    /// The cached blocks, most recently used first.
    cache: Vec<PayloadBlock>,
}

impl Payloads {
    pub(super) fn get(
        &mut self,
        number: u64,
        file: &mut BlockFile,
    ) -> Result<&[u8], CaptureErrorKind> {
        let unknown = |at| block_fault(at, BlockFault::UnknownPayload(number));
        let after = self.blocks.partition_point(|(first, _)| *first <= number);
        let Some((first, at)) = self.blocks[..after].last().copied() else {
            return Err(unknown(self.blocks.last().map_or(0, |(_, offset)| *offset)));
        };
        let block = match self.cache.iter().position(|block| block.first == first) {
            Some(cached) => self.cache.remove(cached),
            None => {
                let head = file.head(at)?;
                let body = file.body(at, &head)?;
                PayloadBlock::parse(first, body).map_err(|fault| block_fault(at, fault))?
            }
        };
        self.cache.insert(0, block);
        let mut kept = 0;
        self.cache.retain(|block| {
            kept += block.size();
            kept <= CACHE_BYTES || kept == block.size()
        });
        let block = self.cache.first();
        block.and_then(|block| block.payload(number)).ok_or_else(|| unknown(at))
    }
}

/// Maximum number of payload hashes in memory, about 50 bytes each; they detect repeated payloads. When the table is
/// full, it is cleared.
const KNOWN_PAYLOADS: usize = 1 << 20;

/// The payloads of a file that is being written: hashes of the stored payloads, and the next block.
#[derive(Debug, Default)]
pub(super) struct PayloadWriter {
    known: HashMap<u128, u64>,
    count: u64,
    /// Lengths and hashes of the next block's payloads.
    table: Vec<u8>,
    pub(super) pending: Vec<u8>,
    in_block: u64,
}

impl PayloadWriter {
    /// Returns a payload's index, and adds the payload to the next block if it is not stored yet.
    pub(super) fn number(&mut self, bytes: &[u8]) -> u64 {
        let hash = content(bytes);
        if let Some(number) = self.known.get(&hash) {
            return *number;
        }
        if self.known.len() == KNOWN_PAYLOADS {
            self.known.clear();
        }
        let number = self.count;
        self.known.insert(hash, number);
        put(bytes.len() as u64, &mut self.table);
        self.table.extend_from_slice(&hash.to_le_bytes());
        self.pending.extend_from_slice(bytes);
        self.count += 1;
        self.in_block += 1;
        number
    }

    /// Returns the pending payload block and the index of its first payload, and starts the next block. Returns `None`
    /// if there are no payloads.
    pub(super) fn take(&mut self) -> Option<(u64, Vec<u8>)> {
        if self.in_block == 0 {
            return None;
        }
        let first = self.count - self.in_block;
        let mut block = Vec::with_capacity(self.table.len() + self.pending.len() + 16);
        put(std::mem::take(&mut self.in_block), &mut block);
        block.append(&mut self.table);
        block.append(&mut self.pending);
        Some((first, block))
    }
}

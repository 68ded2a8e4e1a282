//! Blocks: their heads, checksums and compression.

use std::io::Read;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use twox_hash::{XxHash3_64, XxHash3_128};

use crate::error::BlockFault;
use crate::limits::MAX_LINE_BYTES;
use crate::zstd::ZstdReader;

/// First bytes of a file. Like PNG's signature, these bytes reveal a transfer in text mode.
pub(super) const MAGIC: [u8; 8] = *b"\x89S3D\r\n\x1a\n";
/// Version of the block format. The header has the version of the records.
pub(super) const VERSION: u32 = 1;
/// First bytes of a block.
const BLOCK_MAGIC: [u8; 4] = *b"S3Db";
/// Last bytes of a file.
pub(super) const END_MAGIC: [u8; 8] = *b"S3D.end\n";

/// Sizes of the file's head, of a block's head, and of the file's end, in bytes.
pub(super) const FILE_HEAD: usize = 16;
pub(super) const BLOCK_HEAD: usize = 40;
pub(super) const FILE_END: usize = 24;

/// Maximum size of a block in bytes, compressed or not, which equals the maximum line length.
pub(super) const MAX_BLOCK_BYTES: u64 = MAX_LINE_BYTES;
/// Maximum size of a written index in bytes. The decoded lists of an index take at most ten times as much memory as the
/// written index.
pub(crate) const MAX_INDEX_BYTES: usize = 32 << 20;
/// Maximum length of a byte sequence that a record contains; longer ones are payloads. A matrix has 128 bytes.
pub(super) const INLINE_BYTES: usize = 256;
/// Longest string that a block's string table contains, in bytes.
pub(super) const NUMBERED_TEXT: usize = 64;
/// Maximum number of strings, and of shapes (lists of keys), in a block.
pub(super) const MAX_TABLE: usize = 4096;

/// The type of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum BlockKind {
    /// The header, as JSON.
    Header = 1,
    /// Calls, frame ends and events.
    Records = 2,
    /// Byte sequences that records refer to.
    Payloads = 3,
    /// The positions of blocks, frames, calls and objects.
    Index = 4,
}

impl BlockKind {
    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        use BlockKind::{Header, Index, Payloads, Records};
        [Header, Records, Payloads, Index].into_iter().find(|kind| *kind as u8 == byte)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: u8,
    /// True if the block is compressed with zstd.
    pub(super) zstd: bool,
    /// Stored size in bytes, without the block's header.
    pub(super) stored: u32,
    /// Size in bytes after decompression.
    pub(super) raw: u32,
    /// Index, in the whole file, of the block's first record or payload.
    pub(super) first: u64,
    /// XXH3-64 of the stored bytes.
    pub(super) checksum: u64,
}

impl Head {
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = [&BLOCK_MAGIC[..], &[self.kind, self.zstd.into(), 0, 0]].concat();
        bytes.extend([self.stored, self.raw].map(u32::to_le_bytes).as_flattened());
        bytes.extend([self.first, self.checksum].map(u64::to_le_bytes).as_flattened());
        bytes.extend(XxHash3_64::oneshot(&bytes).to_le_bytes());
        bytes
    }

    /// Returns the offset of the next block, given this block's offset.
    pub(super) fn end(&self, at: u64) -> u64 {
        at.saturating_add(BLOCK_HEAD as u64 + u64::from(self.stored))
    }

    pub(super) fn parse(bytes: &[u8; BLOCK_HEAD]) -> Result<Self, BlockFault> {
        let [m0, m1, m2, m3, kind, codec, _, _, rest @ ..] = *bytes;
        let (words, _) = rest.as_chunks::<8>();
        let [lengths, first, checksum, own] = words else {
            return Err(BlockFault::Malformed("no head"));
        };
        let head = bytes.split_last_chunk::<8>().map(|(head, _)| head);
        if [m0, m1, m2, m3] != BLOCK_MAGIC
            || head.map(XxHash3_64::oneshot) != Some(u64::from_le_bytes(*own))
        {
            return Err(BlockFault::Head);
        }
        let [s0, s1, s2, s3, r0, r1, r2, r3] = *lengths;
        let head = Head {
            kind,
            zstd: match codec {
                0 => false,
                1 => true,
                _ => return Err(BlockFault::Malformed("an unknown compression")),
            },
            stored: u32::from_le_bytes([s0, s1, s2, s3]),
            raw: u32::from_le_bytes([r0, r1, r2, r3]),
            first: u64::from_le_bytes(*first),
            checksum: u64::from_le_bytes(*checksum),
        };
        let bytes = u64::from(head.stored.max(head.raw));
        let is_valid = bytes <= MAX_BLOCK_BYTES && (head.zstd || head.stored == head.raw);
        is_valid.then_some(head).ok_or(BlockFault::TooLong { bytes })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockPosition {
    pub(crate) kind: BlockKind,
    pub(crate) offset: u64,
    /// Index, in the whole file, of the block's first record or payload.
    pub(crate) first: u64,
}

pub(super) fn content(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}

/// Number of a block's bytes that are compressed first, to estimate the compression of the rest.
const SAMPLE: usize = 64 << 10;

/// Compresses bytes with zstd. Returns `None` if the result exceeds `most` percent of the input: incompressible data is
/// stored unchanged, and can then be read ten times as fast.
pub(super) fn compressed(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let zstd = |bytes: &[u8]| {
        let out = compress_to_vec(bytes, CompressionLevel::Fastest);
        (out.len() <= bytes.len() / 100 * most).then_some(out)
    };
    match bytes.get(..SAMPLE) {
        Some(sample) if bytes.len() > 2 * SAMPLE => zstd(sample).and_then(|_| zstd(bytes)),
        _ => zstd(bytes),
    }
}

/// Decompresses a block after checking its checksum. The result must have `head.raw` bytes.
pub(super) fn decompressed(stored: Vec<u8>, head: &Head) -> Result<Vec<u8>, BlockFault> {
    if XxHash3_64::oneshot(&stored) != head.checksum {
        return Err(BlockFault::Checksum);
    }
    if !head.zstd {
        return Ok(stored);
    }
    let mut raw = Vec::new();
    let most = u64::from(head.raw) + 1;
    ZstdReader::new(stored.as_slice())
        .take(most)
        .read_to_end(&mut raw)
        .map_err(|error| BlockFault::Zstd(error.to_string()))?;
    let is_whole = raw.len() as u64 == u64::from(head.raw);
    is_whole.then_some(raw).ok_or(BlockFault::Malformed("the wrong length"))
}

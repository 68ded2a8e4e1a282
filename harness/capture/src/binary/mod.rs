//! The binary form: blocks with checksums, each compressed on its own. `FORMAT.md` specifies every byte.

mod decode;
mod encode;
mod read;
mod write;

use std::io::Read;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use twox_hash::{XxHash3_64, XxHash3_128};

pub(super) use decode::Cursor;
pub(super) use encode::put;
pub(super) use read::{Binary, Payload, Source, starts_like};
pub(super) use write::BinaryWriter;

use super::error::BlockFault;
use super::zstd::Decompressed;

/// First bytes of a file. As in PNG, they reveal a transfer in text mode.
const MAGIC: [u8; 8] = *b"\x89S3D\r\n\x1a\n";
/// The version of the blocks. The header has the version of the records.
const VERSION: u32 = 1;
/// First bytes of a block.
const BLOCK_MAGIC: [u8; 4] = *b"S3Db";
/// Last bytes of a file.
const END_MAGIC: [u8; 8] = *b"S3D.end\n";

/// Sizes of the file's head, of a block's head, and of the file's end, in bytes.
const FILE_HEAD: usize = 16;
const BLOCK_HEAD: usize = 40;
const FILE_END: usize = 24;

/// Largest block in bytes, compressed or not: the same as the longest line.
const MAX_BLOCK_BYTES: u64 = super::source::MAX_LINE_BYTES;
/// Largest index in bytes. Its decoded lists take at most ten times as much memory. Writers omit a larger index.
pub(super) const MAX_INDEX_BYTES: usize = 32 << 20;
/// Longest byte sequence that is stored in the record; longer ones are payloads. A matrix has 128 bytes.
const INLINE_BYTES: usize = 256;
/// Longest text that is stored in a block's table of texts, in bytes.
const NUMBERED_TEXT: usize = 64;
/// Most texts, and most shapes, of a block.
const MAX_TABLE: usize = 4096;

/// The content of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum BlockKind {
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
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        use BlockKind::{Header, Index, Payloads, Records};
        [Header, Records, Payloads, Index].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// The head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    kind: u8,
    /// Whether the block is compressed with zstd.
    zstd: bool,
    /// Bytes in the file after the head.
    stored: u32,
    /// Bytes after decompression.
    raw: u32,
    /// Number of the block's first record or payload.
    first: u64,
    /// XXH3-64 of the stored bytes.
    checksum: u64,
}

impl Head {
    fn to_bytes(self) -> [u8; BLOCK_HEAD] {
        let mut bytes = [0; BLOCK_HEAD];
        let fields: [&[u8]; 7] = [
            &BLOCK_MAGIC,
            &[self.kind, self.zstd.into(), 0, 0],
            &self.stored.to_le_bytes(),
            &self.raw.to_le_bytes(),
            &self.first.to_le_bytes(),
            &self.checksum.to_le_bytes(),
            &[],
        ];
        let fields = fields.into_iter().flatten();
        bytes.iter_mut().zip(fields).for_each(|(to, from)| *to = *from);
        if let Some((head, checksum)) = bytes.split_last_chunk_mut::<8>() {
            *checksum = XxHash3_64::oneshot(head).to_le_bytes();
        }
        bytes
    }

    fn parse(bytes: &[u8; BLOCK_HEAD]) -> Result<Self, BlockFault> {
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
        match bytes > MAX_BLOCK_BYTES || (!head.zstd && head.stored != head.raw) {
            true => Err(BlockFault::TooLong { bytes }),
            false => Ok(head),
        }
    }
}

/// The hash of a payload.
fn content(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}

/// Bytes of a block that are compressed first, to see whether the rest is worth it.
const SAMPLE: usize = 64 << 10;

/// The bytes compressed with zstd, if that takes at most `most` percent of them. Compressed pictures and noise are
/// stored unchanged, which makes them ten times as fast to read.
fn compressed(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let zstd = |bytes: &[u8]| {
        let out = compress_to_vec(bytes, CompressionLevel::Fastest);
        (out.len() <= bytes.len() / 100 * most).then_some(out)
    };
    match bytes.get(..SAMPLE) {
        Some(sample) if bytes.len() > 2 * SAMPLE => zstd(sample).and_then(|_| zstd(bytes)),
        _ => zstd(bytes),
    }
}

/// Decompresses a block after checking its checksum. It must have `head.raw` bytes.
fn decompressed(stored: Vec<u8>, head: &Head) -> Result<Vec<u8>, BlockFault> {
    if XxHash3_64::oneshot(&stored) != head.checksum {
        return Err(BlockFault::Checksum);
    }
    if !head.zstd {
        return Ok(stored);
    }
    let mut raw = Vec::new();
    let most = u64::from(head.raw) + 1;
    Decompressed::new(stored.as_slice())
        .take(most)
        .read_to_end(&mut raw)
        .map_err(|error| BlockFault::Zstd(error.to_string()))?;
    match raw.len() as u64 == u64::from(head.raw) {
        true => Ok(raw),
        false => Err(BlockFault::Malformed("the wrong length")),
    }
}

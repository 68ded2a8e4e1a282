//! Reads blocks: records in order, payloads when records refer to them.

use std::io::{self, Read, Seek, SeekFrom};
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{BlockFault, CaptureErrorKind};
use crate::index::{BlockPlace, Index};
use crate::json::Json;
use crate::zstd::read_some;

use super::decode::{Cursor, Decoder, Tables};
use super::{
    BLOCK_HEAD, BlockKind, END_MAGIC, FILE_END, FILE_HEAD, Head, MAGIC, MAX_INDEX_BYTES, VERSION,
    content, decompressed,
};

/// Bytes of decompressed payloads that are cached, besides the block in use.
const CACHE_BYTES: usize = 128 << 20;

/// Most bytes of the blocks that one record's payloads keep in memory: two blocks of the largest size.
const HELD_BYTES: usize = 512 << 20;

/// A source of a binary capture.
pub(crate) trait Source: Read + Seek + Send {}
impl<T: Read + Seek + Send> Source for T {}

/// A decompressed block of payloads.
struct PayloadBlock {
    first: u64,
    bytes: Vec<u8>,
    /// Start of each payload in `bytes`, and the end of the last. Packed: an entry has at least 17 bytes in the block,
    /// so this has less than a quarter of the block's bytes.
    bounds: Vec<u32>,
}

impl PayloadBlock {
    fn parse(first: u64, bytes: Vec<u8>) -> Result<Self, BlockFault> {
        let mut cursor = Cursor(&bytes);
        let count = cursor.count()?;
        let mut table = Cursor(cursor.0);
        for _ in 0..count {
            cursor.count()?;
            cursor.take(16)?;
        }
        let mut bounds = Vec::with_capacity(count + 1);
        let position = |cursor: &Cursor<'_>| {
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

    /// The bytes of a payload, by its index in the block.
    fn range(&self, index: usize) -> Option<Range<usize>> {
        match self.bounds.get(index..)? {
            [start, end, ..] => Some(*start as usize..*end as usize),
            _ => None,
        }
    }

    /// Memory in bytes.
    fn size(&self) -> usize {
        self.bytes.len() + self.bounds.len() * size_of::<u32>()
    }
}

/// A payload, in the block that contains it.
#[derive(Clone)]
pub(crate) struct Payload {
    block: Arc<PayloadBlock>,
    place: Range<usize>,
}

impl Payload {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.block.bytes.get(self.place.clone()).unwrap_or_default()
    }
}

impl std::fmt::Debug for Payload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Payload({} bytes)", self.place.len())
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

/// The blocks of a file.
struct Blocks {
    source: Box<dyn Source>,
    length: u64,
}

impl Blocks {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> Result<(), CaptureErrorKind> {
        self.source.seek(SeekFrom::Start(at)).map_err(CaptureErrorKind::Io)?;
        self.source.read_exact(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => block_fault(at, BlockFault::CutOff),
            _ => CaptureErrorKind::Io(error),
        })
    }

    fn head(&mut self, at: u64) -> Result<Head, CaptureErrorKind> {
        let mut head = [0; BLOCK_HEAD];
        self.read_at(at, &mut head)?;
        let head = Head::parse(&head).map_err(|fault| block_fault(at, fault))?;
        match end_of(at, &head) > self.length {
            true => Err(block_fault(at, BlockFault::CutOff)),
            false => Ok(head),
        }
    }

    /// The decompressed bytes of the block at `at`, in the memory of `stored`: pages that the system hands out anew cost
    /// a third of the time of reading. The block's head was read, so it lies within the file.
    fn body(
        &mut self,
        at: u64,
        head: &Head,
        mut stored: Vec<u8>,
    ) -> Result<Vec<u8>, CaptureErrorKind> {
        stored.clear();
        let from = SeekFrom::Start(at + BLOCK_HEAD as u64);
        let read = self.source.seek(from).and_then(|_| {
            stored.reserve_exact(head.stored as usize);
            (&mut self.source).take(head.stored.into()).read_to_end(&mut stored)
        });
        match read.map_err(CaptureErrorKind::Io)? as u64 == u64::from(head.stored) {
            true => decompressed(stored, head).map_err(|fault| block_fault(at, fault)),
            false => Err(block_fault(at, BlockFault::CutOff)),
        }
    }
}

/// The offset of the next block.
fn end_of(at: u64, head: &Head) -> u64 {
    at.saturating_add(BLOCK_HEAD as u64 + u64::from(head.stored))
}

fn block_fault(offset: u64, fault: BlockFault) -> CaptureErrorKind {
    CaptureErrorKind::Block { offset, fault }
}

/// Positions of the payload blocks, and the cache of decompressed ones.
#[derive(Default)]
struct Payloads {
    /// Number of the first payload, and offset, of each block.
    blocks: Vec<(u64, u64)>,
    /// Most recently used first.
    cache: Vec<Arc<PayloadBlock>>,
}

impl Payloads {
    fn find(&mut self, number: u64, blocks: &mut Blocks) -> Result<Payload, CaptureErrorKind> {
        let unknown = || block_fault(blocks_end(&self.blocks), BlockFault::UnknownPayload(number));
        let after = self.blocks.partition_point(|(first, _)| *first <= number);
        let Some((first, at)) =
            after.checked_sub(1).and_then(|block| self.blocks.get(block)).copied()
        else {
            return Err(unknown());
        };
        let cached = self.cache.iter().position(|block| block.first == first);
        let block = match cached {
            Some(place) => self.cache.remove(place),
            None => {
                let head = blocks.head(at)?;
                let body = blocks.body(at, &head, Vec::new())?;
                Arc::new(PayloadBlock::parse(first, body).map_err(|fault| block_fault(at, fault))?)
            }
        };
        let place = usize::try_from(number - first).ok();
        let place = place.and_then(|place| block.range(place));
        let payload = place.map(|place| Payload { block: Arc::clone(&block), place });
        self.cache.insert(0, block);
        let mut kept = 0;
        self.cache.retain(|block| {
            kept += block.size();
            kept <= CACHE_BYTES || kept == block.size()
        });
        payload.ok_or_else(|| block_fault(at, BlockFault::UnknownPayload(number)))
    }
}

/// Finds the payloads of one record.
pub(super) struct Finder<'a> {
    payloads: &'a mut Payloads,
    blocks: &'a mut Blocks,
    /// Bytes of the payloads, and of the blocks that they keep in memory.
    pub(super) bytes: usize,
    held: usize,
    failure: Option<Box<CaptureErrorKind>>,
}

impl<'a> Finder<'a> {
    #[inline]
    fn new(payloads: &'a mut Payloads, blocks: &'a mut Blocks) -> Self {
        Finder { payloads, blocks, bytes: 0, held: 0, failure: None }
    }

    pub(super) fn find(&mut self, number: u64) -> Result<Payload, BlockFault> {
        match self.payloads.find(number, self.blocks) {
            Ok(payload) => {
                self.bytes += payload.place.len();
                self.held += payload.block.size();
                match self.held <= HELD_BYTES {
                    true => Ok(payload),
                    false => Err(BlockFault::Malformed("too many payloads in one record")),
                }
            }
            Err(kind) => {
                self.failure = Some(kind.into());
                Err(BlockFault::UnknownPayload(number))
            }
        }
    }
}

/// The size of a record in bytes: in its block, and of its payloads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    pub(super) encoded: usize,
    pub(super) payloads: usize,
}

fn blocks_end(blocks: &[(u64, u64)]) -> u64 {
    blocks.last().map_or(0, |(_, offset)| *offset)
}

/// Reads a binary capture.
pub(crate) struct Binary {
    blocks: Blocks,
    payloads: Payloads,
    /// Offset of the next block.
    next: u64,
    /// Offset of the current block of records.
    current: u64,
    tables: Tables,
    body: Vec<u8>,
    /// Offset of the next record in `body`.
    position: usize,
    /// Number of the next record, counted from 0.
    record: u64,
    record_bytes: usize,
    /// Why the source ends before the capture does.
    interruption: Option<CaptureErrorKind>,
    /// Blocks read so far, for building an index.
    places: Vec<BlockPlace>,
}

impl Binary {
    /// Opens a capture and returns it with its header's line. `interruption` is the reason why the source ends before
    /// the capture does.
    pub(crate) fn open(
        mut source: Box<dyn Source>,
        interruption: Option<CaptureErrorKind>,
    ) -> Result<(Self, Vec<u8>), CaptureErrorKind> {
        let length = source.seek(SeekFrom::End(0)).map_err(CaptureErrorKind::Io)?;
        let mut blocks = Blocks { source, length };
        let mut start = [0; FILE_HEAD];
        blocks.read_at(0, &mut start)?;
        let version = start.get(MAGIC.len()..).and_then(<[u8]>::first_chunk);
        let version = version.copied().map_or(0, u32::from_le_bytes);
        if version != VERSION {
            return Err(CaptureErrorKind::Version(format!("{version} of the binary form")));
        }
        let header = FILE_HEAD as u64;
        let head = blocks.head(header)?;
        if BlockKind::from_byte(head.kind) != Some(BlockKind::Header) {
            return Err(block_fault(header, BlockFault::Malformed("no header")));
        }
        let line = blocks.body(header, &head, Vec::new())?;
        let binary = Binary {
            blocks,
            payloads: Payloads::default(),
            next: end_of(header, &head),
            current: header,
            tables: Tables::default(),
            body: Vec::new(),
            position: 0,
            record: 0,
            record_bytes: 0,
            interruption,
            places: Vec::new(),
        };
        Ok((binary, line))
    }

    /// Number of the next record, counted from 0.
    pub(crate) fn record(&self) -> u64 {
        self.record
    }

    /// Bytes of the last record, including its payloads.
    pub(crate) fn record_bytes(&self) -> usize {
        self.record_bytes
    }

    pub(crate) fn places(&self) -> &[BlockPlace] {
        &self.places
    }

    /// Whether there is another record, for [`Binary::fields`] and [`Binary::whole`].
    #[inline]
    pub(crate) fn more(&mut self) -> Result<bool, CaptureErrorKind> {
        match self.position < self.body.len() {
            true => Ok(true),
            false => self.next_records(),
        }
    }

    #[cold]
    fn next_records(&mut self) -> Result<bool, CaptureErrorKind> {
        while self.position >= self.body.len() {
            if !self.next_block()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The fields of the next record, in their order.
    #[inline]
    pub(crate) fn fields(&mut self) -> Decoder<'_> {
        let rest = self.body.get(self.position..).unwrap_or_default();
        let finder = Finder::new(&mut self.payloads, &mut self.blocks);
        Decoder::new(rest, &self.tables, Some(finder)).in_order()
    }

    /// Goes on to the next record, after all fields of this one were read.
    #[inline]
    pub(crate) fn pass(&mut self, size: Size) {
        self.record_bytes = size.encoded + size.payloads;
        self.position += size.encoded;
        self.record += 1;
    }

    /// Reads the next record as a whole. Payloads are null unless `with_payloads` is set.
    pub(crate) fn whole(&mut self, with_payloads: bool) -> Result<Json<'_>, CaptureErrorKind> {
        let rest = self.body.get(self.position..).unwrap_or_default();
        let finder = Finder::new(&mut self.payloads, &mut self.blocks);
        let mut decoder = Decoder::new(rest, &self.tables, with_payloads.then_some(finder));
        let value = decoder.value(0);
        let size = decoder.size();
        let failure = decoder.finder.and_then(|finder| finder.failure);
        let fault = |fault| failure.map_or_else(|| block_fault(self.current, fault), |kind| *kind);
        let value = value.map_err(fault)?;
        self.record_bytes = size.encoded + size.payloads;
        self.position += size.encoded;
        self.record += 1;
        Ok(value)
    }

    /// Continues to the next block; false at the end of the capture.
    fn next_block(&mut self) -> Result<bool, CaptureErrorKind> {
        let at = self.next;
        let head = match self.blocks.head(at) {
            Err(CaptureErrorKind::Block { fault: BlockFault::CutOff, .. })
                if self.interruption.is_some() =>
            {
                return Err(self.interruption.take().unwrap_or(CaptureErrorKind::NoHeader));
            }
            head => head?,
        };
        self.next = end_of(at, &head);
        let malformed = |text| Err(block_fault(at, BlockFault::Malformed(text)));
        let kind = BlockKind::from_byte(head.kind);
        match kind {
            Some(BlockKind::Header) => return malformed("a second header"),
            Some(BlockKind::Index) => return Ok(false),
            Some(BlockKind::Records) if head.first == self.record => {
                self.load_records(at, &head)?;
            }
            Some(BlockKind::Records) => return malformed("records are missing before it"),
            Some(BlockKind::Payloads) => match self.payloads.blocks.last() {
                Some((first, _)) if *first >= head.first => {
                    return malformed("payloads out of order");
                }
                _ => self.payloads.blocks.push((head.first, at)),
            },
            // A kind of block that a later version added is skipped.
            None => {}
        }
        if let Some(kind) = kind {
            self.places.push(BlockPlace { kind, offset: at, first: head.first });
        }
        Ok(true)
    }

    fn load_records(&mut self, at: u64, head: &Head) -> Result<(), CaptureErrorKind> {
        self.body = self.blocks.body(at, head, mem::take(&mut self.body))?;
        let mut cursor = Cursor(&self.body);
        self.tables = Tables::read(&mut cursor).map_err(|fault| block_fault(at, fault))?;
        self.position = self.body.len() - cursor.0.len();
        self.current = at;
        Ok(())
    }

    /// The index at the end of the file; `None` if it is missing or damaged.
    pub(crate) fn index(&mut self) -> Option<Index> {
        let end = self.blocks.length.checked_sub(FILE_END as u64)?;
        let mut bytes = [0; FILE_END];
        self.blocks.read_at(end, &mut bytes).ok()?;
        let ([offset, checksum, magic], []) = bytes.as_chunks::<8>() else {
            return None;
        };
        let at = u64::from_le_bytes(*offset);
        let sound = *magic == END_MAGIC
            && u64::from_le_bytes(*checksum) == twox_hash::XxHash3_64::oneshot(offset);
        let head = self.blocks.head(at).ok().filter(|_| sound)?;
        if head.kind != BlockKind::Index as u8 || head.raw as usize > MAX_INDEX_BYTES {
            return None;
        }
        Index::parse(&self.blocks.body(at, &head, Vec::new()).ok()?).ok()
    }

    /// Makes `record`, counted from 0, the next one.
    pub(crate) fn seek(&mut self, index: &Index, record: u64) -> Result<(), CaptureErrorKind> {
        let places = index.places();
        let payloads = places.iter().filter(|place| place.kind == BlockKind::Payloads);
        self.payloads.blocks = payloads.map(|place| (place.first, place.offset)).collect();
        let mut records = places.iter().filter(|place| place.kind == BlockKind::Records).rev();
        let Some(place) = records.find(|place| place.first <= record) else {
            return Err(block_fault(0, BlockFault::Malformed("an index without records")));
        };
        self.payloads.blocks.retain(|(_, offset)| *offset < place.offset);
        (self.body, self.position) = (Vec::new(), 0);
        (self.next, self.record) = (place.offset, place.first);
        while self.record < record && self.more()? {
            self.whole(false)?;
        }
        Ok(())
    }
}

/// Reads the first bytes of a file, and returns them and whether they are those of a binary capture.
pub(crate) fn starts_like(source: &mut impl Read) -> io::Result<(Vec<u8>, bool)> {
    let mut start = [0; MAGIC.len()];
    let length = read_some(source, &mut start)?;
    let start = start.get(..length).unwrap_or_default().to_vec();
    let binary = start == MAGIC;
    Ok((start, binary))
}

#[cfg(test)]
mod tests;

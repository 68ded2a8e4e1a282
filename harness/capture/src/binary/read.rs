//! Reads a binary capture: records in order, and payloads only when a record refers to them.

use std::io::{self, Read, SeekFrom};

use crate::error::{BlockFault, CaptureErrorKind};
use crate::json::Json;
use crate::zstd::read_some;

use super::block::{
    BlockKind, BlockPosition, END_MAGIC, FILE_END, FILE_HEAD, Head, MAGIC, MAX_BLOCK_BYTES,
    MAX_INDEX_BYTES, VERSION,
};
use super::decode::{BlockTables, Decoder};
use super::leb::LebCursor;
use super::payloads::{BlockFile, Payloads, block_fault};

pub(crate) use super::payloads::PayloadSource;

pub(crate) struct BinaryReader {
    file: BlockFile,
    payloads: Payloads,
    /// Offset of the next block.
    next: u64,
    /// Offset of the current block of records.
    current: u64,
    tables: BlockTables,
    body: Vec<u8>,
    /// Offset of the next record in `body`.
    position: usize,
    /// 0-based index of the next record.
    pub(crate) record: u64,
    pub(crate) record_bytes: usize,
    /// The error that truncated the source, if one did.
    interruption: Option<CaptureErrorKind>,
    /// Positions of the blocks read so far, for building an index.
    pub(crate) blocks: Vec<BlockPosition>,
}

impl BinaryReader {
    /// Opens a capture, and returns its header's line, too. `interruption` is the error that truncated the source.
    pub(crate) fn open(
        mut source: Box<dyn PayloadSource>,
        interruption: Option<CaptureErrorKind>,
    ) -> Result<(Self, Vec<u8>), CaptureErrorKind> {
        let length = source.seek(SeekFrom::End(0)).map_err(CaptureErrorKind::Io)?;
        let mut file = BlockFile { source, length };
        let mut start = [0; FILE_HEAD];
        file.read_at(0, &mut start)?;
        let version = start.get(MAGIC.len()..).and_then(<[u8]>::first_chunk);
        let version = version.copied().map_or(0, u32::from_le_bytes);
        if version != VERSION {
            return Err(CaptureErrorKind::Version(format!("{version} of the binary form")));
        }
        let header = FILE_HEAD as u64;
        let head = file.head(header)?;
        if BlockKind::from_byte(head.kind) != Some(BlockKind::Header) {
            return Err(block_fault(header, BlockFault::Malformed("no header")));
        }
        let line = file.body(header, &head)?;
        let binary = BinaryReader {
            file,
            payloads: Payloads::default(),
            next: head.end(header),
            current: header,
            tables: BlockTables::default(),
            body: Vec::new(),
            position: 0,
            record: 0,
            record_bytes: 0,
            interruption,
            blocks: Vec::new(),
        };
        Ok((binary, line))
    }

    pub(crate) fn more(&mut self) -> Result<bool, CaptureErrorKind> {
        while self.position >= self.body.len() {
            if !self.next_block()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the next record, with its payloads if `with_payloads` is set. The payloads of a record may not exceed the
    /// maximum size of a block.
    pub(crate) fn next(&mut self, with_payloads: bool) -> Result<Json<'_>, CaptureErrorKind> {
        let rest = self.body.get(self.position..).unwrap_or_default();
        let at = self.current;
        let record = Decoder::record(rest, &self.tables);
        let (mut json, length) = record.map_err(|fault| block_fault(at, fault))?;
        let mut payload_bytes = 0;
        let mut read = |leaf: &mut Json<'_>| {
            let Json::Payload(number) = *leaf else { return Ok(()) };
            let bytes = self.payloads.get(number, &mut self.file)?;
            payload_bytes += bytes.len();
            if payload_bytes as u64 > MAX_BLOCK_BYTES {
                let fault = BlockFault::Malformed("too many payloads in one record");
                return Err(block_fault(at, fault));
            }
            *leaf = Json::Bytes(bytes.to_vec().into());
            Ok(())
        };
        if with_payloads {
            json.leaves(&mut read)?;
        }
        self.record_bytes = length + payload_bytes;
        self.position += length;
        self.record += 1;
        Ok(json)
    }

    /// Continues to the next block. Returns false at the end of the capture.
    fn next_block(&mut self) -> Result<bool, CaptureErrorKind> {
        let at = self.next;
        let head = self.file.head(at).map_err(|kind| match kind {
            CaptureErrorKind::Block { fault: BlockFault::CutOff, .. } => {
                self.interruption.take().unwrap_or(kind)
            }
            kind => kind,
        })?;
        self.next = head.end(at);
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
            // Unknown block types are skipped, because later versions may add some.
            None => {}
        }
        if let Some(kind) = kind {
            self.blocks.push(BlockPosition { kind, offset: at, first: head.first });
        }
        Ok(true)
    }

    fn load_records(&mut self, at: u64, head: &Head) -> Result<(), CaptureErrorKind> {
        self.body = self.file.body(at, head)?;
        let mut cursor = LebCursor(&self.body);
        self.tables = BlockTables::read(&mut cursor).map_err(|fault| block_fault(at, fault))?;
        self.position = self.body.len() - cursor.0.len();
        self.current = at;
        Ok(())
    }

    /// Returns the content of the index at the end of the file, or `None` if the index is missing or damaged.
    pub(crate) fn index(&mut self) -> Option<Vec<u8>> {
        let end = self.file.length.checked_sub(FILE_END as u64)?;
        let mut bytes = [0; FILE_END];
        self.file.read_at(end, &mut bytes).ok()?;
        let ([offset, checksum, magic], []) = bytes.as_chunks::<8>() else {
            return None;
        };
        let at = u64::from_le_bytes(*offset);
        let sound = *magic == END_MAGIC
            && u64::from_le_bytes(*checksum) == twox_hash::XxHash3_64::oneshot(offset);
        let head = self.file.head(at).ok().filter(|_| sound)?;
        let fits = head.kind == BlockKind::Index as u8 && head.raw as usize <= MAX_INDEX_BYTES;
        fits.then(|| self.file.body(at, &head).ok())?
    }

    /// Seeks to a record by its 0-based index. `blocks` are the block positions from the capture's index.
    pub(crate) fn seek(
        &mut self,
        blocks: &[BlockPosition],
        record: u64,
    ) -> Result<(), CaptureErrorKind> {
        let mut records = blocks.iter().filter(|block| block.kind == BlockKind::Records).rev();
        let Some(start) = records.find(|block| block.first <= record) else {
            return Err(block_fault(0, BlockFault::Malformed("an index without records")));
        };
        let before = |block: &&BlockPosition| {
            block.kind == BlockKind::Payloads && block.offset < start.offset
        };
        let payloads = blocks.iter().filter(before);
        self.payloads.blocks = payloads.map(|block| (block.first, block.offset)).collect();
        (self.body, self.position) = (Vec::new(), 0);
        (self.next, self.record) = (start.offset, start.first);
        while self.record < record && self.more()? {
            self.next(false)?;
        }
        Ok(())
    }
}

/// Returns the first bytes of a file, and whether the file is a binary capture.
pub(crate) fn starts_like(source: &mut impl Read) -> io::Result<(Vec<u8>, bool)> {
    let mut start = [0; MAGIC.len()];
    let length = read_some(source, &mut start)?;
    let start = start.get(..length).unwrap_or_default().to_vec();
    let binary = start == MAGIC;
    Ok((start, binary))
}

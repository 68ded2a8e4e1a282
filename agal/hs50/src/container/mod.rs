//! DXBC containers: header, checksum and chunks ([hs50.container.header]).

mod checksum;
pub mod signature;
pub mod statistics;

use std::fmt;
use std::ops::Range;

pub use checksum::checksum;

use crate::words::{bytes_of, length, word_at};

/// The first four bytes of a DXBC container.
pub const MAGIC: [u8; 4] = *b"DXBC";
/// The only valid version of a container header.
pub const VERSION: u32 = 1;
/// Size of the header in bytes; the chunk table follows.
const HEADER: usize = 32;
/// Size in bytes of a chunk's header: the tag and the payload size.
const CHUNK_HEADER: usize = 8;

/// A chunk's tag: four characters (FourCC).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(pub [u8; 4]);

impl Tag {
    /// The chunk with the program in tokens of shader model 5.
    pub const SHEX: Tag = Tag(*b"SHEX");
    /// An alternative tag for the program chunk, used by some writers.
    pub const SHDR: Tag = Tag(*b"SHDR");
    /// The chunk with the compiler's statistics.
    pub const STAT: Tag = Tag(*b"STAT");
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

/// The handling of a container with a wrong checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checksum {
    /// Reject the container, like Direct3D.
    #[default]
    Verify,
    /// Accept the container despite the wrong checksum.
    Ignore,
}

agal_core::errors! {
    /// The types of container errors.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    #[non_exhaustive]
    pub enum ContainerError {
        Magic = "not a shader container: it does not begin with DXBC";
        Short { found: usize, needed: u64 } = "the container needs {needed} bytes, but has {found}";
        Version(u32) = "container version {0} is not supported: only 1 is";
        Size { stated: u32, found: usize } = "the header says {stated} bytes, but there are {found}";
        Checksum { stored: [u32; 4], computed: [u32; 4] } =
            "the checksum is {}, it should be {}" [hex(.stored), hex(.computed)];
        Chunk { number: usize, offset: u32 } =
            "chunk {number} at byte {offset} is not inside the container or not aligned to 4 bytes";
        Missing(&'static str) = "the chunk {0} is missing";
        DuplicateChunk(Tag) = "there is more than one chunk {0}";
    }
}

fn hex(sum: &[u32; 4]) -> String {
    let bytes = sum.iter().flat_map(|word| word.to_le_bytes());
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// A DXBC container of shader model 4 or 5: a checksum and chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DxbcContainer {
    bytes: Vec<u8>,
    chunks: Vec<(Tag, Range<usize>)>,
}

/// A chunk of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The tag of the chunk.
    pub tag: Tag,
    /// Byte offset of the payload in the container.
    pub offset: usize,
    /// The payload, without the chunk's header.
    pub data: &'a [u8],
}

impl DxbcContainer {
    /// Reads a container and its chunk table.
    pub fn read(bytes: Vec<u8>, sum: Checksum) -> Result<DxbcContainer, ContainerError> {
        if bytes.get(..4) != Some(&MAGIC) {
            return Err(ContainerError::Magic);
        }
        let short = |needed| ContainerError::Short { found: bytes.len(), needed };
        let field = |offset| word_at(&bytes, offset).ok_or(short(HEADER as u64));
        let (version, size, count) = (field(20)?, field(24)?, field(28)?);
        if version != VERSION {
            return Err(ContainerError::Version(version));
        }
        if usize::try_from(size) != Ok(bytes.len()) {
            return Err(ContainerError::Size { stated: size, found: bytes.len() });
        }
        let table = HEADER as u64 + 4 * u64::from(count);
        if table > bytes.len() as u64 {
            return Err(short(table));
        }
        let mut container = DxbcContainer { bytes, chunks: Vec::new() };
        let (stored, computed) = (container.stored_checksum(), container.computed_checksum());
        if sum == Checksum::Verify && stored != computed {
            return Err(ContainerError::Checksum { stored, computed });
        }
        let ranges = (0..count as usize).map(|number| container.chunk_range(number));
        container.chunks = ranges.collect::<Result<_, _>>()?;
        Ok(container)
    }

    fn chunk_range(&self, number: usize) -> Result<(Tag, Range<usize>), ContainerError> {
        let offset = word_at(&self.bytes, HEADER + 4 * number).unwrap_or(0);
        let outside = ContainerError::Chunk { number, offset };
        let start = offset as usize;
        if start < HEADER || !start.is_multiple_of(4) {
            return Err(outside);
        }
        let tag = self.bytes.get(start..).and_then(|rest| rest.first_chunk());
        let size = word_at(&self.bytes, start.saturating_add(4));
        let (Some(tag), Some(size)) = (tag, size) else { return Err(outside) };
        let data = start.saturating_add(CHUNK_HEADER);
        let range = data..data.saturating_add(size as usize);
        self.bytes.get(range.clone()).map(|_| (Tag(*tag), range.clone())).ok_or(outside)
    }

    /// Builds a container from chunks, in the given order, with a correct checksum.
    pub fn from_chunks<'a>(chunks: impl IntoIterator<Item = (Tag, &'a [u8])>) -> DxbcContainer {
        let chunks: Vec<_> = chunks.into_iter().collect();
        let table = HEADER.saturating_add(chunks.len().saturating_mul(4));
        let (mut offsets, mut ranges, mut body) = (Vec::new(), Vec::new(), Vec::new());
        for (tag, data) in chunks {
            let start = table.saturating_add(body.len());
            offsets.push(length(start));
            body.extend(tag.0);
            body.extend(length(data.len()).to_le_bytes());
            body.extend(data);
            let end = table.saturating_add(body.len());
            ranges.push((tag, start.saturating_add(CHUNK_HEADER)..end));
        }
        let size = length(table.saturating_add(body.len()));
        let header = bytes_of(&[VERSION, size, length(offsets.len())]);
        let bytes = [&MAGIC[..], &[0; 16], &header, &bytes_of(&offsets), &body].concat();
        let mut container = DxbcContainer { bytes, chunks: ranges };
        container.resign();
        container
    }

    /// Recomputes the checksum and stores it in the header.
    pub fn resign(&mut self) {
        let sum = self.computed_checksum();
        let bytes = sum.iter().flat_map(|word| word.to_le_bytes());
        for (slot, byte) in self.bytes.iter_mut().skip(MAGIC.len()).zip(bytes) {
            *slot = byte;
        }
    }

    /// Returns the bytes of the container.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the chunks in table order.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = Chunk<'_>> + '_ {
        self.chunks.iter().map(|(tag, range)| Chunk {
            tag: *tag,
            offset: range.start,
            data: self.bytes.get(range.clone()).unwrap_or_default(),
        })
    }

    /// Returns the first chunk with this tag.
    pub fn chunk(&self, tag: Tag) -> Option<Chunk<'_>> {
        self.chunks().find(|chunk| chunk.tag == tag)
    }

    /// Returns the program chunk: SHEX or SHDR.
    pub fn program(&self) -> Result<Chunk<'_>, ContainerError> {
        let is_program = |chunk: &Chunk<'_>| [Tag::SHEX, Tag::SHDR].contains(&chunk.tag);
        let mut programs = self.chunks().filter(is_program);
        let first = programs.next().ok_or(ContainerError::Missing("SHEX"))?;
        match programs.next() {
            Some(second) => Err(ContainerError::DuplicateChunk(second.tag)),
            None => Ok(first),
        }
    }

    /// Returns the checksum in the header.
    pub fn stored_checksum(&self) -> [u32; 4] {
        [4, 8, 12, 16].map(|offset| word_at(&self.bytes, offset).unwrap_or(0))
    }

    /// Computes the checksum of the container's bytes.
    pub fn computed_checksum(&self) -> [u32; 4] {
        checksum(&self.bytes)
    }
}

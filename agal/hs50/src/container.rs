//! DXBC containers: header, checksum and chunks (hs-5-0.md, 1.1).

use std::fmt;
use std::ops::Range;

use crate::checksum::checksum;
use crate::words::{length, word_at};

/// The first four bytes.
pub const MAGIC: [u8; 4] = *b"DXBC";
/// The only supported version.
pub const VERSION: u32 = 1;
/// Size of the header in bytes; the chunk table follows.
const HEADER: usize = 32;
/// Size of a chunk's header in bytes: tag and payload size.
const CHUNK_HEADER: usize = 8;

/// A chunk's four-character tag.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(pub [u8; 4]);

impl Tag {
    /// The program, shader model 5.
    pub const SHEX: Tag = Tag(*b"SHEX");
    /// The program in the same layout: some writers use this tag instead.
    pub const SHDR: Tag = Tag(*b"SHDR");
    /// Statistics.
    pub const STAT: Tag = Tag(*b"STAT");
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How to handle a wrong checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checksum {
    /// Reject the container, as Direct3D does.
    #[default]
    Verify,
    /// Ignore it.
    Ignore,
}

/// Why bytes can't be read as a container.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContainerError {
    /// The bytes don't begin with `DXBC`.
    Magic,
    /// The bytes end before the end of the header or the chunk table.
    Short {
        /// Number of bytes.
        found: usize,
        /// Number of bytes needed.
        needed: u64,
    },
    /// A version other than 1.
    Version(u32),
    /// The size in the header differs from the number of bytes.
    Size {
        /// The size in the header.
        stated: u32,
        /// Number of bytes.
        found: usize,
    },
    /// The checksum is wrong.
    Checksum {
        /// The checksum in the header.
        stored: [u32; 4],
        /// The correct checksum.
        computed: [u32; 4],
    },
    /// A chunk isn't within the bytes, or isn't aligned to 4 bytes.
    Chunk {
        /// Its index in the chunk table.
        number: usize,
        /// Its byte offset according to the table.
        offset: u32,
    },
    /// A required chunk is missing.
    Missing(&'static str),
    /// A chunk that must be unique occurs more than once.
    DuplicateChunk(Tag),
}

shader_core::messages! { ContainerError {
    Self::Magic => "not a shader container: it does not begin with DXBC";
    Self::Short { found, needed } => "the container needs {needed} bytes, but has {found}";
    Self::Version(version) => "container version {version} is not supported: only 1 is";
    Self::Size { stated, found } => "the header says {stated} bytes, but there are {found}";
    Self::Checksum { stored, computed } => "the checksum is {}, it should be {}", hex(stored), hex(computed);
    Self::Chunk { number, offset } => "chunk {number} at byte {offset} is not inside the container or not aligned to 4 bytes";
    Self::Missing(tag) => "the chunk {tag} is missing";
    Self::DuplicateChunk(tag) => "there is more than one chunk {tag}";
} }

/// The checksum's bytes in hexadecimal.
fn hex(sum: &[u32; 4]) -> String {
    let bytes = sum.iter().flat_map(|word| word.to_le_bytes());
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// A container: its bytes and the locations of its chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    bytes: Vec<u8>,
    chunks: Vec<(Tag, Range<usize>)>,
}

/// A chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// Its tag.
    pub tag: Tag,
    /// Byte offset of the payload in the container.
    pub offset: usize,
    /// The payload.
    pub data: &'a [u8],
}

impl Container {
    /// Reads a container.
    ///
    /// # Errors
    /// [`ContainerError`] for a wrong header or chunk table, and for a wrong checksum unless it is ignored.
    pub fn read(bytes: Vec<u8>, sum: Checksum) -> Result<Container, ContainerError> {
        if bytes.get(..4) != Some(&MAGIC) {
            return Err(ContainerError::Magic);
        }
        let short = |needed| ContainerError::Short { found: bytes.len(), needed };
        let field = |place| word_at(&bytes, place).ok_or(short(HEADER as u64));
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
        let mut container = Container { bytes, chunks: Vec::new() };
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
        let (Some(tag), Some(size)) = (tag, size) else {
            return Err(outside);
        };
        let data = start.saturating_add(CHUNK_HEADER);
        let range = data..data.saturating_add(size as usize);
        match self.bytes.get(range.clone()) {
            Some(_) => Ok((Tag(*tag), range)),
            None => Err(outside),
        }
    }

    /// Writes a container with these chunks in order and the correct checksum.
    pub fn from_chunks<'a>(chunks: impl IntoIterator<Item = (Tag, &'a [u8])>) -> Container {
        let chunks: Vec<_> = chunks.into_iter().collect();
        let mut offset = HEADER.saturating_add(chunks.len().saturating_mul(4));
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0; 16]);
        let mut put = |word: u32| bytes.extend(word.to_le_bytes());
        let size = |data: &[u8]| CHUNK_HEADER.saturating_add(data.len());
        let sizes = chunks.iter().map(|(_, data)| size(data));
        put(VERSION);
        put(length(sizes.clone().fold(offset, usize::saturating_add)));
        put(length(chunks.len()));
        let mut ranges = Vec::new();
        for ((tag, _), size) in chunks.iter().zip(sizes) {
            put(length(offset));
            let start = offset.saturating_add(CHUNK_HEADER);
            offset = offset.saturating_add(size);
            ranges.push((*tag, start..offset));
        }
        for (tag, data) in chunks {
            bytes.extend(tag.0);
            bytes.extend(length(data.len()).to_le_bytes());
            bytes.extend(data);
        }
        let mut container = Container { bytes, chunks: ranges };
        container.resign();
        container
    }

    /// Writes the correct checksum to the header.
    pub fn resign(&mut self) {
        let sum = self.computed_checksum();
        let bytes = sum.iter().flat_map(|word| word.to_le_bytes());
        for (slot, byte) in self.bytes.iter_mut().skip(MAGIC.len()).zip(bytes) {
            *slot = byte;
        }
    }

    /// The container's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The chunks in the order of the chunk table.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = Chunk<'_>> + '_ {
        self.chunks.iter().map(|(tag, range)| Chunk {
            tag: *tag,
            offset: range.start,
            data: self.bytes.get(range.clone()).unwrap_or_default(),
        })
    }

    /// The first chunk with a tag.
    pub fn chunk(&self, tag: Tag) -> Option<Chunk<'_>> {
        self.chunks().find(|chunk| chunk.tag == tag)
    }

    /// The chunk with the program: SHEX or SHDR.
    ///
    /// # Errors
    /// [`ContainerError::Missing`] if there is none, [`ContainerError::DuplicateChunk`] if there are several.
    pub fn program(&self) -> Result<Chunk<'_>, ContainerError> {
        let is_program = |chunk: &Chunk<'_>| [Tag::SHEX, Tag::SHDR].contains(&chunk.tag);
        let mut programs = self.chunks().filter(is_program);
        let first = programs.next().ok_or(ContainerError::Missing("SHEX"))?;
        match programs.next() {
            Some(second) => Err(ContainerError::DuplicateChunk(second.tag)),
            None => Ok(first),
        }
    }

    /// The checksum in the header.
    pub fn stored_checksum(&self) -> [u32; 4] {
        [4, 8, 12, 16].map(|place| word_at(&self.bytes, place).unwrap_or(0))
    }

    /// The correct checksum.
    pub fn computed_checksum(&self) -> [u32; 4] {
        checksum(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container() -> Container {
        Container::from_chunks([(Tag::SHEX, &[1, 2, 3, 4][..]), (Tag(*b"PRIV"), &[])])
    }

    #[test]
    fn what_is_built_is_read() {
        let built = container();
        let read = Container::read(built.bytes().to_vec(), Checksum::Verify);
        assert_eq!(read.as_ref(), Ok(&built));
        assert_eq!(built.chunks().len(), 2);
        assert_eq!(built.program().map(|chunk| chunk.data), Ok(&[1, 2, 3, 4][..]));
    }

    #[test]
    fn what_the_header_states_is_compared() {
        let changed = |place: usize, word: u32, sum| {
            let mut bytes = container().bytes().to_vec();
            bytes[place..place + 4].copy_from_slice(&word.to_le_bytes());
            Container::read(bytes, sum).unwrap_err().to_string()
        };
        let ignored = |place, word| changed(place, word, Checksum::Ignore);
        assert_eq!(ignored(0, 0), "not a shader container: it does not begin with DXBC");
        assert_eq!(ignored(20, 2), "container version 2 is not supported: only 1 is");
        assert_eq!(ignored(24, 64), "the header says 64 bytes, but there are 60");
        assert_eq!(ignored(28, 8), "the container needs 64 bytes, but has 60");
        for offset in [0, 41, 56, 60, u32::MAX] {
            let expected = format!(
                "chunk 1 at byte {offset} is not inside the container or not aligned to 4 bytes"
            );
            assert_eq!(ignored(36, offset), expected);
        }
        let message = changed(4, 0, Checksum::Verify);
        assert!(message.starts_with("the checksum is 00000000"), "{message}");
        let short = Container::read(b"DXBC".to_vec(), Checksum::Ignore);
        assert_eq!(short, Err(ContainerError::Short { found: 4, needed: 32 }));
    }

    #[test]
    fn there_is_one_program() {
        let none = Container::from_chunks([]);
        assert_eq!(none.program(), Err(ContainerError::Missing("SHEX")));
        let two = Container::from_chunks([(Tag::SHEX, &[][..]), (Tag::SHDR, &[])]);
        assert_eq!(two.program(), Err(ContainerError::DuplicateChunk(Tag::SHDR)));
    }
}

#![doc = include_str!("../README.md")]
//!
//! # The stages
//!
//! ```text
//! bytes ─AtfHeader::read→ AtfHeader ─images→ LevelImage (side, level, records)
//! LevelImage ─texels→ texels or blocks in a TexelLayout
//! ```
//!
//! The best encoding that the driver supports unchanged is uploaded; if the driver supports none, the best encoding is
//! decoded once, at upload ([`LevelEncoding::BY_QUALITY`]). [`AtfFile`] writes a file with fewer encodings, faces or
//! levels, with raw blocks, or with other levels.

mod block;
mod edit;
mod error;
mod header;
mod image;
mod layout;
mod likeness;
pub mod lzma;
mod picture;
mod rebuild;
mod table;

pub use block::SIDE as BLOCK_SIDE;
pub use edit::AtfFile;
pub use error::{AtfEditError, AtfError};
pub use header::{AtfHeader, CUBE_FACES};
pub use image::{LevelData, LevelImage, UploadFormat};
pub use layout::{TexelLayout, convert};
pub use likeness::Differences;
pub use table::{AtfFormat, LevelEncoding, LevelGroup, TextureClass};

/// A file whose header has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atf<'a> {
    header: AtfHeader,
    bytes: &'a [u8],
}

impl<'a> Atf<'a> {
    /// Reads the header at the start of the bytes; more bytes may follow the file.
    ///
    /// # Errors
    /// Those of [`AtfHeader::read`].
    pub fn open(bytes: &'a [u8]) -> Result<Self, AtfError> {
        let header = AtfHeader::read(bytes)?;
        Ok(Atf { header, bytes })
    }

    /// Returns the header.
    pub fn header(&self) -> &AtfHeader {
        &self.header
    }

    /// Returns the bytes of the file, without bytes after its end.
    pub fn bytes(&self) -> &'a [u8] {
        let length = usize::try_from(self.header.length).unwrap_or(usize::MAX);
        self.bytes.get(..length).unwrap_or(self.bytes)
    }

    /// Checks that the data is as long as the header says.
    ///
    /// # Errors
    /// [`AtfError::Truncated`]
    pub fn check_length(&self) -> Result<(), AtfError> {
        let (needed, have) = (self.header.length, self.bytes.len() as u64);
        let complete = (needed <= have).then_some(());
        complete.ok_or(AtfError::Truncated { needed, have })
    }

    /// Returns the levels in the file's order: face by face, each from large to small. Levels without data, according
    /// to the flags, are skipped. The iterator ends after an error.
    pub fn images(&self) -> impl Iterator<Item = Result<LevelImage<'a>, AtfError>> + use<'a> {
        let atf = *self;
        let levels = atf.header.levels();
        let mut records = LevelRecords::new(atf, atf.stored_levels());
        let mut ended = false;
        std::iter::from_fn(move || {
            while !ended {
                let Some((face, level)) = records.place() else {
                    break;
                };
                // A file may end before its last empty levels.
                if face + 1 == atf.header.faces() && level >= levels {
                    break;
                }
                match records.next() {
                    Ok(_) if level >= levels => {}
                    Ok(found) => return Some(Ok(LevelImage::new(&atf.header, face, level, found))),
                    Err(error) => {
                        ended = true;
                        return Some(Err(error));
                    }
                }
            }
            None
        })
    }

    /// Returns the number of levels with records in each face. The reference doesn't say whether levels that the
    /// header's flags leave empty have records. The result is the header's level count, except for a cube whose faces
    /// fit into the file only without records for empty levels.
    fn stored_levels(&self) -> u8 {
        let AtfHeader { count, cube, .. } = self.header;
        let levels = self.header.levels();
        let fits = |levels| {
            let mut records = LevelRecords::new(*self, levels);
            while records.place().is_some() {
                if records.next().is_err() {
                    return false;
                }
            }
            true
        };
        if cube && levels != count && !fits(count) && fits(levels) { levels } else { count }
    }
}

struct LevelRecords<'a> {
    atf: Atf<'a>,
    levels: u8,
    offset: usize,
    face: u8,
    level: u8,
}

impl<'a> LevelRecords<'a> {
    fn new(atf: Atf<'a>, levels: u8) -> Self {
        LevelRecords { atf, levels, offset: atf.header.data, face: 0, level: 0 }
    }

    /// Returns the face (in the file's order) and the mip level of the next records.
    fn place(&self) -> Option<(u8, u8)> {
        let inside = self.face < self.atf.header.faces() && self.level < self.levels;
        inside.then_some((self.face, self.level))
    }

    fn next(&mut self) -> Result<Vec<&'a [u8]>, AtfError> {
        let AtfHeader { format, version, .. } = self.atf.header;
        let groups = format.groups(version).iter();
        let count = groups.map(|group| group.records).sum();
        let records = (0..count).map(|_| self.record()).collect();
        self.level += 1;
        if self.level == self.levels {
            (self.face, self.level) = (self.face.saturating_add(1), 0);
        }
        records
    }

    fn record(&mut self) -> Result<&'a [u8], AtfError> {
        let start = self.offset;
        let digits = if self.atf.header.version == 0 { 3 } else { 4 };
        let digits = self.take(digits, start)?;
        let length = digits.iter().fold(0u32, |length, digit| length << 8 | u32::from(*digit));
        self.take(usize::try_from(length).unwrap_or(usize::MAX), start)
    }

    /// Reads the next bytes of the record that begins at `start`.
    fn take(&mut self, length: usize, start: usize) -> Result<&'a [u8], AtfError> {
        let end = self.offset.saturating_add(length);
        if end as u64 > self.atf.header.length && end <= self.atf.bytes.len() {
            return Err(AtfError::Overrun { offset: start as u64, length: length as u64 });
        }
        let bytes = self.atf.bytes.get(self.offset..end);
        let bytes = bytes
            .ok_or(AtfError::Truncated { needed: end as u64, have: self.atf.bytes.len() as u64 })?;
        self.offset = end;
        Ok(bytes)
    }
}

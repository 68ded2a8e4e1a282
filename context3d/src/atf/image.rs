//! One level of one face.

use std::borrow::Cow;

use super::error::AtfError;
use super::header::Header;
use super::picture::{self, Shape};
use super::rebuild;
use super::table::{Encoding, Group};
use crate::format::convert;
use crate::packet::TexelLayout;

/// The records of one level of one face, not decoded yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    /// Cube face 0 to 5 in the order of the API (+X −X +Y −Y +Z −Z), else 0.
    pub side: u8,
    /// Mip level.
    pub level: u8,
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    groups: &'static [Group],
    records: Vec<&'a [u8]>,
}

impl<'a> Image<'a> {
    pub(super) fn new(header: &Header, face: u8, level: u8, records: Vec<&'a [u8]>) -> Self {
        let (width, height) = header.level_size(level);
        Image {
            // The file has the negative side of each axis first.
            side: if header.cube { face ^ 1 } else { 0 },
            level,
            width,
            height,
            groups: header.format.groups(header.version),
            records,
        }
    }

    /// The records as they are, in the file's order; those of absent encodings are empty.
    pub fn records(&self) -> &[&'a [u8]] {
        &self.records
    }

    /// Each encoding that the format may have with its records, present or not.
    fn groups(&self) -> impl Iterator<Item = (Encoding, &[&'a [u8]])> {
        let mut rest = self.records.as_slice();
        self.groups.iter().map(move |group| {
            let (records, behind) = rest.split_at(group.records.min(rest.len()));
            rest = behind;
            (group.encoding, records)
        })
    }

    /// The encodings that are there, in the file's order, with the bytes that each takes.
    pub fn encodings(&self) -> impl Iterator<Item = (Encoding, usize)> {
        self.groups().filter_map(|(encoding, records)| {
            let bytes = records.iter().map(|record| record.len()).sum();
            (bytes > 0).then_some((encoding, bytes))
        })
    }

    /// The encodings that are there, best first.
    fn by_quality(&self) -> impl Iterator<Item = Encoding> {
        let present = |encoding: &&Encoding| self.encodings().any(|(other, _)| other == **encoding);
        Encoding::BY_QUALITY.iter().filter(present).copied()
    }

    /// The layout to give to a driver that takes the layouts that `takes` names: that of the best encoding
    /// ([`Encoding::BY_QUALITY`]) that it takes as it is, else [`TexelLayout::Bgra8`]. `None` for a level without data.
    pub fn best_layout(&self, takes: impl Fn(TexelLayout) -> bool) -> Option<TexelLayout> {
        self.encodings().next()?;
        let layouts = self.by_quality().filter_map(Encoding::layout);
        let taken = layouts.into_iter().find(|layout| takes(*layout));
        Some(taken.unwrap_or(TexelLayout::Bgra8))
    }

    /// The level's texels in a layout: blocks as they are where the file has them like that, else the best encoding
    /// ([`Encoding::BY_QUALITY`]) that can be decoded, converted. `None` for a level without data.
    ///
    /// Takes memory for the level as its size says, however much the records promise.
    ///
    /// # Errors
    /// [`AtfError::Damaged`], or [`AtfError::Unsupported`] where no encoding can be decoded.
    pub fn texels(&self, layout: TexelLayout) -> Result<Option<Cow<'a, [u8]>>, AtfError> {
        if self.encodings().next().is_none() {
            return Ok(None);
        }
        let as_it_is = self
            .by_quality()
            .filter(|encoding| encoding.layout() == Some(layout));
        let converted = self.by_quality().map(|encoding| (encoding, false));
        let mut reason = AtfError::Unsupported("no known encoding in a level".to_owned());
        for (encoding, whole) in as_it_is.map(|encoding| (encoding, true)).chain(converted) {
            let texels = match whole {
                true => self.blocks(encoding),
                false => self.convert(encoding, layout),
            };
            match texels {
                Err(AtfError::Unsupported(what)) => reason = AtfError::Unsupported(what),
                done => return done.map(Some),
            }
        }
        Err(reason)
    }

    fn convert(&self, encoding: Encoding, layout: TexelLayout) -> Result<Cow<'a, [u8]>, AtfError> {
        let bgra = self.bgra(encoding)?;
        if layout == TexelLayout::Bgra8 {
            return Ok(Cow::Owned(bgra));
        }
        let mut texels = Vec::new();
        convert(&bgra, (self.width, self.height), layout, &mut texels);
        Ok(Cow::Owned(texels))
    }

    fn records_of(&self, encoding: Encoding) -> &[&'a [u8]] {
        let mut groups = self.groups();
        let found = groups.find(|(other, _)| *other == encoding);
        found.map_or(&[], |(_, records)| records)
    }

    /// B, G, R, A bytes.
    fn bgra(&self, encoding: Encoding) -> Result<Vec<u8>, AtfError> {
        let (width, height) = (self.width, self.height);
        let Some(kind) = encoding.blocks() else {
            let record = self.records_of(encoding).first().copied();
            return picture::bgra(record.unwrap_or_default(), Shape { width, height });
        };
        let blocks = self.blocks(encoding)?;
        let mut bgra = kind
            .decode(&blocks, width, height)
            .ok_or_else(|| AtfError::damaged("blocks of a wrong size"))?;
        if !encoding.has_alpha() {
            for texel in bgra.as_chunks_mut::<4>().0 {
                texel[3] = u8::MAX;
            }
        }
        Ok(bgra)
    }

    /// The blocks of an encoding that has blocks: a raw record's own, or put together from their parts.
    fn blocks(&self, encoding: Encoding) -> Result<Cow<'a, [u8]>, AtfError> {
        let kind = encoding.blocks();
        let size = kind.and_then(|kind| kind.bytes(self.width, self.height));
        match self.records_of(encoding) {
            [raw] if Some(raw.len()) == size => Ok(Cow::Borrowed(raw)),
            [raw] => Err(AtfError::damaged(format_args!(
                "{} blocks of {} bytes where {} are needed",
                encoding.name(),
                raw.len(),
                size.unwrap_or(0)
            ))),
            parts => {
                let blocks = rebuild::blocks(encoding, parts, self.width, self.height)?;
                Ok(Cow::Owned(blocks))
            }
        }
    }
}

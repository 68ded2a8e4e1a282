//! A mip level of one face of an ATF file.

use std::borrow::Cow;
use std::fmt;

use super::error::AtfError;
use super::header::AtfHeader;
use super::picture::{self, ImageDimensions};
use super::rebuild;
use super::table::{LevelEncoding, LevelGroup};
use crate::layout::TexelLayout;
use crate::layout::convert;

/// The encoding and the texel layout of an upload. `Display` prints the encoding and the conversion, for logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UploadFormat {
    /// The encoding of the uploaded bytes.
    pub encoding: LevelEncoding,
    /// The layout of the decoded texels.
    pub layout: TexelLayout,
}

impl UploadFormat {
    /// Returns whether the driver receives the file's blocks without decoding, raw or combined from their parts.
    pub fn is_unchanged(&self) -> bool {
        self.encoding.layout() == Some(self.layout)
    }
}

impl fmt::Display for UploadFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.encoding.name();
        match self.layout {
            _ if self.is_unchanged() => write!(f, "{name} unchanged"),
            TexelLayout::Bgra8 => write!(f, "{name} decoded"),
            layout => write!(f, "{name} decoded and encoded as {layout:?}"),
        }
    }
}

/// The texels of a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelData<'a> {
    /// The encoding and layout of the texels.
    pub format: UploadFormat,
    /// Rows of texels or of blocks, from the top.
    pub data: Cow<'a, [u8]>,
}

/// The records of one mip level of one face, before decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelImage<'a> {
    /// Cube face 0 to 5 in the order of the API (+X −X +Y −Y +Z −Z); 0 for other files.
    pub side: u8,
    /// Mip level.
    pub level: u8,
    /// Width in texels.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    groups: &'static [LevelGroup],
    records: Vec<&'a [u8]>,
}

impl<'a> LevelImage<'a> {
    pub(super) fn new(header: &AtfHeader, face: u8, level: u8, records: Vec<&'a [u8]>) -> Self {
        let (width, height) = header.level_size(level);
        LevelImage {
            // In the file, the negative face of each axis precedes the positive face.
            side: if header.cube { face ^ 1 } else { 0 },
            level,
            width,
            height,
            groups: header.format.groups(header.version),
            records,
        }
    }

    /// Returns the raw records in the file's order; the record of an absent encoding is empty.
    pub fn records(&self) -> &[&'a [u8]] {
        &self.records
    }

    /// Returns each encoding of the file's format with its records, which may be empty.
    fn groups(&self) -> impl Iterator<Item = (LevelEncoding, &[&'a [u8]])> {
        let mut rest = self.records.as_slice();
        self.groups.iter().map(move |group| {
            let (records, behind) = rest.split_at(group.records.min(rest.len()));
            rest = behind;
            (group.encoding, records)
        })
    }

    /// Returns the encodings with data, in the file's order, with their sizes in bytes.
    pub fn encodings(&self) -> impl Iterator<Item = (LevelEncoding, usize)> {
        self.groups().filter_map(|(encoding, records)| {
            let bytes = records.iter().map(|record| record.len()).sum();
            (bytes > 0).then_some((encoding, bytes))
        })
    }

    /// Returns the encodings with data that can be decoded, best first.
    fn by_quality(&self) -> impl Iterator<Item = LevelEncoding> {
        let usable = |encoding: &&LevelEncoding| {
            let records = self.records_of(**encoding);
            records.iter().any(|record| !record.is_empty())
                && (records.len() == 1 || rebuild::knows(**encoding))
        };
        LevelEncoding::BY_QUALITY.iter().filter(usable).copied()
    }

    /// Returns the encoding and layout for a driver that supports the layouts accepted by `takes`: the best encoding
    /// ([`LevelEncoding::BY_QUALITY`]) that the driver supports unchanged, or else the best encoding, decoded to
    /// [`TexelLayout::Bgra8`]. Returns `None` if the level has no readable data.
    pub fn upload_format(&self, takes: impl Fn(TexelLayout) -> bool) -> Option<UploadFormat> {
        let whole = |encoding: LevelEncoding| {
            let layout = encoding.layout().filter(|layout| takes(*layout))?;
            Some(UploadFormat { encoding, layout })
        };
        let decoded = || {
            let layout = TexelLayout::Bgra8;
            let encoding = self.by_quality().next()?;
            Some(UploadFormat { encoding, layout })
        };
        self.by_quality().find_map(whole).or_else(decoded)
    }

    /// Returns whether [`LevelImage::texels`] needs no decoding, because the file stores the level in this layout or
    /// lacks the level.
    pub fn is_stored(&self, layout: TexelLayout) -> bool {
        let found = self.by_quality().find(|encoding| encoding.layout() == Some(layout));
        found.map_or(self.encodings().next().is_none(), |encoding| {
            self.records_of(encoding).len() == 1
        })
    }

    /// Returns the level's texels in a layout: the file's blocks unchanged if the file has this layout, or else the
    /// best encoding ([`LevelEncoding::BY_QUALITY`]) that can be decoded, converted. `None` if the level has no data.
    ///
    /// Allocates memory for the level's size only, regardless of the sizes in its records.
    ///
    /// # Errors
    /// [`AtfError::Invalid`], or [`AtfError::Unsupported`] if no encoding can be decoded.
    pub fn texels(&self, layout: TexelLayout) -> Result<Option<Cow<'a, [u8]>>, AtfError> {
        let texels = self.read(layout)?;
        Ok(texels.map(|texels| texels.data))
    }

    /// Like [`LevelImage::texels`], but also returns the encoding that was read.
    ///
    /// # Errors
    /// Those of [`LevelImage::texels`].
    pub fn read(&self, layout: TexelLayout) -> Result<Option<LevelData<'a>>, AtfError> {
        if self.encodings().next().is_none() {
            return Ok(None);
        }
        let unchanged = |encoding: &LevelEncoding| encoding.layout() == Some(layout);
        let whole = self.by_quality().filter(unchanged);
        let others = self.by_quality().filter(|encoding| !unchanged(encoding));
        let mut reason = AtfError::Unsupported("a level has no known encoding".to_owned());
        for encoding in whole.chain(others) {
            let data = if unchanged(&encoding) {
                self.blocks(encoding)
            } else {
                self.convert(encoding, layout)
            };
            let format = UploadFormat { encoding, layout };
            match data {
                Err(AtfError::Unsupported(what)) => reason = AtfError::Unsupported(what),
                Err(error) => return Err(error),
                Ok(data) => return Ok(Some(LevelData { format, data })),
            }
        }
        Err(reason)
    }

    /// Decodes one encoding of the level to B, G, R, A bytes. Returns `None` if the level lacks the encoding.
    ///
    /// # Errors
    /// Those of [`LevelImage::texels`].
    pub fn decode(&self, encoding: LevelEncoding) -> Result<Option<Vec<u8>>, AtfError> {
        if !self.encodings().any(|(present, _)| present == encoding) {
            return Ok(None);
        }
        if !self.by_quality().any(|readable| readable == encoding) {
            return Err(AtfError::Unsupported(format!("{} in parts", encoding.name())));
        }
        self.bgra(encoding).map(Some)
    }

    fn convert(
        &self,
        encoding: LevelEncoding,
        layout: TexelLayout,
    ) -> Result<Cow<'a, [u8]>, AtfError> {
        let bgra = self.bgra(encoding)?;
        if layout == TexelLayout::Bgra8 {
            return Ok(Cow::Owned(bgra));
        }
        let mut texels = Vec::new();
        convert(&bgra, (self.width, self.height), layout, &mut texels);
        Ok(Cow::Owned(texels))
    }

    fn records_of(&self, encoding: LevelEncoding) -> &[&'a [u8]] {
        let mut groups = self.groups();
        let found = groups.find(|(other, _)| *other == encoding);
        found.map_or(&[], |(_, records)| records)
    }

    /// Decodes an encoding to B, G, R, A bytes.
    fn bgra(&self, encoding: LevelEncoding) -> Result<Vec<u8>, AtfError> {
        let (width, height) = (self.width, self.height);
        let Some(kind) = encoding.blocks() else {
            let record = self.records_of(encoding).first().copied();
            return picture::bgra(record.unwrap_or_default(), ImageDimensions { width, height });
        };
        let blocks = self.blocks(encoding)?;
        let mut bgra = kind
            .decode(&blocks, width, height)
            .ok_or_else(|| AtfError::invalid("the blocks have the wrong size"))?;
        if !encoding.has_alpha() {
            for texel in bgra.as_chunks_mut::<4>().0 {
                texel[3] = u8::MAX;
            }
        }
        Ok(bgra)
    }

    /// Returns the blocks of an encoding, from a raw record or combined from parts.
    pub(super) fn blocks(&self, encoding: LevelEncoding) -> Result<Cow<'a, [u8]>, AtfError> {
        let kind = encoding.blocks();
        let size = kind.and_then(|kind| kind.bytes(self.width, self.height));
        match self.records_of(encoding) {
            [raw] if Some(raw.len()) == size => Ok(Cow::Borrowed(raw)),
            [raw] => Err(AtfError::invalid(format_args!(
                "the {} record has {} bytes, but {} are needed",
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

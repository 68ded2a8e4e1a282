//! Edits ATF files: removes encodings, faces or levels, combines parts to raw blocks, and replaces levels.

use std::borrow::Cow;
use std::ops::Range;

use super::Atf;
use super::error::{AtfEditError, AtfError};
use super::header::{AtfHeader, CUBE_FACES};
use super::image::LevelImage;
use super::layout::convert;
use super::table::{AtfFormat, LevelEncoding, LevelGroup};

/// An ATF file in memory that can be edited and written. Encoded data is copied without decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtfFile<'a> {
    header: AtfHeader,
    /// The records of each mip level with content, by face in the file's order.
    faces: Vec<Vec<EditRecords<'a>>>,
}

type EditRecords<'a> = Vec<Cow<'a, [u8]>>;

impl<'a> AtfFile<'a> {
    /// Reads all mip levels of a file.
    ///
    /// # Errors
    /// [`AtfEditError::File`] if the file is damaged.
    pub fn new(atf: &Atf<'a>) -> Result<Self, AtfEditError> {
        let header = *atf.header();
        let mut faces = vec![Vec::new(); header.faces().into()];
        for (number, image) in atf.images().enumerate() {
            let records = image?.records().iter().copied().map(Cow::Borrowed).collect();
            if let Some(face) = faces.get_mut(number / usize::from(header.levels().max(1))) {
                face.push(records);
            }
        }
        atf.check_length()?;
        Ok(AtfFile { header, faces })
    }

    /// Returns the header of the edited file.
    pub fn header(&self) -> &AtfHeader {
        &self.header
    }

    fn groups(&self) -> &'static [LevelGroup] {
        self.header.format.groups(self.header.version)
    }

    fn image(&self, face: usize, level: u8) -> Option<LevelImage<'_>> {
        let records = self.faces.get(face)?.get(usize::from(level))?;
        let number = u8::try_from(face).ok()?;
        Some(LevelImage::new(&self.header, number, level, records.iter().map(|it| &**it).collect()))
    }

    /// Returns the face and the mip level of each image.
    fn places(&self) -> impl Iterator<Item = (usize, u8)> + use<> {
        let (faces, levels) = (usize::from(self.header.faces()), self.header.levels());
        (0..faces).flat_map(move |face| (0..levels).map(move |level| (face, level)))
    }

    /// Removes all encodings except those in `kept`.
    ///
    /// # Errors
    /// [`AtfEditError::NoEncoding`] if a level with content would have no encoding left.
    pub fn keep(&mut self, kept: &[LevelEncoding]) -> Result<(), AtfEditError> {
        let groups = self.groups();
        for (face, level) in self.places() {
            let Some(image) = self.image(face, level) else { continue };
            let present: Vec<LevelEncoding> =
                image.encodings().map(|(encoding, _)| encoding).collect();
            if !present.is_empty() && !present.iter().any(|encoding| kept.contains(encoding)) {
                let present = names(present.into_iter());
                return Err(AtfEditError::NoEncoding { level, present });
            }
            let keeps = groups.iter().flat_map(|group| {
                std::iter::repeat_n(kept.contains(&group.encoding), group.records)
            });
            let records = self.faces[face][usize::from(level)].iter_mut();
            for (record, _) in records.zip(keeps).filter(|(_, keeps)| !keeps) {
                *record = Cow::Borrowed(&[]);
            }
        }
        Ok(())
    }

    /// Combines the parts of blocks to raw blocks, without a change of any texel. Raw files stay as they are.
    ///
    /// # Errors
    /// [`AtfEditError::File`] for damaged parts, and for an encoding whose parts aren't documented.
    pub fn make_raw(&mut self) -> Result<(), AtfEditError> {
        let format = match self.header.format {
            AtfFormat::Rgb888 | AtfFormat::Rgba8888 => {
                return Err(AtfError::Unsupported("JPEG-XR as raw blocks".to_owned()).into());
            }
            AtfFormat::Compressed | AtfFormat::CompressedLossy | AtfFormat::RawCompressed => {
                AtfFormat::RawCompressed
            }
            AtfFormat::CompressedAlpha
            | AtfFormat::CompressedAlphaLossy
            | AtfFormat::RawCompressedAlpha => AtfFormat::RawCompressedAlpha,
        };
        let groups = format.groups(self.header.version);
        let mut faces = vec![Vec::new(); self.faces.len()];
        for (face, level) in self.places() {
            let Some(image) = self.image(face, level) else { continue };
            let mut records: EditRecords<'a> = vec![Cow::Borrowed(&[]); groups.len()];
            for (encoding, _) in image.encodings() {
                let blocks = image.blocks(encoding)?.into_owned();
                let place = groups.iter().position(|group| group.encoding == encoding);
                if let Some(record) = place.and_then(|place| records.get_mut(place)) {
                    *record = Cow::Owned(blocks);
                }
            }
            faces[face].push(records);
        }
        self.header.format = format;
        self.faces = faces;
        Ok(())
    }

    /// Checks that a face (in the API's order) and mip levels exist. Returns the range of faces in the file's order.
    fn selected(&self, side: Option<u8>, levels: &Range<u8>) -> Result<Range<usize>, AtfEditError> {
        let last = self.header.levels().saturating_sub(1);
        let mut ends = [levels.start, levels.end.saturating_sub(1)].into_iter();
        if let Some(level) = ends.find(|level| *level > last || levels.is_empty()) {
            return Err(AtfEditError::NoLevel { level, last });
        }
        match side {
            None => Ok(0..self.faces.len()),
            Some(side) if !self.header.cube || side >= CUBE_FACES => Err(AtfEditError::NoFace),
            // In the file, the negative face of each axis precedes the positive face.
            Some(side) => Ok(usize::from(side ^ 1)..usize::from(side ^ 1) + 1),
        }
    }

    /// Removes all mip levels outside a range, whose first level becomes level 0. If `side` is given, also removes all
    /// other faces, so that the file becomes a 2D texture.
    ///
    /// # Errors
    /// [`AtfEditError::NoFace`], [`AtfEditError::NoLevel`].
    pub fn select(&mut self, side: Option<u8>, levels: Range<u8>) -> Result<(), AtfEditError> {
        let faces = self.selected(side, &levels)?;
        self.faces = self.faces[faces].to_vec();
        for face in &mut self.faces {
            *face = face[usize::from(levels.start)..usize::from(levels.end)].to_vec();
        }
        (self.header.width, self.header.height) = self.header.level_size(levels.start);
        self.header.cube &= side.is_none();
        (self.header.count, self.header.flags) = (levels.end - levels.start, 0);
        Ok(())
    }

    /// Replaces levels by levels of the same size from another file. The other file's levels are from the same face, or
    /// from its only face.
    /// # Errors
    /// [`AtfEditError::NoFace`], [`AtfEditError::NoLevel`]; [`AtfEditError::Replacement`] unless the other file has the
    /// same encodings, both in parts or both raw.
    pub fn replace(
        &mut self,
        side: Option<u8>,
        levels: Range<u8>,
        other: &AtfFile<'a>,
    ) -> Result<(), AtfEditError> {
        for face in self.selected(side, &levels)? {
            for level in levels.clone() {
                let theirs = if other.header.cube { face } else { 0 };
                let size = self.header.level_size(level);
                let mut at = 0..other.header.levels();
                let at = at.find(|at| other.header.level_size(*at) == size).unwrap_or(0);
                let (found, expected) = (other.describe(theirs, at), self.describe(face, level));
                if found != expected {
                    return Err(AtfEditError::Replacement { level, found, expected });
                }
                // The versions of `self` and `other` may have different groups of records.
                let mut records = Vec::new();
                for group in self.groups() {
                    records.extend(match other.range(group.encoding) {
                        Some(range) => other.faces[theirs][usize::from(at)][range].to_vec(),
                        None => vec![Cow::Borrowed(&[][..]); group.records],
                    });
                }
                self.faces[face][usize::from(level)] = records;
            }
        }
        Ok(())
    }

    /// Returns the range of an encoding's records in a mip level.
    fn range(&self, encoding: LevelEncoding) -> Option<Range<usize>> {
        let mut start = 0;
        self.groups().iter().find_map(|group| {
            let range = start..start + group.records;
            start = range.end;
            (group.encoding == encoding).then_some(range)
        })
    }

    /// Describes the properties that a level and its replacement must have in common.
    fn describe(&self, face: usize, level: u8) -> String {
        let ((width, height), title) = (self.header.level_size(level), self.header.format.title());
        let present = self.image(face, level).map(|image| names(image.encodings().map(|it| it.0)));
        format!("{width}×{height}, {title}, {}", present.unwrap_or_default())
    }

    /// Replaces a mip level of one or all faces by B, G, R, A texels, which are encoded to blocks.
    ///
    /// # Errors
    /// [`AtfEditError::NoFace`], [`AtfEditError::NoLevel`]; [`AtfEditError::Replacement`] for another size;
    /// [`AtfEditError::NoEncoder`] if the level has an encoding that can't be written.
    pub fn replace_texels(
        &mut self,
        side: Option<u8>,
        level: u8,
        size: (u32, u32),
        bgra: &[u8],
    ) -> Result<(), AtfEditError> {
        let faces = self.selected(side, &(level..level.saturating_add(1)))?;
        let (width, height) = self.header.level_size(level);
        if size != (width, height) {
            let (found, expected) = (format!("{}×{}", size.0, size.1), format!("{width}×{height}"));
            return Err(AtfEditError::Replacement { level, found, expected });
        }
        for face in faces {
            for group in self.groups() {
                let range = self.range(group.encoding).unwrap_or_default();
                let records = &mut self.faces[face][usize::from(level)][range];
                let layout = group.encoding.layout();
                match (records, layout) {
                    (records, _) if records.iter().all(|record| record.is_empty()) => {}
                    ([record], Some(layout)) => {
                        let mut blocks = Vec::new();
                        convert(bgra, size, layout, &mut blocks);
                        *record = Cow::Owned(blocks);
                    }
                    (records, _) => {
                        let parts = if records.len() > 1 { " in parts" } else { "" };
                        let name = format!("{}{parts}", group.encoding.name());
                        return Err(AtfEditError::NoEncoder(name));
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the edited file.
    ///
    /// # Errors
    /// [`AtfEditError::TooLong`]
    pub fn write(&self) -> Result<Vec<u8>, AtfEditError> {
        let AtfHeader { version, format, count, .. } = self.header;
        let records = format.groups(version).iter().map(|group| group.records).sum();
        let empty = vec![Cow::Borrowed(&[][..]); records];
        let mut data = Vec::new();
        for face in &self.faces {
            for level in 0..usize::from(count) {
                for record in face.get(level).unwrap_or(&empty) {
                    data.extend(self.header.length_bytes(record.len())?);
                    data.extend_from_slice(record);
                }
            }
        }
        let mut file = self.header.start(data.len())?;
        file.extend(data);
        Ok(file)
    }
}

/// Returns the names of encodings for messages.
fn names(encodings: impl Iterator<Item = LevelEncoding>) -> String {
    let names: Vec<_> = encodings.map(LevelEncoding::name).collect();
    if names.is_empty() { "no content".to_owned() } else { names.join(", ") }
}

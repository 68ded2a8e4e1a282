//! The file format that contains the codestream: a TIFF-like directory (T.832 Annex A).

use super::error::{JxrError, JxrErrorKind};
use super::picture::PixelFormat;

/// Offsets of the codestreams, and the pixel format.
#[derive(Clone, Copy, Debug)]
pub(super) struct JxrContainer {
    pub(super) format: PixelFormat,
    /// Offset of the image's codestream in bytes.
    pub(super) image: usize,
    /// Offset of the codestream of a separate alpha plane in bytes.
    pub(super) alpha: Option<usize>,
}

mod tag {
    pub(super) const PIXEL_FORMAT: u16 = 0xbc01;
    pub(super) const TRANSFORMATION: u16 = 0xbc02;
    pub(super) const IMAGE_OFFSET: u16 = 0xbcc0;
    pub(super) const ALPHA_OFFSET: u16 = 0xbcc2;
    pub(super) const ALPHA_BYTE_COUNT: u16 = 0xbcc3;
}

#[derive(Default)]
struct Directory {
    format: Option<[u8; 16]>,
    image: Option<usize>,
    alpha: usize,
    alpha_bytes: usize,
}

struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn array<const N: usize>(&self, at: usize) -> Result<[u8; N], JxrError> {
        self.0
            .get(at..)
            .and_then(|rest| rest.first_chunk::<N>())
            .copied()
            .ok_or(JxrErrorKind::Truncated.at(self.0.len() as u64 * 8))
    }

    fn u16(&self, at: usize) -> Result<u16, JxrError> {
        self.array(at).map(u16::from_le_bytes)
    }

    fn offset(&self, at: usize) -> Result<usize, JxrError> {
        let offset = u32::from_le_bytes(self.array(at)?);
        Ok(usize::try_from(offset).unwrap_or(usize::MAX))
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<JxrContainer, JxrError> {
    let fields = Fields(bytes);
    // Version 0 is the draft of the standard; version 1 is the standard.
    if !matches!(bytes, [b'I', b'I', 0xbc, 0 | 1, ..]) {
        return Err(JxrErrorKind::NotJpegXr.at(0));
    }
    let start = fields.offset(4)?;
    let count = fields.u16(start)?;
    let mut directory = Directory::default();
    for entry in 0..usize::from(count) {
        let at = start.saturating_add(2 + 12 * entry);
        entry_into(&fields, at, &mut directory)?;
    }

    let bit = start as u64 * 8;
    let guid = directory.format.ok_or(JxrErrorKind::Invalid("no pixel format").at(bit))?;
    let format = PixelFormat::from_guid(&guid).ok_or(JxrErrorKind::PixelFormat(guid).at(bit))?;
    let image = directory.image.ok_or(JxrErrorKind::Invalid("no image offset").at(bit))?;
    let separate = format.has_alpha() && directory.alpha != 0 && directory.alpha_bytes != 0;
    Ok(JxrContainer { format, image, alpha: separate.then_some(directory.alpha) })
}

fn entry_into(fields: &Fields<'_>, at: usize, directory: &mut Directory) -> Result<(), JxrError> {
    let value = at.saturating_add(8);
    match fields.u16(at)? {
        tag::PIXEL_FORMAT => {
            directory.format = Some(fields.array(fields.offset(value)?)?);
        }
        tag::TRANSFORMATION if fields.offset(value)? & 7 != 0 => {
            return Err(JxrErrorKind::Unsupported("orientation").at(at as u64 * 8));
        }
        tag::IMAGE_OFFSET => directory.image = Some(fields.offset(value)?),
        tag::ALPHA_OFFSET => directory.alpha = fields.offset(value)?,
        tag::ALPHA_BYTE_COUNT => directory.alpha_bytes = fields.offset(value)?,
        _ => {
            fields.offset(value)?;
        }
    }
    Ok(())
}

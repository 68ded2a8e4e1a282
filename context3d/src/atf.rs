//! The header of an ATF file (`textures-and-atf.md` section 2).

use crate::error::ErrorCode;
use crate::names::TextureFormat;

const SIGNATURE: &[u8; 3] = b"ATF";
/// In the place of the old header's format byte: a newer header follows.
const NEW_HEADER: u8 = 0xff;
/// ATF version and the SWF version that it needs.
const VERSIONS: [(u8, u32); 3] = [(1, 13), (2, 21), (3, 29)];
/// Largest log2 of a side.
const MAX_LOG2: u8 = 12;
/// Most levels.
const MAX_COUNT: u8 = 13;

/// What an ATF file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) cube: bool,
    pub(crate) format: TextureFormat,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Mip levels.
    pub(crate) count: u8,
}

/// The texture format that a format code belongs to.
fn format(code: u8) -> Option<TextureFormat> {
    match code {
        0x00 | 0x01 => Some(TextureFormat::Bgra),
        0x02 | 0x03 | 0x0c => Some(TextureFormat::Compressed),
        0x04 | 0x05 | 0x0d => Some(TextureFormat::CompressedAlpha),
        _ => None,
    }
}

/// Reads the header of a file that begins at `offset`. Too short: 3669. No ATF, or too new for the SWF: 3677.
pub(crate) fn header(data: &[u8], offset: u32, swf_version: u32) -> Result<Header, ErrorCode> {
    let offset = usize::try_from(offset).map_err(|_| ErrorCode::BadInputSize)?;
    let data = data
        .get(offset..)
        .filter(|data| data.len() >= 6)
        .ok_or(ErrorCode::BadInputSize)?;
    if !data.starts_with(SIGNATURE) {
        return Err(ErrorCode::DecodingFailed);
    }
    let byte = |at: usize| data.get(at).copied().ok_or(ErrorCode::BadInputSize);
    let fields = if byte(6)? == NEW_HEADER {
        let version = byte(7)?;
        let known = VERSIONS
            .iter()
            .any(|(atf, swf)| *atf == version && *swf <= swf_version);
        if !known {
            return Err(ErrorCode::DecodingFailed);
        }
        12
    } else {
        6
    };
    let code = byte(fields)?;
    let (width, height, count) = (byte(fields + 1)?, byte(fields + 2)?, byte(fields + 3)?);
    let valid = width <= MAX_LOG2 && height <= MAX_LOG2 && count <= MAX_COUNT;
    let format = format(code & 0x7f).filter(|_| valid);
    let format = format.ok_or(ErrorCode::DecodingFailed)?;
    Ok(Header {
        cube: code & 0x80 != 0,
        format,
        width: 1 << width,
        height: 1 << height,
        count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_headers() {
        let old = [b'A', b'T', b'F', 0, 0, 4, 0x82, 3, 3, 4];
        let header = super::header(&old, 0, 13).unwrap();
        assert_eq!(
            header,
            Header {
                cube: true,
                format: TextureFormat::Compressed,
                width: 8,
                height: 8,
                count: 4
            }
        );
        let new = [
            b'A', b'T', b'F', 0, 0, 0, 0xff, 3, 0, 0, 0, 4, 0x05, 4, 2, 1,
        ];
        assert_eq!(super::header(&new, 0, 28), Err(ErrorCode::DecodingFailed));
        let header = super::header(&new, 0, 29).unwrap();
        assert_eq!((header.width, header.height, header.cube), (16, 4, false));
        for length in 0..16 {
            assert_eq!(
                super::header(&new[..length], 0, 29),
                Err(ErrorCode::BadInputSize),
                "{length}"
            );
        }
        assert_eq!(super::header(&old, 5, 13), Err(ErrorCode::BadInputSize));
        for (field, beyond) in [(6, 0x06), (7, 13), (8, 13), (9, 14)] {
            let mut wrong = old;
            wrong[field] = beyond;
            assert_eq!(
                super::header(&wrong, 0, 13),
                Err(ErrorCode::DecodingFailed),
                "byte {field}"
            );
        }
        assert_eq!(
            super::header(b"PNG0123456", 0, 13),
            Err(ErrorCode::DecodingFailed)
        );
        assert_eq!(
            super::header(&old, u32::MAX, 13),
            Err(ErrorCode::BadInputSize)
        );
    }
}

//! Errors of the decoder.

use std::fmt;

/// Why a picture can't be decoded, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JxrError {
    /// The kind of error.
    pub kind: JxrErrorKind,
    /// Position, in bits from the first byte of the file. In the packets of a tile, the end of the last value read.
    pub bit: u64,
}

/// Kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JxrErrorKind {
    /// The bytes aren't a JPEG-XR file.
    NotJpegXr,
    /// The data is too short.
    Truncated,
    /// A field has a value that the standard forbids.
    Invalid(&'static str),
    /// The picture is larger than the caller's limits: width and height in pixels.
    TooLarge(u32, u32),
    /// The pixel format isn't one of [`PixelFormat`](super::PixelFormat); this is its GUID as stored.
    PixelFormat([u8; 16]),
    /// A coding tool that the decoder doesn't support.
    Unsupported(&'static str),
}

impl JxrErrorKind {
    pub(super) const fn at(self, bit: u64) -> JxrError {
        JxrError { kind: self, bit }
    }
}

impl fmt::Display for JxrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            JxrErrorKind::NotJpegXr => f.write_str("not a JPEG-XR file"),
            JxrErrorKind::Truncated => f.write_str("the JPEG-XR data ends too early"),
            JxrErrorKind::Invalid(what) => write!(f, "invalid JPEG-XR data: {what}"),
            JxrErrorKind::TooLarge(width, height) => {
                write!(f, "the JPEG-XR picture is too large: {width}x{height}")
            }
            JxrErrorKind::PixelFormat(guid) => {
                f.write_str("unsupported JPEG-XR pixel format ")?;
                guid.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
            JxrErrorKind::Unsupported(tool) => write!(f, "unsupported JPEG-XR coding tool: {tool}"),
        }?;
        write!(f, " (byte {}, bit {})", self.bit / 8, self.bit % 8)
    }
}

impl std::error::Error for JxrError {}

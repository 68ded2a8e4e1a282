//! Errors of the decoder.

use thiserror::Error;

/// A decoding error with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{kind} (byte {}, bit {})", .bit / 8, .bit % 8)]
pub struct JxrError {
    /// The type of error.
    pub kind: JxrErrorKind,
    /// Position in bits from the start of the file. For errors in a tile's packets, the end of the last value.
    pub bit: u64,
}

/// The type of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JxrErrorKind {
    /// The bytes aren't a JPEG-XR file.
    #[error("not a JPEG-XR file")]
    NotJpegXr,
    /// The data is too short.
    #[error("the JPEG-XR data ends too early")]
    Truncated,
    /// A field has a value that the standard forbids.
    #[error("invalid JPEG-XR data: {0}")]
    Invalid(&'static str),
    /// The image exceeds the caller's limits: width and height in pixels.
    #[error("the JPEG-XR image is too large: {0}x{1}")]
    TooLarge(u32, u32),
    /// The pixel format isn't one of [`PixelFormat`](super::PixelFormat); this is its GUID as stored.
    #[error("unsupported JPEG-XR pixel format {}", hexadecimal(.0))]
    PixelFormat([u8; 16]),
    /// A coding tool that the decoder doesn't support.
    #[error("unsupported JPEG-XR coding tool: {0}")]
    Unsupported(&'static str),
}

impl JxrErrorKind {
    pub(super) const fn at(self, bit: u64) -> JxrError {
        JxrError { kind: self, bit }
    }
}

fn hexadecimal(guid: &[u8; 16]) -> String {
    guid.iter().map(|byte| format!("{byte:02x}")).collect()
}

//! JPEG-XR records.

use super::error::AtfError;

/// What a picture must be: the level says it, and a picture that says otherwise is refused before memory is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) width: u32,
    pub(super) height: u32,
}

/// A picture of 24bppRGB, 24bppBGR or 32bppBGRA as B, G, R, A bytes.
pub(super) fn bgra(_record: &[u8], _shape: Shape) -> Result<Vec<u8>, AtfError> {
    Err(missing())
}

/// A picture of 16bppBGR565 or 16bppBGR555 as words, red in the high bits.
pub(super) fn words(_record: &[u8], _shape: Shape) -> Result<Vec<u16>, AtfError> {
    Err(missing())
}

/// A picture of 8bppGray.
pub(super) fn gray(_record: &[u8], _shape: Shape) -> Result<Vec<u8>, AtfError> {
    Err(missing())
}

fn missing() -> AtfError {
    AtfError::Unsupported("JPEG-XR pictures are not decoded yet".to_owned())
}

//! JPEG-XR images in ATF records.

use super::error::AtfError;
use jpeg_xr::{DecodedImage, JxrError, JxrErrorKind, JxrLimits, PixelFormat, Samples};

/// The image dimensions that a level requires; any other image is rejected before memory is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImageDimensions {
    pub(super) width: u32,
    pub(super) height: u32,
}

impl From<JxrError> for AtfError {
    fn from(error: JxrError) -> Self {
        match error.kind {
            JxrErrorKind::Unsupported(_) => AtfError::Unsupported(error.to_string()),
            _ => AtfError::invalid(error),
        }
    }
}

fn decode(record: &[u8], shape: ImageDimensions) -> Result<DecodedImage, AtfError> {
    let ImageDimensions { width, height } = shape;
    let picture = jpeg_xr::decode(record, &JxrLimits { width, height })?;
    if (picture.width, picture.height) == (width, height) {
        return Ok(picture);
    }
    Err(AtfError::invalid(format_args!(
        "the image is {}×{}, but {width}×{height} is needed",
        picture.width, picture.height
    )))
}

fn unexpected(picture: &DecodedImage) -> AtfError {
    AtfError::invalid(format_args!("the image has the format {:?}", picture.format))
}

/// Decodes an image of 24bppRGB, 24bppBGR or 32bppBGRA to B, G, R, A bytes. Alpha is not premultiplied [atf.jxr.whole]
/// [atf.jxr.alpha].
pub(super) fn bgra(record: &[u8], shape: ImageDimensions) -> Result<Vec<u8>, AtfError> {
    let picture = decode(record, shape)?;
    let error = unexpected(&picture);
    match (picture.format, picture.samples) {
        (PixelFormat::Bgra32, Samples::Bytes(bytes)) => Ok(bytes),
        (PixelFormat::Bgr24, Samples::Bytes(bytes)) => Ok(opaque(&bytes, |[b, g, r]| [b, g, r])),
        (PixelFormat::Rgb24, Samples::Bytes(bytes)) => Ok(opaque(&bytes, |[r, g, b]| [b, g, r])),
        _ => Err(error),
    }
}

fn opaque(pixels: &[u8], order: impl Fn([u8; 3]) -> [u8; 3]) -> Vec<u8> {
    let pixels = pixels.as_chunks::<3>().0.iter();
    let texels = pixels.map(|pixel| {
        let [b, g, r] = order(*pixel);
        [b, g, r, u8::MAX]
    });
    texels.flatten().collect()
}

/// Decodes an image of 16bppBGR565 or 16bppBGR555 to 16-bit words, with red in the high bits.
pub(super) fn words(record: &[u8], shape: ImageDimensions) -> Result<Vec<u16>, AtfError> {
    let picture = decode(record, shape)?;
    let error = unexpected(&picture);
    match picture.samples {
        Samples::Words(words) => Ok(words),
        Samples::Bytes(_) => Err(error),
    }
}

pub(super) fn gray(record: &[u8], shape: ImageDimensions) -> Result<Vec<u8>, AtfError> {
    let picture = decode(record, shape)?;
    let error = unexpected(&picture);
    match (picture.format, picture.samples) {
        (PixelFormat::Gray8, Samples::Bytes(bytes)) => Ok(bytes),
        _ => Err(error),
    }
}

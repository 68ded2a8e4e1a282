#![doc = include_str!("../README.md")]
//!
//! # The stages
//!
//! ```text
//! file → container → codestream header → tiles → overlap → colours
//!        (offsets)   (sizes, checked)    (coefficients, predicted, transformed)
//! ```

mod bits;
mod coefficients;
mod container;
mod error;
mod header;
mod model;
mod output;
mod pattern;
mod picture;
mod plane;
mod predict;
mod quant;
mod tile;
mod transform;
mod vlc;

pub use error::{JxrError, JxrErrorKind};
pub use picture::{DecodedImage, JxrLimits, PixelFormat, Samples};

use picture::SampleFormat;

/// Decodes a JPEG-XR file.
///
/// # Errors
/// A [`JxrError`] for data that isn't JPEG-XR, is too short or invalid, for pictures larger than `limits`, and for
/// formats and coding tools that the decoder doesn't support.
pub fn decode(bytes: &[u8], limits: &JxrLimits) -> Result<DecodedImage, JxrError> {
    let container = container::read(bytes)?;
    let format = container.format;
    let header = header::read(bytes, container.image, format.coded(), true, limits)?;
    if let Some(plane) = header.planes.first() {
        let words = matches!(format, PixelFormat::Bgr565 | PixelFormat::Bgr555);
        let unsupported = match plane.colour.has_chroma() {
            true if format == PixelFormat::Gray8 => Some("gray with chroma"),
            false if words => Some("words without chroma"),
            _ => None,
        };
        if let Some(tool) = unsupported {
            return Err(JxrErrorKind::Unsupported(tool).at(container.image as u64 * 8));
        }
    }

    let separate = match container.alpha {
        Some(at) => Some(decode_alpha(bytes, at, &header)?),
        None => None,
    };
    let mut planes = tile::decode(bytes, &header)?.into_iter();
    let mut image = planes.next().unwrap_or_default();
    let interleaved = planes.next().unwrap_or_default();
    if let Some(plane) = header.planes.first() {
        output::upsample(plane.colour, &mut image);
    }

    let alpha = match &separate {
        Some((channels, scaled)) => channels.first().map(|plane| (plane, *scaled, false)),
        None => interleaved
            .first()
            .zip(header.planes.get(1))
            .map(|(plane, header)| (plane, header.scaled, true)),
    };
    let source = output::ImagePlanes { header: &header, image: &image, alpha };
    Ok(DecodedImage {
        width: u32::try_from(header.width).unwrap_or(u32::MAX),
        height: u32::try_from(header.height).unwrap_or(u32::MAX),
        format,
        samples: source.samples(format),
    })
}

/// Decodes the codestream of a separate alpha plane. Returns the plane, and whether the plane uses scaled arithmetic.
fn decode_alpha(
    bytes: &[u8],
    at: usize,
    image: &header::JxrHeader,
) -> Result<(tile::JxrChannels, bool), JxrError> {
    let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
    let limits = JxrLimits { width: size(image.width), height: size(image.height) };
    let coded = SampleFormat { colour: 0, depth: 1 };
    let header = header::read(bytes, at, coded, false, &limits)?;
    let same = |header: &header::JxrHeader| (header.width, header.height, header.left, header.top);
    if same(&header) != same(image) {
        let bit = at as u64 * 8;
        return Err(JxrErrorKind::Invalid("alpha plane of another size").at(bit));
    }
    let [plane] = header.planes.as_slice() else {
        return Err(JxrErrorKind::Invalid("alpha plane with alpha").at(at as u64 * 8));
    };
    if plane.colour != header::Colour::Luma {
        return Err(JxrErrorKind::Invalid("alpha plane with colour").at(at as u64 * 8));
    }
    let scaled = plane.scaled;
    let channels = tile::decode(bytes, &header)?;
    Ok((channels.into_iter().next().unwrap_or_default(), scaled))
}

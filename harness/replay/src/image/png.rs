//! Reads and writes PNG files.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Seek};
use std::path::Path;

use molehill_capture::png;

use super::{ImageError, RgbaImage};
use crate::files;

/// Reads a PNG of any colour type; palettes, grey and 16-bit channels become 8-bit RGBA.
/// Errors: [`ImageError::Io`] if the file can't be read, [`ImageError::Format`] if it is not a PNG, damaged, or wider
/// or higher than [`MAX_SIDE`](super::MAX_SIDE).
pub fn read_png(path: &Path) -> Result<RgbaImage, ImageError> {
    decode(BufReader::new(File::open(path).map_err(ImageError::Io)?))
}

/// Decodes a PNG from memory, like [`read_png`]. Errors: [`ImageError::Format`].
pub fn decode_png(bytes: &[u8]) -> Result<RgbaImage, ImageError> {
    decode(Cursor::new(bytes))
}

fn decode(input: impl BufRead + Seek) -> Result<RgbaImage, ImageError> {
    let (width, height, rgba) = png::decode(input)?;
    Ok(RgbaImage { width, height, rgba })
}

/// Writes an RGBA PNG, atomically replacing an existing file.
/// Errors: [`ImageError::Io`] if the file can't be written, [`ImageError::Format`] for an image without pixels.
pub fn write_png(path: &Path, image: &RgbaImage) -> Result<(), ImageError> {
    files::write(path, &encode_png(image)?).map_err(ImageError::Io)
}

/// Encodes an RGBA PNG in memory. Errors: [`ImageError::Format`] for an image without pixels.
pub fn encode_png(image: &RgbaImage) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    png::encode(&mut bytes, (image.width, image.height), &image.rgba)?;
    Ok(bytes)
}

//! Reads and writes PNG files.

use std::io::{BufRead, Seek, Write};

use crate::header::MAX_SIDE;

/// Memory limit of the decoder, in bytes, without the decoded image.
const DECODER_BYTES: usize = 64 << 20;

/// The error of reading or writing an image.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// An error of the file system.
    #[error(transparent)]
    Io(std::io::Error),
    /// The file is not a PNG, or is damaged or unsupported.
    #[error("{0}")]
    Format(String),
}

/// Reads a PNG of any colour type. Returns width, height and R, G, B, A bytes, converted from palettes, grey or 16
/// bits.
///
/// # Errors
/// [`PngError::Io`] if the input can't be read, [`PngError::Format`] if it is not a PNG, damaged, or wider or higher
/// than [`MAX_SIDE`].
pub fn decode(input: impl BufRead + Seek) -> Result<(u32, u32, Vec<u8>), PngError> {
    let mut decoder = png::Decoder::new_with_limits(input, png::Limits { bytes: DECODER_BYTES });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(format_error)?;
    let (width, height) = (reader.info().width, reader.info().height);
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(PngError::Format(format!("{width}×{height} exceeds {MAX_SIDE}×{MAX_SIDE}")));
    }
    let bytes = reader
        .output_buffer_size()
        .ok_or_else(|| PngError::Format("the image is too large".to_owned()))?;
    let mut data = vec![0; bytes];
    let frame = reader.next_frame(&mut data).map_err(format_error)?;
    data.truncate(frame.buffer_size());
    let rgba = match frame.color_type {
        png::ColorType::Rgba => data,
        png::ColorType::Rgb => expand(&data, 3, |p| [p[0], p[1], p[2], 255]),
        png::ColorType::GrayscaleAlpha => expand(&data, 2, |p| [p[0], p[0], p[0], p[1]]),
        png::ColorType::Grayscale => expand(&data, 1, |p| [p[0], p[0], p[0], 255]),
        png::ColorType::Indexed => {
            return Err(PngError::Format("the palette was not expanded".to_owned()));
        }
    };
    match rgba.len() == width as usize * height as usize * 4 {
        true => Ok((width, height, rgba)),
        false => Err(PngError::Format("the image is incomplete".to_owned())),
    }
}

fn expand(data: &[u8], channels: usize, pixel: impl Fn(&[u8]) -> [u8; 4]) -> Vec<u8> {
    data.chunks_exact(channels).flat_map(pixel).collect()
}

fn format_error(error: png::DecodingError) -> PngError {
    match error {
        png::DecodingError::IoError(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            PngError::Io(error)
        }
        error => PngError::Format(error.to_string()),
    }
}

/// Writes a PNG of this width and height, from R, G, B, A bytes.
///
/// # Errors
/// [`PngError::Io`] if the output can't be written; [`PngError::Format`] for an image without pixels.
pub fn encode(
    output: impl Write,
    (width, height): (u32, u32),
    rgba: &[u8],
) -> Result<(), PngError> {
    let mut encoder = png::Encoder::new(output, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    // The fast setting takes a tenth of the time, for hundreds of images, and files are only slightly larger.
    encoder.set_compression(png::Compression::Fast);
    let write = |error| match error {
        png::EncodingError::IoError(error) => PngError::Io(error),
        error => PngError::Format(error.to_string()),
    };
    let mut writer = encoder.write_header().map_err(write)?;
    writer.write_image_data(rgba).map_err(write)?;
    writer.finish().map_err(write)
}

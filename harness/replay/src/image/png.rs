//! Reading and writing PNG files.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Seek, Write};
use std::path::Path;

use super::{Image, ImageError, MAX_SIDE};
use crate::files;

/// Memory limit of the decoder, without the picture itself.
const DECODER_BYTES: usize = 64 << 20;

/// Reads a PNG of any colour type; palettes, grey and 16-bit channels become 8-bit RGBA.
/// Errors: [`ImageError::Io`] if the file can't be read, [`ImageError::Format`] if it is not a PNG, damaged, or larger than
/// [`MAX_SIDE`] a side.
pub fn read_png(path: &Path) -> Result<Image, ImageError> {
    decode(BufReader::new(File::open(path).map_err(ImageError::Io)?))
}

/// As [`read_png`], from memory. Errors: [`ImageError::Format`]
pub fn decode_png(bytes: &[u8]) -> Result<Image, ImageError> {
    decode(Cursor::new(bytes))
}

fn decode(input: impl BufRead + Seek) -> Result<Image, ImageError> {
    let mut decoder = png::Decoder::new_with_limits(input, png::Limits { bytes: DECODER_BYTES });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(format_error)?;
    let (width, height) = (reader.info().width, reader.info().height);
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(ImageError::Format(format!(
            "{width}×{height} is larger than {MAX_SIDE} a side"
        )));
    }
    let bytes =
        reader.output_buffer_size().ok_or_else(|| ImageError::Format("too large".to_owned()))?;
    let mut data = vec![0; bytes];
    let frame = reader.next_frame(&mut data).map_err(format_error)?;
    data.truncate(frame.buffer_size());
    let rgba = match frame.color_type {
        png::ColorType::Rgba => data,
        png::ColorType::Rgb => expand(&data, 3, |p| [p[0], p[1], p[2], 255]),
        png::ColorType::GrayscaleAlpha => expand(&data, 2, |p| [p[0], p[0], p[0], p[1]]),
        png::ColorType::Grayscale => expand(&data, 1, |p| [p[0], p[0], p[0], 255]),
        png::ColorType::Indexed => {
            return Err(ImageError::Format("palette was not expanded".to_owned()));
        }
    };
    Image::from_rgba(width, height, rgba)
        .ok_or_else(|| ImageError::Format("incomplete picture".to_owned()))
}

fn expand(data: &[u8], channels: usize, pixel: impl Fn(&[u8]) -> [u8; 4]) -> Vec<u8> {
    data.chunks_exact(channels).flat_map(pixel).collect()
}

fn format_error(error: png::DecodingError) -> ImageError {
    match error {
        png::DecodingError::IoError(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            ImageError::Io(error)
        }
        error => ImageError::Format(error.to_string()),
    }
}

/// Writes an RGBA PNG, atomically replacing an existing file.
/// Errors: [`ImageError::Io`] if the file can't be written, [`ImageError::Format`] for a picture without pixels.
pub fn write_png(path: &Path, image: &Image) -> Result<(), ImageError> {
    files::write(path, &encode_png(image)?).map_err(ImageError::Io)
}

/// An RGBA PNG in memory. Errors: [`ImageError::Format`] for a picture without pixels.
pub fn encode_png(image: &Image) -> Result<Vec<u8>, ImageError> {
    let mut bytes = Vec::new();
    encode(&mut bytes, image)?;
    Ok(bytes)
}

fn encode(output: impl Write, image: &Image) -> Result<(), ImageError> {
    let mut encoder = png::Encoder::new(output, image.width, image.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    // Replays write hundreds of frames: the fast setting takes a tenth of the time and little more space.
    encoder.set_compression(png::Compression::Fast);
    let write = |error| match error {
        png::EncodingError::IoError(error) => ImageError::Io(error),
        error => ImageError::Format(error.to_string()),
    };
    let mut writer = encoder.write_header().map_err(write)?;
    writer.write_image_data(&image.rgba).map_err(write)?;
    writer.finish().map_err(write)
}

//! The images of all fixtures, before encoding.

use jpeg_xr::{DecodedImage, PixelFormat, Samples};

/// Returns the pixels in rows without padding. 16-bit pixels are little-endian.
pub(crate) fn pattern(format: PixelFormat, width: u32, height: u32) -> Vec<u8> {
    let mut out = Vec::new();
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let square = if (x / 19 + y / 17) % 2 == 1 { 200 } else { 30 };
        let alpha = if x > y { 255 } else { 90 + (x & 15) };
        let c = [
            (x * 5 + y * 3) & 255,
            (x * x / 31 + y * 2) & 255,
            square + (x * 31 + y * 17) % 11,
            alpha,
        ];
        let word = match format {
            PixelFormat::Bgr565 => (c[0] >> 3) << 11 | (c[1] >> 2) << 5 | c[2] >> 3,
            PixelFormat::Bgr555 => (c[0] >> 3) << 10 | (c[1] >> 3) << 5 | c[2] >> 3,
            _ => c[0] | c[1] << 8 | c[2] << 16 | c[3] << 24,
        };
        out.extend(&word.to_le_bytes()[..format.bytes()]);
    }
    out
}

/// Returns the samples of an image as bytes.
pub(crate) fn flat(picture: DecodedImage) -> Vec<u8> {
    match picture.samples {
        Samples::Bytes(bytes) => bytes,
        Samples::Words(words) => words.into_iter().flat_map(u16::to_le_bytes).collect(),
    }
}

/// Returns the 64-bit FNV-1a hash.
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Names of the formats in `expected.tsv`.
pub(crate) const NAMES: [(&str, PixelFormat); 6] = [
    ("gray", PixelFormat::Gray8),
    ("rgb", PixelFormat::Rgb24),
    ("bgr", PixelFormat::Bgr24),
    ("bgra", PixelFormat::Bgra32),
    ("565", PixelFormat::Bgr565),
    ("555", PixelFormat::Bgr555),
];

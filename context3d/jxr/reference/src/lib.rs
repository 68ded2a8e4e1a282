//! JPEG-XR's C library (jxrlib), called through `reference.c`. `tests/reference` compares our decoder with jxrlib.
#![allow(missing_docs, reason = "`reference.c` explains the fields")]
#![expect(unsafe_code, reason = "the functions of a C library are called")]

use jpegxr as _; // links the C library

/// Maximum number of tile columns or rows in [`EncoderSettings`].
pub const MAX_TILES: usize = 16;

/// Settings of the C library's encoder; `struct settings` in `reference.c` explains the fields.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct EncoderSettings {
    pub width: u32,
    pub height: u32,
    pub format: u32,
    pub colour: u32,
    pub overlap: u32,
    pub frequency: u32,
    pub progressive: u32,
    pub bands: u32,
    pub alpha: u32,
    pub trim: u32,
    pub hard_tiles: u32,
    pub unscaled: u32,
    pub steps: [u32; 10],
    pub columns: u32,
    pub rows: u32,
    pub column_widths: [u32; MAX_TILES],
    pub row_heights: [u32; MAX_TILES],
    pub requantise: u32,
    pub mode: u32,
    pub scaled: u32,
    pub seed: u32,
}

unsafe extern "C" {
    fn reference_encode(
        settings: *const EncoderSettings,
        pixels: *mut u8,
        stride: u32,
        out: *mut u8,
        capacity: usize,
    ) -> i64;
    fn reference_cut(
        file: *const u8,
        length: usize,
        part: *const [u32; 4],
        frequency: u32,
        alpha: u32,
        out: *mut u8,
        capacity: usize,
    ) -> i64;
    fn reference_decode(
        file: *const u8,
        length: usize,
        out: *mut u8,
        capacity: usize,
        size: *mut [u32; 3],
    ) -> i32;
}

/// Additional bytes of output buffers, because the library writes whole macroblocks.
const SLACK: usize = 1 << 16;

/// Returns the bytes that a C function has written, or the library's error.
fn written(mut out: Vec<u8>, length: i64) -> Result<Vec<u8>, i64> {
    let length = usize::try_from(length).map_err(|_| length)?;
    assert!(length <= out.len(), "the library wrote beyond its buffer");
    out.truncate(length);
    Ok(out)
}

/// Encodes pixels, in rows without padding, to a file.
pub fn encode(settings: &EncoderSettings, pixels: &[u8]) -> Result<Vec<u8>, i64> {
    let row = pixels.len() / settings.height as usize;
    let mut pixels = pixels.to_vec();
    pixels.resize(pixels.len() + row * 16 + SLACK, 0);
    let mut out = vec![0; pixels.len() * 4 + SLACK];
    let stride = u32::try_from(row).expect("rows are short");
    // SAFETY: `pixels` has at least as many rows of `stride` bytes as the settings say, and at most `out`'s length is
    // written.
    let length = unsafe {
        reference_encode(settings, pixels.as_mut_ptr(), stride, out.as_mut_ptr(), out.len())
    };
    written(out, length)
}

/// Cuts an area (left, top, width, height) out of an image without decoding; `alpha` is that of [`EncoderSettings`].
pub fn cut(file: &[u8], part: [u32; 4], frequency: bool, alpha: u32) -> Result<Vec<u8>, i64> {
    let mut out = vec![0; file.len() * 4 + SLACK];
    // SAFETY: the file is only read, up to its length, and at most `out`'s length is written.
    let length = unsafe {
        reference_cut(
            file.as_ptr(),
            file.len(),
            &part,
            frequency.into(),
            alpha,
            out.as_mut_ptr(),
            out.len(),
        )
    };
    written(out, length)
}

/// Width and height in pixels, and bytes per pixel.
pub type ImageSize = [u32; 3];

/// Returns the size of a file's image.
pub fn size(file: &[u8]) -> Result<ImageSize, i32> {
    decode_into(file, &mut [], 0)
}

/// Decodes a valid file to pixels in rows without padding. The library is not memory-safe for invalid files.
pub fn decode(file: &[u8], size: ImageSize) -> Result<Vec<u8>, i32> {
    let length = size.map(|side| side as usize).iter().product();
    // If the library doesn't write alpha, the pixels are opaque.
    let mut pixels = vec![u8::MAX; length + SLACK];
    decode_into(file, &mut pixels, length)?;
    pixels.truncate(length);
    Ok(pixels)
}

/// Decodes a file if its pixels take at most `capacity` bytes. `out` is larger than `capacity`.
fn decode_into(file: &[u8], out: &mut [u8], capacity: usize) -> Result<ImageSize, i32> {
    let mut size = [0; 3];
    // SAFETY: the file is only read, up to its length; pixels are written if they fit `capacity`, and `out` is larger
    // by the amount that the library may write past them.
    let error = unsafe {
        reference_decode(file.as_ptr(), file.len(), out.as_mut_ptr(), capacity, &mut size)
    };
    if error < 0 { Err(error) } else { Ok(size) }
}

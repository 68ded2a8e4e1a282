//! Images: the output of a replay, expected images, and difference images.
//!
//! All images are RGBA with eight bits per channel, rows from top to bottom, and straight alpha as in PNG.

use context3d::packets::TexelLayout;
use context3d_layers::enhanced::resized;

mod clusters;
mod compare;
mod hash;
mod panel;
mod png;

pub use molehill_capture::MAX_SIDE;
pub use molehill_capture::png::PngError as ImageError;

pub use clusters::{Cluster, clusters};
pub use compare::{ImageComparison, PixelDifference, ROUNDING, compare};
pub use hash::Hash;
pub use panel::{difference, heat};
pub use png::{decode_png, encode_png, read_png, write_png};

/// An RGBA image with eight bits per channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RgbaImage {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
}

impl RgbaImage {
    /// Creates an image of one colour.
    pub fn filled(width: u32, height: u32, rgba: [u8; 4]) -> Self {
        let pixels = width as usize * height as usize;
        RgbaImage { width, height, rgba: rgba.repeat(pixels) }
    }

    /// Creates an image from RGBA pixels. Returns `None` if `rgba` is not `width * height * 4` bytes long.
    pub fn from_rgba(width: u32, height: u32, rgba: Vec<u8>) -> Option<Self> {
        let bytes = (width as usize).checked_mul(height as usize)?.checked_mul(4)?;
        (rgba.len() == bytes).then_some(RgbaImage { width, height, rgba })
    }

    /// Returns the pixels as blue, green, red, alpha.
    pub fn bgra(&self) -> Vec<u8> {
        let pixels = self.rgba.as_chunks::<4>().0.iter();
        pixels.flat_map(|[red, green, blue, alpha]| [*blue, *green, *red, *alpha]).collect()
    }

    /// Does the same as [`RgbaImage::from_rgba`] for pixels in the order B, G, R, A.
    pub fn from_bgra(width: u32, height: u32, bgra: &[u8]) -> Option<Self> {
        let pixels = bgra.as_chunks::<4>().0.iter();
        let rgba = pixels.flat_map(|[b, g, r, a]| [*r, *g, *b, *a]).collect();
        RgbaImage::from_rgba(width, height, rgba)
    }

    /// Returns the width of the image in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height of the image in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the RGBA bytes of all pixels, rows from top to bottom.
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// Returns the pixel at a position, or `None` outside the image.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = (y as usize * self.width as usize + x as usize) * 4;
        self.rgba.get(at..at + 4)?.try_into().ok()
    }

    /// Overwrites pixels starting at index `first`, row by row from the top. Ignores pixels past the image's end.
    pub fn overwrite(&mut self, first: usize, rgba: &[u8]) {
        let pixels = self.rgba.iter_mut().skip(first.saturating_mul(4));
        pixels.zip(rgba).for_each(|(pixel, value)| *pixel = *value);
    }

    /// Returns the image scaled to another size. Shrinking averages pixels, enlarging repeats them.
    #[must_use]
    pub fn resized(self, width: u32, height: u32) -> RgbaImage {
        let (from, to) = ((self.width, self.height), (width, height));
        if from == to {
            return self;
        }
        RgbaImage { width, height, rgba: resized(&self.rgba, TexelLayout::Bgra8, from, to) }
    }

    /// Copies `source` into this image with its top left corner at `x`, `y`, cropped to this image.
    pub fn paste(&mut self, source: &RgbaImage, x: i64, y: i64, opaque: bool) {
        for row in 0..source.height {
            let Ok(to_y) = u32::try_from(y + i64::from(row)) else {
                continue;
            };
            if to_y >= self.height {
                break;
            }
            let first = (-x).clamp(0, i64::from(source.width));
            let last = (i64::from(self.width) - x).clamp(0, i64::from(source.width));
            if first >= last {
                return;
            }
            // `first`, `last` and `x + first` can't be negative, and are at most an image's width.
            let [first, last, to_x] =
                [first, last, x + first].map(|at| usize::try_from(at).unwrap_or(0));
            let from = (row as usize * source.width as usize + first) * 4;
            let to = (to_y as usize * self.width as usize + to_x) * 4;
            let bytes = (last - first) * 4;
            let target = &mut self.rgba[to..to + bytes];
            target.copy_from_slice(&source.rgba[from..from + bytes]);
            if opaque {
                target.iter_mut().skip(3).step_by(4).for_each(|alpha| *alpha = 255);
            }
        }
    }
}

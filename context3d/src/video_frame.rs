//! Video frames in the pixel formats of decoders, and their conversion to BGRA [context3d.video.yuv].

use crate::pixels::{Bitmap, PIXEL, PixelLayout};

/// A frame of a video.
#[derive(Clone, Copy, Debug)]
pub enum VideoFrame<'a> {
    /// An RGB frame in any memory layout.
    Bitmap(Bitmap<'a>),
    /// Three planes. The planes of U and V have half the width and height, rounded up.
    I420 {
        /// Width and height in pixels.
        size: [u32; 2],
        /// The Y plane: one byte for each pixel.
        y: VideoPlane<'a>,
        /// The U plane: one byte for each 2×2 pixels.
        u: VideoPlane<'a>,
        /// The V plane: one byte for each 2×2 pixels.
        v: VideoPlane<'a>,
        /// The colour standard.
        matrix: YuvMatrix,
    },
    /// Two planes. The plane of U and V has half the width and height, rounded up.
    Nv12 {
        /// Width and height in pixels.
        size: [u32; 2],
        /// The Y plane: one byte for each pixel.
        y: VideoPlane<'a>,
        /// The plane of U and V: two bytes for each 2×2 pixels.
        uv: VideoPlane<'a>,
        /// The colour standard.
        matrix: YuvMatrix,
    },
}

/// The memory of a plane: rows of bytes from top to bottom.
#[derive(Clone, Copy, Debug)]
pub struct VideoPlane<'a> {
    /// The bytes of all rows; the last row needs no padding.
    pub bytes: &'a [u8],
    /// Bytes from one row to the next.
    pub stride: usize,
}

/// The standard of the conversion from YUV to RGB. Y ranges from 16 to 235, U and V from 16 to 240.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YuvMatrix {
    /// BT.601: standard definition.
    Bt601,
    /// BT.709: high definition.
    Bt709,
}

impl YuvMatrix {
    /// Returns conversion factors in units of 1/256: of V for red, of U and V for green, and of U for blue.
    fn factors(self) -> [i32; 4] {
        match self {
            YuvMatrix::Bt601 => [409, -100, -208, 516],
            YuvMatrix::Bt709 => [459, -55, -136, 541],
        }
    }

    /// Converts a YUV pixel to B, G, R, A.
    fn bgra(self, y: u8, [u, v]: [u8; 2]) -> [u8; PIXEL] {
        let [red_v, green_u, green_v, blue_u] = self.factors();
        let (y, u, v) = (298 * (i32::from(y) - 16) + 128, i32::from(u) - 128, i32::from(v) - 128);
        let byte = |sum: i32| u8::try_from((sum >> 8).clamp(0, 255)).unwrap_or_default();
        [byte(y + blue_u * u), byte(y + green_u * u + green_v * v), byte(y + red_v * v), u8::MAX]
    }
}

impl<'a> VideoPlane<'a> {
    /// Returns the plane's rows of `width` bytes. Returns `None` if the memory is too small, or if rows overlap.
    fn rows(self, width: usize, height: usize) -> Option<impl Fn(usize) -> &'a [u8]> {
        let needed = height.checked_sub(1)?.checked_mul(self.stride)?.checked_add(width)?;
        let fits = self.stride >= width && self.bytes.len() >= needed;
        fits.then_some(move |row: usize| &self.bytes[row * self.stride..][..width])
    }
}

impl<'a> VideoFrame<'a> {
    /// Returns the frame as a bitmap. The pixels of planar frames are converted into `bytes`. If the planes are too
    /// small, the bitmap has no pixels.
    pub(crate) fn to_bitmap<'b>(self, bytes: &'b mut Vec<u8>) -> Bitmap<'b>
    where
        'a: 'b,
    {
        let ([width, height], converted) = match self {
            VideoFrame::Bitmap(bitmap) => return bitmap,
            VideoFrame::I420 { size, y, u, v, matrix } => {
                let [columns, rows] = size.map(|side| side.div_ceil(2) as usize);
                let planes = u.rows(columns, rows).zip(v.rows(columns, rows));
                let chroma =
                    planes.map(|(u, v)| move |row, column: usize| [u(row)[column], v(row)[column]]);
                (size, chroma.and_then(|chroma| convert(size, y, chroma, matrix, bytes)))
            }
            VideoFrame::Nv12 { size, y, uv, matrix } => {
                let [columns, rows] = size.map(|side| side.div_ceil(2) as usize);
                let plane = uv.rows(columns * 2, rows);
                let chroma =
                    plane.map(|uv| move |row, column: usize| uv(row).as_chunks().0[column]);
                (size, chroma.and_then(|chroma| convert(size, y, chroma, matrix, bytes)))
            }
        };
        let pixels = converted.map(|()| &**bytes);
        Bitmap { width, height, transparent: false, pixels, layout: PixelLayout::default() }
    }
}

/// Converts a planar frame to B, G, R, A. Returns `None` if the plane of Y is too small.
fn convert(
    size: [u32; 2],
    y: VideoPlane<'_>,
    chroma: impl Fn(usize, usize) -> [u8; 2],
    matrix: YuvMatrix,
    bytes: &mut Vec<u8>,
) -> Option<()> {
    let [width, height] = size.map(|side| side as usize);
    let luma = y.rows(width, height)?;
    bytes.clear();
    bytes.reserve(width.checked_mul(height)?.checked_mul(PIXEL)?);
    for row in 0..height {
        for (column, y) in luma(row).iter().enumerate() {
            bytes.extend(matrix.bgra(*y, chroma(row / 2, column / 2)));
        }
    }
    Some(())
}

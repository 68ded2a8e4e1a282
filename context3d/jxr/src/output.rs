//! Conversion of planes to the samples of an image (T.832 9.10).
//!
//! The rounding and the biases are exactly those of the C reference.

use super::header::{Colour, JxrHeader};
use super::picture::{PixelFormat, Samples};
use super::plane::JxrPlane;

/// Number of fractional bits of samples in scaled arithmetic.
const FRACTION: u32 = 3;

/// Conversion of a plane's values to non-negative samples: adds a bias, and shifts out the fractional bits.
#[derive(Clone, Copy)]
struct SampleConversion {
    bias: i32,
    shift: u32,
}

impl SampleConversion {
    /// Creates a conversion that adds `middle`, and also `rounding` eighths in scaled arithmetic.
    const fn new(middle: i32, scaled: bool, rounding: i32) -> Self {
        if scaled {
            Self { bias: (middle << FRACTION) + rounding, shift: FRACTION }
        } else {
            Self { bias: middle, shift: 0 }
        }
    }

    fn byte(self, sample: i32) -> u8 {
        byte(sample.wrapping_add(self.bias) >> self.shift)
    }
}

/// Rounding of colours and of separate alpha planes, in eighths.
const ROUND_COLOUR: i32 = 3;

/// Rounding of interleaved alpha, in eighths.
const ROUND_ALPHA: i32 = 4;

fn byte(value: i32) -> u8 {
    u8::try_from(value.clamp(0, 255)).unwrap_or(0)
}

fn bits(value: i32, bits: u32) -> u16 {
    u16::try_from(value.clamp(0, (1 << bits) - 1)).unwrap_or(0)
}

/// Converts a luma sample, whose bias is added, and two chroma samples to red, green and blue.
#[inline(always)]
fn rgb(y: i32, u: i32, v: i32) -> [i32; 3] {
    let (mut g, mut r, mut b) = (y, u.wrapping_neg(), v);
    g = g.wrapping_sub(r >> 1);
    r = r.wrapping_sub(b.wrapping_add(1) >> 1).wrapping_add(g);
    b = b.wrapping_add(r);
    [r, g, b]
}

fn mean(a: i32, b: i32) -> i32 {
    a.wrapping_add(b).wrapping_add(1) >> 1
}

/// Upsamples chroma to the size of luma. New samples are means of their neighbours; the last sample repeats.
pub(super) fn upsample(colour: Colour, channels: &mut [JxrPlane]) {
    if !colour.subsampled() {
        return;
    }
    for plane in channels.iter_mut().skip(1) {
        if colour == Colour::Yuv420 {
            let mut tall = JxrPlane::new(plane.width(), plane.height() * 2);
            for y in 0..plane.height() {
                let (row, below) = (plane.row(y), plane.row((y + 1).min(plane.height() - 1)));
                tall.row_mut(2 * y).copy_from_slice(row);
                for ((to, a), b) in tall.row_mut(2 * y + 1).iter_mut().zip(row).zip(below) {
                    *to = mean(*a, *b);
                }
            }
            *plane = tall;
        }
        let mut wide = JxrPlane::new(plane.width() * 2, plane.height());
        for y in 0..plane.height() {
            let row = plane.row(y);
            let next = row.iter().skip(1).chain(row.last());
            let pairs = wide.row_mut(y).as_chunks_mut::<2>().0;
            for ((pair, a), b) in pairs.iter_mut().zip(row).zip(next) {
                *pair = [*a, mean(*a, *b)];
            }
        }
        *plane = wide;
    }
}

/// The planes of an image: the colour channels at full size, and the alpha plane.
pub(super) struct ImagePlanes<'a> {
    pub(super) header: &'a JxrHeader,
    pub(super) image: &'a [JxrPlane],
    /// The alpha plane, whether its arithmetic is scaled, and whether it is interleaved with the image's plane.
    pub(super) alpha: Option<(&'a JxrPlane, bool, bool)>,
}

impl ImagePlanes<'_> {
    /// Returns a channel's samples in a row of the image, or an empty slice if the channel doesn't exist.
    fn row<'p>(&self, plane: Option<&'p JxrPlane>, y: usize) -> &'p [i32] {
        let JxrHeader { left, top, width, .. } = *self.header;
        plane.and_then(|plane| plane.row(top + y).get(left..left + width)).unwrap_or(&[])
    }

    pub(super) fn samples(&self, format: PixelFormat) -> Samples {
        match format {
            PixelFormat::Bgr565 | PixelFormat::Bgr555 => Samples::Words(self.words(format)),
            _ => Samples::Bytes(self.bytes(format)),
        }
    }

    fn bytes(&self, format: PixelFormat) -> Vec<u8> {
        let JxrHeader { width, height, .. } = *self.header;
        let bytes = format.bytes();
        let mut out = vec![0; width * height * bytes];
        let Some(plane) = self.header.planes.first() else {
            return out;
        };
        let level = SampleConversion::new(128, plane.scaled, ROUND_COLOUR);
        let rows = out.chunks_exact_mut((width * bytes).max(1));
        for (y, out) in rows.enumerate() {
            let pixels = out.chunks_exact_mut(bytes);
            if plane.colour.has_chroma() {
                let [luma, u, v] = [0, 1, 2].map(|channel| self.row(self.image.get(channel), y));
                for (((out, y), u), v) in pixels.zip(luma).zip(u).zip(v) {
                    let mut rgb = rgb(y.wrapping_add(level.bias), *u, *v);
                    if format != PixelFormat::Rgb24 {
                        rgb.reverse();
                    }
                    for (out, value) in out.iter_mut().zip(rgb) {
                        *out = byte(value >> level.shift);
                    }
                }
            } else {
                let luma = self.row(self.image.first(), y);
                for (out, sample) in pixels.zip(luma) {
                    out.fill(level.byte(*sample));
                }
            }
            if format.has_alpha() {
                self.alpha_row(y, out);
            }
        }
        out
    }

    /// Writes the alpha of a row, which is opaque without an alpha plane.
    fn alpha_row(&self, y: usize, out: &mut [u8]) {
        let pixels = out.as_chunks_mut::<4>().0.iter_mut();
        match self.alpha {
            Some((plane, scaled, interleaved)) => {
                let rounding = if interleaved { ROUND_ALPHA } else { ROUND_COLOUR };
                let level = SampleConversion::new(128, scaled, rounding);
                for ([.., out], sample) in pixels.zip(self.row(Some(plane), y)) {
                    *out = level.byte(*sample);
                }
            }
            None => pixels.for_each(|[.., out]| *out = u8::MAX),
        }
    }

    fn words(&self, format: PixelFormat) -> Vec<u16> {
        let JxrHeader { width, height, .. } = *self.header;
        let mut out = vec![0; width * height];
        let Some(plane) = self.header.planes.first() else {
            return out;
        };
        // If green has six bits, red and blue are coded with six bits too, and lose the lowest bit.
        let (green, extra) = if format == PixelFormat::Bgr565 { (6, 1) } else { (5, 0) };
        let level = SampleConversion::new(1 << (green - 1), plane.scaled, ROUND_COLOUR);
        for (y, out) in out.chunks_exact_mut(width.max(1)).enumerate() {
            let [luma, u, v] = [0, 1, 2].map(|channel| self.row(self.image.get(channel), y));
            for (((out, y), u), v) in out.iter_mut().zip(luma).zip(u).zip(v) {
                let [mut r, g, mut b] = rgb(y.wrapping_add(level.bias), *u, *v);
                if self.header.flags.red_blue_swapped {
                    std::mem::swap(&mut r, &mut b);
                }
                *out = bits(r >> (level.shift + extra), 5)
                    | bits(g >> level.shift, green) << 5
                    | bits(b >> (level.shift + extra), 5) << (5 + green);
            }
        }
        out
    }
}

//! Storage of texels: how each format is stored, read and written.

use std::ops::Range;

use context3d::agal::interp::lanes::{each, map};
use context3d::agal::interp::{LANES, LaneRegister};
use context3d::backend::{BackendError, Region};
use context3d::enums::TextureFormat;
use context3d::packets::{TexelLayout, packed};

use super::budget::{Budget, ChargedItems};
use super::number::{float_to_half, half_to_float, length, unorm};

pub(super) trait TexelFloats: Copy + Default + PartialEq + Send + Sync {
    /// True if the format stores only 0..1, so that colours are clamped before blending.
    const CLAMPED: bool;

    /// Returns one component of the texel: red, green, blue or alpha (0 to 3).
    fn channel(self, channel: usize) -> f32;

    /// Returns the nearest values that the format can store for four colours.
    fn store_lanes(colors: &LaneRegister) -> [Self; LANES];

    fn load(self) -> [f32; 4] {
        each(|channel| self.channel(channel))
    }

    fn load_lanes(texels: [Self; LANES]) -> LaneRegister {
        LaneRegister(each(|channel| map(texels, |texel| texel.channel(channel))))
    }

    fn store(color: [f32; 4]) -> Self {
        let [texel, ..] = Self::store_lanes(&LaneRegister::splat(color));
        texel
    }

    fn mean(texels: impl Iterator<Item = Self> + Clone) -> Self;
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rgba8(pub(super) [u8; 4]);

/// Red, green and blue with five, six and five bits; alpha reads as 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rgb565(pub(super) u16);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RgbaHalf(pub(super) [u16; 4]);

/// Returns the mean of integers, rounded to the nearest.
fn mean_of(values: impl Iterator<Item = u8>) -> u8 {
    let (sum, count) =
        values.fold((0u32, 0u32), |(sum, count), value| (sum + u32::from(value), count + 1));
    u8::try_from((sum * 2 + count) / (count * 2).max(1)).unwrap_or(u8::MAX)
}

impl TexelFloats for Rgba8 {
    const CLAMPED: bool = true;

    fn channel(self, channel: usize) -> f32 {
        f32::from(self.0[channel]) / 255.0
    }

    fn store_lanes(colors: &LaneRegister) -> [Self; LANES] {
        let [r, g, b, a] = map(colors.0, |lanes| map(lanes, |value| u32::from(unorm(value, 255))));
        // The channels of a texel are combined in one number, which suits SIMD instructions.
        each(|lane| {
            let joined = r[lane] | g[lane] << 8 | b[lane] << 16 | a[lane] << 24;
            Rgba8(joined.to_le_bytes())
        })
    }

    fn mean(texels: impl Iterator<Item = Self> + Clone) -> Self {
        Rgba8(
            [0, 1, 2, 3]
                .map(|channel: usize| mean_of(texels.clone().map(|Rgba8(texel)| texel[channel]))),
        )
    }
}

/// Returns the mean of a pixel's samples. Most pixels have equal samples.
pub(super) fn resolved<T: TexelFloats>(samples: &[T]) -> T {
    match samples {
        [first, rest @ ..] if rest.iter().all(|sample| sample == first) => *first,
        _ => T::mean(samples.iter().copied()),
    }
}

impl Rgb565 {
    fn parts(self) -> [u8; 3] {
        let part = |shift: u32, most: u16| u8::try_from(self.0 >> shift & most).unwrap_or(0);
        [part(11, 31), part(5, 63), part(0, 31)]
    }

    fn join([red, green, blue]: [u8; 3]) -> Self {
        Rgb565(u16::from(red) << 11 | u16::from(green) << 5 | u16::from(blue))
    }
}

impl TexelFloats for Rgb565 {
    const CLAMPED: bool = true;

    fn channel(self, channel: usize) -> f32 {
        let part = self.parts().get(channel).copied().map(f32::from);
        part.map_or(1.0, |part| part / if channel == 1 { 63.0 } else { 31.0 })
    }

    fn store_lanes(colors: &LaneRegister) -> [Self; LANES] {
        each(|lane| {
            let [red, green, blue, _] = colors.lane(lane);
            Rgb565::join([unorm(red, 31), unorm(green, 63), unorm(blue, 31)])
        })
    }

    fn mean(texels: impl Iterator<Item = Self> + Clone) -> Self {
        Rgb565::join(
            [0, 1, 2]
                .map(|channel: usize| mean_of(texels.clone().map(|texel| texel.parts()[channel]))),
        )
    }
}

impl TexelFloats for RgbaHalf {
    const CLAMPED: bool = false;

    fn channel(self, channel: usize) -> f32 {
        half_to_float(self.0[channel])
    }

    fn store_lanes(colors: &LaneRegister) -> [Self; LANES] {
        each(|lane| RgbaHalf(map(colors.lane(lane), float_to_half)))
    }

    fn mean(texels: impl Iterator<Item = Self> + Clone) -> Self {
        let (mut sum, mut count) = ([0.0; 4], 0.0f32);
        for texel in texels {
            let values = texel.load();
            sum = [0, 1, 2, 3].map(|channel: usize| sum[channel] + values[channel]);
            count += 1.0;
        }
        RgbaHalf::store(sum.map(|sum| sum / count.max(1.0)))
    }
}

/// A generic value with one variant per texel type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TexelVariants<A, B, C> {
    Rgba8(A),
    Rgb565(B),
    RgbaHalf(C),
}

pub(super) type TexelVec =
    TexelVariants<ChargedItems<Rgba8>, ChargedItems<Rgb565>, ChargedItems<RgbaHalf>>;
/// The texel type of a buffer, without data.
pub(super) type TexelBuffer = TexelVariants<(), (), ()>;

/// Runs the same code for every texel type.
macro_rules! with_texels {
    ($texels:expr, $name:pat_param => $body:expr) => {
        match $texels {
            $crate::texel::TexelVariants::Rgba8($name) => $body,
            $crate::texel::TexelVariants::Rgb565($name) => $body,
            $crate::texel::TexelVariants::RgbaHalf($name) => $body,
        }
    };
}

/// Like [`with_texels`], but returns a value of the same texel type.
macro_rules! map_texels {
    ($texels:expr, $name:pat_param => $body:expr) => {
        match $texels {
            $crate::texel::TexelVariants::Rgba8($name) => {
                $crate::texel::TexelVariants::Rgba8($body)
            }
            $crate::texel::TexelVariants::Rgb565($name) => {
                $crate::texel::TexelVariants::Rgb565($body)
            }
            $crate::texel::TexelVariants::RgbaHalf($name) => {
                $crate::texel::TexelVariants::RgbaHalf($body)
            }
        }
    };
}

pub(super) use {map_texels, with_texels};

/// Returns the storage of a format, also as a render target. Formats of four bits per channel are stored with eight, so
/// such a target is more precise than its format [context3d.target.packed] (as in `backend-gl`).
pub(super) fn storage(format: TextureFormat) -> TexelBuffer {
    match format {
        TextureFormat::Bgra
        | TextureFormat::Compressed
        | TextureFormat::CompressedAlpha
        | TextureFormat::BgraPacked4444 => TexelBuffer::Rgba8(()),
        TextureFormat::BgrPacked565 => TexelBuffer::Rgb565(()),
        TextureFormat::RgbaHalfFloat => TexelBuffer::RgbaHalf(()),
    }
}

impl TexelBuffer {
    pub(super) fn texels(self, budget: &Budget, count: usize) -> Result<TexelVec, BackendError> {
        Ok(map_texels!(self, () => budget.buffer(count)?))
    }
}

impl TexelVec {
    pub(super) fn len(&self) -> usize {
        with_texels!(self, texels => texels.len())
    }

    /// Returns one texel; zero if the index is out of range.
    pub(super) fn load(&self, index: usize) -> [f32; 4] {
        with_texels!(self, texels => texels.get(index).map_or([0.0; 4], |texel| texel.load()))
    }

    pub(super) fn fill(&mut self, color: [f32; 4]) {
        fn all<T: TexelFloats>(texels: &mut [T], color: [f32; 4]) {
            texels.fill(T::store(color));
        }
        with_texels!(self, texels => all(texels, color));
    }

    /// Stores uploaded texels, up to the number of texels in `self`. If `opaque` is set, alpha becomes 1.
    pub(super) fn decode(&mut self, layout: TexelLayout, opaque: bool, data: &[u8]) {
        match (self, layout) {
            (TexelVec::Rgba8(texels), TexelLayout::Bgra4444) => {
                for (texel, bytes) in texels.iter_mut().zip(data.as_chunks::<2>().0) {
                    *texel = Rgba8(packed::unpack_4444(*bytes));
                }
            }
            (TexelVec::Rgba8(texels), _) => {
                let alpha = |alpha: u8| if opaque { u8::MAX } else { alpha };
                for (texel, [b, g, r, a]) in texels.iter_mut().zip(data.as_chunks::<4>().0) {
                    *texel = Rgba8([*r, *g, *b, alpha(*a)]);
                }
            }
            (TexelVec::Rgb565(texels), _) => {
                for (texel, bytes) in texels.iter_mut().zip(data.as_chunks::<2>().0) {
                    *texel = Rgb565(u16::from_le_bytes(*bytes));
                }
            }
            (TexelVec::RgbaHalf(texels), _) => {
                for (texel, bytes) in texels.iter_mut().zip(data.as_chunks::<8>().0) {
                    let [r0, r1, g0, g1, b0, b1, a0, a1] = *bytes;
                    let halves = [[r0, r1], [g0, g1], [b0, b1], [a0, a1]];
                    *texel = RgbaHalf(halves.map(u16::from_le_bytes));
                }
            }
        }
    }

    pub(super) fn encode(&self, layout: TexelLayout, out: &mut Vec<u8>) {
        match (self, layout) {
            (TexelVec::Rgba8(texels), TexelLayout::Bgra4444) => {
                out.extend(texels.iter().flat_map(|texel| packed::pack_4444(texel.0)));
            }
            (TexelVec::Rgba8(texels), _) => {
                out.extend(texels.iter().flat_map(|Rgba8([r, g, b, a])| [*b, *g, *r, *a]));
            }
            (TexelVec::Rgb565(texels), _) => {
                out.extend(texels.iter().flat_map(|texel| texel.0.to_le_bytes()));
            }
            (TexelVec::RgbaHalf(texels), _) => {
                let halves = texels.iter().flat_map(|texel| texel.0);
                out.extend(halves.flat_map(u16::to_le_bytes));
            }
        }
    }

    /// Appends a region to `out` as bytes R, G, B, A. `width` is the number of texels per row.
    pub(super) fn rgba(&self, width: u32, region: Region, out: &mut Vec<u8>) {
        for y in (region.y..).take(length(region.height)) {
            let start = length(y).saturating_mul(length(width)) + length(region.x);
            let row = start..start + length(region.width);
            match self {
                TexelVec::Rgba8(texels) => {
                    let row = texels.get(row).unwrap_or_default();
                    out.extend(row.iter().flat_map(|texel| texel.0));
                }
                others => with_texels!(others, texels => {
                    let row = texels.get(row).unwrap_or_default();
                    let colors = row.iter().map(|texel| Rgba8::store(texel.load()));
                    out.extend(colors.flat_map(|Rgba8(bytes)| bytes));
                }),
            }
        }
    }

    /// Stores the mean of each group of `samples` consecutive texels as one texel of `to`, for a range of `to`.
    pub(super) fn resolve(&self, samples: usize, range: Range<usize>, to: &mut TexelVec) {
        fn each<T: TexelFloats>(from: &[T], samples: usize, range: Range<usize>, to: &mut [T]) {
            let samples = samples.max(1);
            let from = from.chunks_exact(samples).skip(range.start);
            let to = to.get_mut(range).unwrap_or_default();
            for (to, samples) in to.iter_mut().zip(from) {
                *to = resolved(samples);
            }
        }
        match (self, to) {
            (TexelVec::Rgba8(from), TexelVec::Rgba8(to)) => each(from, samples, range, to),
            (TexelVec::Rgb565(from), TexelVec::Rgb565(to)) => each(from, samples, range, to),
            (TexelVec::RgbaHalf(from), TexelVec::RgbaHalf(to)) => each(from, samples, range, to),
            _ => {} // a target and its samples have the same type of texel
        }
    }

    /// Copies each texel of `from` to `samples` consecutive texels of `self`.
    pub(super) fn spread(&mut self, samples: usize, from: &TexelVec) {
        fn each<T: TexelFloats>(to: &mut [T], samples: usize, from: &[T]) {
            for (to, from) in to.chunks_exact_mut(samples.max(1)).zip(from) {
                to.fill(*from);
            }
        }
        match (self, from) {
            (TexelVec::Rgba8(to), TexelVec::Rgba8(from)) => each(to, samples, from),
            (TexelVec::Rgb565(to), TexelVec::Rgb565(from)) => each(to, samples, from),
            (TexelVec::RgbaHalf(to), TexelVec::RgbaHalf(from)) => each(to, samples, from),
            _ => {} // a target and its samples have the same type of texel
        }
    }

    /// Computes the next smaller mip level: each texel is the mean of the four or two texels that it covers.
    pub(super) fn halve(&self, (width, height): (usize, usize), to: &mut TexelVec) {
        fn each<T: TexelFloats>(from: &[T], (width, height): (usize, usize), to: &mut [T]) {
            let across = (width / 2).max(1);
            for (index, to) in to.iter_mut().enumerate() {
                let (x, y) = (index % across * 2, index / across * 2);
                let (right, below) = ((x + 1).min(width - 1), (y + 1).min(height - 1));
                let at = |x: usize, y: usize| from.get(y * width + x).copied().unwrap_or_default();
                *to = T::mean([at(x, y), at(right, y), at(x, below), at(right, below)].into_iter());
            }
        }
        if width == 0 || height == 0 {
            return;
        }
        match (self, to) {
            (TexelVec::Rgba8(from), TexelVec::Rgba8(to)) => each(from, (width, height), to),
            (TexelVec::Rgb565(from), TexelVec::Rgb565(to)) => each(from, (width, height), to),
            (TexelVec::RgbaHalf(from), TexelVec::RgbaHalf(to)) => each(from, (width, height), to),
            _ => {} // levels of a texture have the same type of texel
        }
    }
}

#[cfg(test)]
#[path = "../tests/unit/texel.rs"]
mod tests;

//! Combines the parts of blocks: index bits from LZMA records, and colours from a JPEG-XR image [atf.parts.order]
//! [atf.parts.picture].

use super::error::AtfError;
use super::lzma;
use super::picture::{self, ImageDimensions};
use super::table::LevelEncoding;

/// The parts of a level's blocks: the records, and the numbers of block columns and rows.
#[derive(Clone, Copy)]
struct LevelParts<'a> {
    records: &'a [&'a [u8]],
    across: u32,
    /// The number of block rows of all planes.
    down: u32,
}

impl<'a> LevelParts<'a> {
    /// Creates the parts of a level with `planes` planes: colours, and alpha if it is stored in separate blocks.
    fn new(records: &'a [&'a [u8]], width: u32, height: u32, planes: u32) -> Self {
        LevelParts { records, across: width.div_ceil(4), down: height.div_ceil(4) * planes }
    }

    fn blocks(&self) -> usize {
        self.across as usize * self.down as usize
    }

    /// Returns the dimensions of the colour image: each block has a pixel in the upper and in the lower half.
    fn shape(&self) -> ImageDimensions {
        ImageDimensions { width: self.across, height: self.down * 2 }
    }

    fn record(&self, index: usize) -> &'a [u8] {
        self.records.get(index).copied().unwrap_or_default()
    }

    /// Decodes an LZMA record with `N` bytes per block.
    fn bits<const N: usize>(&self, index: usize) -> Result<Vec<[u8; N]>, AtfError> {
        let size = self.blocks().saturating_mul(N);
        let bytes = lzma::decode(self.record(index), size)?;
        Ok(bytes.as_chunks().0.to_vec())
    }

    /// Decodes the two colours of each block, in rows of blocks.
    fn colors(&self, index: usize) -> Result<Vec<(u16, u16)>, AtfError> {
        let words = picture::words(self.record(index), self.shape())?;
        Ok(self.pairs(&words))
    }

    /// Pairs the pixels of the upper half with those of the lower half.
    fn pairs<T: Copy>(&self, pixels: &[T]) -> Vec<(T, T)> {
        let (upper, lower) = pixels.split_at(self.blocks().min(pixels.len()));
        upper.iter().copied().zip(lower.iter().copied()).collect()
    }
}

/// Returns whether the parts of an encoding are documented. No source shows how two 15-bit colours encode the
/// additional modes of ETC2 [atf.parts.etc2].
pub(super) fn knows(encoding: LevelEncoding) -> bool {
    use LevelEncoding::{Dxt1, Dxt5, Etc1, Etc1Alpha, Pvrtc, PvrtcAlpha};
    matches!(encoding, Dxt1 | Dxt5 | Etc1 | Etc1Alpha | Pvrtc | PvrtcAlpha)
}

/// Combines the parts of a level's blocks, in the order of a raw record.
pub(super) fn blocks(
    encoding: LevelEncoding,
    records: &[&[u8]],
    width: u32,
    height: u32,
) -> Result<Vec<u8>, AtfError> {
    match encoding {
        LevelEncoding::Dxt1 => dxt1(&LevelParts::new(records, width, height, 1)),
        LevelEncoding::Dxt5 => dxt5(&LevelParts::new(records, width, height, 1)),
        LevelEncoding::Etc1 => etc1(&LevelParts::new(records, width, height, 1)),
        LevelEncoding::Etc1Alpha => etc1(&LevelParts::new(records, width, height, 2)),
        LevelEncoding::Pvrtc | LevelEncoding::PvrtcAlpha => {
            let parts = LevelParts::new(records, width.max(8), height.max(8), 1);
            pvrtc(&parts, encoding == LevelEncoding::PvrtcAlpha)
        }
        LevelEncoding::Etc2
        | LevelEncoding::Etc2Alpha
        | LevelEncoding::JpegXr
        | LevelEncoding::Undocumented => {
            Err(AtfError::Unsupported(format!("parts of {}", encoding.name())))
        }
    }
}

fn dxt1(parts: &LevelParts<'_>) -> Result<Vec<u8>, AtfError> {
    let indices = parts.bits::<4>(0)?;
    let colors = parts.colors(1)?;
    let blocks = indices.iter().zip(colors);
    let blocks = blocks.flat_map(|(indices, (one, two))| color_block(one, two, *indices));
    Ok(blocks.collect())
}

fn dxt5(parts: &LevelParts<'_>) -> Result<Vec<u8>, AtfError> {
    let alpha_indices = parts.bits::<6>(0)?;
    let alphas = picture::gray(parts.record(1), parts.shape())?;
    let indices = parts.bits::<4>(2)?;
    let colors = parts.colors(3)?;
    let alphas = alpha_indices.iter().zip(parts.pairs(&alphas));
    let mut blocks = Vec::with_capacity(parts.blocks().saturating_mul(16));
    for ((bits, (first, second)), (indices, (one, two))) in alphas.zip(indices.iter().zip(colors)) {
        blocks.extend([first, second]);
        blocks.extend(bits);
        blocks.extend(color_block(one, two, *indices));
    }
    Ok(blocks)
}

fn color_block(one: u16, two: u16, indices: [u8; 4]) -> [u8; 8] {
    let ([a, b], [c, d], [e, f, g, h]) = (one.to_le_bytes(), two.to_le_bytes(), indices);
    [a, b, c, d, e, f, g, h]
}

/// The bit of an ETC1 block's fourth byte that selects differential mode.
const DIFFERENCE: u8 = 2;

/// Combines ETC1 blocks [atf.parts.etc1]. The image holds both colours with 5 bits per channel; individual mode keeps
/// the upper 4 bits. In every part of the level, the data of alpha blocks follows the data of colour blocks.
fn etc1(parts: &LevelParts<'_>) -> Result<Vec<u8>, AtfError> {
    let top = parts.bits::<1>(0)?;
    let bottom = parts.bits::<4>(1)?;
    let colors = parts.colors(2)?;
    let channel = |word: u16, low: u32| i32::from(word >> low & 31);
    let blocks = top.iter().zip(&bottom).zip(colors);
    let blocks = blocks.flat_map(|(([mode], [e, f, g, h]), (one, two))| {
        let [r, g2, b] = [10, 5, 0].map(|low| {
            let (one, two) = (channel(one, low), channel(two, low));
            let byte = if mode & DIFFERENCE == 0 {
                (one >> 1) << 4 | two >> 1
            } else {
                one << 3 | ((two - one).clamp(-4, 3) & 7)
            };
            u8::try_from(byte).unwrap_or(u8::MAX)
        });
        [r, g2, b, *mode, *e, *f, *g, *h]
    });
    Ok(blocks.collect())
}

/// The highest bit of a PVRTC colour, which marks it as opaque.
const OPAQUE: u16 = 0x8000;

/// Returns the index of a block in a raw PVRTC record [atf.raw.pvrtc]. The bits of row and column alternate, beginning
/// with the row's; the remaining bits of the larger dimension follow.
fn morton(x: usize, y: usize, (across, down): (u32, u32)) -> usize {
    let shared = across.min(down).max(1).ilog2();
    let pairs = (0..shared).map(|bit| (y >> bit & 1 | (x >> bit & 1) << 1) << (2 * bit));
    pairs.fold((x | y) >> shared << (2 * shared), |place, pair| place | pair)
}

/// Combines PVRTC blocks. The index bits are in the order of the raw record, the colours in rows [atf.parts.pvrtc].
fn pvrtc(parts: &LevelParts<'_>, alpha: bool) -> Result<Vec<u8>, AtfError> {
    let top = parts.bits::<1>(0)?;
    let bottom = parts.bits::<4>(1)?;
    let colors = parts.colors(2)?;
    let mut blocks = vec![0; parts.blocks() * 8];
    let places = blocks.as_chunks_mut::<8>().0;
    for (pixel, (one, two)) in colors.into_iter().enumerate() {
        let across = parts.across as usize;
        let place = morton(pixel % across, pixel / across, (parts.across, parts.down));
        let bits = (places.get_mut(place), top.get(place), bottom.get(place));
        let (Some(block), Some([flags]), Some([a, b, c, d])) = bits else { continue };
        let opaque = |bit: u8| if alpha && flags >> bit & 1 == 0 { 0 } else { OPAQUE };
        let one = (one & !OPAQUE & !1) | u16::from(flags & 1) | opaque(1);
        let two = (two & !OPAQUE) | opaque(2);
        let ([e, f], [g, h]) = (one.to_le_bytes(), two.to_le_bytes());
        *block = [*a, *b, *c, *d, e, f, g, h];
    }
    Ok(blocks)
}

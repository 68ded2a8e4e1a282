//! Compressed blocks of 4×4 texels, as in raw records [atf.raw.blocks]. The CPU decodes the blocks to B, G, R, A bytes
//! for drivers without the block's format.
//!
//! The crate `bcdec_rs` decodes DXT; the crate `texture2ddecoder` decodes ETC and PVRTC.

mod dxt;
mod etc_encode;

pub(crate) use dxt::{encode_dxt1, encode_dxt5};
pub(crate) use etc_encode::{encode_etc2, encode_etc2_eac};
use texture2ddecoder::{decode_etc2_rgb_block, decode_etc2_rgba8_block, decode_pvrtc};

/// Width and height of a block in texels.
pub const SIDE: u32 = 4;

/// The texels of a block, row by row, as B, G, R, A.
pub(crate) type TexelBlock = [[u8; 4]; 16];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BlockCodec {
    /// DXT1 blocks, always opaque: Flash's encoder writes no block with a transparent fourth colour
    /// [context3d.format.dxt1_opaque], and `compressed` is sampled as RGB.
    Dxt1,
    Dxt5,
    /// Opaque ETC2, which includes ETC1.
    Etc,
    /// ETC1 colour blocks, followed by equally many blocks whose green channel is the alpha.
    EtcTwice,
    /// ETC2 blocks. Each colour block is preceded by its EAC alpha block.
    EtcEac,
    /// PVRTC with four bits per texel, opaque or with alpha; a level has at least 8×8 texels.
    Pvrtc,
}

/// Returns the width or height with which a PVRTC level is stored.
fn pvrtc_side(side: u32) -> u32 {
    side.max(8)
}

/// Decodes an ETC2 block, which includes ETC1.
fn etc(block: &[u8; 8]) -> TexelBlock {
    let mut texels = [0; 16];
    decode_etc2_rgb_block(block, &mut texels);
    texels.map(u32::to_le_bytes)
}

fn etc_eac(block: &[u8; 16]) -> TexelBlock {
    let mut texels = [0; 16];
    decode_etc2_rgba8_block(block, &mut texels);
    texels.map(u32::to_le_bytes)
}

fn counts(width: u32, height: u32) -> (usize, usize) {
    (width.div_ceil(SIDE) as usize, height.div_ceil(SIDE) as usize)
}

impl BlockCodec {
    /// Returns the size of a level in bytes; `None` on overflow.
    pub(crate) fn bytes(self, width: u32, height: u32) -> Option<usize> {
        let (across, down) = match self {
            BlockCodec::Pvrtc => counts(pvrtc_side(width), pvrtc_side(height)),
            _ => counts(width, height),
        };
        let block = match self {
            BlockCodec::Dxt1 | BlockCodec::Etc | BlockCodec::Pvrtc => 8,
            BlockCodec::Dxt5 | BlockCodec::EtcTwice | BlockCodec::EtcEac => 16,
        };
        across.checked_mul(down)?.checked_mul(block)
    }

    /// Decodes a level to B, G, R, A bytes. Returns `None` if `blocks` has the wrong length.
    pub(crate) fn decode(self, blocks: &[u8], width: u32, height: u32) -> Option<Vec<u8>> {
        if self.bytes(width, height) != Some(blocks.len()) {
            return None;
        }
        let mut image = TexelGrid::new(width, height)?;
        match self {
            BlockCodec::Dxt1 => image.fill(blocks.as_chunks().0, dxt::dxt1),
            BlockCodec::Dxt5 => image.fill(blocks.as_chunks().0, dxt::dxt5),
            BlockCodec::Etc => image.fill(blocks.as_chunks().0, etc),
            BlockCodec::EtcEac => image.fill(blocks.as_chunks().0, etc_eac),
            BlockCodec::EtcTwice => {
                let (color, alpha) = blocks.split_at(blocks.len() / 2);
                let mut alphas = TexelGrid::new(width, height)?;
                alphas.fill(alpha.as_chunks().0, etc);
                image.fill(color.as_chunks().0, etc);
                let texels = image.bgra.as_chunks_mut::<4>().0;
                for (texel, alpha) in texels.iter_mut().zip(alphas.bgra.as_chunks::<4>().0) {
                    texel[3] = alpha[1];
                }
            }
            BlockCodec::Pvrtc => {
                let [across, down] = [width, height].map(|side| pvrtc_side(side) as usize);
                let mut texels = vec![0; across * down];
                decode_pvrtc(blocks, across, down, &mut texels, false).ok()?;
                let rows = image.bgra.chunks_mut(image.width.max(1) * 4);
                for (row, texels) in rows.zip(texels.chunks(across)) {
                    let row = row.as_chunks_mut::<4>().0.iter_mut();
                    row.zip(texels).for_each(|(to, texel)| *to = texel.to_le_bytes());
                }
            }
        }
        Some(image.bgra)
    }
}

impl BlockCodec {
    /// Decodes one block. Returns `None` for a wrong length, and for PVRTC, whose blocks depend on each other.
    pub(crate) fn decode_block(self, block: &[u8]) -> Option<TexelBlock> {
        match self {
            BlockCodec::Dxt1 => block.try_into().ok().map(dxt::dxt1),
            BlockCodec::Dxt5 => block.try_into().ok().map(dxt::dxt5),
            BlockCodec::Etc => block.try_into().ok().map(etc),
            BlockCodec::EtcEac => block.try_into().ok().map(etc_eac),
            BlockCodec::EtcTwice | BlockCodec::Pvrtc => None,
        }
    }
}

/// Encodes the blocks of a level, in rows from the top. Blocks that extend past the level repeat its edge texels.
fn each_block(bgra: &[u8], width: u32, height: u32, mut encode: impl FnMut(&TexelBlock)) {
    let (across, down) = counts(width, height);
    let (width, height) = (width as usize, height as usize);
    let texels = bgra.as_chunks::<4>().0;
    for index in 0..across * down {
        let (left, top) = (index % across * 4, index / across * 4);
        let block = std::array::from_fn(|i| {
            let x = (left + i % 4).min(width.saturating_sub(1));
            let y = (top + i / 4).min(height.saturating_sub(1));
            texels.get(y * width + x).copied().unwrap_or_default()
        });
        encode(&block);
    }
}

fn range(block: &TexelBlock, channel: usize) -> (u8, u8) {
    let values = block.iter().map(|texel| texel[channel]);
    values.fold((u8::MAX, 0), |(low, high), value| (low.min(value), high.max(value)))
}

struct TexelGrid {
    width: usize,
    height: usize,
    bgra: Vec<u8>,
}

impl TexelGrid {
    fn new(width: u32, height: u32) -> Option<Self> {
        let (width, height) = (width as usize, height as usize);
        let bytes = width.checked_mul(height)?.checked_mul(4)?;
        let bgra = vec![0; bytes];
        Some(TexelGrid { width, height, bgra })
    }

    /// Decodes the blocks of a level, in rows from the top. Texels outside the level are cropped.
    fn fill<const N: usize>(
        &mut self,
        blocks: &[[u8; N]],
        decode: impl Fn(&[u8; N]) -> TexelBlock,
    ) {
        let across = self.width.div_ceil(SIDE as usize).max(1);
        for (index, block) in blocks.iter().enumerate() {
            let corner = (index % across * 4, index / across * 4);
            self.put(corner, &decode(block));
        }
    }

    fn put(&mut self, (left, top): (usize, usize), block: &TexelBlock) {
        let width = SIDE as usize;
        for (y, row) in (top..self.height).zip(block.chunks_exact(width)) {
            let bytes = row.as_flattened();
            let start = (y * self.width + left) * 4;
            let wanted = width.min(self.width.saturating_sub(left)) * 4;
            let place = self.bgra.get_mut(start..start + wanted);
            if let (Some(place), Some(bytes)) = (place, bytes.get(..wanted)) {
                place.copy_from_slice(bytes);
            }
        }
    }
}

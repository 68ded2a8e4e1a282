//! DXT1 and DXT5, also called BC1 and BC3. `bcdec_rs` decodes the blocks. A simple encoder in this module compresses
//! bitmaps that are uploaded to DXT textures.

use super::{TexelBlock, each_block, range};

/// Decodes a block with `bcdec_rs`, and reorders the channels to B, G, R, A.
fn decode(block: impl FnOnce(&mut [u8], usize)) -> TexelBlock {
    let mut rgba = [0; 64];
    block(&mut rgba, 16);
    let mut texels = [[0; 4]; 16];
    for (texel, [r, g, b, a]) in texels.iter_mut().zip(rgba.as_chunks::<4>().0) {
        *texel = [*b, *g, *r, *a];
    }
    texels
}

/// Decodes a DXT1 block of 8 bytes, which is always opaque.
pub(super) fn dxt1(block: &[u8; 8]) -> TexelBlock {
    let mut texels = decode(|rgba, pitch| bcdec_rs::bc1(block, rgba, pitch));
    for texel in &mut texels {
        texel[3] = u8::MAX;
    }
    texels
}

pub(super) fn dxt5(block: &[u8; 16]) -> TexelBlock {
    decode(|rgba, pitch| bcdec_rs::bc3(block, rgba, pitch))
}

/// Encodes a level of B, G, R, A bytes as DXT1 blocks, appended to `out`; drops alpha.
pub(crate) fn encode_dxt1(bgra: &[u8], width: u32, height: u32, out: &mut Vec<u8>) {
    each_block(bgra, width, height, |block| {
        out.extend_from_slice(&color_block(block));
    });
}

/// Encodes a level of B, G, R, A bytes as DXT5 blocks, appended to `out`.
pub(crate) fn encode_dxt5(bgra: &[u8], width: u32, height: u32, out: &mut Vec<u8>) {
    each_block(bgra, width, height, |block| {
        out.extend_from_slice(&alpha_block(block));
        out.extend_from_slice(&color_block(block));
    });
}

/// Returns whether one channel decreases while the other one increases.
fn falls(block: &TexelBlock, channel: usize, other: usize) -> bool {
    let middle = |channel| {
        let (low, high) = range(block, channel);
        (i32::from(low) + i32::from(high)) / 2
    };
    let (a, b) = (middle(channel), middle(other));
    let products =
        block.iter().map(|texel| (i32::from(texel[channel]) - a) * (i32::from(texel[other]) - b));
    products.sum::<i32>() < 0
}

/// Encodes a block's colours: end points on a diagonal of their bounding box, and indices of the nearest colours.
fn color_block(block: &TexelBlock) -> [u8; 8] {
    let [mut one, mut two] = [[0u8; 3]; 2];
    let span = |channel: &usize| {
        let (low, high) = range(block, *channel);
        high - low
    };
    let widest = (0..3).max_by_key(span).unwrap_or(1);
    for channel in 0..3 {
        let (low, high) = range(block, channel);
        (two[channel], one[channel]) = if channel != widest && falls(block, channel, widest) {
            (high, low)
        } else {
            (low, high)
        };
    }
    let word = |[b, g, r]: [u8; 3]| {
        let narrow = |value: u8, most: u32| (u32::from(value) * most + 127) / 255;
        let word = narrow(r, 31) << 11 | narrow(g, 63) << 5 | narrow(b, 31);
        u16::try_from(word).unwrap_or(u16::MAX)
    };
    let (one, two) = (word(one).max(word(two)), word(one).min(word(two)));
    let mut bytes = [0; 8];
    bytes[..2].copy_from_slice(&one.to_le_bytes());
    bytes[2..4].copy_from_slice(&two.to_le_bytes());
    if one == two {
        return bytes; // a block of one colour: all indices are 0
    }
    // The four colours of the block, as the decoder computes them.
    bytes[4] = 0b11_10_01_00;
    let decoded = dxt1(&bytes);
    let distance = |a: &[u8; 4], b: &[u8; 4]| -> u32 {
        let differences = a.iter().zip(b).take(3);
        differences.map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum()
    };
    let mut indices = 0u32;
    for (position, texel) in block.iter().enumerate() {
        let nearest = (0u32..4).min_by_key(|index| distance(texel, &decoded[*index as usize]));
        indices |= nearest.unwrap_or(0) << (position * 2);
    }
    bytes[4..].copy_from_slice(&indices.to_le_bytes());
    bytes
}

/// Encodes a block's alpha in the mode with eight values, from the maximum to the minimum.
fn alpha_block(block: &TexelBlock) -> [u8; 8] {
    let (low, high) = range(block, 3);
    let mut bits = 0u64;
    if high > low {
        let span = u64::from(high - low);
        for (position, texel) in block.iter().enumerate() {
            let down = (u64::from(high - texel[3]) * 7 + span / 2) / span;
            // Index 0 is the first end point, index 1 the second; indices 2 to 7 are the values between them.
            let index = match down {
                0 => 0,
                7.. => 1,
                step => step + 1,
            };
            bits |= index << (position * 3);
        }
    }
    let mut bytes = (bits << 16).to_le_bytes();
    (bytes[0], bytes[1]) = (high, low);
    bytes
}

//! A simple encoder of ETC2 and EAC, for bitmaps that are uploaded to textures with blocks.

use super::{TexelBlock, each_block, range};

/// Modifiers that are added to the base colour of a half, by table and by a texel's two index bits.
const MODIFIERS: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// Modifiers that are added to the base alpha after multiplication, by table and by a texel's three index bits.
const ALPHA_MODIFIERS: [[i32; 8]; 16] = [
    [-3, -6, -9, -15, 2, 5, 8, 14],
    [-3, -7, -10, -13, 2, 6, 9, 12],
    [-2, -5, -8, -13, 1, 4, 7, 12],
    [-2, -4, -6, -13, 1, 3, 5, 12],
    [-3, -6, -8, -12, 2, 5, 7, 11],
    [-3, -7, -9, -11, 2, 6, 8, 10],
    [-4, -7, -8, -11, 3, 6, 7, 10],
    [-3, -5, -8, -11, 2, 4, 7, 10],
    [-2, -6, -8, -10, 1, 5, 7, 9],
    [-2, -5, -8, -10, 1, 4, 7, 9],
    [-2, -4, -8, -10, 1, 3, 7, 9],
    [-2, -5, -7, -10, 1, 4, 6, 9],
    [-3, -4, -7, -10, 2, 3, 6, 9],
    [-1, -2, -3, -10, 0, 1, 2, 9],
    [-4, -6, -8, -9, 3, 5, 7, 8],
    [-3, -5, -7, -9, 2, 4, 6, 8],
];

/// Red, green, blue.
type Rgb = [i32; 3];

fn clamp(value: i32) -> u8 {
    u8::try_from(value.clamp(0, 255)).unwrap_or(0)
}

/// Encodes a level of B, G, R, A bytes as ETC2 blocks without alpha, appended to `out`.
pub(crate) fn encode_etc2(bgra: &[u8], width: u32, height: u32, out: &mut Vec<u8>) {
    each_block(bgra, width, height, |block| {
        out.extend_from_slice(&color_block(block));
    });
}

/// Encodes a level of B, G, R, A bytes as ETC2 blocks with EAC alpha, appended to `out`.
pub(crate) fn encode_etc2_eac(bgra: &[u8], width: u32, height: u32, out: &mut Vec<u8>) {
    each_block(bgra, width, height, |block| {
        out.extend_from_slice(&alpha_block(block));
        out.extend_from_slice(&color_block(block));
    });
}

/// Half of a block, encoded with the modifier table that fits best.
#[derive(Clone, Copy)]
struct Half {
    table: u64,
    /// The two index bits of each texel, in the low 32 bits of the block.
    indices: u64,
    error: i32,
}

/// Encodes a block with the better of both splits in individual mode: the base colour of each half is its mean, with
/// four bits per channel. (For similar halves, differential mode would be more precise.)
fn color_block(block: &TexelBlock) -> [u8; 8] {
    let encode = |flipped: bool| {
        let second = |place: usize| {
            if flipped { place >= 8 } else { place % 4 >= 2 }
        };
        let halves = [false, true].map(|wanted| {
            let texels = (0..16).filter(|place| second(*place) == wanted);
            let nibbles = mean(block, texels.clone());
            (nibbles, best_table(block, nibbles, texels))
        });
        let [(first, one), (other, two)] = halves;
        let mut word = u64::from(flipped) << 32 | one.indices | two.indices;
        word |= one.table << 37 | two.table << 34;
        for (channel, low) in [56, 48, 40].into_iter().enumerate() {
            let pair = first[channel] << 4 | other[channel];
            word |= u64::from(pair.unsigned_abs()) << low;
        }
        (one.error.saturating_add(two.error), word)
    };
    let (best, other) = (encode(false), encode(true));
    let (_, word) = if other.0 < best.0 { other } else { best };
    word.to_be_bytes()
}

/// Returns the mean colour of eight texels: red, green and blue with four bits each.
fn mean(block: &TexelBlock, texels: impl Iterator<Item = usize>) -> Rgb {
    let mut sums = [0; 3];
    for place in texels {
        let [b, g, r, _] = block[place & 15];
        for (sum, value) in sums.iter_mut().zip([r, g, b]) {
            *sum += i32::from(value);
        }
    }
    // Division by 8 gives the mean of eight texels; division by 17 converts 0 to 255 into 0 to 15.
    sums.map(|sum| (sum + 8 * 17 / 2) / (8 * 17))
}

fn best_table(
    block: &TexelBlock,
    nibbles: Rgb,
    texels: impl Iterator<Item = usize> + Clone,
) -> Half {
    let base = nibbles.map(|nibble| nibble * 17);
    let tried = (0u64..).zip(&MODIFIERS).map(|(table, modifiers)| {
        let mut half = Half { table, indices: 0, error: 0 };
        for place in texels.clone() {
            let [b, g, r, _] = block[place & 15];
            let texel = [r, g, b];
            let error = |index: &usize| -> i32 {
                let size = modifiers[index & 1];
                let added = if index & 2 == 0 { size } else { -size };
                let pairs = base.iter().zip(texel);
                let errors = pairs.map(|(base, value)| {
                    let error = i32::from(clamp(base + added)) - i32::from(value);
                    error * error
                });
                errors.sum()
            };
            let index = (0..4).min_by_key(error).unwrap_or(0);
            half.error += error(&index);
            let number = place % 4 * 4 + place / 4; // ETC stores indices by columns
            half.indices |= (index as u64 & 1) << number | (index as u64 >> 1) << (16 + number);
        }
        half
    });
    tried.min_by_key(|half| half.error).unwrap_or(Half { table: 0, indices: 0, error: 0 })
}

/// Encodes a block's alpha. The base is the middle of the range; for each table, the multiplier covers the range.
fn alpha_block(block: &TexelBlock) -> [u8; 8] {
    let (low, high) = range(block, 3);
    let (low, high) = (i32::from(low), i32::from(high));
    let base = (low + high + 1) / 2;
    let tried = (0u64..).zip(&ALPHA_MODIFIERS).map(|(table, modifiers)| {
        let span = |sum: i32, value: &i32| sum.max(value.abs());
        let reach = modifiers.iter().fold(1, span);
        let multiplier = ((high - low + 1) / 2 + reach - 1) / reach;
        let multiplier = multiplier.clamp(0, 15);
        let mut indices = 0u64;
        let mut total = 0;
        for (place, texel) in (0u32..).zip(block) {
            let error = |index: &usize| {
                let decoded = clamp(base + modifiers[index & 7] * multiplier);
                i32::from(decoded.abs_diff(texel[3])).pow(2)
            };
            let index = (0..8).min_by_key(error).unwrap_or(0);
            total += error(&index);
            let number = place % 4 * 4 + place / 4;
            indices |= (index as u64) << (45 - 3 * number);
        }
        let head = u64::from(clamp(base)) << 56 | u64::from(multiplier.unsigned_abs()) << 52;
        (total, head | table << 48 | indices)
    });
    let best = tried.min_by_key(|(total, _)| *total);
    best.map_or(0, |(_, word)| word).to_be_bytes()
}

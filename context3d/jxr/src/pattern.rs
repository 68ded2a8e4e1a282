//! The pattern of blocks with HP coefficients in a macroblock (T.832 8.7.19, 9.5.4).

use super::bits::BitReader;
use super::header::Colour;
use super::model::{Models, Prediction};
use super::quant::MAX_CHANNELS;

/// Reads which of a group's four blocks have coefficients, given their number.
fn read_group(count: usize, r: &mut BitReader<'_>) -> u32 {
    match count {
        0 => 0,
        1 => 1 << r.bits(2),
        2 => match r.bits(2) {
            0 => 3,
            1 => 5,
            2 => 6 + 3 * r.bits(1),
            _ => 10 + 2 * r.bits(1),
        },
        3 => 0xf ^ 1 << r.bits(2),
        _ => 0xf,
    }
}

/// Reads the pattern of blocks with coefficients, before prediction (`MB_CBPHP`).
pub(super) fn read_pattern(
    r: &mut BitReader<'_>,
    models: &mut Models,
    colour: Colour,
) -> [u32; MAX_CHANNELS] {
    let mut patterns = [0; MAX_CHANNELS];
    let groups = read_group(models.group_count.read(r), r);
    for group in (0..4).filter(|group| groups >> group & 1 != 0) {
        let (luma, chroma) = read_group_pattern(r, models);
        patterns[0] |= luma << (group * 4);
        for at in (0..2usize).filter(|at| chroma >> at & 1 != 0) {
            patterns[1 + at] |= match colour {
                Colour::Yuv444 => {
                    let count = models.chroma_pattern.read_fixed(r) + 1;
                    read_group(count, r) << (group * 4)
                }
                Colour::Yuv422 => {
                    let rows = if r.flag() {
                        1
                    } else if r.flag() {
                        4
                    } else {
                        5
                    };
                    rows << [0, 1, 4, 5][group & 3]
                }
                _ => 1 << group,
            };
        }
    }
    patterns
}

/// Reads a group's pattern: the four luma blocks, and a bit mask of the chroma channels with coefficients (U 1, V 2).
fn read_group_pattern(r: &mut BitReader<'_>, models: &mut Models) -> (u32, u32) {
    /// For each symbol, the number of extra bits and the first index in `PATTERNS`.
    const SYMBOLS: [(u32, u32); 6] = [(0, 0), (2, 4), (1, 2), (2, 8), (2, 12), (0, 1)];
    const PATTERNS: [u8; 16] = [0, 15, 3, 12, 1, 2, 4, 8, 5, 6, 9, 10, 7, 11, 13, 14];
    let mut symbol = models.group_pattern.read(r) + 1;
    let mut chroma = 0;
    if symbol >= 6 {
        chroma = if r.flag() {
            1
        } else if r.flag() {
            2
        } else {
            3
        };
        if symbol == 9 && !r.flag() {
            symbol = if r.flag() { 10 } else { 11 };
        }
        symbol -= 6;
    }
    let (bits, first) = SYMBOLS[symbol.min(5)];
    let at = first + r.bits(bits);
    (u32::from(PATTERNS[(at & 15) as usize]), chroma)
}

/// Adds the prediction to a pattern (T.832 9.5.4). `neighbour` is the block from which the first block is predicted;
/// `None` in the first macroblock.
pub(super) fn predict_pattern(
    models: &mut Models,
    mut pattern: u32,
    blocks: usize,
    channel: usize,
    neighbour: Option<u32>,
) -> u32 {
    let other = usize::from(channel > 0);
    match models.hp_pattern.predict[other] {
        Prediction::Zeros => {}
        Prediction::Ones => pattern ^= 0xffff >> (16 - blocks.min(16)),
        Prediction::Neighbours => {
            pattern ^= neighbour.unwrap_or(1) & 1;
            pattern ^= pattern << 1 & 0x2;
            if blocks == 16 {
                pattern ^= pattern << 3 & 0x10;
                pattern ^= pattern << 1 & 0x20;
                pattern ^= (pattern & 0x33) << 2;
                pattern ^= (pattern & 0xcc) << 6;
                pattern ^= (pattern & 0x3300) << 2;
            } else {
                for row in 1..blocks / 2 {
                    pattern ^= (pattern >> (2 * row - 2) & 3) << (2 * row);
                }
            }
        }
    }
    let ones = (pattern & 0xffff).count_ones().cast_signed();
    let weight = 16 / i32::try_from(blocks.max(1)).unwrap_or(16);
    models.hp_pattern.update(other, ones * weight);
    pattern
}

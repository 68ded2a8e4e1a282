//! PVRTC with four bits per texel: two small images of colours, smoothly enlarged, and mixing weights for each texel.
//! This decoder follows the Khronos Data Format Specification, section "PVRTC compressed texture image formats". Tests
//! compare the decoder with the crate that `atf` uses.

/// Minimum width and height of a PVRTC level in memory, in texels.
const MIN_SIDE: usize = 8;

/// Red, green and blue with 5 bits, alpha with 4.
type PvrtcColor = [i32; 4];

/// A block: the lowest bits of `mix` are for the upper left texel.
#[derive(Clone, Copy, Default)]
struct PvrtcCell {
    first: PvrtcColor,
    second: PvrtcColor,
    mix: u32,
    /// True if both weights 3/8 and 5/8 are replaced by 1/2; texels with 5/8 are then transparent.
    punch_through: bool,
}

fn widen(value: u16, from: u32) -> i32 {
    i32::from(value << (5 - from) | value >> (2 * from).saturating_sub(5))
}

/// Unpacks a 16-bit colour; the highest bit means opaque. Blue has `blue` bits if opaque, else one less.
fn color(word: u16, blue: u32) -> PvrtcColor {
    let bits = |low: u32, count: u32| word >> low & ((1 << count) - 1);
    // Blue has one bit less where the lowest bit stores the mode.
    let lost = 5 - blue;
    if word >> 15 == 1 {
        [widen(bits(10, 5), 5), widen(bits(5, 5), 5), widen(bits(lost, blue), blue), 0xf]
    } else {
        [
            widen(bits(8, 4), 4),
            widen(bits(4, 4), 4),
            widen(bits(lost, blue - 1), blue - 1),
            i32::from(bits(12, 3) << 1),
        ]
    }
}

impl PvrtcCell {
    fn new(block: &[u8; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = *block;
        let first = u16::from_le_bytes([e, f]);
        PvrtcCell {
            first: color(first, 4),
            second: color(u16::from_le_bytes([g, h]), 5),
            mix: u32::from_le_bytes([a, b, c, d]),
            punch_through: first & 1 == 1,
        }
    }

    /// Returns the weight of the second colour in eighths, and whether the texel is transparent.
    fn weight(&self, x: usize, y: usize) -> (i32, bool) {
        let index = self.mix >> ((y * 4 + x) * 2) & 3;
        match (index, self.punch_through) {
            (0, _) => (0, false),
            (1, false) => (3, false),
            (2, false) => (5, false),
            (1, true) => (4, false),
            (2, true) => (4, true),
            _ => (8, false),
        }
    }
}

/// Returns the index of a block in a level [atf.raw.pvrtc]: the bits of `x` and `y` are interleaved, y first, while
/// both have bits; the remaining bits follow.
pub fn place(x: usize, y: usize, (across, down): (usize, usize)) -> usize {
    let smaller = across.min(down);
    let mut index = 0;
    let mut shift = 0;
    while 1 << shift < smaller {
        index |= (y >> shift & 1) << (2 * shift) | (x >> shift & 1) << (2 * shift + 1);
        shift += 1;
    }
    index | (x | y) >> shift << (2 * shift)
}

/// Decodes a level to B, G, R, A texels, without the texels beyond the given width and height.
pub fn decode(blocks: &[[u8; 8]], width: usize, height: usize) -> Vec<[u8; 4]> {
    let count = |length: usize| length.max(MIN_SIDE).div_ceil(4);
    let (across, down) = (count(width), count(height));
    let cells: Vec<PvrtcCell> = blocks.iter().map(PvrtcCell::new).collect();
    let cell = |x: usize, y: usize| {
        let index = place(x % across, y % down, (across, down));
        cells.get(index).copied().unwrap_or_default()
    };
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let texel = |(x, y)| {
        // A block's colours are centred on its third column and row of texels. A texel's colours are interpolated from
        // four blocks, with wrap-around, starting at column `left` and row `top`.
        let (left, top) = ((x + 2) / 4 + across - 1, (y + 2) / 4 + down - 1);
        let part = |at: usize| i32::try_from((at + 2) % 4).unwrap_or(0);
        let (right_part, lower_part) = (part(x), part(y));
        let corners = [
            (cell(left, top), (4 - right_part) * (4 - lower_part)),
            (cell(left + 1, top), right_part * (4 - lower_part)),
            (cell(left, top + 1), (4 - right_part) * lower_part),
            (cell(left + 1, top + 1), right_part * lower_part),
        ];
        let (weight, transparent) = cell(x / 4, y / 4).weight(x % 4, y % 4);
        let mixed: PvrtcColor = std::array::from_fn(|channel| {
            let sum = |color: fn(&PvrtcCell) -> &PvrtcColor| -> i32 {
                let parts = corners.iter().map(|(cell, part)| color(cell)[channel] * part);
                let sum = parts.sum::<i32>();
                // Converts 5-bit or 4-bit values, in sixteenths, to 8 bits.
                match channel {
                    3 => sum + (sum >> 4),
                    _ => (sum >> 1) + (sum >> 6),
                }
            };
            (sum(|cell| &cell.first) * (8 - weight) + sum(|cell| &cell.second) * weight) / 8
        });
        let [r, g, b, a] = mixed.map(|value| u8::try_from(value.clamp(0, 255)).unwrap_or(0));
        [b, g, r, if transparent { 0 } else { a }]
    };
    places.map(texel).collect()
}

//! The expected texels of a level.

use super::jxr::{self, SQUARE};
use super::pvrtc;

/// Converts a value to a byte. All texel values of this module are below 256.
fn byte(value: u32) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX)
}

fn word(value: u32) -> u16 {
    u16::try_from(value).unwrap_or(u16::MAX)
}

/// Widens a channel of `bits` bits to a byte.
fn wide(value: u32, bits: u32) -> u8 {
    let most = (1 << bits) - 1;
    byte((value * 255 + most / 2) / most)
}

#[derive(Clone, Copy)]
pub(super) struct AtfLevel {
    pub(super) face: u32,
    pub(super) level: u32,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Number of blocks per row and column.
    pub(super) across: u32,
    pub(super) down: u32,
    /// Number of images: 2 with separate alpha.
    pub(super) planes: u32,
}

impl AtfLevel {
    /// Returns a texel of a level that is stored as one image: B, G, R, A.
    pub(super) fn color(self, column: u32, row: u32) -> [u8; 4] {
        let (column, row) = (column % 8, row % 8);
        [
            byte(column * 30 + 5),
            byte(self.face * 40 + row * 4),
            byte(255 - self.level % 8 * 30),
            byte(250 - row * 20 - self.face * 7),
        ]
    }

    /// Returns the section of an image of block colours that contains a row: 0 for the first colours, 1 for the second,
    /// more for alpha. Returns 0 if the blocks of several sections share one square of the test pattern.
    pub(super) fn part(self, y: u32) -> u32 {
        y / self.down.max(SQUARE)
    }

    /// Returns column and row of a pixel's square; the row is relative to its section.
    pub(super) fn square(self, x: u32, y: u32) -> (u32, u32) {
        (x / SQUARE % 2, y % self.down.max(SQUARE) / SQUARE % 2)
    }

    /// Returns the base colour (5, 6 and 5 bits) of the square that contains a pixel of the image of block colours.
    pub(super) fn base565(self, x: u32, y: u32) -> u16 {
        let (column, row) = self.square(x, y);
        let green = self.face * 9 + 5 + row * 3;
        let blue = self.level % 8 * 2 + 5 + column * 4;
        word(24u32.saturating_sub(self.part(y) * 9) << 11 | green << 5 | blue)
    }

    /// Like `base565`, but with five bits per channel.
    pub(super) fn base555(self, x: u32, y: u32) -> u16 {
        let (column, row) = self.square(x, y);
        let (red, green) = (20u32.saturating_sub(self.part(y) * 3), self.face * 4 + 5);
        let blue = self.level % 8 + 10 + (column ^ row) * 4;
        word(red << 10 | green << 5 | blue)
    }

    /// Returns the base alpha of the square that contains a pixel of the image of alpha values.
    pub(super) fn base_gray(self, x: u32, y: u32) -> u8 {
        let (column, row) = self.square(x, y);
        let darker = self.face * 11 + self.level * 5 + self.part(y) * 60;
        byte(225u32.saturating_sub(darker + column * 20 + row * 10))
    }

    /// Returns a pixel (5, 6 and 5 bits) of the image of block colours.
    pub(super) fn word565(self, x: u32, y: u32) -> u16 {
        jxr::word565(self.base565(x, y), x, y)
    }

    fn word555(self, x: u32, y: u32) -> u16 {
        jxr::word555(self.base555(x, y), x, y)
    }

    pub(super) fn gray(self, x: u32, y: u32) -> u8 {
        jxr::gray_pixel(self.base_gray(x, y), x, y)
    }

    /// Returns column and row of every block, row by row.
    fn places(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.down).flat_map(move |y| (0..self.across).map(move |x| (x, y)))
    }

    pub(super) fn pairs<T: Copy>(self, pixel: impl Fn(u32, u32) -> T) -> Vec<(T, T)> {
        self.places().map(|(x, y)| (pixel(x, y), pixel(x, y + self.down))).collect()
    }

    /// Returns the colour index of a texel: all four are used if the first end point is larger.
    pub(super) fn index(self, x: u32, y: u32) -> u32 {
        let (first, second) = self.ends(x, y);
        let most = if first > second { 4 } else { 3 };
        (x + y + x / 4 + y / 4) % most
    }

    pub(super) fn ends(self, x: u32, y: u32) -> (u16, u16) {
        (self.word565(x / 4, y / 4), self.word565(x / 4, y / 4 + self.down))
    }

    /// Like `index`, but for alpha's eight values.
    pub(super) fn alpha_index(self, x: u32, y: u32) -> u32 {
        let (first, second) = self.alpha_ends(x, y);
        let most = if first > second { 8 } else { 6 };
        (x * 3 + y * 5 + x / 4) % most
    }

    pub(super) fn alpha_ends(self, x: u32, y: u32) -> (u8, u8) {
        (self.gray(x / 4, y / 4), self.gray(x / 4, y / 4 + self.down))
    }

    /// Returns `N` bytes of index bits for each block, from the indices of its texels.
    pub(super) fn indices<const N: usize>(
        self,
        bits: u32,
        index: impl Fn(u32, u32) -> u32,
    ) -> Vec<[u8; N]> {
        let word = |(x, y)| {
            (0..16).fold(0u64, |word, i| {
                word | u64::from(index(x * 4 + i % 4, y * 4 + i / 4)) << (i * bits)
            })
        };
        let bytes = |word: u64| word.to_le_bytes().first_chunk::<N>().copied().unwrap_or([0; N]);
        self.places().map(|block| bytes(word(block))).collect()
    }

    /// Returns red, green, blue of a DXT texel. Only a DXT1 block may have three colours, the third in the middle.
    pub(super) fn dxt(self, x: u32, y: u32, dxt1: bool) -> [u8; 3] {
        let (first, second) = self.ends(x, y);
        let channels = |word: u16| {
            let word = u32::from(word);
            [wide(word >> 11, 5), wide(word >> 5 & 63, 6), wide(word & 31, 5)]
        };
        // The weights are in sixths.
        let weights = if dxt1 && first <= second { [0, 6, 3, 3] } else { [0, 6, 2, 4] };
        let weight = weights[self.index(x, y) as usize];
        let (first, second) = (channels(first), channels(second));
        std::array::from_fn(|n| {
            byte((u32::from(first[n]) * (6 - weight) + u32::from(second[n]) * weight + 3) / 6)
        })
    }

    pub(super) fn dxt_alpha(self, x: u32, y: u32) -> u8 {
        let (first, second) = self.alpha_ends(x, y);
        let steps = if first > second { 7 } else { 5 };
        let weight = match self.alpha_index(x, y) {
            0 => 0,
            1 => steps,
            index => index - 1,
        };
        let sum = u32::from(first) * (steps - weight) + u32::from(second) * weight;
        byte((sum + steps / 2) / steps)
    }

    /// Returns both colours of an ETC block with five bits per channel, and whether the second colour is stored as a
    /// difference, which is done if possible. The upper half of the image has the first colours of all planes, the
    /// lower half the second [atf.parts.picture].
    fn etc_ends(self, x: u32, y: u32, plane: u32) -> ([[u32; 3]; 2], bool) {
        let rows = [plane, self.planes + plane].map(|part| part * self.down + y);
        let ends = rows.map(|row| {
            let word = u32::from(self.word555(x, row));
            [word >> 10, word >> 5 & 31, word & 31]
        });
        let mut pairs = ends[0].into_iter().zip(ends[1]);
        (ends, pairs.all(|(first, second)| (second + 4).wrapping_sub(first) < 8))
    }

    /// Returns the index of each texel of an ETC block.
    fn etc_index(x: u32, y: u32, plane: u32) -> usize {
        (x + 3 * y + plane) as usize % 4
    }

    /// Returns red, green, blue of a texel of an ETC block with side-by-side halves and the table of smallest
    /// modifiers.
    pub(super) fn etc(self, x: u32, y: u32, plane: u32) -> [u8; 3] {
        let (ends, difference) = self.etc_ends(x / 4, y / 4, plane);
        let modifier = [2, 8, -2, -8][Self::etc_index(x / 4, y / 4, plane)];
        ends[usize::from(x % 4 >= 2)].map(|five| {
            let base = if difference { five << 3 | five >> 2 } else { (five >> 1) * 17 };
            byte(base.saturating_add_signed(modifier))
        })
    }

    pub(super) fn etc_blocks(self, plane: u32) -> Vec<[u8; 8]> {
        let block = |(x, y)| {
            let ([first, second], difference) = self.etc_ends(x, y, plane);
            let [r, g, b] = [0, 1, 2].map(|n: usize| {
                byte(match difference {
                    true => first[n] << 3 | second[n].wrapping_sub(first[n]) & 7,
                    false => first[n] >> 1 << 4 | second[n] >> 1,
                })
            });
            let index = Self::etc_index(x, y, plane);
            let [high, low] = [index >> 1, index & 1].map(|bit| if bit == 0 { 0 } else { 0xff });
            [r, g, b, if difference { 2 } else { 0 }, high, high, low, low]
        };
        self.places().map(block).collect()
    }

    /// Returns the blocks of PVRTC in their order, with the top byte of each [atf.parts.pvrtc_flags].
    pub(super) fn pvrtc(self, alpha: bool) -> Vec<(u8, [u8; 8])> {
        let mut places: Vec<(u32, u32)> = self.places().collect();
        let size = (self.across as usize, self.down as usize);
        places.sort_by_key(|(x, y)| pvrtc::place(*x as usize, *y as usize, size));
        let block = |(x, y): (u32, u32)| {
            let flags = byte((x + 3 * y) % if alpha { 8 } else { 2 });
            let opaque = |bit: u8| if alpha && flags >> bit & 1 == 0 { 0 } else { 0x8000 };
            let first = self.word555(x, y) & !1 | u16::from(flags & 1) | opaque(1);
            let second = self.word555(x, y + self.down) | opaque(2);
            let weights = x.wrapping_mul(0x9137_2b05) ^ y.wrapping_mul(0x31c0_594f) ^ 0x1b;
            let [a, b, c, d] = weights.to_le_bytes();
            let ([e, f], [g, h]) = (first.to_le_bytes(), second.to_le_bytes());
            (flags, [a, b, c, d, e, f, g, h])
        };
        places.into_iter().map(block).collect()
    }
}

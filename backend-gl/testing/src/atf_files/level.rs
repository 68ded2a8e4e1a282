//! The expected texels of a level.

use super::jxr::SQUARE;

/// Converts a value that fits a byte, as all patterns here do.
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
pub(super) struct Level {
    pub(super) face: u32,
    pub(super) level: u32,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Number of blocks per row and column.
    pub(super) across: u32,
    pub(super) down: u32,
}

impl Level {
    /// A texel of a level that is stored as one image: B, G, R, A.
    pub(super) fn color(self, column: u32, row: u32) -> [u8; 4] {
        let (column, row) = (column % 8, row % 8);
        [
            byte(column * 30 + 5),
            byte(self.face * 40 + row * 4),
            byte(255 - self.level % 8 * 30),
            byte(250 - row * 20 - self.face * 7),
        ]
    }

    /// The part of an image of block colours that a pixel is in: 0 for the first colours, 1 for the second, more where
    /// alpha follows. Always 0 if a square holds several parts.
    pub(super) fn part(self, y: u32) -> u32 {
        y / self.down.max(SQUARE)
    }

    /// Column and row of a pixel's square, the row within its part.
    pub(super) fn square(self, x: u32, y: u32) -> (u32, u32) {
        (x / SQUARE % 2, y % self.down.max(SQUARE) / SQUARE % 2)
    }

    /// A pixel of the image of both colours (5, 6 and 5 bits). The first colour is larger than the second.
    pub(super) fn word565(self, x: u32, y: u32) -> u16 {
        let (column, row) = self.square(x, y);
        let green = self.face * 9 + 5 + row * 3;
        let blue = self.level % 8 * 3 + 2 + column * 4;
        word(24u32.saturating_sub(self.part(y) * 9) << 11 | green << 5 | blue)
    }

    /// As `word565`, with five bits each.
    pub(super) fn word555(self, x: u32, y: u32) -> u16 {
        let (column, row) = self.square(x, y);
        let (red, green) =
            (22u32.saturating_sub(self.part(y) * 5), self.face * 4 + 3 + self.part(y) * 2);
        let blue = self.level % 8 * 3 + 2 + (column ^ row) * 4;
        word(red << 10 | green << 5 | blue)
    }

    /// As `word565`, for alpha.
    pub(super) fn gray(self, x: u32, y: u32) -> u8 {
        let (column, row) = self.square(x, y);
        let darker = self.face * 11 + self.level * 5 + self.part(y) * 60;
        byte(250u32.saturating_sub(darker + column * 20 + row * 10))
    }

    pub(super) fn pairs<T: Copy>(self, pixel: impl Fn(u32, u32) -> T) -> Vec<(T, T)> {
        let blocks = (0..self.down).flat_map(|y| (0..self.across).map(move |x| (x, y)));
        blocks.map(|(x, y)| (pixel(x, y), pixel(x, y + self.down))).collect()
    }

    /// The colour index of each texel of a block: all four are used if the end points differ.
    pub(super) fn index(self, x: u32, y: u32) -> u32 {
        let (first, second) = self.ends(x, y);
        let most = if first > second { 4 } else { 3 };
        (x + y + x / 4 + y / 4) % most
    }

    pub(super) fn ends(self, x: u32, y: u32) -> (u16, u16) {
        (self.word565(x / 4, y / 4), self.word565(x / 4, y / 4 + self.down))
    }

    /// As `index`, for alpha's eight values.
    pub(super) fn alpha_index(self, x: u32, y: u32) -> u32 {
        let (first, second) = self.alpha_ends(x, y);
        let most = if first > second { 8 } else { 6 };
        (x * 3 + y * 5 + x / 4) % most
    }

    pub(super) fn alpha_ends(self, x: u32, y: u32) -> (u8, u8) {
        (self.gray(x / 4, y / 4), self.gray(x / 4, y / 4 + self.down))
    }

    /// `N` bytes of index bits for each block, from the indices of its texels.
    pub(super) fn indices<const N: usize>(
        self,
        bits: u32,
        index: impl Fn(u32, u32) -> u32,
    ) -> Vec<[u8; N]> {
        let blocks = (0..self.down).flat_map(|y| (0..self.across).map(move |x| (x * 4, y * 4)));
        let word = |(left, top)| {
            (0..16).fold(0u64, |word, i| {
                word | u64::from(index(left + i % 4, top + i / 4)) << (i * bits)
            })
        };
        let bytes = |word: u64| word.to_le_bytes().first_chunk::<N>().copied().unwrap_or([0; N]);
        blocks.map(|block| bytes(word(block))).collect()
    }

    /// Red, green, blue of a DXT texel.
    pub(super) fn dxt(self, x: u32, y: u32) -> [u8; 3] {
        let (first, second) = self.ends(x, y);
        let channels = |word: u16| {
            let word = u32::from(word);
            [wide(word >> 11, 5), wide(word >> 5 & 63, 6), wide(word & 31, 5)]
        };
        let weight = [0, 3, 1, 2][self.index(x, y) as usize];
        let (first, second) = (channels(first), channels(second));
        std::array::from_fn(|n| {
            byte((u32::from(first[n]) * (3 - weight) + u32::from(second[n]) * weight + 1) / 3)
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

    /// The first or second nibbles of an ETC block's colours, from the pixels of a plane.
    pub(super) fn etc_nibbles(self, x: u32, y: u32, plane: u32, second: bool) -> [u32; 3] {
        let down = plane * 2 * self.down + if second { self.down } else { 0 };
        let word = u32::from(self.word555(x / 4, y / 4 + down));
        [word >> 10, word >> 5 & 31, word & 31].map(|channel| channel >> 1)
    }

    /// Red, green, blue of a texel of an ETC block in individual mode with side-by-side halves and the table of
    /// smallest modifiers: 2 brighter.
    pub(super) fn etc(self, x: u32, y: u32, plane: u32) -> [u8; 3] {
        let nibbles = self.etc_nibbles(x, y, plane, x % 4 >= 2);
        nibbles.map(|nibble| byte(nibble * 17 + 2))
    }

    pub(super) fn etc_blocks(self, plane: u32) -> Vec<[u8; 8]> {
        let blocks = (0..self.down).flat_map(|y| (0..self.across).map(move |x| (x * 4, y * 4)));
        let block = |(x, y)| {
            let first = self.etc_nibbles(x, y, plane, false);
            let second = self.etc_nibbles(x, y, plane, true);
            let [r, g, b] = [0, 1, 2].map(|n: usize| byte(first[n] << 4 | second[n]));
            [r, g, b, 0, 0, 0, 0, 0]
        };
        blocks.map(block).collect()
    }

    /// The second colour of PVRTC, the same for the whole level: opaque with 5 bits each, else 3, 4, 4 and 4 bits.
    pub(super) fn pvrtc_word(self, alpha: bool) -> u16 {
        let word = self.word555(0, 0);
        if alpha { (5 << 12 | word & 0xfff) & 0x7fff } else { word }
    }

    pub(super) fn pvrtc(self, alpha: bool) -> [u8; 4] {
        let word = u32::from(self.pvrtc_word(alpha));
        let spread = |five: u32| byte(five << 3 | five >> 2);
        if !alpha {
            let [r, g, b] = [word >> 10, word >> 5 & 31, word & 31].map(spread);
            return [r, g, b, 255];
        }
        let five = |four: u32| spread(four << 1 | four >> 3);
        let [r, g, b] = [word >> 8 & 15, word >> 4 & 15, word & 15].map(five);
        [r, g, b, byte((word >> 12 << 1) * 17)]
    }
}

//! Files whose every texel is known: each version, format, shape and encoding, different in each face, level and square of
//! 16×16 blocks (of 16×16 texels where a level is one picture).

use context3d::atf::{AtfFormat, Encoding};

use crate::jxr::{self, SQUARE};
use crate::writer::{File, lzma};

/// A file with one of the encodings that its format can have, and nothing in the place of the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) file: File,
    pub(crate) encoding: Encoding,
}

/// The encodings of a format with their number of records, in order (`textures-and-atf.md` section 3).
pub(crate) fn groups(format: AtfFormat, version: u8) -> Vec<(Encoding, usize)> {
    use Encoding::{
        Dxt1, Dxt5, Etc1, Etc1Alpha, Etc2, Etc2Alpha, JpegXr, Pvrtc, PvrtcAlpha, Undocumented,
    };
    let (mut groups, newer) = match format {
        AtfFormat::Rgb888 | AtfFormat::Rgba8888 => (vec![(JpegXr, 1)], None),
        AtfFormat::Compressed => (vec![(Dxt1, 2), (Pvrtc, 3), (Etc1, 3)], Some((Etc2, 3))),
        AtfFormat::RawCompressed => (vec![(Dxt1, 1), (Pvrtc, 1), (Etc1, 1)], Some((Etc2, 1))),
        AtfFormat::CompressedAlpha => (
            vec![(Dxt5, 4), (PvrtcAlpha, 3), (Etc1Alpha, 3)],
            Some((Etc2Alpha, 6)),
        ),
        AtfFormat::RawCompressedAlpha => (
            vec![(Dxt5, 1), (PvrtcAlpha, 1), (Etc1Alpha, 1)],
            Some((Etc2Alpha, 1)),
        ),
        AtfFormat::CompressedLossy if version == 3 => (vec![(Dxt1, 2), (Undocumented, 10)], None),
        AtfFormat::CompressedLossy => (vec![(Dxt1, 2), (Pvrtc, 3), (Etc1, 3)], None),
        AtfFormat::CompressedAlphaLossy if version == 3 => {
            (vec![(Dxt5, 4), (Undocumented, 13)], None)
        }
        AtfFormat::CompressedAlphaLossy => (vec![(Dxt5, 4), (PvrtcAlpha, 3), (Etc1Alpha, 3)], None),
    };
    groups.extend(newer.filter(|_| version == 3));
    groups
}

/// Every file of a shape: version, format and encoding.
pub(crate) fn samples(cube: bool, log: (u8, u8), count: u8) -> Vec<Sample> {
    let mut samples = Vec::new();
    for version in 0..=3 {
        for format in AtfFormat::ALL.iter().copied() {
            for (encoding, records) in groups(format, version) {
                // How parts make ETC2 blocks isn't documented.
                let etc2 = matches!(encoding, Encoding::Etc2 | Encoding::Etc2Alpha);
                if encoding == Encoding::Undocumented || etc2 && records > 1 {
                    continue;
                }
                let file = File {
                    version,
                    format,
                    cube,
                    log,
                    count,
                    flags: 0,
                };
                samples.push(Sample { file, encoding });
            }
        }
    }
    samples
}

/// A channel of so many bits as a byte.
fn wide(value: u32, bits: u32) -> u8 {
    let most = (1 << bits) - 1;
    u8::try_from((value * 255 + most / 2) / most).unwrap()
}

/// One level of one face.
#[derive(Clone, Copy)]
struct Level {
    face: u32,
    level: u32,
    width: u32,
    height: u32,
    /// Blocks.
    across: u32,
    down: u32,
}

impl Level {
    /// A texel of a level that is one picture: B, G, R, A.
    fn color(self, column: u32, row: u32) -> [u8; 4] {
        let byte = |value: u32| u8::try_from(value).unwrap();
        let (column, row) = (column % 8, row % 8);
        [
            byte(column * 30 + 5),
            byte(self.face * 40 + row * 4),
            byte(255 - self.level % 8 * 30),
            byte(250 - row * 20 - self.face * 7),
        ]
    }

    /// Which part of a picture of blocks' colours a pixel is in: 0 for the first colours, 1 for the second, further ones
    /// where alpha follows. All the same where a square holds several of them.
    fn part(self, y: u32) -> u32 {
        y / self.down.max(SQUARE)
    }

    /// Column and row of a pixel's square, the row in its part; of squares that differ.
    fn square(self, x: u32, y: u32) -> (u32, u32) {
        (x / SQUARE % 2, y % self.down.max(SQUARE) / SQUARE % 2)
    }

    /// A pixel of the picture of both colours, 5, 6 and 5 bits: the first is larger than the second.
    fn word565(self, x: u32, y: u32) -> u16 {
        let (column, row) = self.square(x, y);
        let green = self.face * 9 + 5 + row * 3;
        let blue = self.level % 8 * 3 + 2 + column * 4;
        u16::try_from((24 - self.part(y) * 9) << 11 | green << 5 | blue).unwrap()
    }

    /// The same for five bits each.
    fn word555(self, x: u32, y: u32) -> u16 {
        let (column, row) = self.square(x, y);
        let (red, green) = (22 - self.part(y) * 5, self.face * 4 + 3 + self.part(y) * 2);
        let blue = self.level % 8 * 3 + 2 + (column ^ row) * 4;
        u16::try_from(red << 10 | green << 5 | blue).unwrap()
    }

    /// The same for alpha.
    fn gray(self, x: u32, y: u32) -> u8 {
        let (column, row) = self.square(x, y);
        let darker = self.face * 11 + self.level * 5 + self.part(y) * 60;
        u8::try_from(250 - darker - column * 20 - row * 10).unwrap()
    }

    /// For each block, what its two pixels are.
    fn pairs<T: Copy>(self, pixel: impl Fn(u32, u32) -> T) -> Vec<(T, T)> {
        let blocks = (0..self.down).flat_map(|y| (0..self.across).map(move |x| (x, y)));
        blocks
            .map(|(x, y)| (pixel(x, y), pixel(x, y + self.down)))
            .collect()
    }

    /// Which of a block's colours each texel takes: all four where there are two different ones to begin with.
    fn index(self, x: u32, y: u32) -> u32 {
        let (first, second) = self.ends(x, y);
        let most = if first > second { 4 } else { 3 };
        (x + y + x / 4 + y / 4) % most
    }

    fn ends(self, x: u32, y: u32) -> (u16, u16) {
        (
            self.word565(x / 4, y / 4),
            self.word565(x / 4, y / 4 + self.down),
        )
    }

    /// The same for alpha's eight values.
    fn alpha_index(self, x: u32, y: u32) -> u32 {
        let (first, second) = self.alpha_ends(x, y);
        let most = if first > second { 8 } else { 6 };
        (x * 3 + y * 5 + x / 4) % most
    }

    fn alpha_ends(self, x: u32, y: u32) -> (u8, u8) {
        (self.gray(x / 4, y / 4), self.gray(x / 4, y / 4 + self.down))
    }

    /// `N` bytes of index bits for each block, from texels' indices.
    fn indices<const N: usize>(self, bits: u32, index: impl Fn(u32, u32) -> u32) -> Vec<[u8; N]> {
        let blocks = (0..self.down).flat_map(|y| (0..self.across).map(move |x| (x * 4, y * 4)));
        let word = |(left, top)| {
            (0..16).fold(0u64, |word, i| {
                word | u64::from(index(left + i % 4, top + i / 4)) << (i * bits)
            })
        };
        let bytes = |word: u64| word.to_le_bytes().first_chunk::<N>().copied().unwrap();
        blocks.map(|block| bytes(word(block))).collect()
    }

    /// Red, green, blue of a DXT texel.
    fn dxt(self, x: u32, y: u32) -> [u8; 3] {
        let (first, second) = self.ends(x, y);
        let channels = |word: u16| {
            let word = u32::from(word);
            [
                wide(word >> 11, 5),
                wide(word >> 5 & 63, 6),
                wide(word & 31, 5),
            ]
        };
        let weight = [0, 3, 1, 2][self.index(x, y) as usize];
        let mixed = channels(first).into_iter().zip(channels(second));
        let mut mixed =
            mixed.map(|(a, b)| (u32::from(a) * (3 - weight) + u32::from(b) * weight + 1) / 3);
        std::array::from_fn(|_| u8::try_from(mixed.next().unwrap()).unwrap())
    }

    fn dxt_alpha(self, x: u32, y: u32) -> u8 {
        let (first, second) = self.alpha_ends(x, y);
        let steps = if first > second { 7 } else { 5 };
        let weight = match self.alpha_index(x, y) {
            0 => 0,
            1 => steps,
            index => index - 1,
        };
        let sum = u32::from(first) * (steps - weight) + u32::from(second) * weight;
        u8::try_from((sum + steps / 2) / steps).unwrap()
    }

    /// The first or second nibbles of an ETC block's colours, from a plane's pixels.
    fn etc_nibbles(self, x: u32, y: u32, plane: u32, second: bool) -> [u32; 3] {
        let down = plane * 2 * self.down + if second { self.down } else { 0 };
        let word = u32::from(self.word555(x / 4, y / 4 + down));
        [word >> 10, word >> 5 & 31, word & 31].map(|channel| channel >> 1)
    }

    /// Red, green, blue of a texel of an ETC block without differences whose halves lie beside each other, in the table
    /// of smallest modifiers: 2 brighter.
    fn etc(self, x: u32, y: u32, plane: u32) -> [u8; 3] {
        let nibbles = self.etc_nibbles(x, y, plane, x % 4 >= 2);
        nibbles.map(|nibble| u8::try_from((nibble * 17 + 2).min(255)).unwrap())
    }

    /// The blocks of a plane.
    fn etc_blocks(self, plane: u32) -> Vec<[u8; 8]> {
        let blocks = (0..self.down).flat_map(|y| (0..self.across).map(move |x| (x * 4, y * 4)));
        let block = |(x, y)| {
            let first = self.etc_nibbles(x, y, plane, false);
            let second = self.etc_nibbles(x, y, plane, true);
            let byte = |at: usize| u8::try_from(first[at] << 4 | second[at]).unwrap();
            [byte(0), byte(1), byte(2), 0, 0, 0, 0, 0]
        };
        blocks.map(block).collect()
    }

    /// The second colour of PVRTC, the same all over the level: opaque with 5 bits each, else 3, 4, 4 and 4 bits.
    fn pvrtc_word(self, alpha: bool) -> u16 {
        let word = self.word555(0, 0);
        match alpha {
            true => (5 << 12 | word & 0xfff) & 0x7fff,
            false => word,
        }
    }

    fn pvrtc(self, alpha: bool) -> [u8; 4] {
        let word = u32::from(self.pvrtc_word(alpha));
        let spread = |five: u32| u8::try_from(five << 3 | five >> 2).unwrap();
        match alpha {
            false => {
                let [r, g, b] = [word >> 10, word >> 5 & 31, word & 31].map(spread);
                [r, g, b, 255]
            }
            true => {
                let five = |four: u32| spread(four << 1 | four >> 3);
                let [r, g, b] = [word >> 8 & 15, word >> 4 & 15, word & 15].map(five);
                [r, g, b, u8::try_from((word >> 12 << 1) * 17).unwrap()]
            }
        }
    }
}

impl Sample {
    /// A short name for messages.
    pub(crate) fn name(&self) -> String {
        let File {
            version,
            format,
            cube,
            ..
        } = self.file;
        let cube = if cube { ", cube" } else { "" };
        format!(
            "version {version}, {}{cube}, {}",
            format.title(),
            self.encoding.name()
        )
    }

    /// Most that a channel may be off. Of DXT end points are exact within 1, and what lies between them within 3 % of
    /// their distance more (Direct3D's rule for BC1 and BC3), which is at most 75 here; all else is exact.
    pub(crate) fn tolerance(&self) -> u8 {
        match self.encoding {
            Encoding::Dxt1 | Encoding::Dxt5 => 1 + 3,
            _ => 0,
        }
    }

    fn level(&self, face: u8, level: u8) -> Level {
        let (width, height) = self.file.size(level);
        let pvrtc = matches!(self.encoding, Encoding::Pvrtc | Encoding::PvrtcAlpha);
        let blocks = |side: u32| if pvrtc { side.max(8) } else { side }.div_ceil(4);
        Level {
            face: face.into(),
            level: level.into(),
            width,
            height,
            across: blocks(width),
            down: blocks(height),
        }
    }

    /// The file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.file.write(|face, level| self.records(face, level))
    }

    /// The records of a level of a face, in the file's order of faces.
    pub(crate) fn records(&self, face: u8, level: u8) -> Vec<Vec<u8>> {
        let groups = groups(self.file.format, self.file.version).into_iter();
        let records = groups.flat_map(|(encoding, records)| {
            if encoding != self.encoding {
                return vec![Vec::new(); records];
            }
            let level = self.level(face, level);
            let found = if records == 1 {
                vec![self.whole(level)]
            } else {
                self.parts(level)
            };
            assert_eq!(found.len(), records);
            found
        });
        records.collect()
    }

    /// A record that is the whole level.
    fn whole(&self, level: Level) -> Vec<u8> {
        let size = (level.width, level.height);
        let colors = level.pairs(|x, y| level.word565(x, y));
        let colors: Vec<[u8; 4]> = colors.iter().map(|(a, b)| pair(*a, *b)).collect();
        let indices = level.indices::<4>(2, |x, y| level.index(x, y));
        let colors = colors
            .iter()
            .zip(&indices)
            .map(|(ends, bits)| [*ends, *bits].concat());
        match self.encoding {
            Encoding::JpegXr if self.file.format == AtfFormat::Rgb888 => jxr::bgr(size, |x, y| {
                let [b, g, r, _] = level.color(x, y);
                [b, g, r]
            }),
            Encoding::JpegXr => jxr::bgra(size, |x, y| level.color(x, y)),
            Encoding::Dxt1 => colors.flatten().collect(),
            Encoding::Dxt5 => {
                let alphas = level.pairs(|x, y| level.gray(x, y)).into_iter();
                let bits = level.indices::<6>(3, |x, y| level.alpha_index(x, y));
                let alphas = alphas.zip(bits);
                let blocks = alphas.zip(colors);
                let blocks =
                    blocks.map(|(((a, b), bits), colors)| [&[a, b], &bits[..], &colors].concat());
                blocks.flatten().collect()
            }
            Encoding::Etc1 | Encoding::Etc2 => level.etc_blocks(0).concat(),
            Encoding::Etc1Alpha => [level.etc_blocks(0), level.etc_blocks(1)].concat().concat(),
            // EAC with a multiplier of 0: the base is every texel's alpha.
            Encoding::Etc2Alpha => {
                let blocks = level.etc_blocks(0).into_iter();
                let alpha = level.gray(0, 0);
                blocks
                    .flat_map(|block| [[alpha, 0, 0, 0, 0, 0, 0, 0], block])
                    .flatten()
                    .collect()
            }
            Encoding::Pvrtc | Encoding::PvrtcAlpha => {
                let alpha = self.encoding == Encoding::PvrtcAlpha;
                let opaque = if alpha { 0 } else { 0x8000 };
                let [e, f, g, h] = pair(0, level.pvrtc_word(alpha) | opaque);
                let block = [0xff, 0xff, 0xff, 0xff, e, f, g, h];
                block.repeat((level.across * level.down) as usize)
            }
            Encoding::Undocumented => panic!("nothing to write"),
        }
    }

    /// The parts of a level's blocks.
    fn parts(&self, level: Level) -> Vec<Vec<u8>> {
        let blocks = (level.across * level.down) as usize;
        let halves = |planes: u32| (level.across, level.down * 2 * planes);
        // The writer's squares are the pixels' squares, so a square's first pixel says its colour.
        let at = |square: u32| square * SQUARE;
        let colors = jxr::words565(halves(1), |x, y| level.word565(at(x), at(y)));
        let indices = level.indices::<4>(2, |x, y| level.index(x, y)).concat();
        let etc = |planes: u32| {
            let count = blocks * planes as usize;
            let colors = jxr::words555(halves(planes), |x, y| level.word555(at(x), at(y)));
            vec![lzma(&vec![0; count]), lzma(&vec![0; count * 4]), colors]
        };
        let pvrtc = |alpha: bool| {
            // The first colour doesn't count; its bits must be as in the whole record all the same.
            let colors = jxr::words555(halves(1), |_, _| level.pvrtc_word(alpha));
            let (top, bottom) = (vec![0; blocks], vec![0xff; blocks * 4]);
            vec![lzma(&top), lzma(&bottom), colors]
        };
        match self.encoding {
            Encoding::Dxt1 => vec![lzma(&indices), colors],
            Encoding::Dxt5 => {
                let bits = level
                    .indices::<6>(3, |x, y| level.alpha_index(x, y))
                    .concat();
                let alphas = jxr::gray(halves(1), |x, y| level.gray(at(x), at(y)));
                vec![lzma(&bits), alphas, lzma(&indices), colors]
            }
            Encoding::Etc1 => etc(1),
            Encoding::Etc1Alpha => etc(2),
            Encoding::Pvrtc => pvrtc(false),
            Encoding::PvrtcAlpha => pvrtc(true),
            _ => panic!("nothing to write"),
        }
    }

    /// R, G, B, A of each texel of a level of a face, in the file's order of faces.
    pub(crate) fn expected(&self, face: u8, level: u8) -> Vec<[u8; 4]> {
        let level = self.level(face, level);
        let places = (0..level.height).flat_map(|y| (0..level.width).map(move |x| (x, y)));
        let opaque = |[r, g, b]: [u8; 3]| [r, g, b, 255];
        let texel = |(x, y): (u32, u32)| match self.encoding {
            Encoding::JpegXr => {
                let [b, g, r, a] = level.color(x / SQUARE, y / SQUARE);
                let opaque = self.file.format == AtfFormat::Rgb888;
                [r, g, b, if opaque { 255 } else { a }]
            }
            Encoding::Dxt1 => opaque(level.dxt(x, y)),
            Encoding::Dxt5 => {
                let [r, g, b] = level.dxt(x, y);
                [r, g, b, level.dxt_alpha(x, y)]
            }
            Encoding::Etc1 | Encoding::Etc2 => opaque(level.etc(x, y, 0)),
            Encoding::Etc1Alpha => {
                let ([r, g, b], [_, a, _]) = (level.etc(x, y, 0), level.etc(x, y, 1));
                [r, g, b, a]
            }
            Encoding::Etc2Alpha => {
                let [r, g, b] = level.etc(x, y, 0);
                [r, g, b, level.gray(0, 0)]
            }
            Encoding::Pvrtc => level.pvrtc(false),
            Encoding::PvrtcAlpha => level.pvrtc(true),
            Encoding::Undocumented => panic!("nothing is known of it"),
        };
        places.map(texel).collect()
    }
}

/// Two words, one after the other.
fn pair(first: u16, second: u16) -> [u8; 4] {
    let ([a, b], [c, d]) = (first.to_le_bytes(), second.to_le_bytes());
    [a, b, c, d]
}

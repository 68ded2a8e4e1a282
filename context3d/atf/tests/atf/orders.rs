//! The order of the parts of blocks: a wrong order leads to another image than the sample's, so that tests with samples
//! detect every wrong order.

use atf::{Atf, AtfFormat, LevelEncoding, TexelLayout, lzma};
use jpeg_xr::{JxrLimits, Samples, decode};
use molehill_testing::atf_files::{AtfSample, AtfSpec, groups, pvrtc};

/// Maps a block's column and row to the positions of its two colours in the image, and of its bits in the record.
type Order = fn(Picture, usize, usize) -> [usize; 3];

/// Wrong orders of block data in a level's image, each with a name.
type Wrong = &'static [(&'static str, Order)];

/// Block columns and rows of a plane, and the number of planes.
#[derive(Clone, Copy)]
struct Picture {
    across: usize,
    down: usize,
    planes: usize,
}

impl Picture {
    /// Returns a block's data positions in row order. The image has all first colours above all second colours.
    fn rows(self, x: usize, y: usize) -> [usize; 3] {
        let place = y * self.across + x;
        [place, place + self.planes * self.down * self.across, place]
    }

    fn morton(self, x: usize, y: usize) -> usize {
        pvrtc::place(x, y, (self.across, self.down))
    }
}

/// Correct orders of blocks' parts by encoding, and wrong orders. [atf.parts.picture] [atf.parts.pvrtc]
/// [atf.parts.etc1]
const ORDERS: [(LevelEncoding, Order, Wrong); 4] = [
    (LevelEncoding::Etc1, Picture::rows, ROWS),
    (
        LevelEncoding::Etc1Alpha,
        Picture::rows,
        &[
            ("halves of each plane", |p, x, y| {
                let plane = y / p.down * p.down * p.across;
                let [first, _, bits] = p.rows(x, y);
                [first + plane, first + plane + p.down * p.across, bits]
            }),
            ("planes exchanged", |p, x, y| {
                let [first, second, _] = p.rows(x, (y + p.down) % (2 * p.down));
                [first, second, p.rows(x, y)[2]]
            }),
            ("halves exchanged", |p, x, y| {
                let [first, second, bits] = p.rows(x, y);
                [second, first, bits]
            }),
        ],
    ),
    (LevelEncoding::Pvrtc, pvrtc_order, PVRTC),
    (LevelEncoding::PvrtcAlpha, pvrtc_order, PVRTC),
];

const ROWS: Wrong = &[
    ("halves exchanged", |p, x, y| {
        let [first, second, bits] = p.rows(x, y);
        [second, first, bits]
    }),
    ("colours from the bottom up", |p, x, y| {
        let [first, second, _] = p.rows(x, p.down - 1 - y);
        [first, second, p.rows(x, y)[2]]
    }),
    ("bits from the bottom up", |p, x, y| {
        let [first, second, _] = p.rows(x, y);
        [first, second, p.rows(x, p.down - 1 - y)[2]]
    }),
];

fn pvrtc_order(p: Picture, x: usize, y: usize) -> [usize; 3] {
    let [first, second, _] = p.rows(x, y);
    [first, second, p.morton(x, y)]
}

const PVRTC: Wrong = &[
    ("colours in Morton order", |p, x, y| {
        let place = p.morton(x, y);
        [place, place + p.down * p.across, place]
    }),
    ("bits in rows", Picture::rows),
    ("columns before rows in the Morton order", |p, x, y| {
        let [first, second, _] = p.rows(x, y);
        let swapped = Picture { across: p.down, down: p.across, planes: 1 };
        [first, second, swapped.morton(y, x)]
    }),
    ("halves exchanged", |p, x, y| {
        let [first, second, _] = p.rows(x, y);
        [second, first, p.morton(x, y)]
    }),
];

/// Combines the parts of a level's blocks to a raw record. `order` returns the position of each part.
fn raw(sample: &AtfSample, level: u8, picture: Picture, order: Order) -> Vec<u8> {
    let Picture { across, down, planes } = picture;
    let blocks = across * down * planes;
    let records = sample.records(0, level);
    let records: Vec<&Vec<u8>> = records.iter().filter(|record| !record.is_empty()).collect();
    let (top, bottom) = (lzma::decode(records[0], blocks), lzma::decode(records[1], blocks * 4));
    let (top, bottom) = (top.unwrap(), bottom.unwrap());
    let Samples::Words(words) =
        decode(records[2], &JxrLimits { width: 4096, height: 4096 }).unwrap().samples
    else {
        panic!("words")
    };
    let mut raw = vec![[0; 8]; blocks];
    for (y, x) in (0..down * planes).flat_map(|y| (0..across).map(move |x| (y, x))) {
        let [first, second, bits] = order(picture, x, y);
        let (one, two, top) = (words[first], words[second], top[bits]);
        let [e, f, g, h] = [0, 1, 2, 3].map(|at| bottom[bits * 4 + at]);
        if matches!(sample.encoding(), LevelEncoding::Pvrtc | LevelEncoding::PvrtcAlpha) {
            let opaque = |bit: u8| match sample.encoding() {
                LevelEncoding::Pvrtc => 1,
                _ => u16::from(top >> bit & 1),
            };
            let ([a, b], [c, d]) = (
                (one & 0x7ffe | u16::from(top & 1) | opaque(1) << 15).to_le_bytes(),
                (two & 0x7fff | opaque(2) << 15).to_le_bytes(),
            );
            raw[picture.morton(x, y)] = [e, f, g, h, a, b, c, d];
        } else {
            let [r, g2, b] = [10, 5, 0].map(|low| {
                let [one, two] = [one, two].map(|word| word >> low & 31);
                let byte = match top & 2 {
                    0 => one >> 1 << 4 | two >> 1,
                    _ => one << 3 | two.wrapping_sub(one) & 7,
                };
                u8::try_from(byte & 0xff).unwrap()
            });
            raw[y * across + x] = [r, g2, b, top, e, f, g, h];
        }
    }
    raw.concat()
}

/// Returns whether a level decodes to the sample's image if its parts are combined in this order.
fn is_right(sample: &AtfSample, level: u8, order: Order) -> bool {
    let (width, height) = sample.file().size(level);
    let pvrtc = matches!(sample.encoding(), LevelEncoding::Pvrtc | LevelEncoding::PvrtcAlpha);
    let count = |side: u32| (if pvrtc { side.max(8) } else { side }).div_ceil(4) as usize;
    let planes = if sample.encoding() == LevelEncoding::Etc1Alpha { 2 } else { 1 };
    let picture = Picture { across: count(width), down: count(height), planes };
    let blocks = raw(sample, level, picture, order);
    let (log_width, log_height) = sample.file().log;
    let log = (log_width.saturating_sub(level), log_height.saturating_sub(level));
    let format = match sample.file().format {
        AtfFormat::Compressed => AtfFormat::RawCompressed,
        _ => AtfFormat::RawCompressedAlpha,
    };
    let file = AtfSpec { format, ..AtfSpec::raw(log, 1) };
    let record = |(found, _)| if found == sample.encoding() { blocks.clone() } else { Vec::new() };
    let bytes = file.write(|_, _| groups(format, 0).into_iter().map(record).collect());
    let image = Atf::open(&bytes).unwrap().images().next().unwrap().unwrap();
    let texels = image.texels(TexelLayout::Bgra8).unwrap().unwrap();
    let mut texels = texels.as_chunks::<4>().0.iter().zip(sample.expected(0, level));
    texels.all(|([b, g, r, a], expected)| [*r, *g, *b, *a] == expected)
}

#[test]
fn samples_tell_every_wrong_order() {
    for (encoding, right, wrong) in ORDERS {
        let alpha = matches!(encoding, LevelEncoding::Etc1Alpha | LevelEncoding::PvrtcAlpha);
        let format = if alpha { AtfFormat::CompressedAlpha } else { AtfFormat::Compressed };
        for log in [(5, 5), (7, 7), (5, 7), (8, 5)] {
            let file = AtfSpec { format, ..AtfSpec::raw(log, 3) };
            let sample = AtfSample::new(file, encoding).unwrap();
            for level in 0..3 {
                let what = format!("{encoding:?} {log:?} level {level}");
                assert!(is_right(&sample, level, right), "{what}: the right order");
                for (name, order) in wrong {
                    assert!(!is_right(&sample, level, *order), "{what}: {name} isn't noticed");
                }
            }
        }
    }
}

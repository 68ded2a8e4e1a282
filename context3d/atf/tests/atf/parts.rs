//! Tests every format with each of its encodings: LZMA and JPEG-XR parts, raw blocks, and JPEG-XR images.

use atf::TexelLayout;
use atf::{Atf, AtfFormat, LevelEncoding};
use jpeg_xr::{DecodedImage, JxrLimits, PixelFormat, Samples, decode};
use molehill_testing::atf_files::{AtfSample, AtfSpec, dxt1, jxr, lzma, samples};

fn near(texels: &[u8], expected: &[[u8; 4]], tolerance: u8) -> bool {
    let texels = texels.as_chunks::<4>().0;
    texels.len() == expected.len()
        && texels.iter().zip(expected).all(|([b, g, r, a], expected)| {
            let pairs = [*r, *g, *b, *a].into_iter().zip(*expected);
            pairs.into_iter().all(|(a, b)| a.abs_diff(b) <= tolerance)
        })
}

fn check(sample: &AtfSample) {
    let bytes = sample.bytes();
    let atf = Atf::open(&bytes).unwrap();
    let mut images = atf.images();
    for face in 0..sample.file().faces() {
        for level in 0..sample.file().count {
            let image = images.next().unwrap().unwrap();
            let what = format!("{}, face {face}, level {level}", sample.name());
            let found: Vec<LevelEncoding> =
                image.encodings().map(|(encoding, _)| encoding).collect();
            assert_eq!(found, [sample.encoding()], "{what}");
            let expected = sample.expected(face, level);
            let texels = image.texels(TexelLayout::Bgra8).unwrap().unwrap();
            assert!(near(&texels, &expected, sample.tolerance()), "{what}");
            // Converting to the layout of the blocks doesn't change the texels.
            if let Some(layout) = sample.encoding().layout() {
                let blocks = image.texels(layout).unwrap().unwrap();
                assert_eq!(blocks.len(), layout.bytes(image.width, image.height), "{what}");
            }
        }
    }
    assert!(images.next().is_none());
}

/// [atf.parts.order] [atf.parts.bits] [atf.parts.picture] [atf.parts.pixels] [atf.parts.dxt] [atf.parts.etc1]
/// [atf.parts.pvrtc] [atf.parts.pvrtc_flags] [atf.jxr.whole] [atf.jxr.alpha] [atf.jxr.swapped]
#[test]
fn every_version_format_shape_and_encoding() {
    let flat = samples(false, (7, 6), 8);
    let cubes = samples(true, (6, 6), 7);
    // Versions 0 to 2 have two image formats, and six block formats with three encodings each. Version 3 has two image
    // formats, two block formats with three encodings each, two raw formats with four encodings each, and two lossy
    // formats.
    assert_eq!(flat.len(), 3 * (2 + 6 * 3) + 2 + 2 * 3 + 2 * 4 + 2);
    flat.iter().chain(&cubes).for_each(check);
}

/// [atf.parts.dxt1_black]
#[test]
fn index_3_of_a_block_with_three_colours_is_opaque_black() {
    let file = AtfSpec { format: AtfFormat::Compressed, ..AtfSpec::raw((2, 4), 1) };
    // The second colour of each block, four rows below the first colour, is the larger one.
    let colors = jxr::words565((1, 8), |_, _| 0x8410);
    let records = [lzma(&[0b1110_0100; 16]), colors];
    let bytes = file.write(|_, _| [&records[..], &[const { Vec::new() }; 6]].concat());
    let image = Atf::open(&bytes).unwrap().images().next().unwrap().unwrap();
    let texels = image.texels(TexelLayout::Bgra8).unwrap().unwrap();
    for row in texels.as_chunks::<16>().0 {
        let black = row.as_chunks::<4>().0.iter().map(|texel| *texel == [0, 0, 0, 255]);
        assert_eq!(black.collect::<Vec<_>>(), [false, false, false, true]);
    }
}

/// [atf.parts.etc1_lossy]
#[test]
fn differences_that_do_not_fit_are_clamped() {
    let file = AtfSpec { format: AtfFormat::Compressed, ..AtfSpec::raw((2, 6), 1) };
    // The second colours are in the second JPEG-XR square, and differ much from the first colours.
    let base = |row: u32| if row == 0 { 0x294a } else { 0x4a52 };
    let colors = jxr::words555((1, 32), |_, row| base(row));
    let parts = [lzma(&[2; 16]), lzma(&[0; 64]), colors];
    let bytes = file.write(|_, _| [&[const { Vec::new() }; 5], &parts[..]].concat());
    let image = Atf::open(&bytes).unwrap().images().next().unwrap().unwrap();
    let texels = image.texels(TexelLayout::Bgra8).unwrap().unwrap();
    for (row, texels) in (0u32..).zip(texels.as_chunks::<16>().0) {
        let channels = |row: u32| {
            let word = jxr::word555(base(row / 16), 0, row);
            [0, 5, 10].map(|low| i32::from(word >> low & 31))
        };
        let (first, second) = (channels(row / 4), channels(16 + row / 4));
        let expected: Vec<i32> = first
            .into_iter()
            .zip(second)
            .map(|(first, second)| {
                assert!(second - first > 3);
                let five = first + 3;
                (five << 3 | five >> 2) + 2
            })
            .collect();
        let found: Vec<i32> = texels[12..15].iter().map(|byte| (*byte).into()).collect();
        assert_eq!(found, expected, "row {row}");
    }
}

/// Sizes whose levels are smaller than a block, or have different widths and heights.
#[test]
fn every_shape() {
    for log in [(0, 0), (0, 5), (1, 1), (2, 2), (2, 6), (3, 2), (7, 0)] {
        let count = log.0.max(log.1) + 1;
        samples(false, log, count).iter().for_each(check);
    }
}

/// Files of ATF's maximum size. Levels of 4096×4096 are read, but not compared. [atf.header.limits]
#[test]
fn the_largest_sides() {
    for log in [(12, 3), (2, 12), (12, 0)] {
        samples(false, log, 2).iter().for_each(check);
    }
    let file = AtfSpec::raw((12, 12), 13);
    let block = |level: u8| dxt1(u16::from(level) * 0x0821);
    let data = file.write(|_, level| {
        let blocks = block(level).repeat(file.blocks(level));
        vec![blocks, vec![], vec![]]
    });
    let atf = Atf::open(&data).unwrap();
    for (level, image) in (0u8..).zip(atf.images()) {
        let image = image.unwrap();
        assert_eq!((image.width, image.height), (4096 >> level, 4096 >> level));
        let texels = image.texels(TexelLayout::Bgra8).unwrap().unwrap();
        let five = u16::from(level) * 255 / 31;
        let blue = u16::from(texels[texels.len() - 4]);
        assert!(blue.abs_diff(five) <= 1, "{level}: {blue}");
        assert!(texels.as_chunks::<4>().0.iter().all(|texel| texel == &texels[..4]));
    }
}

fn bytes(picture: DecodedImage) -> Vec<u8> {
    match picture.samples {
        Samples::Bytes(bytes) => bytes,
        Samples::Words(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
    }
}

/// JPEG-XR images of the test writer are decoded correctly. The tile offsets of the largest image exceed 16 bits.
#[test]
fn squares_come_back() {
    // Sample values at the ends of the range, and between them.
    let steps = [0u8, 255, 1, 128, 77];
    let pick = |x: u32, y: u32, salt: usize| steps[(x as usize * 3 + y as usize + salt * 2) % 5];
    let word = |x: u32, y: u32| {
        let word = x.wrapping_mul(0x9e37).wrapping_add(y.wrapping_mul(0x79b9));
        u16::try_from(word & 0x7fff).unwrap()
    };
    for size @ (width, height) in [(1, 1), (16, 16), (17, 40), (80, 64), (1600, 1600)] {
        let color = |x, y| [0, 1, 2, 3].map(|salt| pick(x, y, salt));
        let three = |x, y| [0, 1, 2].map(|salt| pick(x, y, salt));
        /// Pixel format, file, and a function that returns the bytes of a pixel in a square.
        type Case<'a> = (PixelFormat, Vec<u8>, &'a dyn Fn([u32; 2], [u32; 2]) -> Vec<u8>);
        let cases: [Case<'_>; 5] = [
            (PixelFormat::Bgra32, jxr::bgra(size, color), &|[x, y], _| color(x, y).to_vec()),
            (PixelFormat::Bgr24, jxr::bgr(size, three), &|[x, y], _| three(x, y).to_vec()),
            (PixelFormat::Gray8, jxr::gray(size, |x, y| pick(x, y, 0)), &|[x, y], [px, py]| {
                vec![jxr::gray_pixel(pick(x, y, 0), px, py)]
            }),
            (
                PixelFormat::Bgr565,
                jxr::words565(size, |x, y| word(x, y) * 2),
                &|[x, y], [px, py]| jxr::word565(word(x, y) * 2, px, py).to_le_bytes().to_vec(),
            ),
            (PixelFormat::Bgr555, jxr::words555(size, word), &|[x, y], [px, py]| {
                jxr::word555(word(x, y), px, py).to_le_bytes().to_vec()
            }),
        ];
        for (format, file, expected) in cases {
            let picture = decode(&file, &JxrLimits { width, height }).unwrap();
            assert_eq!((picture.format, picture.width, picture.height), (format, width, height));
            let places = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
            let expected: Vec<u8> =
                places.flat_map(|place| expected(place.map(|at| at / 16), place)).collect();
            assert_eq!(bytes(picture), expected, "{format:?}, {width}×{height}");
        }
    }
}

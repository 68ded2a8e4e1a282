//! Draws the difference image of two images.

use super::RgbaImage;
use super::compare::pixel_delta;

/// Width of the gap between panels in pixels.
const GAP: u32 = 8;
/// The colour of gaps between the panels, and of areas that only one image covers.
const MARGIN: [u8; 4] = [64, 64, 64, 255];

/// The captions of the panels, from left to right.
const CAPTIONS: [&str; 3] = ["capture", "expected", "difference"];
/// Width of a letter including the space after it, and height of the captions' line, in pixels.
const LETTER: (u32, u32) = (6, 11);
/// The letters of the captions: seven rows of five pixels, the highest bit on the left.
const LETTERS: [(char, [u8; 7]); 12] = [
    ('a', [0, 0, 14, 1, 15, 17, 15]),
    ('c', [0, 0, 14, 16, 16, 17, 14]),
    ('d', [1, 1, 13, 19, 17, 17, 15]),
    ('e', [0, 0, 14, 17, 31, 16, 14]),
    ('f', [6, 9, 8, 28, 8, 8, 8]),
    ('i', [4, 0, 12, 4, 4, 4, 14]),
    ('n', [0, 0, 22, 25, 17, 17, 17]),
    ('p', [0, 0, 30, 17, 30, 16, 16]),
    ('r', [0, 0, 22, 25, 16, 16, 16]),
    ('t', [8, 8, 28, 8, 8, 9, 6]),
    ('u', [0, 0, 17, 17, 17, 19, 13]),
    ('x', [0, 0, 17, 10, 4, 10, 17]),
];

/// Writes a caption at the top of an image, starting at `left`.
fn caption(image: &mut RgbaImage, text: &str, left: u32) {
    let width = image.width as usize;
    for (letter, x) in text.chars().zip((left..).step_by(LETTER.0 as usize)) {
        let rows = LETTERS.iter().find(|(known, _)| *known == letter);
        for (row, y) in rows.into_iter().flat_map(|(_, rows)| rows).zip(2..) {
            for column in (0..5).filter(|column| row >> (4 - column) & 1 != 0) {
                image.overwrite(y * width + x as usize + column, &[255; 4]);
            }
        }
    }
}

/// Returns three panels side by side: the actual image, the expected image, and their difference. Panels that are wide
/// enough have captions. In the difference, equal pixels are a dim grey of the expected image; pixels that differ by
/// more than `tolerance` range from red (slightly more) to yellow (largest difference).
pub fn difference(actual: &RgbaImage, expected: &RgbaImage, tolerance: u8) -> RgbaImage {
    let width = actual.width.max(expected.width);
    let height = actual.height.max(expected.height);
    let letters = CAPTIONS.iter().map(|caption| caption.len()).max().unwrap_or(0);
    let top = if width as usize >= letters * LETTER.0 as usize { LETTER.1 } else { 0 };
    let mut panel = RgbaImage::filled(width * 3 + GAP * 2, top + height, MARGIN);
    let heat = heat(actual, expected, tolerance);
    let pictures = CAPTIONS.iter().zip([actual, expected, &heat]);
    for ((text, picture), left) in pictures.zip((0..).step_by((width + GAP) as usize)) {
        panel.paste(picture, left.into(), top.into(), false);
        if top > 0 {
            caption(&mut panel, text, left);
        }
    }
    panel
}

/// Returns the third panel of [`difference()`], which shows where the images differ.
pub fn heat(actual: &RgbaImage, expected: &RgbaImage, tolerance: u8) -> RgbaImage {
    let width = actual.width.max(expected.width);
    let height = actual.height.max(expected.height);
    let mut heat = RgbaImage::filled(width, height, MARGIN);
    let positions = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    for (pixel, (x, y)) in heat.rgba.chunks_exact_mut(4).zip(positions) {
        let color = match (actual.pixel(x, y), expected.pixel(x, y)) {
            (Some(a), Some(b)) => match pixel_delta(&a, &b) {
                delta if delta > tolerance => [255, delta, 0, 255],
                _ => {
                    let grey = b[..3].iter().map(|c| u16::from(*c)).sum::<u16>() / 12;
                    let grey = u8::try_from(grey).unwrap_or(u8::MAX);
                    [grey, grey, grey, 255]
                }
            },
            (None, None) => MARGIN,
            _ => [255, 255, 0, 255],
        };
        pixel.copy_from_slice(&color);
    }
    heat
}

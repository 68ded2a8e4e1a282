//! Images that many test cases share: a grid of cells, each with its own colour.

use crate::scene_builder::{SIDE, SceneQuad};
use molehill_replay::image::RgbaImage;

pub(crate) const CELLS: u16 = 8;
/// The width and height of a grid cell in pixels.
pub(crate) const CELL: f32 = 4.0;
const _: () = assert!(CELLS as u32 * 4 == SIDE);

pub(crate) fn corners(column: u16, row: u16) -> [f32; 4] {
    let (x, y) = (f32::from(column) * CELL, f32::from(row) * CELL);
    [x, y, x + CELL, y + CELL]
}

pub(crate) fn cells(
    z: impl Fn(u16, u16) -> f32,
    value: impl Fn(u16, u16) -> [f32; 4],
) -> Vec<SceneQuad> {
    let places = (0..CELLS).flat_map(|row| (0..CELLS).map(move |column| (column, row)));
    places
        .map(|(column, row)| {
            SceneQuad::flat(corners(column, row), z(column, row), value(column, row))
        })
        .collect()
}

/// Converts an eight-bit colour to a shader output. The conversion is exact, so all drivers round alike.
pub(crate) fn color(bytes: [u8; 4]) -> [f32; 4] {
    bytes.map(|byte| f32::from(byte) / 255.0)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
pub(crate) fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

pub(crate) fn by_cell(color: impl Fn(u16, u16) -> [u8; 4]) -> RgbaImage {
    let mut picture = RgbaImage::filled(SIDE, SIDE, [0; 4]);
    let side = SIDE / u32::from(CELLS);
    for row in 0..CELLS {
        for column in 0..CELLS {
            let cell = RgbaImage::filled(side, side, color(column, row));
            let at = |number: u16| i64::from(number) * i64::from(side);
            picture.paste(&cell, at(column), at(row), false);
        }
    }
    picture
}

/// Eight colours that differ in every channel, including alpha. The first and the last colour have the extreme values.
pub(crate) const COLORS: [[u8; 4]; 8] = [
    [0, 0, 0, 0],
    [255, 0, 102, 51],
    [51, 204, 0, 255],
    [153, 51, 255, 102],
    [102, 102, 51, 153],
    [204, 255, 153, 0],
    [0, 153, 204, 204],
    [255, 255, 255, 255],
];

pub(crate) fn pick(number: u16) -> [f32; 4] {
    let colors = COLORS.iter().cycle();
    colors.skip(usize::from(number)).copied().next().map_or([1.0; 4], color)
}

/// Returns the colour of a grid cell in images that are copied. All cells have different colours.
pub(crate) fn cell(column: u16, row: u16) -> [u8; 4] {
    let byte = |value: u16| u8::try_from(value).unwrap_or(u8::MAX);
    let blue = (column ^ row) * 30 + 20;
    [byte(column * 36), byte(row * 36), byte(blue), byte(255 - row * 20 - column * 9)]
}

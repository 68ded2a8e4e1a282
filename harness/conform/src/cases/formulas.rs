//! Computes expected images without a renderer. The option `picture` of a script row has formulas, joined with `+`.
//!
//! | formula | image |
//! |---|---|
//! | `blend:SOURCE:DESTINATION` | the colours of rows, blended over the colours of columns |
//! | `mask:LETTERS` | the colours of columns, with the named channels from the colours of rows |
//! | `fill:R,G,B,A` | one colour |
//! | `painted`, `painted:X,Y,R,G,B,A` | the colour [`cell`] in each cell; with another colour in one cell |
//! | `copy:WxH:transparent:X,Y,W,H:X,Y` | a region of the image `painted`, copied into a bitmap: from `all` or a rectangle, to `-` or a point; or `opaque` |

use crate::calls::words::array;
use crate::drawing::{by_cell, byte, cell, pick};
use crate::scene_builder::SIDE;
use molehill_replay::image::RgbaImage;

/// Returns the images that the formulas describe, or none for an unknown formula; then the case fails.
pub(super) fn pictures(option: &str) -> Vec<RgbaImage> {
    option.split('+').map(picture).collect::<Option<_>>().unwrap_or_default()
}

fn picture(words: &str) -> Option<RgbaImage> {
    match *words.split(':').collect::<Vec<_>>().as_slice() {
        ["blend", source, destination] => Some(blend(source, destination)),
        ["mask", letters] => {
            let mask = ['r', 'g', 'b', 'a'].map(|letter| letters.contains(letter));
            Some(by_cell(|column, row| {
                let [first, second] = [column, row + 3].map(|number| pick(number).map(byte));
                [0, 1, 2, 3].map(|n| if mask[n] { second[n] } else { first[n] })
            }))
        }
        ["fill", color] => Some(RgbaImage::filled(SIDE, SIDE, array(color)?)),
        ["painted"] => Some(by_cell(cell)),
        ["painted", other] => {
            let [x, y, color @ ..]: [u8; 6] = array(other)?;
            let mut picture = by_cell(cell);
            picture.paste(&RgbaImage::filled(4, 4, color), x.into(), y.into(), false);
            Some(picture)
        }
        ["copy", size, kind, part, point] => copy(size, kind == "transparent", part, point),
        _ => None,
    }
}

fn copy(size: &str, transparent: bool, part: &str, point: &str) -> Option<RgbaImage> {
    let (width, height) = molehill_capture::pair(size, 'x')?;
    let [left, top, columns, rows]: [u32; 4] = match part {
        "all" => [0, 0, SIDE, SIDE],
        part => array(part)?,
    };
    let [to_x, to_y]: [u32; 2] = match point {
        "-" => [0, 0],
        point => array(point)?,
    };
    let picture = by_cell(cell);
    let pixel = |x: u32, y: u32| {
        let (column, row) = (x.checked_sub(to_x)?, y.checked_sub(to_y)?);
        let inside = column < columns && row < rows;
        inside.then(|| picture.pixel(left + column, top + row)).flatten()
    };
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let rgba = pixels.flat_map(|(x, y)| {
        let [r, g, b, a] = pixel(x, y).unwrap_or([0; 4]);
        [r, g, b, if transparent { a } else { 255 }]
    });
    RgbaImage::from_rgba(width, height, rgba.collect())
}

/// Blends each channel: source * factor + destination * factor, clamped to 0 to 1.
fn blend(source: &str, destination: &str) -> RgbaImage {
    by_cell(|column, row| {
        let (s, d) = (pick(row), pick(column));
        let factor = |name: &str, channel: usize| match name {
            "one" => 1.0,
            "sourceColor" => s[channel],
            "oneMinusSourceColor" => 1.0 - s[channel],
            "sourceAlpha" => s[3],
            "oneMinusSourceAlpha" => 1.0 - s[3],
            "destinationColor" => d[channel],
            "oneMinusDestinationColor" => 1.0 - d[channel],
            "destinationAlpha" => d[3],
            "oneMinusDestinationAlpha" => 1.0 - d[3],
            _ => 0.0,
        };
        [0, 1, 2, 3].map(|n| s[n] * factor(source, n) + d[n] * factor(destination, n)).map(byte)
    })
}

//! The picture that shows how two pictures differ.

use super::Image;
use super::compare::pixel_delta;

/// Pixels between the panels.
const GAP: u32 = 8;
/// The colour between the panels, and where one picture is smaller than the other.
const MARGIN: [u8; 4] = [64, 64, 64, 255];

/// Three panels side by side: the actual picture, the expected one, and their difference. In the difference, equal
/// pixels are a dim grey of the expected picture; pixels beyond `tolerance` go from red (just beyond) to yellow
/// (largest).
pub fn difference(actual: &Image, expected: &Image, tolerance: u8) -> Image {
    let width = actual.width.max(expected.width);
    let height = actual.height.max(expected.height);
    let mut panel = Image::filled(width * 3 + GAP * 2, height, MARGIN);
    panel.paste(actual, 0, 0, false);
    panel.paste(expected, i64::from(width + GAP), 0, false);
    panel.paste(&heat(actual, expected, tolerance), i64::from((width + GAP) * 2), 0, false);
    panel
}

/// The third panel of [`difference`].
pub fn heat(actual: &Image, expected: &Image, tolerance: u8) -> Image {
    let width = actual.width.max(expected.width);
    let height = actual.height.max(expected.height);
    let mut heat = Image::filled(width, height, MARGIN);
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

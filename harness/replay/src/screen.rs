//! The stage: its colour, with the presented back buffer of every Stage3D over it.

use crate::image::Image;
use molehill_capture::Header;

/// The position of a context's picture on the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleContext {
    /// The context's number.
    pub context: usize,
    /// Left edge in stage pixels.
    pub x: i64,
    /// Top edge in stage pixels.
    pub y: i64,
}

/// One Stage3D's picture.
pub(super) struct Layer {
    /// [`whole_pixels`] of `Stage3D.x`.
    pub(super) x: i64,
    /// [`whole_pixels`] of `Stage3D.y`.
    pub(super) y: i64,
    /// The last picture its context presented.
    pub(super) front: Image,
}

/// Draws the layers, lowest first, over the stage colour. They are opaque [context3d.stage3d.opaque]
/// [context3d.stage3d.order].
pub(super) fn compose(header: &Header, layers: &[Layer]) -> Image {
    let [red, green, blue] = header.stage_color;
    let mut stage = Image::filled(header.stage_width, header.stage_height, [red, green, blue, 255]);
    for Layer { x, y, front } in layers {
        stage.paste(front, *x, *y, true);
    }
    stage
}

/// Truncates to whole pixels, as the recorded players do. `Stage3D.x` and `y` keep fractions;
/// their effect on the picture is open [context3d.stage3d.fraction].
#[expect(
    clippy::cast_possible_truncation,
    reason = "truncation is what is meant; Stage3D bounds the value"
)]
pub(super) fn whole_pixels(coordinate: f64) -> i64 {
    coordinate as i64
}

#[cfg(test)]
#[path = "../tests/unit/screen.rs"]
mod tests;

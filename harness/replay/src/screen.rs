//! Composes the stage's image: its colour, covered by the front buffer of each Stage3D's context.

use crate::image::RgbaImage;
use molehill_capture::CaptureHeader;

/// The position of a context's image on the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleContext {
    /// The index of the context.
    pub context: usize,
    /// The image's left edge in stage pixels.
    pub x: i64,
    /// The image's top edge in stage pixels.
    pub y: i64,
    /// Width and height in stage pixels; the back buffer may have another resolution.
    pub size: (u32, u32),
}

/// Draws the images of contexts, the lowest first, over the stage colour, with `scale` pixels per stage pixel. The
/// images are opaque [context3d.stage3d.opaque] [context3d.stage3d.order].
pub(super) fn compose(
    header: &CaptureHeader,
    scale: u32,
    layers: Vec<(VisibleContext, RgbaImage)>,
) -> RgbaImage {
    let [red, green, blue] = header.stage_color;
    let size = [header.stage_width, header.stage_height].map(|side| side.saturating_mul(scale));
    let mut stage = RgbaImage::filled(size[0], size[1], [red, green, blue, 255]);
    for (VisibleContext { x, y, size, .. }, front) in layers {
        let front = front.resized(size.0.saturating_mul(scale), size.1.saturating_mul(scale));
        let at = |stage: i64| stage.saturating_mul(scale.into());
        stage.paste(&front, at(x), at(y), true);
    }
    stage
}

/// Truncates positions to whole pixels, as the recorded players do. `Stage3D.x` and `y` keep fractions; their effect on
/// the image is open [context3d.stage3d.fraction].
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

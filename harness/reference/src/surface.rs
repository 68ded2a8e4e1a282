//! Surfaces: colour, depth and stencil, with one or several samples per pixel.

use context3d::backend::BackendError;
use context3d::packets::{Clear, MAX_COLOR_OUTPUTS};

use super::budget::{Budget, ChargedItems};
use super::number::{self, length};
use super::texel::TexelVec;

/// Positions of the samples of a pixel, from its top left corner in 1/256 pixel: Direct3D's standard patterns.
macro_rules! patterns {
    ($($name:ident = [$(($x:literal, $y:literal)),+];)+) => {
        $(const $name: &[(i64, i64)] = &[$(place($x, $y)),+];)+
    };
}

/// Converts a sample position from sixteenths of a pixel, relative to the pixel's centre.
const fn place(x: i64, y: i64) -> (i64, i64) {
    (128 + x * 16, 128 + y * 16)
}

// Offsets of samples from the pixel's centre, in 1/16 pixels ("Standard sample patterns",
// D3D11_STANDARD_MULTISAMPLE_QUALITY_LEVELS).
patterns! {
    ONE = [(0, 0)];
    TWO = [(4, 4), (-4, -4)];
    FOUR = [(-2, -6), (6, -2), (-6, 2), (2, 6)];
    EIGHT = [(1, -3), (-1, 3), (5, 1), (-3, -5), (-5, 5), (-7, -1), (3, 7), (7, -7)];
    SIXTEEN = [
        (1, 1), (-1, -3), (-3, 2), (4, -1), (-5, -2), (2, 5), (5, 3), (3, -5),
        (-2, 6), (0, -7), (-4, -6), (-6, 4), (-8, 0), (7, -4), (6, 7), (-7, -8)
    ];
}

pub(super) const MAX_SAMPLES: u8 = 16;

/// Returns the smallest pattern with at least the requested number of samples, limited to `most` samples.
pub(super) fn pattern(asked: u8, most: u8) -> &'static [(i64, i64)] {
    let wanted = asked.min(most).max(1);
    let patterns = [ONE, TWO, FOUR, EIGHT, SIXTEEN];
    let fits = |pattern: &&&[_]| {
        pattern.len() >= usize::from(wanted) && pattern.len() <= usize::from(most.max(1))
    };
    patterns.iter().find(fits).copied().unwrap_or(ONE)
}

/// Colour, depth and stencil buffers of one target.
#[derive(Clone, Debug)]
pub(super) struct SurfaceBuffers {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Sample positions in a pixel. The samples of a pixel are adjacent in the buffers.
    pub(super) pattern: &'static [(i64, i64)],
    pub(super) color: [Option<TexelVec>; MAX_COLOR_OUTPUTS],
    /// Depth in the upper 24 bits of each value, stencil in the lower 8.
    pub(super) depth_stencil: Option<ChargedItems<u32>>,
}

impl SurfaceBuffers {
    pub(super) fn clear(&mut self, clear: &Clear) {
        if let Some(color) = clear.color {
            for texels in self.color.iter_mut().flatten() {
                texels.fill(color);
            }
        }
        let Some(buffer) = &mut self.depth_stencil else {
            return;
        };
        let depth = clear.depth.map(|depth| number::depth(f64::from(depth)) << 8);
        match (depth, clear.stencil.map(u32::from)) {
            (Some(depth), Some(stencil)) => buffer.fill(depth | stencil),
            (Some(depth), None) => buffer.iter_mut().for_each(|both| *both = depth | *both & 0xFF),
            (None, Some(stencil)) => {
                buffer.iter_mut().for_each(|both| *both = *both & !0xFF | stencil);
            }
            (None, None) => {}
        }
    }
}

/// Allocates a depth and stencil buffer of zeros.
pub(super) fn depth_stencil(
    budget: &Budget,
    wanted: bool,
    samples: usize,
) -> Result<Option<ChargedItems<u32>>, BackendError> {
    wanted.then(|| budget.buffer(samples)).transpose()
}

pub(super) fn area(width: u32, height: u32) -> usize {
    length(width).saturating_mul(length(height))
}

#[cfg(test)]
#[path = "../tests/unit/surface.rs"]
mod tests;

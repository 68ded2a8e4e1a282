//! A simple texture unit for `agal`'s images.

use agal::Stage;
use agal::interp::{Image, Level as AgalLevel, Lookup as AgalLookup};
use agal::sampler::{Dimension as AgalDimension, Filter, Sampler};
use shader_core::cube::{face_of, project};
use shader_core::lanes::zip;

use super::{LANES, Level, Lookup, Register, Textures};
use crate::operand::Dimension;

#[derive(Clone, Debug)]
pub enum Texture {
    /// 2D or cube, with its mip levels.
    Image(Image),
    /// A volume texture without mip levels: slices of equal size, from w = 0 on.
    Volume(Vec<Image>),
}

/// Textures with their sampler state, by sampler register. Samplers without a texture read (0, 0, 0, 1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Images<'a>(pub &'a [Option<(Texture, Sampler)>]);

impl Textures for Images<'_> {
    fn read(&self, lookup: &Lookup<'_>) -> Register {
        let bound = self.0.get(usize::from(lookup.sampler));
        let Some((texture, sampler)) = bound.and_then(Option::as_ref) else {
            return super::NoTextures.read(lookup);
        };
        match texture {
            Texture::Image(image) => read_image(image, sampler, lookup),
            Texture::Volume(slices) => read_volume(slices, sampler, lookup),
        }
    }
}

fn read_image(image: &Image, sampler: &Sampler, lookup: &Lookup<'_>) -> Register {
    let dimension = match lookup.dimension {
        Dimension::TwoD => AgalDimension::TwoD,
        Dimension::Cube => AgalDimension::Cube,
        Dimension::Volume => return Register::splat([0.0, 0.0, 0.0, 1.0]),
    };
    let sampler = Sampler { dimension, ..*sampler };
    let request = |level| AgalLookup {
        stage: Stage::Fragment,
        sampler: &sampler,
        coordinates: lookup.coordinates,
        level,
    };
    let mut result = Register::default();
    let pick = |lanes: &[f32; LANES], lane: usize| lanes.get(lane).copied().unwrap_or(0.0);
    for lane in 0..LANES {
        let level = match &lookup.level {
            Level::Implicit(bias) => AgalLevel::Implicit(pick(bias, lane)),
            Level::Exactly(level) => AgalLevel::Exactly(pick(level, lane)),
            Level::Gradients(dx, dy) => AgalLevel::Exactly(gradient_level(
                image,
                lookup.coordinates.lane(lane),
                dx.lane(lane),
                dy.lane(lane),
            )),
        };
        result.set_lane(lane, image.read(&request(level)).lane(lane));
    }
    result
}

/// The level of detail for gradients along x and y; for a cube, on the face that the direction selects.
#[expect(clippy::cast_precision_loss, reason = "sizes are at most 16384")]
fn gradient_level(image: &Image, at: [f32; 4], dx: [f32; 4], dy: [f32; 4]) -> f32 {
    let (width, height) = image.size();
    let [x, y, z, _] = at;
    let face = face_of([x, y, z]);
    let position = |[x, y, z, _]: [f32; 4]| match image.dimension() {
        AgalDimension::TwoD => [x, y],
        AgalDimension::Cube => project(face, [x, y, z]).map(|side| side * 0.5),
    };
    let [u, v] = position(at);
    let length = |step: [f32; 4]| {
        let [nu, nv] = position(zip(at, step, |at, step| at + step));
        ((nu - u) * width as f32).hypot((nv - v) * height as f32)
    };
    length(dx).max(length(dy)).log2()
}

/// Reads slices as 2D images at level 0; blends between them unless the filter is "nearest".
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the number of slices"
)]
fn read_volume(slices: &[Image], sampler: &Sampler, lookup: &Lookup<'_>) -> Register {
    let mut result = Register::default();
    let Some(last) = slices.len().checked_sub(1) else {
        return result;
    };
    let flat =
        Lookup { dimension: Dimension::TwoD, level: Level::Exactly([0.0; LANES]), ..*lookup };
    for lane in 0..LANES {
        let [_, _, z, _] = lookup.coordinates.lane(lane);
        let depth = z.clamp(0.0, 1.0) * slices.len() as f32;
        let slice = |at: f32| {
            let image = slices.get((at.max(0.0) as usize).min(last));
            image.map_or([0.0; 4], |image| read_image(image, sampler, &flat).lane(lane))
        };
        let texel = if sampler.filter == Filter::Nearest {
            slice(depth.floor())
        } else {
            let below = (depth - 0.5).floor();
            let weight = depth - 0.5 - below;
            zip(slice(below), slice(below + 1.0), |a, b| a + (b - a) * weight)
        };
        result.set_lane(lane, texel);
    }
    result
}

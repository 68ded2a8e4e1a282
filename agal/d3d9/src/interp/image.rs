//! A simple texture unit for `agal`'s images.

use agal::Stage;
use agal::interp::{Image, Level as AgalLevel, Lookup as AgalLookup};
use agal::sampler::{Dimension as AgalDimension, Sampler};
use shader_core::lanes::zip;

use super::{LANES, Lanes, Level, Lookup, NoTextures, Register, Textures};
use crate::operand::Dimension;

/// Textures with their sampler state, by sampler register. Volumes and samplers without a texture read (0, 0, 0, 1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Images<'a>(pub &'a [Option<(Image, Sampler)>]);

impl Textures for Images<'_> {
    fn read(&self, lookup: &Lookup<'_>) -> Register {
        let dimension = match lookup.dimension {
            Dimension::TwoD => Some(AgalDimension::TwoD),
            Dimension::Cube => Some(AgalDimension::Cube),
            Dimension::Volume => None,
        };
        let bound = self.0.get(usize::from(lookup.sampler)).and_then(Option::as_ref);
        let (Some((image, sampler)), Some(dimension)) = (bound, dimension) else {
            return NoTextures.read(lookup);
        };
        let sampler = &Sampler { dimension, ..*sampler };
        let (stage, coordinates) = (Stage::Fragment, lookup.coordinates);
        let mut result = Register::default();
        for lane in 0..LANES {
            let pick = |lanes: &Lanes| lanes.get(lane).copied().unwrap_or(0.0);
            let at = coordinates.lane(lane);
            let beside = |step: &Register| zip(at, step.lane(lane), |at, step| at + step);
            let level = match &lookup.level {
                Level::Implicit(bias) => AgalLevel::Implicit(pick(bias)),
                Level::Exactly(level) => AgalLevel::Exactly(pick(level)),
                Level::Gradients(dx, dy) => {
                    AgalLevel::Exactly(image.detail_between(at, [beside(dx), beside(dy)]))
                }
            };
            let texels = image.read(&AgalLookup { stage, sampler, coordinates, level });
            result.set_lane(lane, texels.lane(lane));
        }
        result
    }
}

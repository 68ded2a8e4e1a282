//! Emulates texture sampling with the errors that a driver may make, for both interpreters.

use std::cell::RefCell;

use agal::generate::Random;
use agal::interp::{
    AgalLanguage, AgalLookup, DetailLevel, LANES, LaneRegister, NoTextures, SamplerImages,
    TexelImage, TextureSampling,
};
use agal::sampler::{Dimension, Filter, Mip, SamplerOp};
use d3d9::interp as tokens;

use super::error_model::anything;

/// The maximum errors of a driver's texture sampling, measured with the example `precision` of `molehill-testing`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplingErrors {
    /// The maximum amount by which the driver's level of detail is below the interpreter's.
    pub level_below: f32,
    /// The maximum amount by which the driver's level of detail is above the interpreter's.
    pub level_above: f32,
    /// The maximum error of the level of detail for cube textures. `None` means that the driver uses another formula.
    pub cube_level: Option<f32>,
}

impl SamplingErrors {
    pub fn of_driver(renderer: &str) -> SamplingErrors {
        if renderer.contains("softpipe") {
            // softpipe uses the largest component of a derivative instead of its length, and doesn't project the
            // derivatives of a cube's direction onto the face.
            SamplingErrors { level_below: 0.51, level_above: 0.01, cube_level: None }
        } else {
            // llvmpipe's logarithm is piecewise linear; other drivers use fixed point with six or more bits. OpenGL
            // lets drivers approximate the length of derivatives on a cube's face.
            SamplingErrors { level_below: 0.06, level_above: 0.06, cube_level: Some(0.5) }
        }
    }
}

/// The maximum error of a filtered texel's channel. Drivers may compute filters with only eight bits.
const FILTER_ERROR: f32 = 2.5 / 255.0;
/// The maximum rounding error of texture coordinates, in texels.
const COORDINATE_ERROR: f32 = 1.0 / 256.0;
/// The maximum width and height of the generated textures, in texels.
const LARGEST_SIDE: f32 = 8.0;

/// Textures whose lookups return results with random errors, like a driver.
pub(super) struct InexactTextures<'a> {
    images: SamplerImages<'a, TexelImage>,
    driver: SamplingErrors,
    random: RefCell<Random>,
}

impl<'a> InexactTextures<'a> {
    pub(super) fn new(
        images: SamplerImages<'a, TexelImage>,
        driver: SamplingErrors,
        seed: u64,
    ) -> Self {
        InexactTextures { images, driver, random: RefCell::new(Random::new(seed)) }
    }
}

/// An upper bound of the mip level count of any texture.
const LEVELS: f32 = 20.0;
/// Texture coordinates with a larger magnitude have too few fraction bits.
const FAR: f32 = 4096.0;
/// The maximum difference between the lowest-resolution mip level that a lookup may read and its level of detail.
const LEVEL_ABOVE: f32 = 1.0;

impl InexactTextures<'_> {
    /// Returns the level of detail of each lane, if derivatives determine it and lanes differ.
    fn uneven_levels(&self, request: &AgalLookup<'_>) -> Option<[f32; LANES]> {
        let implicit = matches!(request.level, DetailLevel::Implicit(_));
        if !implicit || request.sampler.mip == Mip::None {
            return None;
        }
        let image = self.images.get(request.sampler)?;
        let level = |lane| image.level_of_detail(request, lane).clamp(-LEVELS, LEVELS);
        let levels = [level(0), level(1), level(2), level(3)];
        let even = levels.iter().all(|level| (level - levels[0]).abs() < 1e-3);
        (!even).then_some(levels)
    }

    /// Samples with the level of detail of lane `choice` in all lanes, like a driver that computes it per quad.
    fn read_at_one_level(
        &self,
        request: &AgalLookup<'_>,
        levels: [f32; LANES],
        choice: f32,
    ) -> LaneRegister {
        let chosen = match choice {
            choice if choice <= -0.99 => levels[0],
            choice if choice >= 0.99 => levels[1],
            choice if choice < 0.0 => levels[2],
            choice if choice > 0.0 => levels[3],
            _ => return self.images.read(request),
        };
        self.images.read(&AgalLookup { level: DetailLevel::Exactly([chosen; LANES]), ..*request })
    }

    /// Returns whether a lane's lookup is undefined. A lookup is undefined at a cube corner, where three texels meet,
    /// and at a coordinate too large for a fraction. A lookup is also undefined if the driver may select another mip
    /// level of a cube than the interpreter.
    fn is_undefined(&self, request: &AgalLookup<'_>, lane: usize) -> bool {
        let sampler = request.sampler;
        let far = |c: f32| c.is_nan() || c.abs() > FAR;
        let implicit = matches!(request.level, DetailLevel::Implicit(_));
        let levels = implicit && sampler.mip != Mip::None;
        let cube = sampler.dimension == Dimension::Cube;
        request.coordinates.lane(lane).into_iter().any(far)
            || (cube && levels && (self.driver.cube_level.is_none() || spans_faces(request)))
            || self.in_corner(request, lane)
    }

    fn in_corner(&self, request: &AgalLookup<'_>, lane: usize) -> bool {
        let sampler = request.sampler;
        if sampler.dimension != Dimension::Cube || sampler.filter == Filter::Nearest {
            return false;
        }
        let Some(image) = self.images.get(request.sampler) else { return false };
        let level = match sampler.mip {
            Mip::None => 0.0,
            Mip::Nearest | Mip::Linear => {
                (image.level_of_detail(request, lane) + LEVEL_ABOVE).max(0.0)
            }
        };
        let side = u16::try_from(image.size().0).map_or(f32::MAX, f32::from);
        let size = (LARGEST_SIDE.min(side) / level.exp2()).max(1.0);
        let [x, y, z, _] = request.coordinates.lane(lane).map(f32::abs);
        let mut sides = [x, y, z];
        sides.sort_by(f32::total_cmp);
        let [smallest, middle, largest] = sides;
        // The sampled direction is within half a texel of two cube edges, plus a margin for errors.
        let edge = largest * (1.0 - 1.05 / size);
        smallest >= edge && middle >= edge
    }
}

/// Returns whether the directions of the lanes hit different cube faces, or nearly do.
fn spans_faces(request: &AgalLookup<'_>) -> bool {
    let mut found = None;
    (0..LANES).any(|lane| {
        let [x, y, z, _] = request.coordinates.lane(lane);
        let axis = |value: f32, others: [f32; 2]| {
            let most = others[0].abs().max(others[1].abs());
            (value.abs() > most * 1.0001).then_some(value < 0.0)
        };
        let face = (axis(x, [y, z]), axis(y, [x, z]), axis(z, [x, y]));
        face == (None, None, None) || *found.get_or_insert(face) != face
    })
}

impl TextureSampling<AgalLanguage> for InexactTextures<'_> {
    fn read(&self, request: &AgalLookup<'_>) -> LaneRegister {
        let mut random = self.random.borrow_mut();
        let mut coordinates = *request.coordinates;
        // All lanes get the same coordinate error, because differences between lanes determine the level of detail.
        for component in &mut coordinates.0 {
            let error = random.error();
            let size = component.iter().fold(0.0f32, |most, c| most.max(c.abs()));
            let most = COORDINATE_ERROR / LARGEST_SIDE + size * f32::EPSILON * 4.0;
            *component = component.map(|value| value + error * most);
        }
        let (below, above) = match (request.sampler.dimension, self.driver.cube_level) {
            (Dimension::Cube, Some(error)) => (error, error),
            _ => (self.driver.level_below, self.driver.level_above),
        };
        let level = match random.error() {
            error if error < 0.0 => error * below,
            error => error * above,
        };
        let shared = &AgalLookup {
            coordinates: &coordinates,
            level: match request.level {
                DetailLevel::Implicit(bias) => DetailLevel::Implicit(bias.map(|bias| bias + level)),
                exactly => exactly,
            },
            ..*request
        };
        let mut value = match self.uneven_levels(shared) {
            Some(levels) => self.read_at_one_level(shared, levels, random.error()),
            None => self.images.read(shared),
        };
        let sampler = request.sampler;
        let blends = sampler.filter != Filter::Nearest || sampler.mip == Mip::Linear;
        let most = if blends { FILTER_ERROR } else { f32::EPSILON };
        for component in &mut value.0 {
            *component = component.map(|value| value + random.error() * most);
        }
        for lane in (0..LANES).filter(|lane| self.is_undefined(request, *lane)) {
            value.set_lane(lane, [(); 4].map(|()| anything(&mut random)));
        }
        value
    }
}

/// Adapts the AGAL interpreter's textures to the interpreter of tokens, without mip levels.
pub(super) struct TokenTextures<'a> {
    pub(super) textures: &'a dyn TextureSampling<AgalLanguage>,
    pub(super) samplers: &'a [Option<SamplerOp>],
}

impl TextureSampling<tokens::Direct3D9> for TokenTextures<'_> {
    fn read(&self, lookup: &tokens::D3d9Lookup<'_>) -> LaneRegister {
        let number = usize::from(lookup.sampler.number);
        let sampler = self.samplers.get(number).and_then(Option::as_ref);
        let dimension = match lookup.sampler.dimension {
            d3d9::operand::Dimension::TwoD => Some(Dimension::TwoD),
            d3d9::operand::Dimension::Cube => Some(Dimension::Cube),
            d3d9::operand::Dimension::Volume => None,
        };
        let (Some(sampler), Some(dimension)) = (sampler, dimension) else {
            return NoTextures.read(lookup);
        };
        self.textures.read(&AgalLookup {
            sampler: &SamplerOp { dimension, ..*sampler },
            coordinates: lookup.coordinates,
            level: DetailLevel::Exactly([0.0; LANES]),
        })
    }
}

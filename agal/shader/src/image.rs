//! A simple texture unit for images in memory. Sampling follows OpenGL ES 3.0 (sections 3.8.9 and 3.8.10) and Direct3D,
//! and Flash where both allow several results.

use crate::cube::{FACES, face_of, project, unproject};
use crate::interp::{
    DetailLevel, LANES, LaneRegister, Language, SamplerRegister, TextureLookup, TextureSampling,
};
use crate::lanes::zip;

const MAX_SIZE: u32 = 16384;

/// The state of a sampler: wrap modes, filter and mip mode.
pub trait SamplerSettings {
    /// Returns whether the texture repeats horizontally, and vertically, instead of being clamped.
    fn repeats(&self) -> [bool; 2];
    /// Returns whether the filter is linear, so that four texels are blended.
    fn is_linear(&self) -> bool;
    /// Returns the mip level for a level of detail ≥ 0, and the weight of the next smaller level.
    fn mip_level(&self, detail: f32) -> (f32, f32);
}

/// The texels of a texture, by mip level (largest first), then by face. The rows of a face start at the top.
#[derive(Clone, Debug, PartialEq)]
pub struct TexelImage {
    faces: u8,
    levels: Vec<MipLevel>,
}

#[derive(Clone, Debug, PartialEq)]
struct MipLevel {
    width: u32,
    height: u32,
    /// The R, G, B, A values of the texels, ordered by face, row and column.
    texels: Vec<[f32; 4]>,
}

crate::errors! {
    /// The reason why texels are not a valid [`TexelImage`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum ImageError {
        Size = "sides must be from 1 to {MAX_SIZE} texels, and equal for a cube";
        Levels = "wrong number of mip levels";
        Texels { level: usize, wanted: usize, found: usize } = "level {level} has {found} texels, not {wanted}";
    }
}

impl TexelImage {
    /// Creates an image from the texels of its levels, for one face or the six of a [`cube`](crate::cube).
    ///
    /// # Errors
    /// Returns an [`ImageError`] if the sizes don't agree.
    pub fn new(
        faces: u8,
        (width, height): (u32, u32),
        levels: Vec<Vec<[f32; 4]>>,
    ) -> Result<TexelImage, ImageError> {
        let fits = |side| (1..=MAX_SIZE).contains(side);
        let shape = if faces == FACES { width == height } else { faces == 1 };
        if !shape || ![width, height].iter().all(fits) {
            return Err(ImageError::Size);
        }
        let most = u32::BITS - width.max(height).leading_zeros();
        if levels.is_empty() || levels.len() > usize::try_from(most).unwrap_or(0) {
            return Err(ImageError::Levels);
        }
        let mut made = Vec::with_capacity(levels.len());
        for (shift, texels) in (0u32..).zip(levels) {
            let (width, height) = ((width >> shift).max(1), (height >> shift).max(1));
            let area = usize::try_from(u64::from(width) * u64::from(height)).unwrap_or(usize::MAX);
            let wanted = area.saturating_mul(faces.into());
            if texels.len() != wanted {
                return Err(ImageError::Texels { level: made.len(), wanted, found: texels.len() });
            }
            made.push(MipLevel { width, height, texels });
        }
        Ok(TexelImage { faces, levels: made })
    }

    /// Creates a texture with one texel of this colour per face.
    pub fn constant(faces: u8, color: [f32; 4]) -> TexelImage {
        let texels = vec![color; faces.into()];
        TexelImage { faces, levels: vec![MipLevel { width: 1, height: 1, texels }] }
    }

    /// Returns the number of faces: 1, or 6 for a cube map.
    pub fn faces(&self) -> u8 {
        self.faces
    }

    /// Reads the texture in each lane. If the texture is 2D and the sampler expects a cube map, or vice versa, returns
    /// the value of an unbound texture.
    pub fn read<L: Language>(
        &self,
        lookup: &TextureLookup<'_, L>,
        state: &impl SamplerSettings,
    ) -> LaneRegister {
        let mut result = LaneRegister::splat(L::UNBOUND);
        if self.faces == lookup.sampler.faces() {
            for lane in 0..LANES {
                let level = self.level_of_detail(lookup, lane);
                result.set_lane(lane, self.sample(state, lookup.coordinates.lane(lane), level));
            }
        }
        result
    }

    fn position(&self, [x, y, z, _]: [f32; 4]) -> TexelPosition {
        if self.faces == 1 {
            return TexelPosition { face: 0, u: x, v: y };
        }
        let face = face_of([x, y, z]);
        let [s, t] = project(face, [x, y, z]);
        TexelPosition { face, u: (s + 1.0) * 0.5, v: (t + 1.0) * 0.5 }
    }

    /// Returns the width and height of the largest mip level in texels.
    pub fn size(&self) -> (u32, u32) {
        self.levels.first().map_or((0, 0), |level| (level.width, level.height))
    }

    /// Returns the width, height and texels of a mip level, in the order of [`TexelImage::new`].
    pub fn level(&self, level: usize) -> Option<(u32, u32, &[[f32; 4]])> {
        let level = self.levels.get(level)?;
        Some((level.width, level.height, &level.texels))
    }

    /// Returns the level of detail in a lane, not clamped to the existing levels. An implicit level is the logarithm
    /// of the distance to the neighbouring lanes in texels, plus the bias. For cubes, the neighbours are projected on
    /// the lane's face.
    pub fn level_of_detail<L: Language>(&self, lookup: &TextureLookup<'_, L>, lane: usize) -> f32 {
        let at = |lane| lookup.coordinates.lane(lane);
        let pick = |lanes: [f32; LANES]| lanes.get(lane).copied().unwrap_or(0.0);
        let beside = |step: &LaneRegister| zip(at(lane), step.lane(lane), |at, step| at + step);
        match lookup.level {
            DetailLevel::Implicit(bias) => {
                self.detail_between(at(lane), [at(lane ^ 1), at(lane ^ 2)]) + pick(bias)
            }
            DetailLevel::Exactly(level) => pick(level),
            DetailLevel::Gradients(dx, dy) => {
                self.detail_between(at(lane), [beside(dx), beside(dy)])
            }
        }
    }

    /// Returns the logarithm of the distance, in texels, of coordinates to those of two neighbours. For cubes, `at`
    /// selects the face.
    #[expect(clippy::cast_precision_loss, reason = "sizes are at most 16384")]
    fn detail_between(&self, at: [f32; 4], neighbours: [[f32; 4]; 2]) -> f32 {
        let face = self.position(at).face;
        let (width, height) = self.size();
        let texels = |[x, y, z, _]: [f32; 4]| {
            let [u, v] = match self.faces {
                1 => [x, y],
                _ => project(face, [x, y, z]).map(|side| side * 0.5),
            };
            [u * width as f32, v * height as f32]
        };
        let [u, v] = texels(at);
        let distances = neighbours.map(|neighbour| {
            let [nu, nv]: [f32; 2] = texels(neighbour);
            (nu - u).hypot(nv - v)
        });
        let [one, two] = distances;
        one.max(two).log2()
    }

    /// Reads the texture at given coordinates, with a given level of detail.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the number of levels, which is at most 15; NaN is level 0"
    )]
    pub fn sample(&self, state: &impl SamplerSettings, at: [f32; 4], level: f32) -> [f32; 4] {
        let position = &self.position(at);
        let last = self.levels.len().saturating_sub(1);
        let clamped = level.max(0.0).min(last as f32);
        let filter = |level: usize| {
            let level = self.levels.get(level.min(last));
            level.map_or([0.0; 4], |level| level.filter(state, position))
        };
        let (level, weight) = state.mip_level(clamped);
        let texel = filter(level as usize);
        if weight > 0.0 { mix(texel, filter(level as usize + 1), weight) } else { texel }
    }
}

struct TexelPosition {
    face: u8,
    u: f32,
    v: f32,
}

impl MipLevel {
    /// Returns the texel, or the blend of four texels, at a position.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "coordinates are first brought near the image, whose sides are at most 16384; NaN becomes 0"
    )]
    fn filter(&self, state: &impl SamplerSettings, position: &TexelPosition) -> [f32; 4] {
        let [repeat_u, repeat_v] = state.repeats();
        let near = |value: f32, repeat| {
            if repeat { value - value.floor() } else { value.clamp(0.0, 1.0) }
        };
        let u = near(position.u, repeat_u) * self.width as f32;
        let v = near(position.v, repeat_v) * self.height as f32;
        let texel = |x: i64, y: i64| {
            let x = inside(x, self.width, repeat_u);
            let y = inside(y, self.height, repeat_v);
            self.texel(position.face, x, y)
        };
        if !state.is_linear() {
            return texel(u.floor() as i64, v.floor() as i64);
        }
        let (u, v) = (u - 0.5, v - 0.5);
        let (left, top) = (u.floor(), v.floor());
        let corner = |dx, dy| {
            let (x, y) = (left as i64 + dx, top as i64 + dy);
            if self.texels.len() > self.area() {
                self.cube_texel(position.face, x, y)
            } else {
                texel(x, y)
            }
        };
        let upper = mix(corner(0, 0), corner(1, 0), u - left);
        let lower = mix(corner(0, 1), corner(1, 1), u - left);
        mix(upper, lower, v - top)
    }

    fn area(&self) -> usize {
        let (width, height) = (usize::try_from(self.width), usize::try_from(self.height));
        width.unwrap_or(0).saturating_mul(height.unwrap_or(0))
    }

    fn texel(&self, face: u8, x: i64, y: i64) -> [f32; 4] {
        let row = i64::from(self.width).saturating_mul(y).saturating_add(x);
        let at = usize::try_from(row)
            .ok()
            .and_then(|row| self.area().checked_mul(face.into())?.checked_add(row));
        at.and_then(|at| self.texels.get(at)).copied().unwrap_or_default()
    }

    /// Returns a texel of a cube's face or, beyond its edge, of the adjacent face. Beyond a corner, the result is the
    /// average of the three adjacent texels.
    fn cube_texel(&self, face: u8, x: i64, y: i64) -> [f32; 4] {
        let size = i64::from(self.width);
        let (in_x, in_y) = (x.clamp(0, size - 1), y.clamp(0, size - 1));
        match (x == in_x, y == in_y) {
            (true, true) => self.texel(face, x, y),
            (false, false) => {
                let own = self.texel(face, in_x, in_y);
                let (beside, above) = (self.beyond(face, x, in_y), self.beyond(face, in_x, y));
                let sum = zip(zip(own, beside, |a, b| a + b), above, |a, b| a + b);
                sum.map(|sum| sum / 3.0)
            }
            _ => self.beyond(face, x, y),
        }
    }

    /// Returns the texel of the adjacent face for a position one texel beyond the edge.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "sides are at most 16384"
    )]
    fn beyond(&self, face: u8, x: i64, y: i64) -> [f32; 4] {
        let size = self.width as f32;
        let side = |at: i64| (at as f32 + 0.5) / size * 2.0 - 1.0;
        let direction = unproject(face, [side(x), side(y)]);
        let next = face_of(direction);
        let [s, t] = project(next, direction);
        let at = |side: f32| {
            (((side + 1.0) * 0.5 * size).floor() as i64).clamp(0, i64::from(self.width) - 1)
        };
        self.texel(next, at(s), at(t))
    }
}

fn inside(at: i64, size: u32, repeat: bool) -> i64 {
    let size = i64::from(size);
    if repeat { at.rem_euclid(size) } else { at.clamp(0, size - 1) }
}

fn mix(a: [f32; 4], b: [f32; 4], weight: f32) -> [f32; 4] {
    zip(a, b, |a, b| a + (b - a) * weight)
}

/// Images by sampler register, each optionally with a sampler state. Registers without an image read
/// [`Language::UNBOUND`].
#[derive(Clone, Copy, Debug)]
pub struct SamplerImages<'a, T>(pub &'a [Option<T>]);

impl<T> SamplerImages<'_, T> {
    /// Returns the image of a sampler register.
    pub fn get(&self, sampler: &impl SamplerRegister) -> Option<&T> {
        self.0.get(usize::from(sampler.number()))?.as_ref()
    }
}

impl<L: Language<Sampler: SamplerSettings>> TextureSampling<L> for SamplerImages<'_, TexelImage> {
    fn read(&self, lookup: &TextureLookup<'_, L>) -> LaneRegister {
        let unbound = || LaneRegister::splat(L::UNBOUND);
        self.get(lookup.sampler).map_or_else(unbound, |image| image.read(lookup, lookup.sampler))
    }
}

impl<L: Language, S: SamplerSettings> TextureSampling<L> for SamplerImages<'_, (TexelImage, S)> {
    fn read(&self, lookup: &TextureLookup<'_, L>) -> LaneRegister {
        let unbound = || LaneRegister::splat(L::UNBOUND);
        self.get(lookup.sampler).map_or_else(unbound, |(image, state)| image.read(lookup, state))
    }
}

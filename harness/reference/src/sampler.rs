//! The texture unit: Direct3D's rules, shared by OpenGL ES 3.0 (sections 3.8.9 and 3.8.10), with Flash's choices where
//! the rules allow several. Weights are exact; a device may round them to eight bits.

use context3d::agal::cube::{face_of, project, unproject};
use context3d::agal::interp::{LANES, Level, Lookup, Register, Textures};
use context3d::agal::limits::MAX_FRAGMENT_SAMPLERS;
use context3d::agal::sampler::Dimension;
use context3d::backend::BackendError;
use context3d::enums::{MipFilter, TextureFilter, WrapMode};
use context3d::packets::{SamplerState, TextureBinding};

use super::number::{floor, index, pixel, side, small as real, split};
use super::store::{Content, MAX_LEVELS, Store, Texture, missing};
use super::texel::{Texel, with_texels};

/// All samplers of a draw. Registers without a sampler read zero.
pub(super) struct Units<'a>([Option<Unit<'a>>; MAX_FRAGMENT_SAMPLERS]);

impl<'a> Units<'a> {
    /// By register: the dimension of each sampler that the program reads, and the bound textures.
    ///
    /// # Errors
    /// [`BackendError::Driver`] for a missing texture or one of another kind.
    pub(super) fn new(
        store: &'a Store,
        samplers: &[Option<Dimension>],
        bindings: &[Option<TextureBinding>],
    ) -> Result<Self, BackendError> {
        let mut units = [const { None }; MAX_FRAGMENT_SAMPLERS];
        for (unit, (dimension, binding)) in units.iter_mut().zip(samplers.iter().zip(bindings)) {
            let Some(dimension) = dimension else { continue };
            let binding = binding.as_ref().ok_or_else(|| missing("texture"))?;
            let texture = store.textures.get(binding.texture);
            let texture = texture.ok_or_else(|| missing("texture"))?;
            if texture.dimension() != *dimension {
                return Err(missing("texture of the sampler's kind"));
            }
            *unit = Some(Unit::new(texture, binding.sampler));
        }
        Ok(Units(units))
    }
}

impl Textures for Units<'_> {
    fn read(&self, request: &Lookup<'_>) -> Register {
        let unit = self.0.get(usize::from(request.sampler.register));
        unit.and_then(Option::as_ref)
            .map_or_else(Register::default, |unit| unit.read(request))
    }
}

/// A level of a unit's texture.
#[derive(Clone, Copy)]
struct View<'a> {
    content: Content<'a>,
    width: i32,
    height: i32,
}

/// A texture and its sampler state.
struct Unit<'a> {
    texture: &'a Texture,
    /// Levels of a 2D texture.
    views: [Option<View<'a>>; MAX_LEVELS],
    cube: bool,
    repeat: [bool; 2],
    linear: bool,
    anisotropy: u8,
    mip: MipFilter,
    /// The largest level; its sides scale coordinates for the level of detail.
    base: u8,
    /// Number of levels after it.
    beyond: f32,
    sides: [f32; 2],
}

impl<'a> Unit<'a> {
    fn new(texture: &'a Texture, state: SamplerState) -> Self {
        let (linear, anisotropy) = match state.filter {
            TextureFilter::Nearest => (false, 1),
            TextureFilter::Linear => (true, 1),
            TextureFilter::Anisotropic2x => (true, 2),
            TextureFilter::Anisotropic4x => (true, 4),
            TextureFilter::Anisotropic8x => (true, 8),
            TextureFilter::Anisotropic16x => (true, 16),
        };
        let (base, count) = texture.range;
        let (width, height) = texture.size(base);
        let mut views = [None; MAX_LEVELS];
        for level in (base..).take(usize::from(count)) {
            let (width, height) = texture.size(level);
            let view = texture.content(0, level).map(|content| View {
                content,
                width: pixel(width),
                height: pixel(height),
            });
            if let Some(slot) = views.get_mut(usize::from(level)) {
                *slot = view;
            }
        }
        Unit {
            texture,
            views,
            cube: texture.dimension() == Dimension::Cube,
            repeat: match state.wrap {
                WrapMode::Clamp => [false, false],
                WrapMode::Repeat => [true, true],
                WrapMode::ClampURepeatV => [false, true],
                WrapMode::RepeatUClampV => [true, false],
            },
            linear,
            anisotropy,
            mip: state.mip,
            base,
            beyond: f32::from(count.saturating_sub(1)),
            sides: [side(width), side(height)],
        }
    }

    fn read(&self, request: &Lookup<'_>) -> Register {
        let mut result = Register::default();
        for lane in 0..LANES {
            let at = request.coordinates.lane(lane);
            let color = if self.cube {
                let level = self.cube_level(request, lane);
                self.cube(at, level)
            } else {
                self.flat(request, lane, at)
            };
            result.set_lane(lane, color);
        }
        result
    }

    fn flat(&self, request: &Lookup<'_>, lane: usize, [u, v, ..]: [f32; 4]) -> [f32; 4] {
        let bias = match request.level {
            Level::Exactly(level) => return self.at_level(level, |level| self.place(level, u, v)),
            Level::Implicit(bias) => bias,
        };
        if self.mip == MipFilter::None && self.anisotropy == 1 {
            return self.at_level(0.0, |level| self.place(level, u, v));
        }
        let step = |neighbour: usize| {
            let [nu, nv, ..] = request.coordinates.lane(neighbour);
            [nu - u, nv - v]
        };
        let steps = [step(lane ^ 1), step(lane ^ 2)];
        let [across, down] = steps.map(|[du, dv]| length(du * self.sides[0], dv * self.sides[1]));
        if self.anisotropy == 1 {
            let level = across.max(down).log2() + bias;
            return self.at_level(level, |level| self.place(level, u, v));
        }
        // The approximation of EXT_texture_filter_anisotropic: several samples along the longer axis of the pixel's
        // footprint, at the level where they are a texel apart.
        let (most, least, axis) = if across >= down {
            (across, down, steps[0])
        } else {
            (down, across, steps[1])
        };
        let wanted = (most / least).ceil().max(1.0);
        let probes = wanted.min(f32::from(self.anisotropy));
        let level = (most / probes).log2() + bias;
        let mut sum = [0.0; 4];
        let mut probe = 1.0;
        while probe <= probes {
            let offset = probe / (probes + 1.0) - 0.5;
            let (u, v) = (u + axis[0] * offset, v + axis[1] * offset);
            let color = self.at_level(level, |level| self.place(level, u, v));
            sum = zip(sum, color, |a, b| a + b);
            probe += 1.0;
        }
        sum.map(|sum| sum / probes)
    }

    /// Reads at a level of detail: the nearest level, or a blend of two.
    fn at_level(&self, level: f32, read: impl Fn(u8) -> [f32; 4]) -> [f32; 4] {
        let clamped = level.max(0.0).min(self.beyond);
        let number = |level: f32| {
            self.base
                .saturating_add(u8::try_from(floor(level)).unwrap_or(0))
        };
        match self.mip {
            MipFilter::None => read(self.base),
            // Halves round up (context3d.md section 6).
            MipFilter::Nearest => read(number((clamped + 0.5).floor())),
            MipFilter::Linear => {
                let below = clamped.floor();
                let weight = clamped - below;
                let lower = read(number(below));
                if weight > 0.0 {
                    mix(lower, read(number(below + 1.0)), weight)
                } else {
                    lower
                }
            }
        }
    }

    /// The texel, or the blend of four, at a position in a level.
    fn place(&self, level: u8, u: f32, v: f32) -> [f32; 4] {
        let view = self.views.get(usize::from(level)).copied().flatten();
        let Some(view) = view else { return [0.0; 4] };
        let size = (view.width, view.height);
        match view.content {
            Content::Texels(texels) => with_texels!(texels, texels => {
                let load = |at: usize| texels.get(at).map_or([0.0; 4], |texel| texel.load());
                self.texels(load, size, u, v)
            }),
            Content::Blocks(blocks) => self.texels(|at| blocks.load(at), size, u, v),
        }
    }

    fn texels(
        &self,
        load: impl Fn(usize) -> [f32; 4],
        (width, height): (i32, i32),
        u: f32,
        v: f32,
    ) -> [f32; 4] {
        let [repeat_u, repeat_v] = self.repeat;
        let u = near(u, repeat_u) * real(width);
        let v = near(v, repeat_v) * real(height);
        let column = |x: i32| inside(x, width, repeat_u);
        let row = |y: i32| inside(y, height, repeat_v);
        let texel = |x: i32, y: i32| load(index(i64::from(y) * i64::from(width) + i64::from(x)));
        if !self.linear {
            return texel(column(floor(u)), row(floor(v)));
        }
        let ((x, across), (y, down)) = (split(u - 0.5), split(v - 0.5));
        let (left, right) = (column(x), column(x.saturating_add(1)));
        let (top, bottom) = (row(y), row(y.saturating_add(1)));
        blend(
            [
                texel(left, top),
                texel(right, top),
                texel(left, bottom),
                texel(right, bottom),
            ],
            across,
            down,
        )
    }

    /// The level of detail in a cube. Neighbours are projected on this lane's face.
    fn cube_level(&self, request: &Lookup<'_>, lane: usize) -> f32 {
        let bias = match request.level {
            Level::Exactly(level) => return level,
            Level::Implicit(_) if self.mip == MipFilter::None => return 0.0,
            Level::Implicit(bias) => bias,
        };
        let direction = |lane| {
            let [x, y, z, _] = request.coordinates.lane(lane);
            [x, y, z]
        };
        let face = face_of(direction(lane));
        let at = |lane: usize| project(face, direction(lane)).map(|at| at * 0.5 * self.sides[0]);
        let [s, t] = at(lane);
        let distance = |neighbour: usize| {
            let [ns, nt]: [f32; 2] = at(neighbour);
            length(ns - s, nt - t)
        };
        distance(lane ^ 1).max(distance(lane ^ 2)).log2() + bias
    }

    /// Reads in a direction. Anisotropic filters are linear in cubes.
    fn cube(&self, [x, y, z, _]: [f32; 4], level: f32) -> [f32; 4] {
        let face = face_of([x, y, z]);
        let [s, t] = project(face, [x, y, z]).map(|at| ((at + 1.0) * 0.5).clamp(0.0, 1.0));
        self.at_level(level, |level| {
            let (sides, _) = self.texture.size(level);
            let cube = Faces {
                texture: self.texture,
                level,
                size: pixel(sides),
            };
            let (u, v) = (s * side(sides), t * side(sides));
            if !self.linear {
                let most = cube.size - 1;
                return cube.texel(face, floor(u).min(most), floor(v).min(most));
            }
            let ((x, across), (y, down)) = (split(u - 0.5), split(v - 0.5));
            let corner = |dx, dy| cube.over_edges(face, x + dx, y + dy);
            blend(
                [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)],
                across,
                down,
            )
        })
    }
}

/// One level of a cube. Linear filters read across its edges (seamless), like all devices of Flash's later versions;
/// the reference is silent (unverified).
struct Faces<'a> {
    texture: &'a Texture,
    level: u8,
    size: i32,
}

impl Faces<'_> {
    fn texel(&self, face: u8, x: i32, y: i32) -> [f32; 4] {
        let at = index(i64::from(y) * i64::from(self.size) + i64::from(x));
        let content = self.texture.content(face, self.level);
        content.map_or([0.0; 4], |content| content.load(at))
    }

    /// A texel of a face or, beyond its edge, of the adjacent face. Beyond a corner, the average of the three adjacent
    /// texels.
    fn over_edges(&self, face: u8, x: i32, y: i32) -> [f32; 4] {
        let most = self.size - 1;
        let (in_x, in_y) = (x.clamp(0, most), y.clamp(0, most));
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

    /// The texel of the adjacent face for a position one texel beyond the edge.
    fn beyond(&self, face: u8, x: i32, y: i32) -> [f32; 4] {
        let size = side(u32::try_from(self.size).unwrap_or(1));
        // Sides are at most 16384, which is exact in a float.
        let at = |at: i32| (f32::from(i16::try_from(at).unwrap_or(0)) + 0.5) / size * 2.0 - 1.0;
        let direction = unproject(face, [at(x), at(y)]);
        let next = face_of(direction);
        let place = |at: f32| floor((at + 1.0) * 0.5 * size).clamp(0, self.size - 1);
        let [s, t] = project(next, direction);
        self.texel(next, place(s), place(t))
    }
}

/// The length of a vector, using only operations that all processors round the same way.
fn length(x: f32, y: f32) -> f32 {
    (x * x + y * y).sqrt()
}

/// Wraps or clamps a coordinate to 0..1.
fn near(value: f32, repeat: bool) -> f32 {
    if repeat {
        split(value).1
    } else {
        value.clamp(0.0, 1.0)
    }
}

/// Wraps or clamps a row or column.
fn inside(at: i32, size: i32, repeat: bool) -> i32 {
    if (0..size).contains(&at) {
        at
    } else if repeat {
        at.rem_euclid(size.max(1))
    } else {
        at.clamp(0, size.max(1) - 1)
    }
}

fn zip(a: [f32; 4], b: [f32; 4], f: impl Fn(f32, f32) -> f32) -> [f32; 4] {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (a, b);
    [f(a0, b0), f(a1, b1), f(a2, b2), f(a3, b3)]
}

fn mix(a: [f32; 4], b: [f32; 4], weight: f32) -> [f32; 4] {
    zip(a, b, |a, b| a + (b - a) * weight)
}

/// Four texels, the upper two first.
fn blend([a, b, c, d]: [[f32; 4]; 4], across: f32, down: f32) -> [f32; 4] {
    mix(mix(a, b, across), mix(c, d, across), down)
}

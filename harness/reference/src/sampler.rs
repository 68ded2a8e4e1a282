//! The texture unit: Direct3D's rules, shared by OpenGL ES 3.0 (sections 3.8.9 and 3.8.10), with Flash's choices where
//! the rules allow several. Weights are exact; a device may round them to eight bits.

use context3d::agal::cube::{face_of, project, unproject};
use context3d::agal::interp::lanes::{each, map, unzip, zip};
use context3d::agal::interp::{
    AgalLanguage, AgalLookup, DetailLevel, LANES, LaneRegister, LaneValues, TextureSampling,
};
use context3d::agal::limits::MAX_FRAGMENT_SAMPLERS;
use context3d::agal::sampler::Dimension;
use context3d::backend::BackendError;
use context3d::enums::{MipFilter, TextureFilter};
use context3d::packets::{SamplerState, TextureBinding};

use super::number::{floor, index, length, pixel, side, small as real, split, split_lanes};
use super::store::{RasterStore, RasterTexture, TexelContent, missing};
use super::texel::{TexelFloats, with_texels};

/// All samplers of a draw. Registers without a sampler read zero.
pub(super) struct Units<'a>([Option<SamplerUnit<'a>>; MAX_FRAGMENT_SAMPLERS]);

impl<'a> Units<'a> {
    /// Creates the samplers by register, from the bound textures and the dimensions that the program declares.
    pub(super) fn new(
        store: &'a RasterStore,
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
            *unit = Some(SamplerUnit::new(texture, binding.sampler));
        }
        Ok(Units(units))
    }
}

impl TextureSampling<AgalLanguage> for Units<'_> {
    fn read(&self, request: &AgalLookup<'_>) -> LaneRegister {
        let unit = self.0.get(usize::from(request.sampler.register));
        unit.and_then(Option::as_ref).map_or_else(LaneRegister::default, |unit| unit.read(request))
    }
}

struct SamplerUnit<'a> {
    texture: &'a RasterTexture,
    cube: bool,
    repeat: [bool; 2],
    linear: bool,
    anisotropy: u8,
    mip: MipFilter,
    /// The largest mip level of the texture. Levels of detail are relative to the size of the largest level.
    base: u8,
    beyond: f32,
    sides: [f32; 2],
}

impl<'a> SamplerUnit<'a> {
    fn new(texture: &'a RasterTexture, state: SamplerState) -> Self {
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
        let cube = texture.dimension() == Dimension::Cube;
        SamplerUnit {
            texture,
            cube,
            repeat: state.wrap.repeats().map(|repeat| repeat && !cube),
            linear,
            anisotropy,
            // A texture with one level needs no mip filter.
            mip: if count > 1 { state.mip } else { MipFilter::None },
            base,
            beyond: f32::from(count.saturating_sub(1)),
            sides: [side(width), side(height)],
        }
    }

    fn read(&self, request: &AgalLookup<'_>) -> LaneRegister {
        if self.cube { self.cube(request) } else { self.flat(request) }
    }

    fn flat(&self, request: &AgalLookup<'_>) -> LaneRegister {
        let [u, v, ..] = request.coordinates.0;
        let at_level = |levels, u, v| self.at_level(levels, |level| self.face(0, level, u, v));
        let bias = match request.level {
            DetailLevel::Exactly(level) => return at_level(level, u, v),
            DetailLevel::Implicit(bias) => bias,
            // AGAL has no explicit gradients.
            DetailLevel::Gradients(..) => [0.0; LANES],
        };
        if self.mip == MipFilter::None && self.anisotropy == 1 {
            return at_level([0.0; LANES], u, v);
        }
        // The functions subtract the coordinates of horizontal neighbours (`beside`) and of vertical neighbours
        // (`below`).
        let beside = |[l0, l1, l2, l3]: LaneValues| [l1 - l0, l0 - l1, l3 - l2, l2 - l3];
        let below = |[l0, l1, l2, l3]: LaneValues| [l2 - l0, l3 - l1, l0 - l2, l1 - l3];
        let steps = [[beside(u), beside(v)], [below(u), below(v)]];
        let stretch = |[du, dv]: [LaneValues; 2]| {
            zip(du, dv, |du, dv| distance(du * self.sides[0], dv * self.sides[1]))
        };
        let [beside, below] = steps;
        let (across, down) = (stretch(beside), stretch(below));
        if self.anisotropy == 1 {
            let stretch = zip(across, down, f32::max);
            return at_level(detail(stretch, bias), u, v);
        }
        let mut result = LaneRegister::default();
        for lane in 0..LANES {
            let [across, down] = [across[lane], down[lane]];
            let [beside, below] = steps.map(|step| step.map(|lanes| lanes[lane]));
            // The approximation of EXT_texture_filter_anisotropic: several samples along the longer axis of the pixel's
            // footprint, at the level where they are a texel apart.
            let (most, least, axis) =
                if across >= down { (across, down, beside) } else { (down, across, below) };
            let wanted = (most / least).ceil().max(1.0);
            let probes = wanted.min(f32::from(self.anisotropy));
            let level = detail([most / probes; LANES], [bias[lane]; LANES]);
            let mut sum = [0.0; 4];
            let mut probe = 1.0;
            while probe <= probes {
                let offset = probe / (probes + 1.0) - 0.5;
                let (u, v) = (u[lane] + axis[0] * offset, v[lane] + axis[1] * offset);
                let color = at_level(level, [u; LANES], [v; LANES]).lane(0);
                sum = zip(sum, color, |a, b| a + b);
                probe += 1.0;
            }
            result.set_lane(lane, sum.map(|sum| sum / probes));
        }
        result
    }

    /// Samples at a level of detail for each lane: the nearest mip level, or a blend of two.
    fn at_level(&self, levels: LaneValues, read: impl Fn(u8) -> LaneRegister) -> LaneRegister {
        let clamped = map(levels, |level| level.max(0.0).min(self.beyond));
        let number = |level: i32| self.base.saturating_add(u8::try_from(level).unwrap_or(0));
        // Every mip level that any lane needs is sampled in all lanes.
        let read_all = |levels: [u8; LANES]| {
            let [first, others @ ..] = levels;
            let mut result = read(first);
            for (lane, level) in (1..).zip(others) {
                if level != first {
                    result.set_lane(lane, read(level).lane(lane));
                }
            }
            result
        };
        match self.mip {
            MipFilter::None => read(self.base),
            // Levels of detail of exactly one half round up [context3d.sampler.mipnearest].
            MipFilter::Nearest => read_all(map(clamped, |level| number(floor(level + 0.5)))),
            MipFilter::Linear => {
                let below = map(clamped, floor);
                let weights = zip(clamped, below, |level, below| level - real(below));
                let lower = read_all(map(below, number));
                if weights == [0.0; LANES] {
                    return lower;
                }
                // Lanes that blend no second level read the first level again.
                let above =
                    zip(below, weights, |below, weight| number(below + i32::from(weight > 0.0)));
                let upper = read_all(above);
                LaneRegister(zip(lower.0, upper.0, |lower, upper| {
                    each(|lane| {
                        if weights[lane] > 0.0 {
                            mix(lower[lane], upper[lane], weights[lane])
                        } else {
                            lower[lane]
                        }
                    })
                }))
            }
        }
    }

    /// Returns the texel, or the blend of four texels, at a position in a mip level of a face.
    fn face(&self, face: u8, level: u8, u: LaneValues, v: LaneValues) -> LaneRegister {
        let (width, height) = self.texture.size(level);
        let size = (pixel(width), pixel(height));
        match self.texture.content(face, level) {
            Some(TexelContent::Texels(texels)) => with_texels!(texels, texels => {
                let texel = |index: usize| texels.get(index).copied().unwrap_or_default();
                self.texels(size, (u, v), texel)
            }),
            Some(TexelContent::Blocks(blocks)) => {
                self.texels(size, (u, v), |index| blocks.texel(index))
            }
            None => LaneRegister::default(),
        }
    }

    fn texels<T: TexelFloats>(
        &self,
        (width, height): (i32, i32),
        (u, v): (LaneValues, LaneValues),
        texel: impl Fn(usize) -> T,
    ) -> LaneRegister {
        let [repeat_u, repeat_v] = self.repeat;
        let u = map(near(u, repeat_u), |u| u * real(width));
        let v = map(near(v, repeat_v), |v| v * real(height));
        let column = |x| inside(x, width, repeat_u);
        let row = |y| inside(y, height, repeat_v);
        let load = |columns: [i32; LANES], rows: [i32; LANES]| {
            T::load_lanes(zip(columns, rows, |x, y| texel(length((y * width + x).cast_unsigned()))))
        };
        if !self.linear {
            return load(column(split_lanes(u).0), row(split_lanes(v).0));
        }
        let (x, across) = split_lanes(map(u, |u| u - 0.5));
        let (y, down) = split_lanes(map(v, |v| v - 0.5));
        let (left, right) = (column(x), column(map(x, |x| x + 1)));
        let (top, bottom) = (row(y), row(map(y, |y| y + 1)));
        let upper = zip(load(left, top).0, load(right, top).0, |a, b| {
            each(|lane| mix(a[lane], b[lane], across[lane]))
        });
        let lower = zip(load(left, bottom).0, load(right, bottom).0, |a, b| {
            each(|lane| mix(a[lane], b[lane], across[lane]))
        });
        LaneRegister(zip(upper, lower, |a, b| each(|lane| mix(a[lane], b[lane], down[lane]))))
    }

    /// Samples a cube in a direction. Anisotropic filters are linear for cubes.
    fn cube(&self, request: &AgalLookup<'_>) -> LaneRegister {
        let directions = each(|lane| {
            let [x, y, z, _] = request.coordinates.lane(lane);
            [x, y, z]
        });
        let faces = map(directions, face_of);
        let places = zip(faces, directions, |face, direction| {
            project(face, direction).map(|at| ((at + 1.0) * 0.5).clamp(0.0, 1.0))
        });
        let (s, t) = unzip(map(places, |[s, t]| (s, t)));
        let levels = match request.level {
            DetailLevel::Exactly(level) => level,
            DetailLevel::Implicit(_) if self.mip == MipFilter::None => [0.0; LANES],
            DetailLevel::Implicit(bias) => detail(self.cube_stretch(faces, directions), bias),
            DetailLevel::Gradients(..) => [0.0; LANES],
        };
        self.at_level(levels, |level| {
            let (sides, _) = self.texture.size(level);
            // True if all four texels of a linear filter are on this face.
            let inner = |at: &f32| {
                let first = at * side(sides) - 0.5;
                first >= 0.0 && first < side(sides) - 1.0
            };
            let flat = !self.linear || s.iter().chain(&t).all(inner);
            if flat && faces == [faces[0]; LANES] {
                return self.face(faces[0], level, s, t);
            }
            let cube = Faces { texture: self.texture, level, size: pixel(sides) };
            let mut result = LaneRegister::default();
            for (lane, face) in faces.into_iter().enumerate() {
                let (u, v) = (s[lane] * side(sides), t[lane] * side(sides));
                result.set_lane(lane, cube.read(face, (u, v), self.linear));
            }
            result
        })
    }

    /// Returns the larger distance to a neighbour, projected onto the lane's cube face, in texels of the largest level.
    fn cube_stretch(&self, faces: [u8; LANES], directions: [[f32; 3]; LANES]) -> LaneValues {
        each(|lane| {
            let at = |lane: usize, face| {
                project(face, directions[lane]).map(|at| at * 0.5 * self.sides[0])
            };
            let [s, t] = at(lane, faces[lane]);
            let to = |neighbour: usize| {
                let [ns, nt]: [f32; 2] = at(neighbour, faces[lane]);
                distance(ns - s, nt - t)
            };
            to(lane ^ 1).max(to(lane ^ 2))
        })
    }
}

/// One mip level of a cube. Linear filters read across the cube's edges (seamless), as on all devices of later Flash
/// versions. Adobe's reference doesn't specify filtering at a cube's edges [context3d.sampling.cube_edges].
struct Faces<'a> {
    texture: &'a RasterTexture,
    level: u8,
    size: i32,
}

impl Faces<'_> {
    fn read(&self, face: u8, (u, v): (f32, f32), linear: bool) -> [f32; 4] {
        if !linear {
            let most = self.size - 1;
            return self.texel(face, floor(u).min(most), floor(v).min(most));
        }
        let ((x, across), (y, down)) = (split(u - 0.5), split(v - 0.5));
        let corner = |dx, dy| self.over_edges(face, x + dx, y + dy);
        let row = |dy| zip(corner(0, dy), corner(1, dy), |a, b| mix(a, b, across));
        zip(row(0), row(1), |a, b| mix(a, b, down))
    }

    fn texel(&self, face: u8, x: i32, y: i32) -> [f32; 4] {
        let at = index(i64::from(y) * i64::from(self.size) + i64::from(x));
        let content = self.texture.content(face, self.level);
        content.map_or([0.0; 4], |content| content.load(at))
    }

    /// Returns a texel of a face or, beyond its edge, of the adjacent face. Beyond a corner, returns the average of the
    /// three adjacent texels.
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

    /// Returns the texel of the adjacent face for a position one texel beyond the edge.
    fn beyond(&self, face: u8, x: i32, y: i32) -> [f32; 4] {
        let size = side(u32::try_from(self.size).unwrap_or(1));
        // The width is at most 16384, which a float represents exactly.
        let at = |at: i32| (f32::from(i16::try_from(at).unwrap_or(0)) + 0.5) / size * 2.0 - 1.0;
        let direction = unproject(face, [at(x), at(y)]);
        let next = face_of(direction);
        let place = |at: f32| floor((at + 1.0) * 0.5 * size).clamp(0, self.size - 1);
        let [s, t] = project(next, direction);
        self.texel(next, place(s), place(t))
    }
}

/// Returns the length of a vector, with operations that all processors round identically.
fn distance(x: f32, y: f32) -> f32 {
    (x * x + y * y).sqrt()
}

/// Wraps or clamps texture coordinates to 0..1.
fn near(values: LaneValues, repeat: bool) -> LaneValues {
    if repeat { split_lanes(values).1 } else { map(values, |value| value.clamp(0.0, 1.0)) }
}

/// Wraps or clamps row or column indices that are out of range by less than `size`.
fn inside(lanes: [i32; LANES], size: i32, repeat: bool) -> [i32; LANES] {
    let [a, b, c, d] = map(lanes, |at| at.cast_unsigned() < size.cast_unsigned());
    if a & b & c & d {
        return lanes;
    }
    map(lanes, |at| match (at < 0, at >= size) {
        (true, _) if repeat => at + size,
        (_, true) if repeat => at - size,
        _ => at.clamp(0, size - 1),
    })
}

/// Computes levels of detail for footprint lengths in texels of the largest level. Levels of detail that are not
/// positive are only upper bounds, but all select the largest mip level.
fn detail(lengths: LaneValues, bias: LaneValues) -> LaneValues {
    if bias.iter().all(|bias| *bias <= 0.0) && !lengths.iter().any(|length| *length > 1.0) {
        return [0.0; LANES];
    }
    zip(lengths, bias, |length, bias| length.log2() + bias)
}

fn mix(a: f32, b: f32, weight: f32) -> f32 {
    a + (b - a) * weight
}

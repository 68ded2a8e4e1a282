//! Errors that a driver may make, in the operations of both interpreters: those of Direct3D 9 tokens count as the
//! opcode of AGAL with the same errors.

use std::cell::RefCell;

use agal::Stage;
use agal::float::FloatRules;
use agal::generate::Random;
use agal::interp::lanes::{mul, zip};
use agal::interp::{
    Image, Images, LANES, Level, Lookup, Observer, Operands, Register, Textures, error_bound,
};
use agal::opcode::{Binary, Opcode, Shape};
use agal::sampler::{Dimension, Filter, Mip, Sampler};
use d3d9::interp as tokens;
use d3d9::opcode::{Formula, Kind};

/// Known differences of a driver in texture sampling (measured with the example `precision` of `molehill-testing`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driver {
    /// Largest distance of its level of detail below the interpreter's, in levels.
    pub level_below: f32,
    /// Largest distance above it, in levels.
    pub level_above: f32,
    /// Largest error of the level of detail of a cube in both directions, in levels; `None` if the driver computes it
    /// differently.
    pub cube_level: Option<f32>,
}

impl Driver {
    pub fn named(renderer: &str) -> Driver {
        if renderer.contains("softpipe") {
            // softpipe takes the largest component of a derivative instead of its length, and doesn't project the
            // derivatives of a cube's direction onto the face.
            Driver { level_below: 0.51, level_above: 0.01, cube_level: None }
        } else {
            // llvmpipe's logarithm is piecewise linear; other drivers use fixed point with six or more bits. OpenGL
            // lets drivers approximate the length of derivatives on a cube's face.
            Driver { level_below: 0.06, level_above: 0.06, cube_level: Some(0.5) }
        }
    }
}

/// Filter weights may have as few as eight bits, and so may the filtered texels.
const FILTER_ERROR: f32 = 2.5 / 255.0;
/// Errors below this come only from denormals that are flushed to zero.
const TINY: f32 = 1e-36;
/// Least error of a sum of products that may overflow in another order.
const OVERFLOWS: f32 = f32::MAX / 4.0 * f32::EPSILON;
/// Sums of products of numbers below this don't overflow, and interpolation keeps such numbers.
const LARGE: f32 = 1e9;
/// Texture coordinates are rounded to 1/256 of a texel or finer. In texels.
const PLACE_ERROR: f32 = 1.0 / 256.0;
/// Largest side of the generated textures, in texels.
const LARGEST_SIDE: f32 = 8.0;

pub(super) struct ErrorModel {
    random: Random,
    /// Lanes without errors: terms that cancel exactly in one invocation may leave a residue in its neighbour.
    exact_lanes: [bool; LANES],
    /// How many times its bound an opcode's error may be.
    factor: fn(Opcode) -> f32,
}

impl ErrorModel {
    pub(super) fn new(random: Random) -> Self {
        Self::scaled(random, |_| 1.0)
    }

    pub(super) fn scaled(mut random: Random, factor: fn(Opcode) -> f32) -> Self {
        let mut exact_lanes = [false; LANES];
        // All lanes have errors in most runs.
        if random.error() == 0.0 {
            exact_lanes = exact_lanes.map(|_| random.error() > 0.0);
        }
        ErrorModel { random, exact_lanes, factor }
    }

    /// A result with an error within its bound, or with what a driver may choose.
    fn changed(&mut self, opcode: Opcode, [a, b]: [f32; 2], value: f32, bound: f32) -> f32 {
        let random = &mut self.random;
        match opcode {
            // OpenGL's may give either operand [agal.min.nan].
            Opcode::Min | Opcode::Max if a.is_nan() != b.is_nan() => {
                return if random.chance(50) { a } else { b };
            }
            // Compilers assume that no operation makes a NaN: the difference of equal infinities may be zero.
            _ if unlimited(opcode, [a, b], value).is_nan() && !a.is_nan() && !b.is_nan() => {
                return anything(random);
            }
            // An angle with too few digits is any angle, and may be out of a driver's range.
            Opcode::Sin | Opcode::Cos if bound > 1.0 => {
                return if random.chance(50) { random.error() } else { anything(random) };
            }
            // The reciprocal of a large divisor is a denormal.
            Opcode::Div if (1.0 / b).is_subnormal() && random.chance(50) => return 0.0 * a,
            Opcode::Mov | Opcode::Abs => return value,
            // No other opcode keeps the sign of a zero [agal.float.denormals].
            _ if value == 0.0 && bound <= f32::MIN_POSITIVE => {
                return if random.chance(50) { -value } else { value };
            }
            // One rounding, which overflows everywhere or nowhere.
            Opcode::Add | Opcode::Sub | Opcode::Mul if value.abs() > f32::MAX / 4.0 => {
                return value;
            }
            _ => {}
        }
        // An infinity or a limit stays, whatever its bound.
        if value.abs() >= f32::MAX || bound.is_nan() || bound <= 0.0 {
            value
        } else if bound < OVERFLOWS {
            with_error(value, bound * (self.factor)(opcode), random)
        } else {
            anything(random)
        }
    }
}

impl Observer for ErrorModel {
    fn computed(&mut self, opcode: Opcode, operands: &Operands<'_>, value: &mut Register) {
        if matches!(opcode, Opcode::Ddx | Opcode::Ddy) {
            coarse_derivative(opcode == Opcode::Ddy, value, &mut self.random);
        }
        let bounds = error_bound(opcode, operands, value);
        // A result computed from zeros only has no error, even where others are flushed to zero.
        let exact = self.random.error() > 0.0;
        let second = operands.b.first().unwrap_or(operands.a);
        let sources = operands.a.0.into_iter().zip(second.0);
        let values = value.0.iter_mut().zip(bounds.0).zip(sources);
        for (component, ((values, bounds), (a, b))) in values.enumerate() {
            for lane in 0..LANES {
                let (value, bound) = (&mut values[lane], bounds[lane]);
                if self.exact_lanes[lane] || bound < TINY && exact && *value != 0.0 {
                    continue;
                }
                // A factor may be taken out of a sum of products, and the rest may then overflow; only NaN stays.
                let certain = width(opcode).is_none_or(|width| {
                    let row = operands.b.get(component).unwrap_or(second).lane(lane);
                    let both = [operands.a.lane(lane), row];
                    let all = || both.iter().flat_map(|of| of.iter().take(width.into()));
                    // The difference of equal products may be zero even then.
                    let nan = opcode != Opcode::Crs && all().any(|value| value.is_nan());
                    nan || all().all(|value| value.abs() < LARGE)
                });
                *value = if certain {
                    self.changed(opcode, [a[lane], b[lane]], *value, bound)
                } else {
                    anything(&mut self.random)
                };
            }
        }
    }
}

/// The result before the float rules limit it, of which NaN becomes a number [agal.float.sums].
fn unlimited(opcode: Opcode, [a, b]: [f32; 2], value: f32) -> f32 {
    match opcode {
        Opcode::Add => a + b,
        Opcode::Sub => a - b,
        Opcode::Mul => a * b,
        Opcode::Div => a * FloatRules::Direct3D9.rcp(b),
        _ => value,
    }
}

/// The number of products that an opcode adds up.
fn width(opcode: Opcode) -> Option<u8> {
    match opcode.shape() {
        Shape::Binary(Binary::Dot(width) | Binary::Matrix { width, .. }) => Some(width),
        Shape::Binary(Binary::Cross) => Some(3),
        Shape::Binary(Binary::Formula(_) | Binary::Compare(_))
        | Shape::Block(_)
        | Shape::Kill
        | Shape::If(_)
        | Shape::Unary(_)
        | Shape::Sample(_) => None,
    }
}

impl tokens::Observer for ErrorModel {
    const STEPS: bool = false;

    fn computed(&mut self, operation: &tokens::Operation, value: &mut Register) {
        let ((opcode, a, b), before) = (as_agal(operation), value.0);
        Observer::computed(self, opcode, &Operands { a: &a, b: &b }, value);
        // Only z of the result is a power.
        if operation.kind == Kind::Lit {
            value.0 = [before[0], before[1], value.0[2], before[3]];
        }
    }
}

/// The opcode of AGAL with the same errors as an operation on tokens, and its operands.
fn as_agal(operation: &tokens::Operation) -> (Opcode, Register, [Register; 4]) {
    let [a, b, c] = operation.sources;
    let [ax, ay, _, aw] = a.0.map(|lanes| Register([lanes; 4]));
    let (one, zero) = ([1.0; LANES], [0.0; LANES]);
    let opcode = match operation.kind {
        // A sum of products for each component, as the rows of a matrix that is multiplied by ones.
        Kind::Map(Formula::Mad | Formula::Lrp) | Kind::Scalar(Formula::Mad | Formula::Lrp) => {
            let lrp =
                matches!(operation.kind, Kind::Map(Formula::Lrp) | Kind::Scalar(Formula::Lrp));
            let more = if lrp { zip(a.0, c.0, mul) } else { [zero; 4] };
            let terms = zip(zip(a.0, b.0, mul), c.0, |product, own| (product, own));
            let rows =
                zip(terms, more, |(product, own), more| Register([product, own, more, zero]));
            return (Opcode::M44, Register([one; 4]), rows);
        }
        Kind::Dp2Add => {
            let ([ax, ay, ..], [bx, by, ..], [cx, ..]) = (a.0, b.0, c.0);
            return (Opcode::Dp3, Register([ax, ay, cx, zero]), [Register([bx, by, one, zero]); 4]);
        }
        Kind::Matrix { width: 3, .. } => return (Opcode::M33, a, operation.rows),
        Kind::Matrix { .. } => return (Opcode::M44, a, operation.rows),
        Kind::SinCos => return (Opcode::Sin, ax, [b; 4]),
        Kind::ExpPartial => return (Opcode::Exp, ax, [b; 4]),
        Kind::Lit => return (Opcode::Pow, ay, [aw; 4]),
        Kind::Map(formula) | Kind::Scalar(formula) => of_formula(formula),
        Kind::Dot(3) => Opcode::Dp3,
        Kind::Dot(_) => Opcode::Dp4,
        Kind::Cross => Opcode::Crs,
        Kind::Normalize => Opcode::Nrm,
        Kind::Derivative { vertical: false } => Opcode::Ddx,
        Kind::Derivative { vertical: true } => Opcode::Ddy,
        // The matrix of `bem` is zero here.
        Kind::Dst | Kind::Bem => Opcode::Mul,
        Kind::Cnd
        | Kind::Sgn
        | Kind::Mova
        | Kind::Setp
        | Kind::Flow(_)
        | Kind::Dcl
        | Kind::Def(_)
        | Kind::Texture(_)
        | Kind::Phase
        | Kind::Nop
        | Kind::Meta => Opcode::Mov,
    };
    (opcode, a, [b; 4])
}

fn of_formula(formula: Formula) -> Opcode {
    match formula {
        Formula::Mov | Formula::Abs | Formula::Cmp => Opcode::Mov,
        Formula::Add | Formula::Mad | Formula::Lrp => Opcode::Add,
        Formula::Sub => Opcode::Sub,
        Formula::Mul => Opcode::Mul,
        Formula::Min => Opcode::Min,
        Formula::Max => Opcode::Max,
        Formula::Slt => Opcode::Slt,
        Formula::Sge => Opcode::Sge,
        Formula::Rcp => Opcode::Rcp,
        Formula::Rsq => Opcode::Rsq,
        Formula::Exp => Opcode::Exp,
        Formula::Log => Opcode::Log,
        Formula::Pow => Opcode::Pow,
        Formula::Frc => Opcode::Frc,
    }
}

/// A driver may use the derivative of one row or column for both.
fn coarse_derivative(vertical: bool, value: &mut Register, random: &mut Random) {
    if random.error() > 0.0 {
        let lane = match (random.error() > 0.0, vertical) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        };
        value.0 = value.0.map(|lanes| [lanes[lane]; LANES]);
    }
}

/// A value with an error up to a bound. One below the bound may become zero.
fn with_error(value: f32, bound: f32, random: &mut Random) -> f32 {
    let error = random.error();
    if error == 0.0 && value.abs() <= bound { 0.0 } else { value + error * bound }
}

/// Anything that a driver may give for an undefined result: most often NaN, so that what depends on the result is not
/// compared, but also numbers, because comparisons and limits turn NaN into a number.
fn anything(random: &mut Random) -> f32 {
    const NUMBERS: [f32; 6] = [0.0, 1.0, -1.0, f32::MAX, f32::NEG_INFINITY, 0.5];
    if random.chance(50) { f32::NAN } else { random.pick(&NUMBERS).copied().unwrap_or(0.0) }
}

/// An input of a driver, which may take denormals for zero.
pub(super) fn flushed(value: [f32; 4], random: &mut Random) -> [f32; 4] {
    value.map(|value| if value.is_subnormal() && random.chance(50) { 0.0 } else { value })
}

pub(super) fn with_flushed(values: &[[f32; 4]], random: &mut Random) -> Vec<[f32; 4]> {
    values.iter().map(|value| flushed(*value, random)).collect()
}

/// Textures as a driver samples them: each lookup has a small error.
pub(super) struct InexactTextures<'a> {
    images: Images<'a>,
    driver: Driver,
    random: RefCell<Random>,
}

impl<'a> InexactTextures<'a> {
    pub(super) fn new(images: Images<'a>, driver: Driver, seed: u64) -> Self {
        InexactTextures { images, driver, random: RefCell::new(Random::new(seed)) }
    }
}

/// More than the number of mip levels of any texture.
const LEVELS: f32 = 20.0;
/// Coordinates beyond this have too few fraction bits left.
const FAR: f32 = 4096.0;
/// Largest difference between the smallest level that a lookup may read and its level of detail.
const LEVEL_ABOVE: f32 = 1.0;

impl InexactTextures<'_> {
    fn image(&self, request: &Lookup<'_>) -> Option<&Image> {
        let images = match request.stage {
            Stage::Vertex => self.images.vertex,
            Stage::Fragment => self.images.fragment,
        };
        images.get(usize::from(request.sampler.register))?.as_ref()
    }

    /// The lanes' levels of detail, if they come from derivatives and differ.
    fn uneven_levels(&self, request: &Lookup<'_>) -> Option<[f32; LANES]> {
        let implicit = matches!(request.level, Level::Implicit(_));
        if !implicit || request.sampler.mip == Mip::None {
            return None;
        }
        let image = self.image(request)?;
        let level = |lane| image.level_of_detail(request, lane).clamp(-LEVELS, LEVELS);
        let levels = [level(0), level(1), level(2), level(3)];
        let even = levels.iter().all(|level| (level - levels[0]).abs() < 1e-3);
        (!even).then_some(levels)
    }

    /// Drivers may use one lane's level of detail for the whole quad.
    fn read_at_one_level(
        &self,
        request: &Lookup<'_>,
        levels: [f32; LANES],
        choice: f32,
    ) -> Register {
        let chosen = match choice {
            choice if choice <= -0.99 => levels[0],
            choice if choice >= 0.99 => levels[1],
            choice if choice < 0.0 => levels[2],
            choice if choice > 0.0 => levels[3],
            _ => return self.images.read(request),
        };
        self.images.read(&Lookup { level: Level::Exactly(chosen), ..*request })
    }

    /// Whether a lane's lookup is undefined: it filters across a corner of a cube, where three texels meet instead of
    /// four, which OpenGL leaves undefined; its coordinates are so large that wrapping loses the fraction; or the
    /// driver is known to choose another level.
    fn is_undefined(&self, request: &Lookup<'_>, lane: usize) -> bool {
        let sampler = request.sampler;
        let far = |c: f32| c.is_nan() || c.abs() > FAR;
        let implicit = matches!(request.level, Level::Implicit(_));
        let levels = implicit && sampler.mip != Mip::None;
        let cube = sampler.dimension == Dimension::Cube;
        request.coordinates.lane(lane).into_iter().any(far)
            || (cube && levels && (self.driver.cube_level.is_none() || spans_faces(request)))
            || self.in_corner(request, lane)
    }

    fn in_corner(&self, request: &Lookup<'_>, lane: usize) -> bool {
        let sampler = request.sampler;
        if sampler.dimension != Dimension::Cube || sampler.filter == Filter::Nearest {
            return false;
        }
        let Some(image) = self.image(request) else {
            return false;
        };
        let level = match sampler.mip {
            Mip::None => 0.0,
            Mip::Nearest | Mip::Linear => {
                (image.level_of_detail(request, lane) + LEVEL_ABOVE).max(0.0)
            }
        };
        let size = (LARGEST_SIDE.min(lossless(image.size().0)) / level.exp2()).max(1.0);
        let [x, y, z, _] = request.coordinates.lane(lane).map(f32::abs);
        let mut sides = [x, y, z];
        sides.sort_by(f32::total_cmp);
        let [smallest, middle, largest] = sides;
        // Within half a texel of both edges, plus a margin for the errors.
        let edge = largest * (1.0 - 1.05 / size);
        smallest >= edge && middle >= edge
    }
}

/// Whether the lanes' directions hit different faces of a cube, or nearly so.
fn spans_faces(request: &Lookup<'_>) -> bool {
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

fn lossless(side: u32) -> f32 {
    u16::try_from(side).map_or(f32::MAX, f32::from)
}

impl Textures for InexactTextures<'_> {
    fn read(&self, request: &Lookup<'_>) -> Register {
        let mut random = self.random.borrow_mut();
        let mut coordinates = *request.coordinates;
        // All lanes get the same error: their differences determine the level, which has an error of its own.
        for component in &mut coordinates.0 {
            let error = random.error();
            let size = component.iter().fold(0.0f32, |most, c| most.max(c.abs()));
            let most = PLACE_ERROR / LARGEST_SIDE + size * f32::EPSILON * 4.0;
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
        let shared = &Lookup {
            coordinates: &coordinates,
            level: match request.level {
                Level::Implicit(bias) => Level::Implicit(bias + level),
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

/// The textures of AGAL's interpreter for that of tokens, without mip levels.
pub(super) struct TokenTextures<'a> {
    pub(super) textures: &'a dyn Textures,
    pub(super) samplers: &'a [Option<Sampler>],
    pub(super) stage: Stage,
}

impl tokens::Textures for TokenTextures<'_> {
    fn read(&self, lookup: &tokens::Lookup<'_>) -> Register {
        let sampler = self.samplers.get(usize::from(lookup.sampler)).and_then(Option::as_ref);
        let dimension = match lookup.dimension {
            d3d9::operand::Dimension::TwoD => Some(Dimension::TwoD),
            d3d9::operand::Dimension::Cube => Some(Dimension::Cube),
            d3d9::operand::Dimension::Volume => None,
        };
        let (Some(sampler), Some(dimension)) = (sampler, dimension) else {
            return tokens::NoTextures.read(lookup);
        };
        self.textures.read(&Lookup {
            stage: self.stage,
            sampler: &Sampler { dimension, ..*sampler },
            coordinates: lookup.coordinates,
            level: Level::Exactly(0.0),
        })
    }
}

/// Adds the error of a driver's interpolation to a varying: up to four units in the last place of `magnitude`, the
/// largest number in the computation. A value below the error may become zero. Very large numbers may be lost.
pub(super) fn interpolated(value: f32, magnitude: f32, random: &mut Random) -> f32 {
    if magnitude.is_nan() || magnitude >= LARGE {
        return anything(random);
    }
    let most = magnitude * f32::EPSILON * 4.0;
    let error = random.error();
    if value.abs() <= most && error.abs() < 0.5 { 0.0 } else { value + error * most }
}

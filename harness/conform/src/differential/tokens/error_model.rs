//! Errors that a driver may make, and results that are undefined.

use std::cell::{Cell, RefCell};

use agal::interp::{Image, LANES, Operands, Register, error_bound};
use agal::opcode::Opcode;
use agal::sampler::Sampler;
use d3d9::interp::{Images, Lookup, Observer, Operation, Textures};
use d3d9::opcode::{Formula, Kind};

use super::super::error_model::{coarse_derivative, with_error};
use agal::generate::Random;

const EPSILON: f32 = f32::EPSILON;
/// Coordinates beyond this have too few fraction bits left.
const FAR: f32 = 4096.0;
/// Coordinates are rounded to 1/256 of a texel or finer; textures have at most eight texels a side.
const PLACE_ERROR: f32 = 1.0 / 256.0 / 8.0;

pub(super) struct ErrorModel {
    random: Random,
}

impl ErrorModel {
    pub(super) fn new(random: Random) -> Self {
        ErrorModel { random }
    }
}

impl Observer for ErrorModel {
    const STEPS: bool = false;

    fn computed(&mut self, operation: &Operation, value: &mut Register) {
        if let Kind::Derivative { vertical } = operation.kind {
            coarse_derivative(vertical, value, &mut self.random);
        }
        let bounds = bound(operation, value);
        for (values, bounds) in value.0.iter_mut().zip(bounds.0) {
            for (value, bound) in values.iter_mut().zip(bounds) {
                if bound > 0.0 && value.is_finite() {
                    *value = with_error(*value, bound, 1.0, &mut self.random);
                }
            }
        }
    }
}

fn bound(operation: &Operation, value: &Register) -> Register {
    let [a, b, c] = &operation.sources;
    let like = |opcode, a: &Register, b: &Register| {
        let operands = Operands { a, b: std::slice::from_ref(b) };
        error_bound(opcode, &operands, value)
    };
    let relative = |factor: f32| each(|n, lane| factor * EPSILON * pick(value, n, lane).abs());
    match operation.kind {
        Kind::Map(formula) | Kind::Scalar(formula) => match formula {
            Formula::Mov
            | Formula::Abs
            | Formula::Min
            | Formula::Max
            | Formula::Slt
            | Formula::Sge
            | Formula::Cmp => Register::default(),
            Formula::Add | Formula::Sub | Formula::Mul => relative(1.0),
            Formula::Mad => each(|n, lane| {
                let product = pick(a, n, lane) * pick(b, n, lane);
                EPSILON * (product.abs() + pick(value, n, lane).abs())
            }),
            Formula::Lrp => each(|n, lane| {
                let [a, b, c] = [a, b, c].map(|source| pick(source, n, lane).abs());
                2.0 * EPSILON * (a * (b + c) + c)
            }),
            Formula::Rcp => like(Opcode::Rcp, a, b),
            Formula::Rsq => like(Opcode::Rsq, a, b),
            Formula::Exp => like(Opcode::Exp, a, b),
            Formula::Log => like(Opcode::Log, a, b),
            Formula::Pow => like(Opcode::Pow, a, b),
            Formula::Frc => like(Opcode::Frc, a, b),
        },
        Kind::Dot(3) => like(Opcode::Dp3, a, b),
        Kind::Dot(_) => like(Opcode::Dp4, a, b),
        Kind::Matrix { width, .. } => {
            let mut bounds = Register::default();
            for ((row, index), bound) in operation.rows.iter().zip(0..4).zip(&mut bounds.0) {
                let opcode = if width == 3 { Opcode::Dp3 } else { Opcode::Dp4 };
                let all = like(opcode, a, row);
                *bound = all.0.get(index).copied().unwrap_or_default();
            }
            bounds
        }
        Kind::Cross => like(Opcode::Crs, a, b),
        Kind::Normalize => {
            let mut bounds = like(Opcode::Nrm, a, b);
            // w is multiplied too.
            if let (Some(to), Some(from)) = (bounds.0.get_mut(3), relative(8.0).0.get(3)) {
                *to = *from;
            }
            bounds
        }
        // The bound for `sin` covers the angle's error outside of the range that the instruction is specified for.
        Kind::SinCos => {
            let x = splat(a);
            like(Opcode::Sin, &x, b)
        }
        Kind::ExpPartial => like(Opcode::Exp, &splat(a), b),
        Kind::Derivative { .. } => like(Opcode::Ddx, a, b),
        Kind::Dp2Add => each(|_, lane| {
            let products: f32 = (0..2).map(|n| (pick(a, n, lane) * pick(b, n, lane)).abs()).sum();
            3.0 * EPSILON * (products + pick(c, 0, lane).abs())
        }),
        Kind::Lit => {
            let base = Register([component(a, 1); 4]);
            let exponent = Register([component(a, 3); 4]);
            let power = like(Opcode::Pow, &base, &exponent);
            let mut bounds = Register::default();
            if let (Some(to), Some(from)) = (bounds.0.get_mut(2), power.0.get(2)) {
                *to = *from;
            }
            bounds
        }
        Kind::Dst | Kind::Bem => relative(4.0),
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
        | Kind::Meta => Register::default(),
    }
}

fn pick(register: &Register, component: usize, lane: usize) -> f32 {
    let lanes = register.0.get(component);
    lanes.and_then(|lanes| lanes.get(lane)).copied().unwrap_or(0.0)
}

fn component(register: &Register, component: usize) -> [f32; LANES] {
    register.0.get(component).copied().unwrap_or_default()
}

fn splat(register: &Register) -> Register {
    Register([component(register, 0); 4])
}

fn each(f: impl Fn(usize, usize) -> f32) -> Register {
    let mut register = Register::default();
    for (n, lanes) in register.0.iter_mut().enumerate() {
        for (lane, value) in lanes.iter_mut().enumerate() {
            *value = f(n, lane);
        }
    }
    register
}

/// Records whether a result was undefined: close to the ends of the range of floats, or not defined by GLSL.
#[derive(Default)]
pub(super) struct UndefinedResults {
    pub(super) undefined: bool,
}

impl Observer for UndefinedResults {
    const STEPS: bool = false;

    fn computed(&mut self, operation: &Operation, value: &mut Register) {
        let [a, ..] = &operation.sources;
        let any = |register: &Register, test: fn(f32) -> bool| {
            register.0.as_flattened().iter().any(|value| test(*value))
        };
        let edge = |value: f32| {
            let size = value.abs();
            !(size == 0.0 || (f32::MIN_POSITIVE * 16.0..f32::MAX / 16.0).contains(&size))
        };
        let undefined = match operation.kind {
            Kind::Scalar(Formula::Pow) => any(a, |a| a == 0.0),
            // A power of a value that may be flushed to zero.
            Kind::Lit => component(a, 1).iter().any(|y| y.abs() < 1e-6),
            // The sum of squares may underflow although its terms don't.
            Kind::Normalize => (0..LANES).any(|lane| {
                let squares: f32 = (0..3).map(|n| pick(a, n, lane).powi(2)).sum();
                squares != 0.0 && squares < f32::MIN_POSITIVE * 16.0
            }),
            // Only -pi to pi is specified; far outside of it, drivers lose precision.
            Kind::SinCos => component(a, 0).iter().any(|angle| angle.abs() > 100.0),
            _ => false,
        };
        let sources = operation.sources.iter().chain(&operation.rows);
        self.undefined |=
            undefined || any(value, edge) || sources.into_iter().any(|s| any(s, edge));
    }
}

/// Textures as a driver samples them: each lookup has a small error.
pub(super) struct InexactTextures<'a> {
    images: Images<'a>,
    random: Option<RefCell<Random>>,
    pub(super) undefined: Cell<bool>,
}

impl<'a> InexactTextures<'a> {
    pub(super) fn new(images: &'a [Option<(Image, Sampler)>], seed: Option<u64>) -> Self {
        InexactTextures {
            images: Images(images),
            random: seed.map(|seed| RefCell::new(Random::new(seed))),
            undefined: Cell::new(false),
        }
    }
}

impl Textures for InexactTextures<'_> {
    fn read(&self, lookup: &Lookup<'_>) -> Register {
        let far = |c: &f32| c.is_nan() || c.abs() > FAR;
        let mut coordinates = *lookup.coordinates;
        let undefined = coordinates.0.as_flattened().iter().any(far);
        self.undefined.set(self.undefined.get() || undefined);
        let Some(random) = &self.random else {
            return self.images.read(lookup);
        };
        let mut random = random.borrow_mut();
        for component in &mut coordinates.0 {
            for value in component {
                *value += random.error() * (PLACE_ERROR + value.abs() * EPSILON * 4.0);
            }
        }
        let mut value = self.images.read(&Lookup { coordinates: &coordinates, ..*lookup });
        for value in value.0.as_flattened_mut() {
            *value += random.error() * EPSILON;
        }
        value
    }
}

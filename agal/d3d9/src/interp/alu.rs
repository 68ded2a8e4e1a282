//! Arithmetic on all lanes ([d3d9.value.zero] [d3d9.value.compare]).

use shader_core::lanes::{add, cross, derivative, flag, map, mul, zip};

use super::{Lanes, Register};
use crate::opcode::{Formula, Kind};
use crate::operand::ADDRESS_LIMIT;

pub(super) fn dot(a: &Register, b: &Register, width: u8) -> Lanes {
    let products = zip(a.0, b.0, mul).into_iter().take(width.into());
    products.reduce(add).unwrap_or_default()
}

/// A value moved to `a0`: the nearest whole number, or the next one below ([d3d9.address.mova] [d3d9.address.vs_1_1]).
pub(super) fn address(value: f32, floor: bool) -> i32 {
    let whole = if floor { value.floor() } else { value.round_ties_even() };
    #[expect(clippy::cast_possible_truncation, reason = "clamped")]
    #[expect(clippy::manual_clamp, reason = "clamp keeps NaN")]
    {
        whole.max(-ADDRESS_LIMIT).min(ADDRESS_LIMIT) as i32
    }
}

pub(super) fn each(value: Register, f: impl Fn(f32) -> f32) -> Register {
    Register(map(value.0, |lanes| map(lanes, &f)))
}

fn each_of([a, b, c]: [Register; 3], f: impl Fn(f32, f32, f32) -> f32) -> Register {
    let lanes = |a, (b, c)| zip(a, zip(b, c, |b, c| (b, c)), |a, (b, c)| f(a, b, c));
    Register(zip(a.0, zip(b.0, c.0, |b, c| (b, c)), lanes))
}

/// Evaluates a formula: component by component, or on one component of each source.
pub(super) fn formula(formula: Formula, sources: [Register; 3]) -> Register {
    let each = |f: &dyn Fn(f32, f32, f32) -> f32| each_of(sources, f);
    let [a, ..] = sources;
    match formula {
        Formula::Mov => a,
        Formula::Add => each(&|a, b, _| a + b),
        Formula::Sub => each(&|a, b, _| a - b),
        Formula::Mad => each(&|a, b, c| a * b + c),
        Formula::Mul => each(&|a, b, _| a * b),
        Formula::Rcp => each(&|a, _, _| 1.0 / a),
        Formula::Rsq => each(&|a, _, _| 1.0 / a.abs().sqrt()),
        Formula::Min => each(&|a, b, _| if a < b { a } else { b }),
        Formula::Max => each(&|a, b, _| if a >= b { a } else { b }),
        Formula::Slt => each(&|a, b, _| flag(a < b)),
        Formula::Sge => each(&|a, b, _| flag(a >= b)),
        Formula::Exp => each(&|a, _, _| a.exp2()),
        Formula::Log => each(&|a, _, _| a.abs().log2()),
        // Anything to the power of 0 is 1.
        Formula::Pow => each(&|a, b, _| if b == 0.0 { 1.0 } else { a.abs().powf(b) }),
        Formula::Lrp => each(&|a, b, c| c + a * (b - c)),
        Formula::Frc => each(&|a, _, _| a - a.floor()),
        Formula::Abs => each(&|a, _, _| a.abs()),
        Formula::Cmp => each(&|a, b, c| if a >= 0.0 { b } else { c }),
    }
}

pub(super) fn special(kind: Kind, sources: [Register; 3], model_1: bool) -> Register {
    let [a, b, c] = sources;
    let [ax, ay, az, aw] = a.0;
    let [_, by, _, bw] = b.0;
    let (zero, one) = ([0.0; 4], [1.0; 4]);
    match kind {
        Kind::Dot(width) => Register([dot(&a, &b, width); 4]),
        Kind::Dp2Add => {
            let [sum, ..] = c.0;
            Register([add(dot(&a, &b, 2), sum); 4])
        }
        Kind::Cnd => each_of(sources, |a, b, c| if a > 0.5 { b } else { c }),
        Kind::Lit => {
            let diffuse = map(ax, |x| if x >= 0.0 { x } else { 0.0 });
            let exponents = map(aw, |w| w.clamp(-127.9961, 127.9961));
            let lit = |x: f32, (y, w): (f32, f32)| if x > 0.0 && y > 0.0 { y.powf(w) } else { 0.0 };
            let specular = zip(ax, zip(ay, exponents, |y, w| (y, w)), lit);
            Register([one, diffuse, specular, one])
        }
        Kind::Dst => Register([one, mul(ay, by), az, bw]),
        Kind::Cross => Register(cross(a.0, b.0)),
        Kind::Sgn => each(a, |a| flag(a > 0.0) - flag(a < 0.0)),
        Kind::Normalize => {
            let factor = map(dot(&a, &a, 3), |s| if s > 0.0 { 1.0 / s.sqrt() } else { 0.0 });
            let scaled = |a, factor| if factor == 0.0 { 0.0 } else { a * factor };
            Register(map(a.0, |lanes| zip(lanes, factor, scaled)))
        }
        Kind::SinCos => Register([map(ax, f32::cos), map(ax, f32::sin), zero, zero]),
        Kind::ExpPartial if model_1 => {
            let floor = map(ax, |x| x.floor().exp2());
            Register([floor, map(ax, |x| x - x.floor()), map(ax, f32::exp2), one])
        }
        Kind::ExpPartial => Register([map(ax, f32::exp2); 4]),
        Kind::Derivative { vertical } => Register(map(a.0, |lanes| derivative(vertical, lanes))),
        Kind::Map(_) | Kind::Scalar(_) | Kind::Matrix { .. } | Kind::Bem | Kind::Mova => a,
        Kind::Setp | Kind::Flow(_) | Kind::Texture(_) | Kind::Phase => a,
        Kind::Dcl | Kind::Def(_) | Kind::Nop | Kind::Meta => a,
    }
}

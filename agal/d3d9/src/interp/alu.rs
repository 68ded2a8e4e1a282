//! Arithmetic on all lanes (d3d9-shaders.md sections 5.1 and 5.3).

use super::{Lanes, Register, Settings, zip};
use crate::opcode::{Formula, Kind};
use crate::operand::ADDRESS_LIMIT;

fn add(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| a + b)
}

fn mul(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| a * b)
}

pub(super) fn dot(a: &Register, b: &Register, width: u8) -> Lanes {
    let products = a.0.into_iter().zip(b.0).take(width.into());
    let products = products.map(|(a, b)| mul(a, b));
    products.reduce(add).unwrap_or_default()
}

/// Clamps to 0..1; NaN becomes 0.
pub(super) fn saturate(a: f32) -> f32 {
    if a >= 1.0 {
        1.0
    } else if a > 0.0 {
        a
    } else {
        0.0
    }
}

/// A value moved to `a0`: the nearest whole number, or the next one below (d3d9-shaders.md section 5.2).
pub(super) fn address(value: f32, floor: bool) -> i32 {
    let whole = if floor { value.floor() } else { value.round_ties_even() };
    #[expect(clippy::cast_possible_truncation, reason = "clamped")]
    #[expect(clippy::manual_clamp, reason = "clamp keeps NaN")]
    {
        whole.max(-ADDRESS_LIMIT).min(ADDRESS_LIMIT) as i32
    }
}

fn flag(truth: bool) -> f32 {
    f32::from(u8::from(truth))
}

fn each(a: Register, b: Register, c: Register, f: impl Fn(f32, f32, f32) -> f32) -> Register {
    let component =
        |a: Lanes, (b, c): (Lanes, Lanes)| zip(a, zip(b, c, |b, c| (b, c)), |a, (b, c)| f(a, b, c));
    Register(zip(a.0, zip(b.0, c.0, |b, c| (b, c)), component))
}

/// Evaluates a formula: component by component, or on one component of each source.
pub(super) fn formula(formula: Formula, [a, b, c]: [Register; 3], settings: &Settings) -> Register {
    let finite = settings.finite;
    let each = |f: &dyn Fn(f32, f32, f32) -> f32| each(a, b, c, f);
    match formula {
        Formula::Mov => a,
        Formula::Add => each(&|a, b, _| a + b),
        Formula::Sub => each(&|a, b, _| a - b),
        Formula::Mad => each(&|a, b, c| a * b + c),
        Formula::Mul => each(&|a, b, _| a * b),
        Formula::Rcp => each(&|a, _, _| match a {
            0.0 if finite => f32::MAX,
            a => 1.0 / a,
        }),
        Formula::Rsq => each(&|a, _, _| match a.abs() {
            0.0 if finite => f32::MAX,
            a => 1.0 / a.sqrt(),
        }),
        Formula::Min => each(&|a, b, _| if a < b { a } else { b }),
        Formula::Max => each(&|a, b, _| if a >= b { a } else { b }),
        Formula::Slt => each(&|a, b, _| flag(a < b)),
        Formula::Sge => each(&|a, b, _| flag(a >= b)),
        Formula::Exp => each(&|a, _, _| a.exp2()),
        Formula::Log => each(&|a, _, _| match a.abs() {
            0.0 if finite => f32::MIN,
            a => a.log2(),
        }),
        Formula::Pow => each(&|a, b, _| power(a, b)),
        Formula::Lrp => each(&|a, b, c| c + a * (b - c)),
        Formula::Frc => each(&|a, _, _| a - a.floor()),
        Formula::Abs => each(&|a, _, _| a.abs()),
        Formula::Cmp => each(&|a, b, c| if a >= 0.0 { b } else { c }),
    }
}

/// `pow` of the absolute value; anything to the power of 0 is 1.
fn power(a: f32, b: f32) -> f32 {
    if b == 0.0 { 1.0 } else { a.abs().powf(b) }
}

/// Evaluates arithmetic that isn't a formula.
pub(super) fn special(kind: Kind, [a, b, c]: [Register; 3], model_1: bool) -> Register {
    let [ax, ay, az, aw] = a.0;
    let [bx, by, bz, bw] = b.0;
    let one = [1.0; 4];
    match kind {
        Kind::Dot(width) => Register([dot(&a, &b, width); 4]),
        Kind::Dp2Add => {
            let [sum, ..] = c.0;
            Register([add(dot(&a, &b, 2), sum); 4])
        }
        Kind::Cnd => each(a, b, c, |a, b, c| if a > 0.5 { b } else { c }),
        Kind::Lit => {
            let specular = |lane: usize| {
                let pick = |lanes: Lanes| lanes.get(lane).copied().unwrap_or(0.0);
                let (x, y, w) = (pick(ax), pick(ay), pick(aw));
                let exponent = w.clamp(-127.9961, 127.9961);
                if x > 0.0 && y > 0.0 { y.powf(exponent) } else { 0.0 }
            };
            let diffuse = ax.map(|x| if x >= 0.0 { x } else { 0.0 });
            Register([one, diffuse, [0, 1, 2, 3].map(specular), one])
        }
        Kind::Dst => Register([one, mul(ay, by), az, bw]),
        Kind::Cross => {
            let minor = |i, j, k, l| zip(mul(i, j), mul(k, l), |a: f32, b: f32| a - b);
            Register([
                minor(ay, bz, az, by),
                minor(az, bx, ax, bz),
                minor(ax, by, ay, bx),
                [0.0; 4],
            ])
        }
        Kind::Sgn => Register(a.0.map(|lanes| lanes.map(|a| flag(a > 0.0) - flag(a < 0.0)))),
        Kind::Normalize => {
            let squared = dot(&a, &a, 3);
            let factor = squared.map(|s| if s > 0.0 { 1.0 / s.sqrt() } else { 0.0 });
            Register(a.0.map(|lanes| {
                zip(lanes, factor, |a, factor| if factor == 0.0 { 0.0 } else { a * factor })
            }))
        }
        Kind::SinCos => Register([ax.map(f32::cos), ax.map(f32::sin), [0.0; 4], [0.0; 4]]),
        Kind::ExpPartial if model_1 => {
            let floor = ax.map(|x| x.floor().exp2());
            let fraction = ax.map(|x| x - x.floor());
            Register([floor, fraction, ax.map(f32::exp2), one])
        }
        Kind::ExpPartial => Register([ax.map(f32::exp2); 4]),
        Kind::Derivative { vertical: false } => {
            Register(a.0.map(|[l0, l1, l2, l3]| [l1 - l0, l1 - l0, l3 - l2, l3 - l2]))
        }
        Kind::Derivative { vertical: true } => {
            Register(a.0.map(|[l0, l1, l2, l3]| [l2 - l0, l3 - l1, l2 - l0, l3 - l1]))
        }
        Kind::Map(_) | Kind::Scalar(_) | Kind::Matrix { .. } | Kind::Bem | Kind::Mova => a,
        Kind::Setp | Kind::Flow(_) | Kind::Texture(_) | Kind::Phase => a,
        Kind::Dcl | Kind::Def(_) | Kind::Nop | Kind::Meta => a,
    }
}

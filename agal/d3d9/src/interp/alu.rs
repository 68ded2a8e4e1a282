//! Arithmetic on all four invocations ([d3d9.value.zero] [d3d9.value.compare]).

use agal_core::float::{FloatRules, max, min};
use agal_core::lanes::{add, cross, derivative, flag, map, mul, zip};

use super::{LaneRegister, LaneValues};
use crate::opcode::{Formula, Operation};
use crate::operand::ADDRESS_LIMIT;

pub(super) fn dot(a: &LaneRegister, b: &LaneRegister, width: u8) -> LaneValues {
    let products = zip(a.0, b.0, mul).into_iter().take(width.into());
    products.reduce(add).unwrap_or_default()
}

/// Returns the integer stored in `a0`: the nearest integer, or with `floor` the next lower one ([d3d9.address.mova]
/// [d3d9.address.vs_1_1]).
pub(super) fn address(value: f32, floor: bool) -> i32 {
    let whole = if floor { value.floor() } else { value.round_ties_even() };
    #[expect(clippy::cast_possible_truncation, reason = "limited")]
    {
        limit(whole, ADDRESS_LIMIT) as i32
    }
}

/// Clamps a value to `-limit..=limit`; NaN becomes `-limit` ([agal.float.nan]).
pub(super) fn limit(value: f32, limit: f32) -> f32 {
    min(max(value, -limit), limit)
}

fn each_of([a, b, c]: [LaneRegister; 3], f: impl Fn(f32, f32, f32) -> f32) -> LaneRegister {
    let lanes = |a, (b, c)| zip(a, zip(b, c, |b, c| (b, c)), |a, (b, c)| f(a, b, c));
    LaneRegister(zip(a.0, zip(b.0, c.0, |b, c| (b, c)), lanes))
}

/// Evaluates a formula, per component or for one component of each source. `rules` are the float rules for functions
/// such as `rcp`, and for the difference that `lrp` computes ([agal.float.sums]).
pub(super) fn formula(
    formula: Formula,
    [rules, sums]: [FloatRules; 2],
    sources: [LaneRegister; 3],
) -> LaneRegister {
    let each = |f: &dyn Fn(f32, f32, f32) -> f32| each_of(sources, f);
    let [a, ..] = sources;
    match formula {
        Formula::Mov => a,
        Formula::Add => each(&|a, b, _| a + b),
        Formula::Sub => each(&|a, b, _| a - b),
        Formula::Mad => each(&|a, b, c| a * b + c),
        Formula::Mul => each(&|a, b, _| a * b),
        Formula::Rcp => each(&|a, _, _| rules.rcp(a)),
        Formula::Rsq => each(&|a, _, _| rules.rsq(a)),
        Formula::Min => each(&|a, b, _| min(a, b)),
        Formula::Max => each(&|a, b, _| max(a, b)),
        Formula::Slt => each(&|a, b, _| flag(a < b)),
        Formula::Sge => each(&|a, b, _| flag(a >= b)),
        Formula::Exp => each(&|a, _, _| rules.exp(a)),
        Formula::Log => each(&|a, _, _| rules.log(a)),
        Formula::Pow => each(&|a, b, _| rules.pow(a, b)),
        Formula::Lrp => each(&|a, b, c| c + a * sums.limited(b - c)),
        Formula::Frc => each(&|a, _, _| a - a.floor()),
        Formula::Abs => each(&|a, _, _| a.abs()),
        Formula::Cmp => each(&|a, b, c| if a >= 0.0 { b } else { c }),
    }
}

pub(super) fn special(
    kind: Operation,
    rules: FloatRules,
    sources: [LaneRegister; 3],
    model_1: bool,
) -> LaneRegister {
    let [a, b, c] = sources;
    let [ax, ay, az, aw] = a.0;
    let [_, by, _, bw] = b.0;
    let (zero, one) = ([0.0; 4], [1.0; 4]);
    match kind {
        Operation::Dot(width) => LaneRegister([dot(&a, &b, width); 4]),
        Operation::Dp2Add => {
            let [sum, ..] = c.0;
            LaneRegister([add(dot(&a, &b, 2), sum); 4])
        }
        Operation::Cnd => each_of(sources, |a, b, c| if a > 0.5 { b } else { c }),
        Operation::Lit => {
            let diffuse = map(ax, |x| max(x, 0.0));
            let exponents = map(aw, |w| limit(w, 127.9961));
            let lit = |x: f32, (y, w)| if x > 0.0 && y > 0.0 { rules.pow(y, w) } else { 0.0 };
            let specular = zip(ax, zip(ay, exponents, |y, w| (y, w)), lit);
            LaneRegister([one, diffuse, specular, one])
        }
        Operation::Dst => LaneRegister([one, mul(ay, by), az, bw]),
        Operation::Cross => LaneRegister(cross(a.0, b.0)),
        Operation::Sgn => a.map(|a| flag(a > 0.0) - flag(a < 0.0)),
        Operation::Normalize => {
            let sum = dot(&a, &a, 3);
            LaneRegister(map(a.0, |lanes| zip(lanes, sum, |a, sum| rules.nrm(a, sum))))
        }
        Operation::SinCos => LaneRegister([map(ax, f32::cos), map(ax, f32::sin), zero, zero]),
        Operation::ExpPartial if model_1 => {
            let floor = map(ax, |x| rules.exp(x.floor()));
            LaneRegister([floor, map(ax, |x| x - x.floor()), map(ax, |x| rules.exp(x)), one])
        }
        Operation::ExpPartial => LaneRegister([map(ax, |x| rules.exp(x)); 4]),
        Operation::Derivative { vertical } => {
            LaneRegister(map(a.0, |lanes| derivative(vertical, lanes)))
        }
        Operation::Map(_)
        | Operation::Scalar(_)
        | Operation::Matrix { .. }
        | Operation::Bem
        | Operation::Mova => a,
        Operation::Setp | Operation::Flow(_) | Operation::Texture(_) | Operation::Phase => a,
        Operation::Dcl | Operation::Def(_) | Operation::Nop | Operation::Meta => a,
    }
}

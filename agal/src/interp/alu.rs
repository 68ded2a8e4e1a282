//! Evaluates arithmetic opcodes on all lanes.

use super::lanes::{self, add, cross, derivative, flag, mul, saturate};
use super::{LANES, LaneRegister, LaneValues, zip};
use crate::float::{self, FloatRules};
use crate::isa::opcode::{BinaryFormula, BinaryOp, Derivative, Unary, UnaryFormula};
use crate::isa::operand::{Component, Swizzle, WriteMask};

#[derive(Clone, Copy)]
pub(super) struct AluView<'r> {
    pub(super) register: &'r LaneRegister,
    pub(super) swizzle: Swizzle,
}

impl AluView<'_> {
    pub(super) fn get(self, component: Component) -> LaneValues {
        self.register.get(self.swizzle.get(component))
    }

    pub(super) fn whole(self) -> LaneRegister {
        self.register.swizzled(self.swizzle)
    }
}

/// Applies `f` to the masked components of two sources, in each lane.
fn map(
    mask: WriteMask,
    a: AluView<'_>,
    b: AluView<'_>,
    f: impl Fn(f32, f32) -> f32,
) -> LaneRegister {
    LaneRegister(lanes::map(Component::ALL, |component| {
        if mask.contains(component) {
            zip(a.get(component), b.get(component), &f)
        } else {
            [0.0; LANES]
        }
    }))
}

fn dot3(a: AluView<'_>, b: AluView<'_>) -> LaneValues {
    let ([ax, ay, az, _], [bx, by, bz, _]) = (a.whole().0, b.whole().0);
    add(add(mul(ax, bx), mul(ay, by)), mul(az, bz))
}

fn dot(width: u8, a: AluView<'_>, b: AluView<'_>) -> LaneValues {
    match width {
        3 => dot3(a, b),
        _ => add(dot3(a, b), mul(a.get(Component::W), b.get(Component::W))),
    }
}

fn normalize(rules: FloatRules, a: AluView<'_>) -> LaneRegister {
    let sum = dot3(a, a);
    let over_length = |value: LaneValues| zip(value, sum, |value, sum| rules.nrm(value, sum));
    let [x, y, z, _] = a.whole().0;
    LaneRegister([over_length(x), over_length(y), over_length(z), [0.0; LANES]])
}

pub(super) fn unary(rules: FloatRules, op: Unary, a: AluView<'_>, mask: WriteMask) -> LaneRegister {
    match op {
        Unary::Formula(formula) => of_one(rules, formula, a, mask),
        Unary::Derivative(along) => {
            LaneRegister(a.whole().0.map(|lanes| derivative(along == Derivative::Y, lanes)))
        }
        Unary::Normalize => normalize(rules, a),
    }
}

/// Evaluates a formula with one source. Each formula has a separate loop, so that the compiler can vectorize over the
/// lanes.
fn of_one(rules: FloatRules, op: UnaryFormula, a: AluView<'_>, mask: WriteMask) -> LaneRegister {
    macro_rules! each {
        ($x:ident: $value:expr) => {
            map(mask, a, a, |$x, _| $value)
        };
    }
    match op {
        UnaryFormula::Mov => each!(a: a),
        UnaryFormula::Rcp => each!(a: rules.rcp(a)),
        UnaryFormula::Frc => each!(a: a - a.floor()),
        UnaryFormula::Sqt => each!(a: a.abs().sqrt()),
        UnaryFormula::Rsq => each!(a: rules.rsq(a)),
        UnaryFormula::Log => each!(a: rules.log(a)),
        UnaryFormula::Exp => each!(a: rules.exp(a)),
        UnaryFormula::Sin => each!(a: a.sin()),
        UnaryFormula::Cos => each!(a: a.cos()),
        UnaryFormula::Abs => each!(a: a.abs()),
        UnaryFormula::Neg => each!(a: 0.0 - a),
        UnaryFormula::Sat => each!(a: saturate(a)),
        UnaryFormula::Sgn => each!(a: flag(a > 0.0) - flag(a < 0.0)),
    }
}

/// Evaluates an opcode with two sources; `rows` are the consecutive registers that begin with source 2.
pub(super) fn binary(
    rules: FloatRules,
    op: BinaryOp,
    a: AluView<'_>,
    rows: &[AluView<'_>],
    mask: WriteMask,
) -> LaneRegister {
    let Some(b) = rows.first().copied() else {
        return LaneRegister::default(); // never
    };
    match op {
        BinaryOp::Formula(formula) => of_two(rules, formula, a, b, mask),
        BinaryOp::Compare(relation) => map(mask, a, b, |a, b| flag(relation.holds()(a, b))),
        BinaryOp::Dot(width) => LaneRegister([dot(width, a, b); 4]),
        BinaryOp::Cross => LaneRegister(cross(a.whole().0, b.whole().0)),
        BinaryOp::Matrix { width, .. } => {
            let mut result = LaneRegister::default();
            for ((to, row), component) in result.0.iter_mut().zip(rows).zip(Component::ALL) {
                if mask.contains(component) {
                    *to = dot(width, a, *row);
                }
            }
            result
        }
    }
}

fn of_two(
    rules: FloatRules,
    formula: BinaryFormula,
    a: AluView<'_>,
    b: AluView<'_>,
    mask: WriteMask,
) -> LaneRegister {
    match formula {
        BinaryFormula::Add => map(mask, a, b, |a, b| a + b),
        BinaryFormula::Sub => map(mask, a, b, |a, b| a - b),
        BinaryFormula::Mul => map(mask, a, b, |a, b| a * b),
        BinaryFormula::Div => map(mask, a, b, |a, b| rules.div(a, b)),
        BinaryFormula::Min => map(mask, a, b, float::min),
        BinaryFormula::Max => map(mask, a, b, float::max),
        BinaryFormula::Pow => map(mask, a, b, |a, b| rules.pow(a, b)),
    }
}

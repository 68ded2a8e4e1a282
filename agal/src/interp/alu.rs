//! Arithmetic on all lanes.

use super::{LANES, Lanes, Register, zip};
use crate::isa::opcode::{Binary, BinaryFormula, Derivative, Relation, Unary, UnaryFormula};
use crate::isa::operand::WriteMask;

/// Applies `f` to each masked component of `a` and `b`, in each lane.
fn map(mask: WriteMask, a: &Register, b: &Register, f: impl Fn(f32, f32) -> f32) -> Register {
    let mut result = Register::default();
    for component in mask.iter() {
        let at = usize::from(component.bits());
        if let (Some(to), Some(a), Some(b)) = (result.0.get_mut(at), a.0.get(at), b.0.get(at)) {
            *to = zip(*a, *b, &f);
        }
    }
    result
}

fn add(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| a + b)
}

fn sub(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| a - b)
}

fn mul(a: Lanes, b: Lanes) -> Lanes {
    zip(a, b, |a, b| a * b)
}

fn dot3(a: &Register, b: &Register) -> Lanes {
    let ([ax, ay, az, _], [bx, by, bz, _]) = (a.0, b.0);
    add(add(mul(ax, bx), mul(ay, by)), mul(az, bz))
}

/// The dot product of the first three or all four components.
fn dot(width: u8, a: &Register, b: &Register) -> Lanes {
    let ([.., aw], [.., bw]) = (a.0, b.0);
    match width {
        3 => dot3(a, b),
        _ => add(dot3(a, b), mul(aw, bw)),
    }
}

fn cross(a: &Register, b: &Register) -> Register {
    let ([ax, ay, az, _], [bx, by, bz, _]) = (a.0, b.0);
    let minor = |i, j, k, l| sub(mul(i, j), mul(k, l));
    Register([
        minor(ay, bz, az, by),
        minor(az, bx, ax, bz),
        minor(ax, by, ay, bx),
        [0.0; LANES],
    ])
}

fn normalize(a: &Register) -> Register {
    let squared = dot3(a, a);
    let over_length = |value: Lanes| {
        zip(value, squared, |value, squared| {
            if squared > 0.0 {
                value * (1.0 / squared.sqrt())
            } else {
                0.0
            }
        })
    };
    let [x, y, z, _] = a.0;
    Register([over_length(x), over_length(y), over_length(z), [0.0; LANES]])
}

/// Clamps to 0..1; NaN becomes 0, as in Direct3D.
fn saturate(a: f32) -> f32 {
    if a >= 1.0 {
        1.0
    } else if a > 0.0 {
        a
    } else {
        0.0
    }
}

/// Returns 1 for true, 0 for false.
fn flag(truth: bool) -> f32 {
    f32::from(u8::from(truth))
}

/// Evaluates an opcode with one source.
pub(super) fn unary(op: Unary, a: &Register, mask: WriteMask) -> Register {
    match op {
        Unary::Formula(formula) => map(mask, a, a, |a, _| of_one(formula, a)),
        Unary::Derivative(Derivative::X) => {
            Register(a.0.map(|[l0, l1, l2, l3]| [l1 - l0, l1 - l0, l3 - l2, l3 - l2]))
        }
        Unary::Derivative(Derivative::Y) => {
            Register(a.0.map(|[l0, l1, l2, l3]| [l2 - l0, l3 - l1, l2 - l0, l3 - l1]))
        }
        Unary::Normalize => normalize(a),
    }
}

fn of_one(formula: UnaryFormula, a: f32) -> f32 {
    match formula {
        UnaryFormula::Mov => a,
        UnaryFormula::Rcp => 1.0 / a,
        UnaryFormula::Frc => a - a.floor(),
        UnaryFormula::Sqt => a.abs().sqrt(),
        UnaryFormula::Rsq => 1.0 / a.abs().sqrt(),
        UnaryFormula::Log => a.abs().log2(),
        UnaryFormula::Exp => a.exp2(),
        UnaryFormula::Sin => a.sin(),
        UnaryFormula::Cos => a.cos(),
        UnaryFormula::Abs => a.abs(),
        UnaryFormula::Neg => -a,
        UnaryFormula::Sat => saturate(a),
        UnaryFormula::Sgn => flag(a > 0.0) - flag(a < 0.0),
    }
}

/// Evaluates an opcode with two sources; `rows` are source 2 and the registers after it.
pub(super) fn binary(op: Binary, a: &Register, rows: &[Register; 4], mask: WriteMask) -> Register {
    let [b, ..] = rows;
    match op {
        Binary::Formula(formula) => map(mask, a, b, |a, b| of_two(formula, a, b)),
        Binary::Compare(relation) => map(mask, a, b, |a, b| flag(holds(relation, a, b))),
        Binary::Dot(width) => Register([dot(width, a, b); 4]),
        Binary::Cross => cross(a, b),
        Binary::Matrix { width, .. } => {
            let mut result = Register::default();
            for component in mask.iter() {
                let at = usize::from(component.bits());
                if let (Some(to), Some(row)) = (result.0.get_mut(at), rows.get(at)) {
                    *to = dot(width, a, row);
                }
            }
            result
        }
    }
}

fn of_two(formula: BinaryFormula, a: f32, b: f32) -> f32 {
    match formula {
        BinaryFormula::Add => a + b,
        BinaryFormula::Sub => a - b,
        BinaryFormula::Mul => a * b,
        BinaryFormula::Div => a / b,
        BinaryFormula::Min => {
            if b < a {
                b
            } else {
                a
            }
        }
        BinaryFormula::Max => {
            if b > a {
                b
            } else {
                a
            }
        }
        BinaryFormula::Pow => a.abs().powf(b),
    }
}

fn holds(relation: Relation, a: f32, b: f32) -> bool {
    match relation {
        Relation::Equal => a == b,
        Relation::NotEqual => a != b,
        Relation::GreaterOrEqual => a >= b,
        Relation::Greater => a > b,
        Relation::Less => a < b,
    }
}

/// The lanes that take the branch of an `if`.
pub(super) fn condition(relation: Relation, a: &Register, b: &Register) -> [bool; LANES] {
    let ([a, ..], [b, ..]): ([Lanes; 4], [Lanes; 4]) = (a.0, b.0);
    zip(a, b, |a, b| holds(relation, a, b))
}

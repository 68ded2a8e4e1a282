//! Arithmetic in every lane, and how far a driver's result may be from it.

use super::{LANES, Lanes, Register, zip};
use crate::isa::opcode::Opcode;
use crate::isa::operand::WriteMask;

/// `f` of each masked component of `a` and `b`, in each lane.
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

fn dot4(a: &Register, b: &Register) -> Lanes {
    let ([.., aw], [.., bw]) = (a.0, b.0);
    add(dot3(a, b), mul(aw, bw))
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

/// Clamped to 0..1; NaN becomes 0, as Direct3D has it.
fn saturate(a: f32) -> f32 {
    if a >= 1.0 {
        1.0
    } else if a > 0.0 {
        a
    } else {
        0.0
    }
}

/// 1 or 0.
fn flag(truth: bool) -> f32 {
    f32::from(u8::from(truth))
}

/// An opcode with one source.
pub(super) fn unary(opcode: Opcode, a: &Register, mask: WriteMask) -> Register {
    let map = |f: fn(f32) -> f32| map(mask, a, a, |a, _| f(a));
    match opcode {
        Opcode::Rcp => map(|a| 1.0 / a),
        Opcode::Frc => map(|a| a - a.floor()),
        Opcode::Sqt => map(|a| a.abs().sqrt()),
        Opcode::Rsq => map(|a| 1.0 / a.abs().sqrt()),
        Opcode::Log => map(|a| a.abs().log2()),
        Opcode::Exp => map(f32::exp2),
        Opcode::Sin => map(f32::sin),
        Opcode::Cos => map(f32::cos),
        Opcode::Abs => map(f32::abs),
        Opcode::Neg => map(|a| -a),
        Opcode::Sat => map(saturate),
        Opcode::Sgn => map(|a| flag(a > 0.0) - flag(a < 0.0)),
        Opcode::Nrm => normalize(a),
        Opcode::Ddx => Register(a.0.map(|[l0, l1, l2, l3]| [l1 - l0, l1 - l0, l3 - l2, l3 - l2])),
        Opcode::Ddy => Register(a.0.map(|[l0, l1, l2, l3]| [l2 - l0, l3 - l1, l2 - l0, l3 - l1])),
        _ => *a, // mov
    }
}

/// An opcode with two sources.
pub(super) fn binary(opcode: Opcode, a: &Register, b: &Register, mask: WriteMask) -> Register {
    let map = |f: fn(f32, f32) -> f32| map(mask, a, b, f);
    match opcode {
        Opcode::Add => map(|a, b| a + b),
        Opcode::Sub => map(|a, b| a - b),
        Opcode::Mul => map(|a, b| a * b),
        Opcode::Div => map(|a, b| a / b),
        Opcode::Min => map(|a, b| if b < a { b } else { a }),
        Opcode::Max => map(|a, b| if a < b { b } else { a }),
        Opcode::Pow => map(|a, b| a.abs().powf(b)),
        Opcode::Sge => map(|a, b| flag(a >= b)),
        Opcode::Slt => map(|a, b| flag(a < b)),
        Opcode::Seq => map(|a, b| flag(a == b)),
        Opcode::Sne => map(|a, b| flag(a != b)),
        Opcode::Dp3 => Register([dot3(a, b); 4]),
        Opcode::Dp4 => Register([dot4(a, b); 4]),
        Opcode::Crs => cross(a, b),
        _ => Register::default(), // the rest has another shape
    }
}

/// A vector times consecutive rows.
pub(super) fn matrix(
    opcode: Opcode,
    vector: &Register,
    rows: &[Register; 4],
    mask: WriteMask,
) -> Register {
    let dot = match opcode {
        Opcode::M33 => dot3,
        _ => dot4,
    };
    let mut result = Register::default();
    for component in mask.iter() {
        let at = usize::from(component.bits());
        if let (Some(to), Some(row)) = (result.0.get_mut(at), rows.get(at)) {
            *to = dot(vector, row);
        }
    }
    result
}

/// Which lanes take the branch of an `if`.
pub(super) fn condition(opcode: Opcode, a: &Register, b: &Register) -> [bool; LANES] {
    let ([a, ..], [b, ..]): ([Lanes; 4], [Lanes; 4]) = (a.0, b.0);
    zip(a, b, |a, b| match opcode {
        Opcode::Ife => a == b,
        Opcode::Ine => a != b,
        Opcode::Ifg => a > b,
        _ => a < b, // ifl
    })
}

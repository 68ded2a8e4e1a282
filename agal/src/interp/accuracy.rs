//! The maximum difference between a driver's result and the interpreter's.

use super::{LaneRegister, LaneValues, zip};
use crate::float::FloatRules;
use crate::isa::opcode::{Accuracy, AgalOpcode, BinaryOp, OpcodeSignature};

/// An arithmetic instruction or a texture read with the values of its sources, such as coordinates.
#[derive(Clone, Copy, Debug)]
pub struct AgalComputation<'a> {
    /// The opcode of the token.
    pub opcode: AgalOpcode,
    /// Source 1 after its swizzle.
    pub a: &'a LaneRegister,
    /// Source 2 after its swizzle, or the rows of a matrix; empty for opcodes with one source.
    pub b: &'a [LaneRegister],
}

/// Returns the maximum error of a result for each component and lane, from the opcode's [`Accuracy`]. A driver may
/// flush results below the normal range to zero.
pub fn error_bound(computation: &AgalComputation<'_>, value: &LaneRegister) -> LaneRegister {
    let second = computation.b.first().unwrap_or(computation.a);
    let mut bound = LaneRegister::default();
    let accuracy = computation.opcode.signature().accuracy();
    for (component, bound) in bound.0.iter_mut().enumerate() {
        let pick = |register: &LaneRegister| register.0.get(component).copied().unwrap_or_default();
        let (a, b, value) = (pick(computation.a), pick(second), pick(value));
        *bound = match accuracy {
            Accuracy::Exact | Accuracy::Texture => [0.0; 4],
            Accuracy::Products(ulps) => {
                products(computation, component).map(|sum| ulps * EPSILON * sum + FLUSHED)
            }
            scalar => {
                zip(zip(a, b, |a, b| (a, b)), value, |(a, b), value| scalar.error(a, b, value))
            }
        };
    }
    bound
}

/// One unit in the last place, relative to the value 1.
const EPSILON: f32 = f32::EPSILON;
/// A bound for the absolute value of any float's base-2 exponent.
const LARGEST_EXPONENT: f32 = 150.0;
/// The maximum error if a denormal number is flushed to zero.
const FLUSHED: f32 = f32::MIN_POSITIVE;

impl Accuracy {
    fn error(self, a: f32, b: f32, value: f32) -> f32 {
        let relative = |ulps: f32| ulps * EPSILON * value.abs() + FLUSHED;
        match self {
            Accuracy::Exact | Accuracy::Texture | Accuracy::Products(_) => 0.0,
            Accuracy::Ulps(ulps) => relative(ulps),
            Accuracy::Exponential => relative(3.0 + 2.0 * a.abs().min(LARGEST_EXPONENT)),
            Accuracy::Logarithm => logarithm(value),
            Accuracy::Power => {
                let log = FloatRules::Direct3D9.log(a);
                let exponent = (log * b).abs();
                // If the exponent is beyond the range of floats, the result is 0 or the largest float.
                if exponent >= 2.0 * LARGEST_EXPONENT || exponent.is_nan() {
                    return FLUSHED;
                }
                let lost = logarithm(log) * b.abs() + EPSILON * exponent;
                relative(3.0 + 2.0 * exponent) + value.abs() * lost
            }
            Accuracy::Angle => {
                let within = 1.0 / 2048.0;
                let turns = a.abs() / std::f32::consts::PI;
                within + if turns > 1.0 { a.abs() * EPSILON * 4.0 } else { 0.0 }
            }
        }
    }
}

fn logarithm(value: f32) -> f32 {
    (3.0 * EPSILON * value.abs()).max(1.0 / 2_097_152.0)
}

/// Returns the sum of the magnitudes of the products that a component adds.
fn products(computation: &AgalComputation<'_>, component: usize) -> LaneValues {
    let shape = computation.opcode.signature();
    let first = computation.b.first();
    let (width, row) = match shape {
        OpcodeSignature::Binary(BinaryOp::Matrix { width, .. }) => {
            (width, computation.b.get(component))
        }
        OpcodeSignature::Binary(BinaryOp::Dot(width)) => (width, first),
        OpcodeSignature::Binary(BinaryOp::Cross | BinaryOp::Formula(_) | BinaryOp::Compare(_))
        | OpcodeSignature::Block(_)
        | OpcodeSignature::Kill
        | OpcodeSignature::If(_)
        | OpcodeSignature::Unary(_)
        | OpcodeSignature::Sample(_) => (4, first),
    };
    let row = row.copied().unwrap_or_default();
    zip([0, 1, 2, 3], [(); 4], |lane, ()| {
        let (a, b) = (computation.a.lane(lane), row.lane(lane));
        if shape == OpcodeSignature::Binary(BinaryOp::Cross) {
            return crossed(a, b, component);
        }
        let terms = a.iter().zip(b).take(width.into());
        terms.map(|(a, b)| (a * b).abs()).sum()
    })
}

/// Returns the sum of the magnitudes of the two products in a component of a cross product.
fn crossed([ax, ay, az, _]: [f32; 4], [bx, by, bz, _]: [f32; 4], component: usize) -> f32 {
    let (i, j, k, l) = match component {
        0 => (ay, bz, az, by),
        1 => (az, bx, ax, bz),
        _ => (ax, by, ay, bx),
    };
    (i * j).abs() + (k * l).abs()
}

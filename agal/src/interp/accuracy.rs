//! How far a driver's result may be from the interpreter's: one row per opcode.

use super::{Lanes, Register, zip};
use crate::isa::opcode::Opcode;

/// The distance that is allowed, from what the opcode was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// None: the same bits, but for the sign of a zero and the bits of a NaN.
    Exact,
    /// So many units in the last place of the result.
    Ulps(f32),
    /// So many units in the last place of the sum of the products' magnitudes: additions may cancel.
    Products(f32),
    /// `exp`: 3 + 2|x| units in the last place.
    Exponential,
    /// `log`: 3 units in the last place, or 2⁻²¹ between 0.5 and 2.
    Logarithm,
    /// `pow` as `exp(log(a) * b)`.
    Power,
    /// `sin`, `cos`: 2⁻¹¹ up to π. Beyond it also what a reduction in single precision loses.
    Angle,
    /// Texture reads: depends on filter and image, and is 0 for this table.
    Texture,
}

/// THE table. Where no standard of OpenGL gives a number, that of Vulkan is taken ("Precision and Operation of SPIR-V
/// Instructions"), which is what drivers of both keep.
pub fn accuracy(opcode: Opcode) -> Accuracy {
    use Accuracy::{Angle, Exact, Exponential, Logarithm, Power, Products, Texture, Ulps};
    match opcode {
        Opcode::Mov | Opcode::Abs | Opcode::Neg | Opcode::Sat | Opcode::Sgn => Exact,
        Opcode::Min | Opcode::Max => Exact,
        Opcode::Sge | Opcode::Slt | Opcode::Seq | Opcode::Sne => Exact,
        Opcode::Ife | Opcode::Ine | Opcode::Ifg | Opcode::Ifl => Exact,
        Opcode::Els | Opcode::Eif | Opcode::Kil => Exact,
        // Correctly rounded by themselves, but a compiler may fuse a product with the sum behind it.
        Opcode::Add | Opcode::Sub | Opcode::Mul => Ulps(1.0),
        Opcode::Ddx | Opcode::Ddy | Opcode::Frc => Ulps(1.0),
        Opcode::Div | Opcode::Rcp => Ulps(2.5),
        Opcode::Sqt | Opcode::Rsq => Ulps(4.0),
        Opcode::Nrm => Ulps(8.0),
        Opcode::Dp3 | Opcode::Dp4 | Opcode::Crs => Products(4.0),
        Opcode::M33 | Opcode::M34 | Opcode::M44 => Products(4.0),
        Opcode::Exp => Exponential,
        Opcode::Log => Logarithm,
        Opcode::Pow => Power,
        Opcode::Sin | Opcode::Cos => Angle,
        Opcode::Tex | Opcode::Ted | Opcode::Tld => Texture,
    }
}

/// What an opcode was given: its first source, and its second one or rows.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    /// Source 1 after its swizzle.
    pub a: &'a Register,
    /// Source 2 after its swizzle, or the rows of a matrix. Empty for opcodes with one source.
    pub b: &'a [Register],
}

/// Largest error of a result, by [`accuracy`]: component by component and lane by lane. Results below the normal range
/// may be flushed to zero.
pub fn error_bound(opcode: Opcode, operands: &Operands<'_>, value: &Register) -> Register {
    let second = operands.b.first().unwrap_or(operands.a);
    let mut bound = Register::default();
    let accuracy = accuracy(opcode);
    for (component, bound) in bound.0.iter_mut().enumerate() {
        let pick = |register: &Register| register.0.get(component).copied().unwrap_or_default();
        let (a, b, value) = (pick(operands.a), pick(second), pick(value));
        *bound = match accuracy {
            Accuracy::Exact | Accuracy::Texture => [0.0; 4],
            Accuracy::Products(ulps) => {
                products(opcode, operands, component).map(|sum| ulps * EPSILON * sum + FLUSHED)
            }
            scalar => zip(zip(a, b, |a, b| (a, b)), value, |(a, b), value| {
                scalar.error(a, b, value)
            }),
        };
    }
    bound
}

/// A unit in the last place, relative to the value.
const EPSILON: f32 = f32::EPSILON;
/// What is lost where a denormal is flushed.
const FLUSHED: f32 = f32::MIN_POSITIVE;

impl Accuracy {
    fn error(self, a: f32, b: f32, value: f32) -> f32 {
        let relative = |ulps: f32| ulps * EPSILON * value.abs() + FLUSHED;
        match self {
            Accuracy::Exact | Accuracy::Texture | Accuracy::Products(_) => 0.0,
            Accuracy::Ulps(ulps) => relative(ulps),
            Accuracy::Exponential => relative(3.0 + 2.0 * a.abs()),
            Accuracy::Logarithm => logarithm(value),
            Accuracy::Power => {
                let exponent = a.abs().log2() * b;
                let lost = logarithm(a.abs().log2()) * b.abs() + EPSILON * exponent.abs();
                relative(3.0 + 2.0 * exponent.abs()) + value.abs() * lost
            }
            Accuracy::Angle => {
                let within = 1.0 / 2048.0;
                let turns = a.abs() / std::f32::consts::PI;
                within
                    + if turns > 1.0 {
                        a.abs() * EPSILON * 4.0
                    } else {
                        0.0
                    }
            }
        }
    }
}

fn logarithm(value: f32) -> f32 {
    (3.0 * EPSILON * value.abs()).max(1.0 / 2_097_152.0)
}

/// The sum of the magnitudes that a component's products have.
fn products(opcode: Opcode, operands: &Operands<'_>, component: usize) -> Lanes {
    let row = match opcode {
        Opcode::M33 | Opcode::M34 | Opcode::M44 => operands.b.get(component),
        _ => operands.b.first(),
    };
    let row = row.copied().unwrap_or_default();
    let width = match opcode {
        Opcode::Dp3 | Opcode::Crs | Opcode::M33 => 3,
        _ => 4,
    };
    zip([0, 1, 2, 3], [(); 4], |lane, ()| {
        let (a, b) = (operands.a.lane(lane), row.lane(lane));
        if opcode == Opcode::Crs {
            return crossed(a, b, component);
        }
        let terms = a.iter().zip(b).take(width);
        terms.map(|(a, b)| (a * b).abs()).sum()
    })
}

/// Each component of a cross product is made of the two others.
fn crossed([ax, ay, az, _]: [f32; 4], [bx, by, bz, _]: [f32; 4], component: usize) -> f32 {
    let (i, j, k, l) = match component {
        0 => (ay, bz, az, by),
        1 => (az, bx, ax, bz),
        _ => (ax, by, ay, bx),
    };
    (i * j).abs() + (k * l).abs()
}

//! The edge cases of each arithmetic opcode: GLSL text around the sources `a` and `b`. [`interp`](crate::interp)
//! implements the same independently.
//!
//! Adobe's text doesn't specify the edge cases ([agal.rcp.zero] …). Flash first ran on Direct3D 9, and its content was
//! made for that: the player's own lowering decides ([agal.neg.zero] [agal.native.sat]), and where that leaves it to
//! the device, Direct3D 9's shader-model definitions do:
//!
//! | opcode | edge | result |
//! |---|---|---|
//! | `pow` | negative base | power of the absolute value |
//! | `pow` | zero to the power of zero or less, NaN | undefined, in GLSL too |
//! | `log` | negative, zero | log2 of the absolute value; -infinity |
//! | `sqt`, `rsq` | negative | of the absolute value |
//! | `rsq`, `rcp`, `div` | zero | infinity, as IEEE 754 has it |
//! | `nrm` | zero vector, NaN | zero, as Direct3D's native `nrm`; times `rsq` it would be NaN |
//! | `neg` | zero | +0: lowered as 0 - x |
//! | `frc` | negative | `s - floor(s)`, so still 0..1 (1 where a tiny negative rounds up) |
//! | `min`, `max` | NaN | undefined, in GLSL too |
//! | `sat` | NaN | 0, as Direct3D's `_sat`; undefined in GLSL, and as max(min(x, 1), 0) on other backends |
//! | `sge`, `slt`, `seq` | NaN | 0 |
//! | `sne` | NaN | 1 |
//! | `ife`, `ifg`, `ifl`; `ine` | NaN | not taken; taken |
//! | `kil` | zero of either sign, NaN | not discarded: only below 0 |
//! | index | fraction; outside the bank | to nearest, ties to even, as `mova` (open: ARB floors); the nearest constant of the bank |
//!
//! Denormals may be flushed to zero; only `mov` and `abs` keep the sign of zero; [`Accuracy`] gives the
//! precision of each opcode.

/// Maximum difference between a driver's result and the interpreter's, as a function of the operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// No difference, except for the sign of a zero and the bits of a NaN.
    Exact,
    /// This number of units in the last place of the result.
    Ulps(f32),
    /// This number of units in the last place of the sum of the products' magnitudes, because additions may cancel.
    Products(f32),
    /// `exp`: 3 + 2|x| units in the last place.
    Exponential,
    /// `log`: 3 units in the last place, or 2⁻²¹ between 0.5 and 2.
    Logarithm,
    Power,
    /// `sin`, `cos`: 2⁻¹¹ up to π; beyond it, also the error of a reduction in single precision.
    Angle,
    /// Texture reads: depends on filter and image; 0 in this table.
    Texture,
}

use Accuracy::{Angle, Exact, Exponential, Logarithm, Power, Ulps};

// If no OpenGL standard gives a number, Vulkan's is used ("Precision and Operation of SPIR-V Instructions"), which
// drivers of both keep. Sums and products are correctly rounded, but a compiler may fuse a product with the following
// sum.
shader_core::table! {
    /// Formula and accuracy of an opcode for each component of one source, as GLSL.
    pub enum UnaryFormula {
        /// The GLSL before, between and after the sources, which are single terms without parentheses.
        pieces: &'static [&'static str],
        /// Maximum difference between a driver's result and the interpreter's.
        accuracy: Accuracy,
    }
    Mov &["", ""], Exact;
    Rcp &["1.0 / ", ""], Ulps(2.5);
    Frc &["fract(", ")"], Ulps(1.0);
    Sqt &["sqrt(abs(", "))"], Ulps(4.0);
    Rsq &["inversesqrt(abs(", "))"], Ulps(4.0);
    Log &["log2(abs(", "))"], Logarithm;
    Exp &["exp2(", ")"], Exponential;
    Sin &["sin(", ")"], Angle;
    Cos &["cos(", ")"], Angle;
    Abs &["abs(", ")"], Exact;
    Neg &["0.0 - ", ""], Exact;
    Sat &["clamp(", ", 0.0, 1.0)"], Exact;
    Sgn &["sign(", ")"], Exact;
}

shader_core::table! {
    /// Formula and accuracy of an opcode that computes a derivative, as GLSL.
    pub enum Derivative {
        /// The GLSL before, between and after the sources, which are single terms without parentheses.
        pieces: &'static [&'static str],
        /// Maximum difference between a driver's result and the interpreter's.
        accuracy: Accuracy,
    }
    X &["dFdx(", ")"], Ulps(1.0);
    // The sign: in Flash, window y grows downwards as in Direct3D. Our surfaces have their top row first in memory and
    // the vertex shader mirrors y, so GL's window y, which grows with memory rows, grows downwards too: no negation.
    // ([agal.ddy.sign])
    Y &["dFdy(", ")"], Ulps(1.0);
}

shader_core::table! {
    /// Formula and accuracy of an opcode for each component of two sources, as GLSL.
    pub enum BinaryFormula {
        /// The GLSL before, between and after the sources, which are single terms without parentheses.
        pieces: &'static [&'static str],
        /// Maximum difference between a driver's result and the interpreter's.
        accuracy: Accuracy,
    }
    Add &["", " + ", ""], Ulps(1.0);
    Sub &["", " - ", ""], Ulps(1.0);
    Mul &["", " * ", ""], Ulps(1.0);
    Div &["", " / ", ""], Ulps(2.5);
    Min &["min(", ", ", ")"], Exact;
    Max &["max(", ", ", ")"], Exact;
    Pow &["pow(abs(", "), ", ")"], Power;
}

/// The whole number of an index, as statements and an expression of GLSL 1.30 and ES 3.00, and of older versions.
/// Converting a value that an integer can't hold is undefined, so it is clamped; no bank and no offset reaches the bounds.
pub(crate) const INDEX: [[&str; 2]; 2] = [
    ["", "int(roundEven(clamp(index, -512.0, 512.0)))"],
    [
        "    index = clamp(index, -512.0, 512.0);
    float whole = floor(index + 0.5);
    whole -= float(whole - index == 0.5) * mod(whole, 2.0);
",
        "int(whole)",
    ],
];

/// The helper function of `nrm`: its name and its body.
pub(crate) const NORMALIZE_NAME: &str = "agal_nrm";
/// Written before `main` if `nrm` is used.
pub(crate) const NORMALIZE_BODY: &str = "\
vec3 agal_nrm(vec3 v) {
    float d = dot(v, v);
    return d > 0.0 ? v * inversesqrt(d) : vec3(0.0);
}
";

//! The formulas of arithmetic opcodes: GLSL text around the sources `a` and `b`. [`interp`](crate::interp) implements
//! the same independently, but for the edges that [`float`](crate::float) defines ([agal.float.rules]):
//!
//! | opcode | edge | result |
//! |---|---|---|
//! | `sqt`, `rsq`, `log`, `pow` | negative | of the absolute value |
//! | `neg` | zero | +0: lowered as 0 - x |
//! | `frc` | negative | `s - floor(s)`, so still 0..1 (1 where a tiny negative rounds up) |
//! | `sat` | NaN | 0, as Direct3D's `_sat` |
//! | `sge`, `slt`, `seq` | NaN | 0 |
//! | `sne` | NaN | 1 |
//! | `ife`, `ifg`, `ifl`; `ine` | NaN | not taken; taken |
//! | `kil` | zero of either sign, NaN | not discarded: only below 0 |
//! | index | fraction; outside the bank, NaN | to nearest, ties to even, as `mova` (open: ARB floors); the nearest constant of the bank, the first one |
//!
//! Denormals may be flushed to zero; only `mov` and `abs` keep the sign of zero; [`Accuracy`] gives the
//! precision of each opcode.

use crate::float::FloatRules;

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

/// GLSL before, between and after the sources, which are single terms without parentheses.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    ieee: &'static [&'static str],
    /// Those that limit the result to the largest float, which they name [`LARGEST`], as Direct3D 9's rules ask.
    limited: Option<&'static [&'static str]>,
}

impl Pieces {
    pub fn by(self, rules: FloatRules) -> &'static [&'static str] {
        self.limited_by(rules).unwrap_or(self.ieee)
    }

    /// The pieces that limit the result, unless the rules need none.
    pub(crate) fn limited_by(self, rules: FloatRules) -> Option<&'static [&'static str]> {
        self.limited.filter(|_| rules == FloatRules::Direct3D9)
    }
}

const fn both(ieee: &'static [&'static str]) -> Pieces {
    Pieces { ieee, limited: None }
}

const fn limited(limited: &'static [&'static str], ieee: &'static [&'static str]) -> Pieces {
    Pieces { ieee, limited: Some(limited) }
}

/// The name of the largest float in GLSL.
pub(crate) const LARGEST: &str = "agal_largest";

/// GLSL around a sum or product that is limited.
pub(crate) const LIMITED: [&str; 2] = ["clamp(", ", -agal_largest, agal_largest)"];

use Accuracy::{Angle, Exact, Exponential, Logarithm, Power, Ulps};

// If no OpenGL standard gives a number, Vulkan's is used ("Precision and Operation of SPIR-V Instructions"), which
// drivers of both keep. Sums and products are correctly rounded, but a compiler may fuse a product with the following
// sum.
shader_core::table! {
    /// Formula and accuracy of an opcode for each component of one source, as GLSL.
    pub enum UnaryFormula {
        pieces: Pieces,
        /// Maximum difference between a driver's result and the interpreter's.
        accuracy: Accuracy,
    }
    Mov both(&["", ""]), Exact;
    Rcp limited(&["clamp(1.0 / ", ", -agal_largest, agal_largest)"], &["1.0 / ", ""]), Ulps(2.5);
    Frc both(&["fract(", ")"]), Ulps(1.0);
    Sqt both(&["sqrt(abs(", "))"]), Ulps(4.0);
    Rsq limited(&["min(inversesqrt(abs(", ")), agal_largest)"], &["inversesqrt(abs(", "))"]), Ulps(4.0);
    Log limited(&["clamp(log2(abs(", ")), -agal_largest, agal_largest)"], &["log2(abs(", "))"]), Logarithm;
    Exp limited(&["min(exp2(", "), agal_largest)"], &["exp2(", ")"]), Exponential;
    Sin both(&["sin(", ")"]), Angle;
    Cos both(&["cos(", ")"]), Angle;
    Abs both(&["abs(", ")"]), Exact;
    Neg both(&["0.0 - ", ""]), Exact;
    Sat both(&["clamp(", ", 0.0, 1.0)"]), Exact;
    Sgn both(&["sign(", ")"]), Exact;
}

shader_core::table! {
    /// Formula and accuracy of an opcode that computes a derivative, as GLSL.
    pub enum Derivative {
        pieces: Pieces,
        /// Maximum difference between a driver's result and the interpreter's.
        accuracy: Accuracy,
    }
    X both(&["dFdx(", ")"]), Ulps(1.0);
    // The sign: in Flash, window y grows downwards as in Direct3D. Our surfaces have their top row first in memory and
    // the vertex shader mirrors y, so GL's window y, which grows with memory rows, grows downwards too: no negation.
    // ([agal.ddy.sign])
    Y both(&["dFdy(", ")"]), Ulps(1.0);
}

shader_core::table! {
    /// Formula and accuracy of an opcode for each component of two sources, as GLSL.
    pub enum BinaryFormula {
        pieces: Pieces,
        /// Maximum difference between a driver's result and the interpreter's.
        accuracy: Accuracy,
    }
    Add both(&["", " + ", ""]), Ulps(1.0);
    Sub both(&["", " - ", ""]), Ulps(1.0);
    Mul both(&["", " * ", ""]), Ulps(1.0);
    // A product with a reciprocal has two roundings ([agal.div.lowering]).
    Div limited(
        &["clamp(", " * clamp(1.0 / ", ", -agal_largest, agal_largest), -agal_largest, agal_largest)"],
        &["", " / ", ""]
    ), Ulps(4.0);
    Min both(&["min(", ", ", ")"]), Exact;
    Max both(&["max(", ", ", ")"]), Exact;
    // `pow` itself is undefined for a base of 0 and a power of 0 or less.
    Pow limited(
        &["min(exp2(clamp(log2(abs(", ")), -agal_largest, agal_largest) * ", "), agal_largest)"],
        &["pow(abs(", "), ", ")"]
    ), Power;
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

/// The helper function of `nrm`, which is written before `main`: its name, and its last line by both rules.
pub(crate) const NORMALIZE_NAME: &str = "agal_nrm";
pub(crate) const NORMALIZE: Pieces = limited(
    &["    return v * min(inversesqrt(dot(v, v)), agal_largest);\n"],
    &["    float d = dot(v, v);\n    return d > 0.0 ? v * inversesqrt(d) : vec3(0.0);\n"],
);

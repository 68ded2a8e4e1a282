//! The formulas of arithmetic opcodes and their accuracy. [`interp`](crate::interp) and the translators implement the
//! formulas independently, except for zero, infinity and NaN, whose rules are in [`float`](crate::float)
//! ([agal.float.rules]):
//!
//! | opcode | operand | result |
//! |---|---|---|
//! | `sqt`, `rsq`, `log`, `pow` | negative | the result for the absolute value |
//! | `neg` | zero | +0, because it is computed as 0 - x |
//! | `frc` | negative | `s - floor(s)`, from 0 to 1 (1 if a tiny negative number is rounded up) |
//! | `sat` | NaN | 0, as Direct3D's `_sat` |
//! | `sge`, `slt`, `seq` | NaN | 0 |
//! | `sne` | NaN | 1 |
//! | `ife`, `ifg`, `ifl`; `ine` | NaN | the branch is not taken; it is taken |
//! | `kil` | zero of either sign, NaN | not discarded, because only negative numbers discard |
//! | index | fraction | rounded to nearest, ties to even, like `mova` (open: ARB programs round down) |
//! | index | out of bounds; NaN | the nearest constant of the bank; the first constant |
//!
//! Drivers may flush denormals to zero. Only `mov` and `abs` keep the sign of zero. [`Accuracy`] limits the error of a
//! driver's result.

use agal_core::WriteMask;
use agal_core::overflow::OverflowEffect;

/// The maximum difference between a driver's result and the interpreter's, depending on the operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// No difference, except for the sign of zero and the bits of NaN.
    Exact,
    /// A number of units in the last place of the result.
    Ulps(f32),
    /// Units in the last place of the sum of the products' magnitudes, because additions may cancel.
    Products(f32),
    /// The error of `exp`: 3 + 2|x| units in the last place.
    Exponential,
    /// The error of `log`: 3 units in the last place, or 2⁻²¹ between 0.5 and 2.
    Logarithm,
    /// The error of `pow`: the errors of a logarithm, a product and an exponential.
    Power,
    /// The error of `sin` and `cos` is 2⁻¹¹ up to π; above π, the error of a range reduction in single precision is
    /// added.
    Angle,
    /// The error of texture reads depends on filter and image; in this table, it is 0.
    Texture,
}

use Accuracy::{Angle, Exact, Exponential, Logarithm, Power, Ulps};
use OverflowEffect::{Ends, Keeps, Product, Sum};

const STARTS: OverflowEffect = OverflowEffect::Starts(WriteMask::ALL);

// If no OpenGL standard gives a precision, this table uses Vulkan's ("Precision and Operation of SPIR-V Instructions"),
// which drivers of both APIs satisfy. Sums and products are correctly rounded, but a compiler may fuse a product with
// the following sum.
agal_core::table! {
    /// Formulas of opcodes with one source, evaluated for each component.
    pub enum UnaryFormula {
        /// Returns the maximum difference between a driver's result and the interpreter's.
        accuracy: Accuracy,
        /// Returns the effect on limited values.
        overflow: OverflowEffect,
    }
    Mov Exact, Keeps(0);
    Rcp Ulps(2.5), STARTS;
    Frc Ulps(1.0), Ends;
    // In Direct3D 9, `sqt` is computed as `rcp` of `rsq` ([agal.native.sqt]).
    Sqt Ulps(4.0), STARTS;
    Rsq Ulps(4.0), STARTS;
    Log Logarithm, STARTS;
    Exp Exponential, STARTS;
    Sin Angle, Ends;
    Cos Angle, Ends;
    Abs Exact, Keeps(0);
    Neg Exact, Keeps(0);
    Sat Exact, Ends;
    Sgn Exact, Ends;
}

/// The direction of a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// The difference between horizontal neighbours.
    X,
    /// The difference between vertical neighbours.
    Y,
}

agal_core::table! {
    /// Formulas of opcodes with two sources, evaluated for each component.
    pub enum BinaryFormula {
        /// Returns the maximum difference between a driver's result and the interpreter's.
        accuracy: Accuracy,
        /// Returns the effect on limited values.
        overflow: OverflowEffect,
    }
    Add Ulps(1.0), Sum;
    Sub Ulps(1.0), Sum;
    Mul Ulps(1.0), Product;
    // The division multiplies by a reciprocal, so it rounds twice ([agal.div.lowering]).
    Div Ulps(4.0), STARTS;
    Min Exact, Keeps(0);
    Max Exact, Keeps(0);
    // GLSL's `pow` is undefined for base 0 with an exponent of 0 or less.
    Pow Power, STARTS;
}

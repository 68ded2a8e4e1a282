//! The formulas of arithmetic opcodes and their accuracy. [`interp`](crate::interp) and the writers of shader languages
//! implement them independently, but for the edges that [`float`](crate::float) defines ([agal.float.rules]):
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
    /// `pow`: the errors of a logarithm, a product and an exponential.
    Power,
    /// `sin`, `cos`: 2⁻¹¹ up to π; beyond it, also the error of a reduction in single precision.
    Angle,
    /// Texture reads: depends on filter and image; 0 in this table.
    Texture,
}

use Accuracy::{Angle, Exact, Exponential, Logarithm, Power, Ulps};

// If no OpenGL standard gives a number, Vulkan's is used ("Precision and Operation of SPIR-V Instructions"), which
// drivers of both satisfy. Sums and products are correctly rounded, but a compiler may fuse a product with the
// following sum.
agal_core::table! {
    /// Formula and accuracy of an opcode for each component of one source.
    pub enum UnaryFormula {
        /// Returns the maximum difference between a driver's result and the interpreter's.
        accuracy: Accuracy,
    }
    Mov Exact;
    Rcp Ulps(2.5);
    Frc Ulps(1.0);
    Sqt Ulps(4.0);
    Rsq Ulps(4.0);
    Log Logarithm;
    Exp Exponential;
    Sin Angle;
    Cos Angle;
    Abs Exact;
    Neg Exact;
    Sat Exact;
    Sgn Exact;
}

agal_core::table! {
    /// Formula and accuracy of an opcode that computes a derivative.
    pub enum Derivative {
        /// Returns the maximum difference between a driver's result and the interpreter's.
        accuracy: Accuracy,
    }
    X Ulps(1.0);
    Y Ulps(1.0);
}

agal_core::table! {
    /// Formula and accuracy of an opcode for each component of two sources.
    pub enum BinaryFormula {
        /// Returns the maximum difference between a driver's result and the interpreter's.
        accuracy: Accuracy,
    }
    Add Ulps(1.0);
    Sub Ulps(1.0);
    Mul Ulps(1.0);
    // A product with a reciprocal has two roundings ([agal.div.lowering]).
    Div Ulps(4.0);
    Min Exact;
    Max Exact;
    // `pow` itself is undefined for a base of 0 and a power of 0 or less.
    Pow Power;
}

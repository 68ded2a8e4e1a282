//! What each arithmetic opcode computes where arithmetic has edges: GLSL text around the sources `a` and `b`, which
//! [`interp`](crate::interp) follows in its own words.
//!
//! Adobe's text says nothing about the edge cases (agal.md section 4.3, all unverified). Flash ran on Direct3D 9 first,
//! and its content was made against that, so Direct3D 9's shader-model definitions are what is meant here:
//!
//! | opcode | edge | result |
//! |---|---|---|
//! | `pow` | negative base | power of the absolute value |
//! | `pow` | zero to the power of zero or less, NaN | undefined, in GLSL too |
//! | `log` | negative, zero | log2 of the absolute value; -infinity |
//! | `sqt`, `rsq` | negative | of the absolute value |
//! | `rsq`, `rcp`, `div` | zero | infinity, as IEEE 754 has it |
//! | `nrm` | zero vector, NaN | zero |
//! | `frc` | negative | `s - floor(s)`, so still 0..1 (1 where a tiny negative rounds up) |
//! | `min`, `max`, `sat` | NaN | undefined, in GLSL too |
//! | `sge`, `slt`, `seq` | NaN | 0 |
//! | `sne` | NaN | 1 |
//! | `ife`, `ifg`, `ifl`; `ine` | NaN | not taken; taken |
//! | `kil` | NaN | not discarded |
//! | index | fraction; outside the bank | truncated towards zero; the nearest constant of the bank |
//!
//! Denormals may be flushed to zero, the sign of zero is kept by `mov`, `abs` and `neg` only, and
//! [`Accuracy`] says how exact each opcode is.

/// How far a driver's result may be from the interpreter's, from what the opcode was given.
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

macro_rules! formulas {
    ($(#[$doc:meta])* $name:ident; $($formula:ident $before:literal a $middle:literal $(b $after:literal)?, $accuracy:expr;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = concat!("`", $before, "a", $middle, $("b", $after,)? "`")] $formula,)*
        }

        impl $name {
            /// The GLSL around the sources, which are single terms and need no parentheses.
            pub(crate) fn pieces(self) -> &'static [&'static str] {
                match self {
                    $($name::$formula => &[$before, $middle $(, $after)?],)*
                }
            }

            /// How far a driver's result may be from the interpreter's.
            pub fn accuracy(self) -> Accuracy {
                match self {
                    $($name::$formula => $accuracy,)*
                }
            }
        }
    };
}

use Accuracy::{Angle, Exact, Exponential, Logarithm, Power, Ulps};

// Where no standard of OpenGL gives a number, that of Vulkan is taken ("Precision and Operation of SPIR-V Instructions"),
// which is what drivers of both keep. Sums and products are correctly rounded by themselves, but a compiler may fuse a
// product with the sum behind it.
formulas! {
    /// How an opcode computes each component of one source, as GLSL, and how exactly.
    UnaryFormula;
    Mov "" a "",                  Exact;
    Rcp "1.0 / " a "",            Ulps(2.5);
    Frc "fract(" a ")",           Ulps(1.0);
    Sqt "sqrt(abs(" a "))",       Ulps(4.0);
    Rsq "inversesqrt(abs(" a "))", Ulps(4.0);
    Log "log2(abs(" a "))",       Logarithm;
    Exp "exp2(" a ")",            Exponential;
    Sin "sin(" a ")",             Angle;
    Cos "cos(" a ")",             Angle;
    Abs "abs(" a ")",             Exact;
    Neg "-" a "",                 Exact;
    Sat "clamp(" a ", 0.0, 1.0)", Exact;
    Sgn "sign(" a ")",            Exact;
}

formulas! {
    /// How an opcode computes the difference to a neighbouring fragment, as GLSL, and how exactly.
    Derivative;
    X "dFdx(" a ")", Ulps(1.0);
    // The sign: in Flash, window y grows downwards as in Direct3D. Our surfaces have their top row first in memory and the
    // vertex shader mirrors y, so GL's window y, which grows with memory rows, grows downwards too: no negation.
    // (agal.md section 4.3 derives the other sign for a bottom-left frame buffer.)
    Y "dFdy(" a ")", Ulps(1.0);
}

formulas! {
    /// How an opcode computes each component of two sources, as GLSL, and how exactly.
    BinaryFormula;
    Add "" a " + " b "",             Ulps(1.0);
    Sub "" a " - " b "",             Ulps(1.0);
    Mul "" a " * " b "",             Ulps(1.0);
    Div "" a " / " b "",             Ulps(2.5);
    Min "min(" a ", " b ")",         Exact;
    Max "max(" a ", " b ")",         Exact;
    Pow "pow(abs(" a "), " b ")",    Power;
}

/// The helper behind `nrm`: its name and its body.
pub(crate) const NORMALIZE_NAME: &str = "agal_nrm";
/// Written out in front of `main` where `nrm` is used.
pub(crate) const NORMALIZE_BODY: &str = "\
vec3 agal_nrm(vec3 v) {
    float d = dot(v, v);
    return d > 0.0 ? v * inversesqrt(d) : vec3(0.0);
}
";

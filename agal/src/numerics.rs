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
//! [`accuracy`](crate::interp::accuracy) says how exact each opcode is.

use crate::text::Word;

macro_rules! after {
    () => {
        None
    };
    ($after:literal) => {
        Some(Word::new($after))
    };
}

macro_rules! formulas {
    ($($formula:ident $before:literal a $middle:literal $(b $after:literal)?;)*) => {
        /// How an opcode computes each component, as GLSL.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Formula {
            $(#[doc = concat!("`", $before, "a", $middle, $("b", $after,)? "`")] $formula,)*
        }

        impl Formula {
            /// The text around the sources, which are single terms and need no parentheses.
            pub(crate) fn pieces(self) -> &'static Pieces {
                match self {
                    $(Formula::$formula => const { &Pieces {
                        before: Word::new($before),
                        middle: Word::new($middle),
                        after: after!($($after)?),
                    } },)*
                }
            }
        }
    };
}

/// What stands before the first source, behind it, and, where there is a second one, behind that.
pub(crate) struct Pieces {
    pub(crate) before: Word,
    pub(crate) middle: Word,
    pub(crate) after: Option<Word>,
}

formulas! {
    Mov "" a "";
    Add "" a " + " b "";
    Sub "" a " - " b "";
    Mul "" a " * " b "";
    Div "" a " / " b "";
    Rcp "1.0 / " a "";
    Min "min(" a ", " b ")";
    Max "max(" a ", " b ")";
    Frc "fract(" a ")";
    Sqt "sqrt(abs(" a "))";
    Rsq "inversesqrt(abs(" a "))";
    Pow "pow(abs(" a "), " b ")";
    Log "log2(abs(" a "))";
    Exp "exp2(" a ")";
    Sin "sin(" a ")";
    Cos "cos(" a ")";
    Abs "abs(" a ")";
    Neg "-" a "";
    Sat "clamp(" a ", 0.0, 1.0)";
    Sgn "sign(" a ")";
    Ddx "dFdx(" a ")";
    // The sign: in Flash, window y grows downwards as in Direct3D. Our surfaces have their top row first in memory and the
    // vertex shader mirrors y, so GL's window y, which grows with memory rows, grows downwards too: no negation.
    // (agal.md section 4.3 derives the other sign for a bottom-left frame buffer.)
    Ddy "dFdy(" a ")";
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

/// How far the position is moved to the left and down, in clip space: about a twenty-thousandth of a pixel.
///
/// Where a texel's edge falls exactly on a pixel's centre, Flash Player takes the texel to the right and above (the
/// interpolated coordinate is not below the edge; capture sampler), while a driver's rounding errors take either. This
/// settles it, and is too small to move a triangle's edge: drivers place vertices on a grid of 1/256 pixel.
pub const TIE: &str = "2.0e-7";

/// Added to the level of detail where the mip filter is `mipnearest`: Flash takes the level below it, drivers the nearest.
///
/// The witness is capture bitmap: its picture shows levels of detail of 0.50 and 0.64 drawn from level 0. (Its reference
/// does not list the picture among those whose origin in Flash Player is stated, and another emulator, which has no
/// mipmaps, draws the same: unverified.) The program's own mip filter decides, because GL ES has no bias in samplers: a
/// `setSamplerStateAt` that changes it does not change this.
pub const MIP_NEAREST_BIAS: f32 = -0.5;

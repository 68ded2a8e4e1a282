//! Formulas of arithmetic opcodes as GLSL over the sources `a`, `b`, `c`; the interpreter implements them separately.

/// The values that `sincos` of model 2 needs in its constants ([d3d9.value.sincos]).
pub(crate) const SINCOS: [[f32; 4]; 2] = [
    [-1.550_099_2e-6, -2.170_139e-5, 0.002_604_166_7, 0.000_260_416_68],
    [-0.020_833_334, -0.125, 1.0, 0.5],
];

/// The limits of a result by the float rules of Direct3D 9 ([agal.float.rules]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    No,
    /// The largest float and its negative.
    Both,
    /// The largest float, of what is never below zero.
    Above,
}

use Limit::{Above, Both, No};

// Edge cases: [d3d9.value.zero] [d3d9.value.rsq] [d3d9.value.frc]. Comparisons are ordered: with NaN they are false.
shader_core::table! {
    /// A function of one to three sources.
    pub enum Formula {
        /// GLSL for two to four components: `$a`, `$b`, `$c` are the sources (single terms), `$v` the type of the
        /// result.
        vector: &'static str,
        /// Returns the GLSL for one component.
        scalar: &'static str,
        /// Returns the limits of the result.
        limit: Limit,
    }
    Mov "$a", "$a", No;
    Add "$a + $b", "$a + $b", No;
    Sub "$a - $b", "$a - $b", No;
    Mad "$a * $b + $c", "$a * $b + $c", No;
    Mul "$a * $b", "$a * $b", No;
    Rcp "1.0 / $a", "1.0 / $a", Both;
    Rsq "inversesqrt(abs($a))", "inversesqrt(abs($a))", Above;
    Min "min($a, $b)", "min($a, $b)", No;
    Max "max($a, $b)", "max($a, $b)", No;
    Slt "$v(lessThan($a, $b))", "float($a < $b)", No;
    Sge "$v(greaterThanEqual($a, $b))", "float($a >= $b)", No;
    Exp "exp2($a)", "exp2($a)", Above;
    Log "log2(abs($a))", "log2(abs($a))", Both;
    Pow "d3d9_pow($a, $b)", "d3d9_pow($a, $b)", No;
    Lrp "$c + $a * ($b - $c)", "$c + $a * ($b - $c)", No;
    Frc "fract($a)", "fract($a)", No;
    Abs "abs($a)", "abs($a)", No;
    Cmp "mix($c, $b, greaterThanEqual($a, $v(0.0)))", "$a >= 0.0 ? $b : $c", No;
}

//! Formulas of arithmetic opcodes as GLSL with the sources `a`, `b`, `c`. The interpreter implements each formula
//! independently of this GLSL.

use agal_core::WriteMask;
use agal_core::float::ResultLimit::{self, Above, Both};
use agal_core::overflow::OverflowEffect::{self, Ends, Keeps, Product, Sum};

const STARTS: OverflowEffect = OverflowEffect::Starts(WriteMask::ALL);

/// The constants that `sincos` of model 2 takes as operands ([d3d9.value.sincos]).
pub(crate) const SINCOS: [[f32; 4]; 2] = [
    [-1.550_099_2e-6, -2.170_139e-5, 0.002_604_166_7, 0.000_260_416_68],
    [-0.020_833_334, -0.125, 1.0, 0.5],
];

// Edge cases: [d3d9.value.zero] [d3d9.value.rsq] [d3d9.value.frc]. Comparisons with NaN are false.
agal_core::table! {
    /// An arithmetic function of one to three sources.
    pub enum Formula {
        /// Returns the GLSL for two to four components, as a [template](agal_core::output::pieces): `$a`, `$b`, `$c`
        /// are the sources (single terms), `$v` is the result type.
        vector: &'static str,
        /// Returns the formula's GLSL for a result of one component.
        scalar: &'static str,
        /// Returns how the float rules limit the result.
        limit: ResultLimit,
        /// Returns the effect on limited values.
        overflow: OverflowEffect,
    }
    Mov "$a", "$a", ResultLimit::None, Keeps(0);
    Add "$a + $b", "$a + $b", ResultLimit::None, Sum;
    Sub "$a - $b", "$a - $b", ResultLimit::None, Sum;
    Mad "$a * $b + $c", "$a * $b + $c", ResultLimit::None, Product;
    Mul "$a * $b", "$a * $b", ResultLimit::None, Product;
    Rcp "1.0 / $a", "1.0 / $a", Both, STARTS;
    Rsq "inversesqrt(abs($a))", "inversesqrt(abs($a))", Above, STARTS;
    Min "min($a, $b)", "min($a, $b)", ResultLimit::None, Keeps(0);
    Max "max($a, $b)", "max($a, $b)", ResultLimit::None, Keeps(0);
    Slt "$v(lessThan($a, $b))", "float($a < $b)", ResultLimit::None, Ends;
    Sge "$v(greaterThanEqual($a, $b))", "float($a >= $b)", ResultLimit::None, Ends;
    Exp "exp2($a)", "exp2($a)", Above, STARTS;
    Log "log2(abs($a))", "log2(abs($a))", Both, STARTS;
    Pow "d3d9_pow($a, $b)", "d3d9_pow($a, $b)", ResultLimit::None, STARTS;
    Lrp "$c + $a * ($b - $c)", "$c + $a * ($b - $c)", ResultLimit::None, Product;
    Frc "fract($a)", "fract($a)", ResultLimit::None, Ends;
    Abs "abs($a)", "abs($a)", ResultLimit::None, Keeps(0);
    Cmp "mix($c, $b, greaterThanEqual($a, $v(0.0)))", "$a >= 0.0 ? $b : $c", ResultLimit::None, Keeps(1);
}

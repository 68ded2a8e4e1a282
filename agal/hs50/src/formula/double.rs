//! Formulas of instructions on doubles. A double is stored in two components, the low dword first
//! ([hs50.opcode.allowed]; sm5-opcodes.tsv).
//!
//! In the GLSL template, `$a` is the first source as `double` or `uint`, `$Fa` as `float`, and `$Ia` as `int`.

use super::alu::{BitsOf, f, low, to_float, to_int, to_uint};
use crate::tokens::opcode::HullOpcode;

/// The bits of a double; 32-bit values occupy the low dword.
type DoubleBits = u64;

pub(crate) struct DoubleFormula {
    pub(crate) eval: fn([DoubleBits; 3]) -> DoubleBits,
    pub(crate) glsl: &'static str,
}

macro_rules! doubles {
    ($($opcode:ident $sources:pat => $result:expr; $glsl:literal)*) => {
        /// Returns the formula of an opcode, or `None` if the opcode isn't in this table.
        pub(crate) fn double(opcode: HullOpcode) -> Option<&'static DoubleFormula> {
            Some(match opcode {
                $(HullOpcode::$opcode => &const {
                    DoubleFormula { eval: |$sources| BitsOf::bits($result), glsl: $glsl } },)*
                _ => return None,
            })
        }
    };
}

fn d(bits: DoubleBits) -> f64 {
    f64::from_bits(bits)
}

doubles! {
    Dadd [a, b, _] => d(a) + d(b); "$a + $b"
    Dmul [a, b, _] => d(a) * d(b); "$a * $b"
    Ddiv [a, b, _] => d(a) / d(b); "$a / $b"
    Dfma [a, b, c] => d(a).mul_add(d(b), d(c)); "fma($a, $b, $c)"
    Drcp [a, ..] => d(a).recip(); "1.0lf / $a"
    Dmin [a, b, _] => d(a).min(d(b)); "hs_dmin($a, $b)"
    Dmax [a, b, _] => d(a).max(d(b)); "hs_dmax($a, $b)"
    Dmov [a, ..] => d(a); "$a"
    Dmovc [c, a, b] => if low(c) != 0 { d(a) } else { d(b) }; "($a != 0u ? $b : $c)"
    Deq [a, b, _] => d(a) == d(b); "$a == $b"
    Dne [a, b, _] => d(a) != d(b); "!($a == $b)"
    Dlt [a, b, _] => d(a) < d(b); "$a < $b"
    Dge [a, b, _] => d(a) >= d(b); "$a >= $b"
    Dtof [a, ..] => to_float(d(a)); "float($a)"
    Dtoi [a, ..] => to_int(d(a)); "hs_dtoi($a)"
    Dtou [a, ..] => to_uint(d(a)); "hs_dtou($a)"
    Ftod [a, ..] => f64::from(f(low(a))); "double($Fa)"
    Itod [a, ..] => f64::from(low(a).cast_signed()); "double($Ia)"
    Utod [a, ..] => f64::from(low(a)); "double($a)"
}

#[cfg(test)]
#[path = "../../tests/unit/double.rs"]
mod tests;

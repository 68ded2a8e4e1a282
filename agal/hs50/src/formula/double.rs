//! Semantics of instructions on doubles: each takes a pair of components, low word first ([hs50.opcode.allowed];
//! sm5-opcodes.tsv).
//!
//! In the GLSL, `{D0}` is source 0 as `double`; `{F0}`, `{I0}`, `{U0}` are scalars of those types.

use super::alu::{Bits, f, low, to_float, to_int, to_uint};
use crate::tokens::opcode::Opcode;

/// The source or result of a pair; 32-bit values are in the low word.
type Word = u64;

pub(crate) struct Double {
    pub(crate) eval: fn([Word; 3]) -> Word,
    pub(crate) glsl: &'static str,
}

macro_rules! doubles {
    ($($opcode:ident $sources:pat => $result:expr; $glsl:literal)*) => {
        /// The row of an opcode; `None` for opcodes outside of this table.
        pub(crate) fn double(opcode: Opcode) -> Option<&'static Double> {
            Some(match opcode {
                $(Opcode::$opcode => &const { Double { eval: |$sources| Bits::bits($result), glsl: $glsl } },)*
                _ => return None,
            })
        }
    };
}

fn d(bits: Word) -> f64 {
    f64::from_bits(bits)
}

doubles! {
    Dadd [a, b, _] => d(a) + d(b); "{D0} + {D1}"
    Dmul [a, b, _] => d(a) * d(b); "{D0} * {D1}"
    Ddiv [a, b, _] => d(a) / d(b); "{D0} / {D1}"
    Dfma [a, b, c] => d(a).mul_add(d(b), d(c)); "fma({D0}, {D1}, {D2})"
    Drcp [a, ..] => d(a).recip(); "1.0lf / {D0}"
    Dmin [a, b, _] => d(a).min(d(b)); "hs_dmin({D0}, {D1})"
    Dmax [a, b, _] => d(a).max(d(b)); "hs_dmax({D0}, {D1})"
    Dmov [a, ..] => d(a); "{D0}"
    Dmovc [c, a, b] => if low(c) != 0 { d(a) } else { d(b) }; "({U0} != 0u ? {D1} : {D2})"
    Deq [a, b, _] => d(a) == d(b); "{D0} == {D1}"
    Dne [a, b, _] => d(a) != d(b); "!({D0} == {D1})"
    Dlt [a, b, _] => d(a) < d(b); "{D0} < {D1}"
    Dge [a, b, _] => d(a) >= d(b); "{D0} >= {D1}"
    Dtof [a, ..] => to_float(d(a)); "float({D0})"
    Dtoi [a, ..] => to_int(d(a)); "hs_dtoi({D0})"
    Dtou [a, ..] => to_uint(d(a)); "hs_dtou({D0})"
    Ftod [a, ..] => f64::from(f(low(a))); "double({F0})"
    Itod [a, ..] => f64::from(low(a).cast_signed()); "double({I0})"
    Utod [a, ..] => f64::from(low(a)); "double({U0})"
}

#[cfg(test)]
#[path = "../../tests/unit/double.rs"]
mod tests;

//! Instructions that compute a 32-bit value per component: a Rust function for the interpreter, and a GLSL expression
//! on vectors for the GLSL emitter ([hs50.value.bits] [hs50.value.integers]).
//!
//! In the GLSL [template](agal_core::output::pieces), `$Fa` is the first source as `vec4`, `$Ia` as `ivec4`, `$a` as
//! `uvec4`. The result has the destination's type: `vec4`, `ivec4` or `uvec4`; comparisons return `bvec4`.

use half::f16;

use crate::tokens::opcode::HullOpcode;
use crate::words::halves;

/// The source values of one component, as bits; surplus values are ignored.
type Sources = [u32; 4];

#[derive(Clone, Copy)]
pub(crate) struct Alu {
    /// Computes the opcode's results from the values of the sources, as 32-bit words. Opcodes with one destination
    /// ignore the second result.
    pub(crate) eval: fn(Sources) -> [u32; 2],
    pub(crate) glsl: [&'static str; 2],
}

macro_rules! alu {
    ($($opcode:ident $sources:pat => $first:expr $(, $second:expr)?; $glsl:literal $($more:literal)?)*) => {
        /// Returns the formula of an opcode, or `None` if the opcode isn't in this table.
        pub(crate) fn alu(opcode: HullOpcode) -> Option<&'static Alu> {
            Some(match opcode {
                $(HullOpcode::$opcode => &const { Alu {
                    eval: |$sources| [low(BitsOf::bits($first)), 0 $(| low(BitsOf::bits($second)))?],
                    glsl: [$glsl, concat!($($more)?)],
                } },)*
                _ => return None,
            })
        }
    };
}

/// Converts a formula's result to bits; a 32-bit result occupies the low half.
pub(crate) trait BitsOf {
    fn bits(self) -> u64;
}
macro_rules! bits {
    ($($type:ty: $value:ident => $bits:expr;)*) => {
        $(impl BitsOf for $type {
            fn bits(self) -> u64 {
                let $value = self;
                $bits
            }
        })*
    };
}
bits! {
    u32: value => value.into();
    i32: value => value.cast_unsigned().into();
    f32: value => flush(value).to_bits().into();
    f64: value => value.to_bits();
    bool: value => if value { u32::MAX.into() } else { 0 };
}

/// Flushes denormals to zero and preserves the sign.
pub(crate) fn flush(value: f32) -> f32 {
    if value.is_subnormal() { 0.0f32.copysign(value) } else { value }
}

pub(crate) fn f(bits: u32) -> f32 {
    flush(f32::from_bits(bits))
}

fn i(bits: u32) -> i32 {
    bits.cast_signed()
}

pub(crate) fn low(wide: u64) -> u32 {
    halves(wide)[0]
}

fn high(wide: u64) -> u32 {
    halves(wide)[1]
}

fn smul(a: u32, b: u32) -> u64 {
    i64::from(i(a)).wrapping_mul(i64::from(i(b))).cast_unsigned()
}

fn umul(a: u32, b: u32) -> u64 {
    u64::from(a).wrapping_mul(u64::from(b))
}

fn field(width: u32) -> u32 {
    (1u32 << (width & 31)).wrapping_sub(1)
}

pub(crate) use cast::{to_float, to_int, to_uint};

mod cast {
    #![expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "integers: toward zero, saturating, 0 of NaN; floats: to nearest even"
    )]

    pub(crate) fn to_int(value: impl Into<f64>) -> i32 {
        value.into() as i32
    }
    pub(crate) fn to_uint(value: impl Into<f64>) -> u32 {
        value.into() as u32
    }
    pub(crate) fn to_float(value: f64) -> f32 {
        value as f32
    }
}

/// Converts a float to a half float; rounds to nearest even. [hs50.value.half]
fn to_half(bits: u32) -> u32 {
    f16::from_f32(f32::from_bits(bits)).to_bits().into()
}

/// Converts a half float, stored in the low 16 bits, to a float.
fn from_half(bits: u32) -> f32 {
    let [low, high, ..] = bits.to_le_bytes();
    f16::from_le_bytes([low, high]).to_f32()
}

/// Implements `msad`, the masked sum of absolute differences of bytes. The sum omits bytes that are zero in
/// `reference`.
fn msad(reference: u32, source: u32, sum: u32) -> u32 {
    let bytes = reference.to_le_bytes().into_iter().zip(source.to_le_bytes());
    let counted = bytes.filter(|(reference, _)| *reference != 0);
    let differences = counted.map(|(reference, source)| u32::from(reference.abs_diff(source)));
    differences.fold(sum, u32::wrapping_add)
}

alu! {
    Mov [a, ..] => a; "$a"
    Movc [c, a, b, _] => if c != 0 { a } else { b }; "hs_select(notEqual($a, uvec4(0u)), $b, $c)"
    Swapc [c, a, b, _] => if c != 0 { b } else { a }, if c != 0 { a } else { b };
        "hs_select(notEqual($a, uvec4(0u)), $c, $b)" "hs_select(notEqual($a, uvec4(0u)), $b, $c)"

    Add [a, b, ..] => f(a) + f(b); "$Fa + $Fb"
    Mul [a, b, ..] => f(a) * f(b); "$Fa * $Fb"
    Div [a, b, ..] => f(a) / f(b); "$Fa / $Fb"
    Mad [a, b, c, _] => flush(f(a) * f(b)) + f(c); "hs_mad($Fa, $Fb, $Fc)"
    Min [a, b, ..] => f(a).min(f(b)); "hs_min($Fa, $Fb)"
    Max [a, b, ..] => f(a).max(f(b)); "hs_max($Fa, $Fb)"
    Frc [a, ..] => f(a) - f(a).floor(); "$Fa - floor($Fa)"
    RoundNe [a, ..] => f(a).round_ties_even(); "roundEven($Fa)"
    RoundNi [a, ..] => f(a).floor(); "floor($Fa)"
    RoundPi [a, ..] => f(a).ceil(); "ceil($Fa)"
    RoundZ [a, ..] => f(a).trunc(); "trunc($Fa)"
    Exp [a, ..] => f(a).exp2(); "exp2($Fa)"
    Log [a, ..] => f(a).log2(); "hs_log($Fa)"
    Sqrt [a, ..] => f(a).sqrt(); "sqrt($Fa)"
    // Adding 0.0 turns -0 into 0, because `rsq` doesn't treat -0 as negative.
    Rsq [a, ..] => (f(a) + 0.0).sqrt().recip(); "hs_rsq($Fa)"
    Rcp [a, ..] => f(a).recip(); "1.0 / $Fa"
    Sincos [a, ..] => f(a).sin(), f(a).cos(); "sin($Fa)" "cos($Fa)"

    Eq [a, b, ..] => f(a) == f(b); "equal($Fa, $Fb)"
    Ne [a, b, ..] => f(a) != f(b); "not(equal($Fa, $Fb))"
    Lt [a, b, ..] => f(a) < f(b); "lessThan($Fa, $Fb)"
    Ge [a, b, ..] => f(a) >= f(b); "greaterThanEqual($Fa, $Fb)"
    Ieq [a, b, ..] => a == b; "equal($a, $b)"
    Ine [a, b, ..] => a != b; "notEqual($a, $b)"
    Ilt [a, b, ..] => i(a) < i(b); "lessThan($Ia, $Ib)"
    Ige [a, b, ..] => i(a) >= i(b); "greaterThanEqual($Ia, $Ib)"
    Ult [a, b, ..] => a < b; "lessThan($a, $b)"
    Uge [a, b, ..] => a >= b; "greaterThanEqual($a, $b)"

    Iadd [a, b, ..] => a.wrapping_add(b); "ivec4($a + $b)"
    Imad [a, b, c, _] => a.wrapping_mul(b).wrapping_add(c); "ivec4($a * $b + $c)"
    Imax [a, b, ..] => i(a).max(i(b)); "max($Ia, $Ib)"
    Imin [a, b, ..] => i(a).min(i(b)); "min($Ia, $Ib)"
    Imul [a, b, ..] => high(smul(a, b)), low(smul(a, b)); "hs_imul_high($Ia, $Ib)" "ivec4($a * $b)"
    Ineg [a, ..] => a.wrapping_neg(); "ivec4(~$a + 1u)"
    Ishl [a, b, ..] => a << (b & 31); "ivec4($a << ($b & 31u))"
    Ishr [a, b, ..] => i(a) >> (b & 31); "$Ia >> ivec4($b & 31u)"
    Ushr [a, b, ..] => a >> (b & 31); "$a >> ($b & 31u)"
    Udiv [a, b, ..] => a.checked_div(b).unwrap_or(u32::MAX), a.checked_rem(b).unwrap_or(u32::MAX);
        "hs_udiv($a, $b)" "hs_umod($a, $b)"
    Umul [a, b, ..] => high(umul(a, b)), low(umul(a, b)); "hs_umul_high($a, $b)" "$a * $b"
    Umad [a, b, c, _] => a.wrapping_mul(b).wrapping_add(c); "$a * $b + $c"
    Umax [a, b, ..] => a.max(b); "max($a, $b)"
    Umin [a, b, ..] => a.min(b); "min($a, $b)"
    Uaddc [a, b, ..] => a.wrapping_add(b), u32::from(a.checked_add(b).is_none());
        "$a + $b" "uvec4(lessThan($a + $b, $a))"
    Usubb [a, b, ..] => a.wrapping_sub(b), u32::from(a < b); "$a - $b" "uvec4(lessThan($a, $b))"
    Msad [a, b, c, _] => msad(a, b, c); "hs_msad($a, $b, $c)"

    And [a, b, ..] => a & b; "$a & $b"
    Or [a, b, ..] => a | b; "$a | $b"
    Xor [a, b, ..] => a ^ b; "$a ^ $b"
    Not [a, ..] => !a; "~$a"
    Countbits [a, ..] => a.count_ones(); "uvec4(bitCount($a))"
    FirstbitHi [a, ..] => if a == 0 { u32::MAX } else { a.leading_zeros() }; "hs_firstbit_hi($a)"
    FirstbitLo [a, ..] => if a == 0 { u32::MAX } else { a.trailing_zeros() }; "uvec4(findLSB($a))"
    FirstbitShi [a, ..] => match a ^ (i(a) >> 31).cast_unsigned() { 0 => u32::MAX, bits => bits.leading_zeros() };
        "hs_firstbit_hi($a ^ uvec4($Ia >> 31))"
    Ubfe [w, o, v, _] => v >> (o & 31) & field(w); "hs_ubfe($a, $b, $c)"
    Ibfe [w, o, v, _] => ibfe(w & 31, o & 31, v); "hs_ibfe($a, $b, $c)"
    Bfi [w, o, a, b] => { let mask = field(w) << (o & 31); (a << (o & 31) & mask) | (b & !mask) };
        "hs_bfi($a, $b, $c, $d)"
    Bfrev [a, ..] => a.reverse_bits(); "bitfieldReverse($a)"

    Ftoi [a, ..] => to_int(f(a)); "hs_ftoi($Fa)"
    Ftou [a, ..] => to_uint(f(a)); "hs_ftou($Fa)"
    Itof [a, ..] => to_float(f64::from(i(a))); "vec4($Ia)"
    Utof [a, ..] => to_float(f64::from(a)); "vec4($a)"
    F32tof16 [a, ..] => to_half(a); "hs_f32tof16($Fa)"
    F16tof32 [a, ..] => from_half(a); "hs_f16tof32($a)"
}

/// Extracts a signed bit field; a field that exceeds the dword ends at bit 31.
fn ibfe(width: u32, offset: u32, value: u32) -> i32 {
    match (width, width.wrapping_add(offset)) {
        (0, _) => 0,
        (_, 32..) => i(value) >> offset,
        (_, end) => i(value << 32u32.wrapping_sub(end)) >> 32u32.wrapping_sub(width),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/alu.rs"]
mod tests;

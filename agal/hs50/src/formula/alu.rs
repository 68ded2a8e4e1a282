//! The semantics of instructions that compute one 32-bit value per component: for the interpreter a function of one
//! component's sources, for the GLSL emitter an expression on whole vectors ([hs50.value.bits] [hs50.value.integers]).
//!
//! In the GLSL, `{F0}` is source 0 as `vec4`, `{I0}` as `ivec4`, `{U0}` as `uvec4`. The result has the destination's
//! type: `vec4`, `ivec4` or `uvec4`; comparisons give `bvec4`.

use half::f16;

use crate::tokens::opcode::Opcode;
use crate::words::halves;

/// The sources of one component, as bits; opcodes with fewer sources ignore the rest.
type Sources = [u32; 4];

#[derive(Clone, Copy)]
pub(crate) struct Alu {
    /// Computes the results, as bits; only opcodes with two destinations have a second one.
    pub(crate) eval: fn(Sources) -> [u32; 2],
    pub(crate) glsl: [&'static str; 2],
}

macro_rules! alu {
    ($($opcode:ident $sources:pat => $first:expr $(, $second:expr)?; $glsl:literal $($more:literal)?)*) => {
        /// The row of an opcode; `None` for opcodes outside of this table.
        pub(crate) fn alu(opcode: Opcode) -> Option<&'static Alu> {
            Some(match opcode {
                $(Opcode::$opcode => &const { Alu {
                    eval: |$sources| [low(Bits::bits($first)), 0 $(| low(Bits::bits($second)))?],
                    glsl: [$glsl, concat!($($more)?)],
                } },)*
                _ => return None,
            })
        }
    };
}

/// Converts a formula's result to bits; 32-bit results are the low half.
pub(crate) trait Bits {
    fn bits(self) -> u64;
}
macro_rules! bits {
    ($($type:ty: $value:ident => $bits:expr;)*) => {
        $(impl Bits for $type {
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

/// Flushes denormals to zeros of the same sign.
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

/// Converts a float to a half float, rounding to nearest even. [hs50.value.half]
fn to_half(bits: u32) -> u32 {
    f16::from_f32(f32::from_bits(bits)).to_bits().into()
}

/// Converts the low half of a word, a half float, to a float.
fn from_half(bits: u32) -> f32 {
    let [low, high, ..] = bits.to_le_bytes();
    f16::from_le_bytes([low, high]).to_f32()
}

/// Masked sum of absolute differences of bytes: reference bytes that are 0 are masked out.
fn msad(reference: u32, source: u32, sum: u32) -> u32 {
    let bytes = reference.to_le_bytes().into_iter().zip(source.to_le_bytes());
    let counted = bytes.filter(|(reference, _)| *reference != 0);
    let differences = counted.map(|(reference, source)| u32::from(reference.abs_diff(source)));
    differences.fold(sum, u32::wrapping_add)
}

alu! {
    Mov [a, ..] => a; "{U0}"
    Movc [c, a, b, _] => if c != 0 { a } else { b }; "hs_select(notEqual({U0}, uvec4(0u)), {U1}, {U2})"
    Swapc [c, a, b, _] => if c != 0 { b } else { a }, if c != 0 { a } else { b };
        "hs_select(notEqual({U0}, uvec4(0u)), {U2}, {U1})" "hs_select(notEqual({U0}, uvec4(0u)), {U1}, {U2})"

    Add [a, b, ..] => f(a) + f(b); "{F0} + {F1}"
    Mul [a, b, ..] => f(a) * f(b); "{F0} * {F1}"
    Div [a, b, ..] => f(a) / f(b); "{F0} / {F1}"
    Mad [a, b, c, _] => flush(f(a) * f(b)) + f(c); "hs_mad({F0}, {F1}, {F2})"
    Min [a, b, ..] => f(a).min(f(b)); "hs_min({F0}, {F1})"
    Max [a, b, ..] => f(a).max(f(b)); "hs_max({F0}, {F1})"
    Frc [a, ..] => f(a) - f(a).floor(); "{F0} - floor({F0})"
    RoundNe [a, ..] => f(a).round_ties_even(); "roundEven({F0})"
    RoundNi [a, ..] => f(a).floor(); "floor({F0})"
    RoundPi [a, ..] => f(a).ceil(); "ceil({F0})"
    RoundZ [a, ..] => f(a).trunc(); "trunc({F0})"
    Exp [a, ..] => f(a).exp2(); "exp2({F0})"
    Log [a, ..] => f(a).log2(); "hs_log({F0})"
    Sqrt [a, ..] => f(a).sqrt(); "sqrt({F0})"
    // The sum removes the sign of -0, which `rsq` does not treat as negative.
    Rsq [a, ..] => (f(a) + 0.0).sqrt().recip(); "hs_rsq({F0})"
    Rcp [a, ..] => f(a).recip(); "1.0 / {F0}"
    Sincos [a, ..] => f(a).sin(), f(a).cos(); "sin({F0})" "cos({F0})"

    Eq [a, b, ..] => f(a) == f(b); "equal({F0}, {F1})"
    Ne [a, b, ..] => f(a) != f(b); "not(equal({F0}, {F1}))"
    Lt [a, b, ..] => f(a) < f(b); "lessThan({F0}, {F1})"
    Ge [a, b, ..] => f(a) >= f(b); "greaterThanEqual({F0}, {F1})"
    Ieq [a, b, ..] => a == b; "equal({U0}, {U1})"
    Ine [a, b, ..] => a != b; "notEqual({U0}, {U1})"
    Ilt [a, b, ..] => i(a) < i(b); "lessThan({I0}, {I1})"
    Ige [a, b, ..] => i(a) >= i(b); "greaterThanEqual({I0}, {I1})"
    Ult [a, b, ..] => a < b; "lessThan({U0}, {U1})"
    Uge [a, b, ..] => a >= b; "greaterThanEqual({U0}, {U1})"

    Iadd [a, b, ..] => a.wrapping_add(b); "ivec4({U0} + {U1})"
    Imad [a, b, c, _] => a.wrapping_mul(b).wrapping_add(c); "ivec4({U0} * {U1} + {U2})"
    Imax [a, b, ..] => i(a).max(i(b)); "max({I0}, {I1})"
    Imin [a, b, ..] => i(a).min(i(b)); "min({I0}, {I1})"
    Imul [a, b, ..] => high(smul(a, b)), low(smul(a, b)); "hs_imul_high({I0}, {I1})" "ivec4({U0} * {U1})"
    Ineg [a, ..] => a.wrapping_neg(); "ivec4(~{U0} + 1u)"
    Ishl [a, b, ..] => a << (b & 31); "ivec4({U0} << ({U1} & 31u))"
    Ishr [a, b, ..] => i(a) >> (b & 31); "{I0} >> ivec4({U1} & 31u)"
    Ushr [a, b, ..] => a >> (b & 31); "{U0} >> ({U1} & 31u)"
    Udiv [a, b, ..] => a.checked_div(b).unwrap_or(u32::MAX), a.checked_rem(b).unwrap_or(u32::MAX);
        "hs_udiv({U0}, {U1})" "hs_umod({U0}, {U1})"
    Umul [a, b, ..] => high(umul(a, b)), low(umul(a, b)); "hs_umul_high({U0}, {U1})" "{U0} * {U1}"
    Umad [a, b, c, _] => a.wrapping_mul(b).wrapping_add(c); "{U0} * {U1} + {U2}"
    Umax [a, b, ..] => a.max(b); "max({U0}, {U1})"
    Umin [a, b, ..] => a.min(b); "min({U0}, {U1})"
    Uaddc [a, b, ..] => a.wrapping_add(b), u32::from(a.checked_add(b).is_none());
        "{U0} + {U1}" "uvec4(lessThan({U0} + {U1}, {U0}))"
    Usubb [a, b, ..] => a.wrapping_sub(b), u32::from(a < b); "{U0} - {U1}" "uvec4(lessThan({U0}, {U1}))"
    Msad [a, b, c, _] => msad(a, b, c); "hs_msad({U0}, {U1}, {U2})"

    And [a, b, ..] => a & b; "{U0} & {U1}"
    Or [a, b, ..] => a | b; "{U0} | {U1}"
    Xor [a, b, ..] => a ^ b; "{U0} ^ {U1}"
    Not [a, ..] => !a; "~{U0}"
    Countbits [a, ..] => a.count_ones(); "uvec4(bitCount({U0}))"
    FirstbitHi [a, ..] => if a == 0 { u32::MAX } else { a.leading_zeros() }; "hs_firstbit_hi({U0})"
    FirstbitLo [a, ..] => if a == 0 { u32::MAX } else { a.trailing_zeros() }; "uvec4(findLSB({U0}))"
    FirstbitShi [a, ..] => match a ^ (i(a) >> 31).cast_unsigned() { 0 => u32::MAX, bits => bits.leading_zeros() };
        "hs_firstbit_hi({U0} ^ uvec4({I0} >> 31))"
    Ubfe [w, o, v, _] => v >> (o & 31) & field(w); "hs_ubfe({U0}, {U1}, {U2})"
    Ibfe [w, o, v, _] => ibfe(w & 31, o & 31, v); "hs_ibfe({U0}, {U1}, {U2})"
    Bfi [w, o, a, b] => { let mask = field(w) << (o & 31); (a << (o & 31) & mask) | (b & !mask) };
        "hs_bfi({U0}, {U1}, {U2}, {U3})"
    Bfrev [a, ..] => a.reverse_bits(); "bitfieldReverse({U0})"

    Ftoi [a, ..] => to_int(f(a)); "hs_ftoi({F0})"
    Ftou [a, ..] => to_uint(f(a)); "hs_ftou({F0})"
    Itof [a, ..] => to_float(f64::from(i(a))); "vec4({I0})"
    Utof [a, ..] => to_float(f64::from(a)); "vec4({U0})"
    F32tof16 [a, ..] => to_half(a); "hs_f32tof16({F0})"
    F16tof32 [a, ..] => from_half(a); "hs_f16tof32({U0})"
}

/// Sign-extends a bit field; a field that exceeds the word ends at its top bit.
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

//! The semantics of instructions that compute one 32-bit value per component: for the interpreter a function of one
//! component's sources, for the GLSL emitter an expression on whole vectors (hs-5-0.md, 4.2 and 5.3; sm5-opcodes.tsv).
//!
//! In the GLSL, `{F0}` is source 0 as `vec4`, `{I0}` as `ivec4`, `{U0}` as `uvec4`. The result has the destination's
//! type: `vec4`, `ivec4` or `uvec4`; comparisons give `bvec4`.

use half::f16;

use crate::opcode::Opcode;

/// The sources of one component, as bits; opcodes with fewer sources ignore the rest.
type Sources = [u32; 4];

/// A row of the table.
#[derive(Clone, Copy)]
pub(crate) struct Alu {
    /// Computes the results, as bits; only opcodes with two destinations have a second one.
    pub(crate) eval: fn(Sources) -> [u32; 2],
    /// The same as GLSL expressions.
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
impl Bits for u32 {
    fn bits(self) -> u64 {
        self.into()
    }
}
impl Bits for i32 {
    fn bits(self) -> u64 {
        self.cast_unsigned().into()
    }
}
impl Bits for f32 {
    fn bits(self) -> u64 {
        flush(self).to_bits().into()
    }
}
impl Bits for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
}
impl Bits for bool {
    fn bits(self) -> u64 {
        if self { u32::MAX.into() } else { 0 }
    }
}

/// Flushes denormals to zeros of the same sign.
pub(crate) fn flush(value: f32) -> f32 {
    if value.is_subnormal() { 0.0f32.copysign(value) } else { value }
}

/// Reads bits as a float and flushes denormals.
pub(crate) fn f(bits: u32) -> f32 {
    flush(f32::from_bits(bits))
}

fn i(bits: u32) -> i32 {
    bits.cast_signed()
}

/// The low 32 bits.
pub(crate) fn low(wide: u64) -> u32 {
    u32::try_from(wide & 0xffff_ffff).unwrap_or(0)
}

fn high(wide: u64) -> u32 {
    low(wide >> 32)
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

use cast::{from_int, from_uint};
pub(crate) use cast::{to_float, to_int, to_uint};

/// Conversions that are meant to round and saturate.
mod cast {
    #![expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
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
    pub(super) fn from_int(value: i32) -> f32 {
        value as f32
    }
    pub(super) fn from_uint(value: u32) -> f32 {
        value as f32
    }
}

/// Converts a float to a half float, rounding to nearest even. The reference doesn't say how to round (unverified).
fn to_half(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        bits >> 16 & 0x8000 | 0x7e00
    } else {
        f16::from_f32(value).to_bits().into()
    }
}

/// Converts a half float, in the low 16 bits, to a float.
fn from_half(bits: u32) -> f32 {
    let [low, high, ..] = bits.to_le_bytes();
    f16::from_le_bytes([low, high]).into()
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
    Rsq [a, ..] => f(a).abs_zero().sqrt().recip(); "hs_rsq({F0})"
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
    Itof [a, ..] => from_int(i(a)); "vec4({I0})"
    Utof [a, ..] => from_uint(a); "vec4({U0})"
    F32tof16 [a, ..] => to_half(a); "hs_f32tof16({F0})"
    F16tof32 [a, ..] => from_half(a); "hs_f16tof32({U0})"
}

/// Removes the sign of -0, which `rsq` doesn't treat as negative.
trait AbsZero {
    fn abs_zero(self) -> Self;
}
impl AbsZero for f32 {
    fn abs_zero(self) -> f32 {
        if self == 0.0 { 0.0 } else { self }
    }
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
mod tests {
    use super::*;
    use crate::opcode::{Allowed, Category};

    #[test]
    fn every_plain_opcode_has_a_row() {
        use Opcode::{Dp2, Dp3, Dp4};
        for opcode in Opcode::ALL {
            let info = opcode.info();
            let doubles = matches!(info.allowed, Allowed::Double | Allowed::Double11);
            let plain = match info.category {
                Category::Float | Category::Int | Category::Uint | Category::Bit => true,
                Category::Compare | Category::Convert | Category::Move => !doubles,
                _ => false,
            };
            let row = alu(*opcode);
            assert_eq!(row.is_some(), plain && !matches!(opcode, Dp2 | Dp3 | Dp4), "{}", info.name);
            if let Some(row) = row {
                assert_eq!(row.glsl[1].is_empty(), info.destinations.len() < 2, "{}", info.name);
            }
        }
    }

    #[test]
    fn formulas_give_what_the_table_says() {
        let eval = |opcode, sources| (alu(opcode).unwrap().eval)(sources);
        let one = |opcode, sources: [u32; 4]| eval(opcode, sources)[0];
        let bits = f32::to_bits;
        let nan = f32::NAN.to_bits();
        assert_eq!(one(Opcode::Min, [nan, bits(3.0), 0, 0]), bits(3.0));
        assert_eq!(one(Opcode::Max, [bits(3.0), nan, 0, 0]), bits(3.0));
        assert_eq!(one(Opcode::Ne, [nan, nan, 0, 0]), u32::MAX);
        assert_eq!(one(Opcode::Add, [1, 1, 0, 0]), 0, "denormals are zero");
        assert_eq!(one(Opcode::Mov, [1, 0, 0, 0]), 1, "but not to mov");
        assert_eq!(one(Opcode::Ftoi, [bits(-1e20), 0, 0, 0]), 0x8000_0000);
        assert_eq!(one(Opcode::Ftou, [bits(-1.0), 0, 0, 0]), 0);
        assert_eq!(one(Opcode::Ftou, [nan, 0, 0, 0]), 0);
        assert_eq!(one(Opcode::RoundNe, [bits(2.5), 0, 0, 0]), bits(2.0));
        assert_eq!(eval(Opcode::Udiv, [7, 0, 0, 0]), [u32::MAX; 2]);
        assert_eq!(eval(Opcode::Udiv, [7, 2, 0, 0]), [3, 1]);
        assert_eq!(eval(Opcode::Imul, [u32::MAX, 2, 0, 0]), [u32::MAX, u32::MAX - 1]);
        assert_eq!(eval(Opcode::Umul, [u32::MAX, 2, 0, 0]), [1, u32::MAX - 1]);
        assert_eq!(eval(Opcode::Swapc, [1, 5, 6, 0]), [6, 5]);
        assert_eq!(one(Opcode::FirstbitHi, [0x1000_0000, 0, 0, 0]), 3);
        assert_eq!(one(Opcode::FirstbitShi, [0xf000_0000, 0, 0, 0]), 4);
        assert_eq!(one(Opcode::FirstbitShi, [u32::MAX, 0, 0, 0]), u32::MAX);
        assert_eq!(one(Opcode::Ibfe, [4, 4, 0xf0, 0]), u32::MAX);
        assert_eq!(one(Opcode::Ubfe, [4, 4, 0xa5, 0]), 0xa);
        assert_eq!(one(Opcode::Ubfe, [32, 4, 0xa5, 0]), 0, "the width has 5 bits");
        assert_eq!(one(Opcode::Bfi, [4, 8, 0xa, 0xffff_ffff]), 0xffff_faff);
        assert_eq!(one(Opcode::Ishl, [1, 33, 0, 0]), 2);
        assert_eq!(one(Opcode::Msad, [0x0001_0203, 0x0905_0505, 10, 0]), 10 + 4 + 3 + 2);
        for (float, half) in [
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (1e9, 0x7c00),
            (6e-8, 1),
            (0.1, 0x2e66),
        ] {
            assert_eq!(one(Opcode::F32tof16, [bits(float), 0, 0, 0]), half, "{float}");
        }
        for half in 0..=0xffff {
            let float = one(Opcode::F16tof32, [half, 0, 0, 0]);
            let again = one(Opcode::F32tof16, [float, 0, 0, 0]);
            assert!(
                again == half || f32::from_bits(float).is_nan(),
                "{half:x} {float:x} {again:x}"
            );
        }
    }
}

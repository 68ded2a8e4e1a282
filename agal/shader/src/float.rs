//! Float rules: the results of arithmetic with zero, infinity and NaN ([agal.float.rules]). Both interpreters call this
//! module's functions, so the interpreters can't disagree. The GLSL writers express the float rules in GLSL.

crate::table! {
    /// The results of arithmetic with zero, infinity and NaN ([agal.float.rules]).
    #[derive(Default)]
    pub enum FloatRules {
        /// Returns the name of the rules on command lines.
        name: &'static str => from_name(&str) as Display,
    }
    /// The rules of Direct3D 9, for which Flash's content was made. Results of `rcp`, `rsq`, `log`, `exp` and of
    /// opcodes defined by these are limited to the largest float; so are sums and products of such results. Thus 0
    /// times the result of `rcp` for 0 is 0.
    #[default]
    Direct3D9 "direct3d9";
    /// The rules of IEEE 754, with infinities and NaN.
    Ieee "ieee";
}

/// The limit of a result by the float rules of Direct3D 9 ([agal.float.rules]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultLimit {
    /// The result of the operation may be infinite.
    None,
    /// The largest float is the limit of a result that is never negative.
    Above,
    /// The largest float and its negative are the limits.
    Both,
}

/// The largest finite float.
pub const LARGEST: f32 = f32::MAX;

/// [`LARGEST`] as a GLSL literal. The decimal number is slightly below the largest float, so that no compiler
/// overflows, and rounds to it.
pub const GLSL_LARGEST: &str = "3.4028234e38";

/// Returns the smaller number, or `b` if either is NaN: a select, as Direct3D 9 defines `min` ([agal.min.nan]).
#[inline(always)]
pub fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Returns the greater number, or `b` if either is NaN: a select, as Direct3D 9 defines `max` ([agal.min.nan]).
#[inline(always)]
pub fn max(a: f32, b: f32) -> f32 {
    if a >= b { a } else { b }
}

impl FloatRules {
    /// Returns the limit that these float rules set for a result. `limit` is the limit of the result by Direct3D 9's
    /// rules.
    #[inline]
    pub fn limit(self, limit: ResultLimit) -> ResultLimit {
        match self {
            FloatRules::Direct3D9 => limit,
            FloatRules::Ieee => ResultLimit::None,
        }
    }

    /// Returns 1 / a ([agal.rcp.zero]).
    #[inline(always)]
    pub fn rcp(self, a: f32) -> f32 {
        self.limited(1.0 / a)
    }

    /// Returns 1 over the square root of the absolute value ([agal.rcp.zero]).
    #[inline(always)]
    pub fn rsq(self, a: f32) -> f32 {
        self.limited_above(1.0 / a.abs().sqrt())
    }

    /// Returns a times the reciprocal of b, limited; under IEEE's rules, the quotient ([agal.div.zero]).
    #[inline(always)]
    pub fn div(self, a: f32, b: f32) -> f32 {
        match self {
            FloatRules::Direct3D9 => self.limited(a * self.rcp(b)),
            FloatRules::Ieee => a / b,
        }
    }

    /// Returns the base-2 logarithm of the absolute value of a ([agal.log.zero]).
    #[inline(always)]
    pub fn log(self, a: f32) -> f32 {
        self.limited(a.abs().log2())
    }

    /// Returns 2 to the power of a ([agal.exp.overflow]).
    #[inline(always)]
    pub fn exp(self, a: f32) -> f32 {
        self.limited_above(a.exp2())
    }

    /// Returns the absolute value of a to the power of b: `exp` of b times `log` of a, but more precise
    /// ([agal.pow.zero]).
    #[inline(always)]
    pub fn pow(self, a: f32, b: f32) -> f32 {
        let a = a.abs();
        if self == FloatRules::Ieee || (a > 0.0 && a.is_finite() && b.is_finite()) {
            self.limited_above(a.powf(b))
        } else {
            self.exp(self.log(a) * b)
        }
    }

    /// Returns a component of a normalized vector; `sum` is the sum of the vector's squares ([agal.nrm.zero]).
    #[inline(always)]
    pub fn nrm(self, component: f32, sum: f32) -> f32 {
        match self {
            FloatRules::Direct3D9 => component * self.rsq(sum),
            FloatRules::Ieee if sum > 0.0 => component * self.rsq(sum),
            FloatRules::Ieee => 0.0,
        }
    }

    /// Limits a result to the range of finite floats ([agal.float.sums]).
    #[inline(always)]
    pub fn limited(self, value: f32) -> f32 {
        match self {
            FloatRules::Direct3D9 => self.limited_above(max(value, -LARGEST)),
            FloatRules::Ieee => value,
        }
    }

    /// Limits a result that is never negative to the largest float.
    #[inline(always)]
    fn limited_above(self, value: f32) -> f32 {
        match self {
            FloatRules::Direct3D9 => min(value, LARGEST),
            FloatRules::Ieee => value,
        }
    }
}

//! Float rules: the results of arithmetic at the edges ([agal.float.rules]). Both interpreters call these functions, so
//! they can't disagree. The GLSL writers follow the same table.

crate::table! {
    /// The rules of arithmetic at the edges ([agal.float.rules]).
    /// The rules of arithmetic at the edges of floats: zero, infinity and NaN.
    #[derive(Default)]
    pub enum FloatRules {
        /// Returns the name on command lines.
        name: &'static str => from_name(&str) as Display,
    }
    /// Those of Direct3D 9, for which Flash's content was made: results of `rcp`, `rsq`, `log`, `exp` and of opcodes
    /// that are defined by these, and sums and products of such results, are limited to the largest float. Thus 0 times
    /// such a result is 0.
    #[default]
    Direct3D9 "direct3d9";
    /// Those of IEEE 754: infinities and NaN.
    Ieee "ieee";
}

/// The limit of a result by the float rules of Direct3D 9 ([agal.float.rules]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// No limit.
    None,
    /// The largest float, of a result that is never below zero.
    Above,
    /// The largest float and its negative.
    Both,
}

/// The largest finite float.
pub const LARGEST: f32 = f32::MAX;

/// [`LARGEST`] as GLSL: the nearest float is the largest one, and the number is below it, so that no compiler
/// overflows.
pub const GLSL_LARGEST: &str = "3.4028234e38";

/// Returns the smaller one, and `b` if either is NaN: a select, as Direct3D 9 defines `min` ([agal.min.nan]).
#[inline(always)]
pub fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Returns the greater one, and `b` if either is NaN: a select, as Direct3D 9 defines `max` ([agal.min.nan]).
#[inline(always)]
pub fn max(a: f32, b: f32) -> f32 {
    if a >= b { a } else { b }
}

impl FloatRules {
    /// Returns the limit that these rules set where those of Direct3D 9 set this one.
    #[inline]
    pub fn limit(self, limit: Limit) -> Limit {
        match self {
            FloatRules::Direct3D9 => limit,
            FloatRules::Ieee => Limit::None,
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

    /// Returns a times the reciprocal of b, limited; under IEEE's rules the quotient ([agal.div.zero]).
    #[inline(always)]
    pub fn div(self, a: f32, b: f32) -> f32 {
        match self {
            FloatRules::Direct3D9 => self.limited(a * self.rcp(b)),
            FloatRules::Ieee => a / b,
        }
    }

    /// Returns the logarithm of the absolute value to the base 2 ([agal.log.zero]).
    #[inline(always)]
    pub fn log(self, a: f32) -> f32 {
        self.limited(a.abs().log2())
    }

    /// Returns 2 to the power of a ([agal.exp.overflow]).
    #[inline(always)]
    pub fn exp(self, a: f32) -> f32 {
        self.limited_above(a.exp2())
    }

    /// Returns the absolute value of a to the power of b: `exp` of b times `log` of a, but with more digits
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

    /// Returns a component of a vector divided by the vector's length, from the sum of the squares ([agal.nrm.zero]).
    #[inline(always)]
    pub fn nrm(self, component: f32, sum: f32) -> f32 {
        match self {
            FloatRules::Direct3D9 => component * self.rsq(sum),
            FloatRules::Ieee if sum > 0.0 => component * self.rsq(sum),
            FloatRules::Ieee => 0.0,
        }
    }

    /// Limits a result to the largest float of either sign ([agal.float.sums]).
    #[inline(always)]
    pub fn limited(self, value: f32) -> f32 {
        match self {
            FloatRules::Direct3D9 => self.limited_above(max(value, -LARGEST)),
            FloatRules::Ieee => value,
        }
    }

    /// Limits a value that is never below zero.
    #[inline(always)]
    fn limited_above(self, value: f32) -> f32 {
        match self {
            FloatRules::Direct3D9 => min(value, LARGEST),
            FloatRules::Ieee => value,
        }
    }
}

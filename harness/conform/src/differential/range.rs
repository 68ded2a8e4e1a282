//! Ranges of allowed results.

use agal::interp::lanes::saturate;

/// The interpreter's result with the range of allowed values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultRange {
    pub nominal: f32,
    low: f32,
    high: f32,
    /// True if the runs returned both NaN and numbers, or different values so large that a driver may overflow.
    unbounded: bool,
}

/// The factor by which the range is widened, because a few dozen runs underestimate it.
const WIDEN: f32 = 3.0;
/// The minimum widening, in units in the last place of the largest value.
const ULPS: f32 = 2.0;
/// Values beyond this bound may overflow on another driver, or in another order of operations.
const NEAR_OVERFLOW: f32 = f32::MAX / 16.0;

impl ResultRange {
    pub(super) fn new(nominal: f32) -> Self {
        ResultRange { nominal, low: nominal, high: nominal, unbounded: false }
    }

    /// Returns whether a value is the interpreter's own result.
    pub(super) fn is(&self, value: f32) -> bool {
        value == self.nominal || value.is_nan() && self.nominal.is_nan()
    }

    /// Extends the range to the value of another run.
    pub(super) fn include(&mut self, value: f32) {
        let beyond = value.abs() > NEAR_OVERFLOW && value != self.nominal;
        if value.is_nan() != self.nominal.is_nan() || beyond {
            self.unbounded = true;
        } else {
            self.low = self.low.min(value);
            self.high = self.high.max(value);
        }
    }

    /// Returns whether the result is undefined, so that it must not be compared.
    pub(super) fn is_undefined(&self) -> bool {
        self.unbounded || (self.nominal.is_infinite() && self.low != self.high)
    }

    /// Returns whether the driver's value is within the range.
    pub(super) fn admits(&self, value: f32) -> bool {
        if self.is(value) {
            return true;
        }
        if self.low == self.high {
            // All operations are exact, but a denormal may be zero.
            return (value - self.nominal).abs() < f32::MIN_POSITIVE;
        }
        let most = self.low.abs().max(self.high.abs());
        if value.is_infinite() {
            // An infinity is allowed if the divisor may have been zero.
            return self.high - self.low > most / 2.0;
        }
        let slack = (self.high - self.low) * WIDEN + most * f32::EPSILON * ULPS + f32::MIN_POSITIVE;
        (self.low - slack..=self.high + slack).contains(&value)
    }

    /// Clamps the range to 0 to 1, like a depth value. NaN becomes 0 [agal.float.stored_nan].
    pub(super) fn clamped(self) -> Self {
        let [nominal, low, high] = [self.nominal, self.low, self.high].map(saturate);
        ResultRange { nominal, low, high, ..self }
    }

    pub fn range(&self) -> (f32, f32) {
        (self.low, self.high)
    }
}

//! The ranges of results that a driver may return.

use agal::interp::lanes::saturate;

/// The interpreter's exact result, with the range of values that a driver may return.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultRange {
    pub nominal: f32,
    low: f32,
    high: f32,
    /// True if runs returned both NaN and numbers, or different values that are large enough to overflow.
    unbounded: bool,
}

/// The factor by which the range is widened, because a few dozen random runs don't reach its ends.
const WIDEN: f32 = 3.0;
/// The minimum widening of the range, in units in the last place of its largest value.
const ULPS: f32 = 2.0;
/// The bound above which a value may overflow on another driver, or if operations are reordered.
const NEAR_OVERFLOW: f32 = f32::MAX / 16.0;

impl ResultRange {
    pub(super) fn new(nominal: f32) -> Self {
        ResultRange { nominal, low: nominal, high: nominal, unbounded: false }
    }

    /// Returns whether a value equals the interpreter's exact result.
    pub(super) fn is(&self, value: f32) -> bool {
        value == self.nominal || value.is_nan() && self.nominal.is_nan()
    }

    /// Extends the range of allowed results to include a value.
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
            // All runs returned one value, so the driver's value may differ only by flushing a denormal.
            return (value - self.nominal).abs() < f32::MIN_POSITIVE;
        }
        let most = self.low.abs().max(self.high.abs());
        if value.is_infinite() {
            // An infinite result is allowed if the divisor may have been zero.
            return self.high - self.low > most / 2.0;
        }
        let slack = (self.high - self.low) * WIDEN + most * f32::EPSILON * ULPS + f32::MIN_POSITIVE;
        (self.low - slack..=self.high + slack).contains(&value)
    }

    /// Clamps the allowed range to 0 to 1, like depth values. NaN becomes 0 [agal.float.stored_nan].
    pub(super) fn clamped(self) -> Self {
        let [nominal, low, high] = [self.nominal, self.low, self.high].map(saturate);
        ResultRange { nominal, low, high, ..self }
    }

    pub fn range(&self) -> (f32, f32) {
        (self.low, self.high)
    }
}

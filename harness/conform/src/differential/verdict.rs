//! Ranges of results, and whether a value lies in one.

/// How much was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Programs that ran on the driver, in one dialect each, and agreed.
    pub programs: u64,
    /// Numbers compared.
    pub compared: u64,
    /// Numbers that AGAL or GLSL leave open.
    pub open: u64,
    /// Programs that a dialect can't express.
    pub missing: u64,
}

impl Tally {
    /// Adds another one.
    pub fn add(&mut self, other: Tally) {
        self.programs += other.programs;
        self.compared += other.compared;
        self.open += other.open;
        self.missing += other.missing;
    }
}

/// A number that should be in a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// What the interpreter gives.
    pub nominal: f32,
    low: f32,
    high: f32,
    /// Some run gave NaN, or infinities of both kinds, or came so close to the end of the range that a driver may well
    /// have gone beyond.
    wild: bool,
}

/// Ranges are made of a few dozen runs: the true ones are larger.
const WIDEN: f32 = 3.0;
/// Units in the last place of the largest number that a range is widened by anyhow.
const ULPS: f32 = 2.0;

/// Numbers beyond this may overflow somewhere else, or in another order of operations.
const NEAR_THE_END: f32 = f32::MAX / 16.0;

impl Value {
    pub(super) fn new(nominal: f32) -> Self {
        Value {
            nominal,
            low: nominal,
            high: nominal,
            wild: nominal.is_nan(),
        }
    }

    /// Another run gave this.
    pub(super) fn see(&mut self, value: f32) {
        let beyond = value.abs() > NEAR_THE_END && value != self.nominal;
        if value.is_nan() || beyond {
            self.wild = true;
        } else {
            self.low = self.low.min(value);
            self.high = self.high.max(value);
        }
    }

    /// Whether the value may be compared at all.
    pub(super) fn is_open(&self) -> bool {
        self.wild || (self.nominal.is_infinite() && self.low != self.high)
    }

    /// Whether the driver's value is as good as the interpreter's.
    pub(super) fn admits(&self, value: f32) -> bool {
        if value == self.nominal {
            return true;
        }
        if self.low == self.high {
            return false; // nothing inexact has a part in it
        }
        let most = self.low.abs().max(self.high.abs());
        if value.is_infinite() {
            // One over what may as well be zero.
            return self.high - self.low > most / 2.0;
        }
        let slack = (self.high - self.low) * WIDEN + most * f32::EPSILON * ULPS + f32::MIN_POSITIVE;
        (self.low - slack..=self.high + slack).contains(&value)
    }

    /// The same value clamped, as a depth buffer does it.
    pub(super) fn clamped(self) -> Self {
        let clamp = |value: f32| value.clamp(0.0, 1.0);
        Value {
            nominal: clamp(self.nominal),
            low: clamp(self.low),
            high: clamp(self.high),
            ..self
        }
    }

    /// The range that was found.
    pub fn range(&self) -> (f32, f32) {
        (self.low, self.high)
    }
}

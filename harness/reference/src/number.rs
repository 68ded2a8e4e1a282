//! Numeric conversions that are defined for every input.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "float casts saturate and make NaN 0, which is what each function promises; the integers are small"
)]

use context3d::agal::interp::lanes::{map, unzip};
use context3d::agal::interp::{LANES, LaneValues};
use half::f16;

pub(super) const DEPTH_MAX: u32 = (1 << 24) - 1;

/// Converts 0..1 to 0..`most`, rounded to the nearest (Direct3D's rule for UNORM). NaN becomes 0.
pub(super) fn unorm(value: f32, most: u8) -> u8 {
    // `clamp` would return NaN for NaN.
    let positive = if value > 0.0 { value } else { 0.0 };
    let clamped = if positive < 1.0 { positive } else { 1.0 };
    split_small(clamped * f32::from(most) + 0.5).0 as u8
}

/// Converts a depth of 0..1 to 24 bits, rounded to the nearest. NaN becomes 0.
pub(super) fn depth(value: f64) -> u32 {
    (value.clamp(0.0, 1.0) * f64::from(DEPTH_MAX) + 0.5) as u32
}

/// Rounds down to an integer; NaN becomes 0.
pub(super) fn floor(value: f32) -> i32 {
    // A cast is faster than `f32::floor` on processors without a rounding instruction.
    let whole = value as i32;
    whole.saturating_sub(i32::from(whole as f32 > value))
}

/// Rounds down to an integer, and also returns the fraction.
pub(super) fn split(value: f32) -> (i32, f32) {
    let whole = floor(value);
    // Floats of at least 2^23 have no fraction.
    let rest = if value.abs() < 8_388_608.0 {
        value - whole as f32
    } else if value.is_finite() {
        0.0
    } else {
        f32::NAN
    };
    (whole, rest)
}

/// Rounds down to an integer and returns the fraction, like [`split`], but only for magnitudes below 2^22. Unlike
/// `split`, uses only operations with SIMD instructions.
fn split_small(value: f32) -> (i32, f32) {
    // Adding 1.5 × 2^23 rounds the sum to an integer, which is in the sum's lowest bits.
    const SHIFT: f32 = 12_582_912.0; // 1.5 × 2^23
    let shifted = value + SHIFT;
    let nearest = shifted - SHIFT;
    let above = nearest > value;
    let whole = shifted.to_bits() as i32 - SHIFT.to_bits() as i32 - i32::from(above);
    let floor = nearest - if above { 1.0 } else { 0.0 };
    (whole, value - floor)
}

pub(super) fn split_lanes(values: LaneValues) -> ([i32; LANES], LaneValues) {
    let [a, b, c, d] = map(values, |value| value.abs() < 4_194_304.0);
    if a & b & c & d { unzip(map(values, split_small)) } else { unzip(map(values, split)) }
}

/// Converts a coordinate to units of 1/256, rounded; NaN becomes 0.
pub(super) fn fixed(pixels: f64) -> i64 {
    (pixels * 256.0 + 0.5).floor() as i64
}

pub(super) fn real(value: i64) -> f64 {
    value as f64
}

/// Converts a width or height of at most 16384 texels to a float.
pub(super) fn side(value: u32) -> f32 {
    value as f32
}

pub(super) fn small(value: i32) -> f32 {
    value as f32
}

/// Converts a signed position in a list to an index. A negative position becomes an index that is out of range for
/// every list.
pub(super) fn index(value: i64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// Converts a 32-bit count to `usize`. Counts above `usize::MAX` become `usize::MAX`.
pub(super) fn length(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

pub(super) fn pixel(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

pub(super) fn half_to_float(half: u16) -> f32 {
    f16::from_bits(half).to_f32()
}

/// Converts a float to the nearest half float, ties to even. Values that are too large become infinity, as in IEEE 754.
pub(super) fn float_to_half(value: f32) -> u16 {
    f16::from_f32(value).to_bits()
}

#[cfg(test)]
#[path = "../tests/unit/number.rs"]
mod tests;

//! Register values in answers.

use serde::{Serialize, Serializer};

/// A component of a register. It is serialized with the fewest digits that give the same float; NaN and infinities as
/// strings, because JSON has no numbers for them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Number(pub f32);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.0.to_string();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => serializer.serialize_f64(number),
            _ => serializer.serialize_str(&text),
        }
    }
}

pub(crate) fn numbers(values: [f32; 4]) -> [Number; 4] {
    values.map(Number)
}

/// Formats values as `1, 0, 0, 1`.
pub(crate) fn text(values: &[f32]) -> String {
    values.iter().map(f32::to_string).collect::<Vec<_>>().join(", ")
}

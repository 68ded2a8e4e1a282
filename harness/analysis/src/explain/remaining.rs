//! How a picture differs from the expected one, in numbers and words.

use std::fmt;

use molehill_replay::image::Comparison;
use serde::Serialize;

use crate::number::count;

/// How a picture differs from the expected one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Remaining {
    /// Pixels that differ by more than the tolerance.
    pub differing: u64,
    /// Those of them that lie on an edge, which antialiasing or a move by a pixel explains.
    pub edges: u64,
    /// Others that differ by so little that rounding and filtering explain it.
    pub rounding: u64,
    /// Whether edges and rounding explain the difference.
    pub only_edges: bool,
}

impl From<&Comparison> for Remaining {
    fn from(comparison: &Comparison) -> Self {
        Remaining {
            differing: comparison.differing,
            edges: comparison.moved + comparison.blended,
            rounding: comparison.rounded,
            only_edges: comparison.is_equal_but_for_edges(),
        }
    }
}

impl Remaining {
    /// Returns the explained parts as the end of a sentence: `, 30 of them at antialiased edges`.
    pub fn reasons(&self) -> String {
        let Remaining { differing, edges, rounding, .. } = *self;
        let parts = [(edges, "at antialiased edges"), (rounding, "by rounding")];
        let part = |(number, why)| match number {
            0 => String::new(),
            number if number == differing => format!(", all {why}"),
            number => format!(", {} of them {why}", count(number)),
        };
        parts.into_iter().map(part).collect()
    }

    /// Returns `120 pixels differ`.
    pub fn pixels(&self) -> String {
        let words = if self.differing == 1 { "pixel differs" } else { "pixels differ" };
        format!("{} {words}", count(self.differing))
    }
}

impl fmt::Display for Remaining {
    /// Formats `120 pixels differ, 30 of them at antialiased edges`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.pixels(), self.reasons())
    }
}

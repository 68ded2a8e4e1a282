//! The tessellator's conversion of factors (hs-5-0.md, 4.3).

use std::cmp::Ordering;

use crate::hull::Hull;
use crate::names::{Domain, Partitioning};

/// The tessellator's conversion of a patch's factors.
#[derive(Clone, Debug, PartialEq)]
pub enum Tessellation {
    /// The patch is culled: an edge factor is 0, negative or NaN.
    Culled,
    /// The factors used: clamped, and rounded up if the partitioning is integer.
    Tessellated {
        /// Edge factors in the order of [`Domain::edges`].
        edges: Vec<f32>,
        /// Inside factors in the order of [`Domain::insides`].
        insides: Vec<f32>,
    },
}

/// For the inside of a patch with odd partitioning, factors up to this count as 1.
const ODD_ONE: f32 = 1.0 + 1.0 / 131_072.0;
/// The minimum inside factor of odd partitioning, unless all factors are 1.
const ODD_LEAST: f32 = 1.0 + 1.0 / 65_536.0;

/// Converts factors: `edges` in the order of [`Domain::edges`], `insides` in the order of [`Domain::insides`].
pub fn tessellation(hull: &Hull, edges: &[f32], insides: &[f32]) -> Tessellation {
    // False for NaN.
    let positive = |factor: &f32| factor.partial_cmp(&0.0) == Some(Ordering::Greater);
    if !edges.iter().all(positive) {
        return Tessellation::Culled;
    }
    let (least, most, whole) = match hull.partitioning {
        Partitioning::Integer | Partitioning::Pow2 => (1.0, 64.0, true),
        Partitioning::FractionalOdd => (1.0, 63.0, false),
        Partitioning::FractionalEven => (2.0, 64.0, false),
    };
    // `max` and `min` return the other operand for NaN.
    let take = |factor: &f32, least: f32, most: f32, whole: bool| {
        let clamped = factor.max(least).min(most);
        if whole { clamped.ceil() } else { clamped }
    };
    let density = |place: usize| hull.domain == Domain::Isoline && place == 0;
    let edge = |(place, factor)| match density(place) {
        true => take(factor, 1.0, 64.0, true),
        false => take(factor, least, most, whole),
    };
    let one = |factor: &f32| factor.is_nan() || *factor <= ODD_ONE;
    let inside_least = match hull.partitioning {
        Partitioning::FractionalOdd if !edges.iter().chain(insides).all(one) => ODD_LEAST,
        _ => least,
    };
    let inside = |factor| take(factor, inside_least, most, whole);
    Tessellation::Tessellated {
        edges: edges.iter().enumerate().map(edge).collect(),
        insides: insides.iter().map(inside).collect(),
    }
}

/// The number of segments of an edge with a converted factor, at most 64.
pub fn segments(partitioning: Partitioning, factor: f32) -> u32 {
    let whole = (1..=64u16).find(|whole| f32::from(*whole) >= factor);
    let whole = whole.unwrap_or(64);
    let wanted = match partitioning {
        Partitioning::Integer | Partitioning::Pow2 => whole,
        Partitioning::FractionalOdd => whole | 1,
        Partitioning::FractionalEven => whole.next_multiple_of(2),
    };
    wanted.min(64).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of section 4.3, measured on llvmpipe.
    #[test]
    fn factors_give_segments_as_measured() {
        const FACTORS: [f32; 13] =
            [0.0, -1.0, f32::NAN, 0.5, 1.0, 1.2, 2.0, 2.5, 3.1, 63.5, 64.0, 100.0, f32::INFINITY];
        let rows = [
            (Partitioning::Integer, [1, 1, 2, 2, 3, 4, 64, 64, 64, 64]),
            (Partitioning::FractionalOdd, [1, 1, 3, 3, 3, 5, 63, 63, 63, 63]),
            (Partitioning::FractionalEven, [2, 2, 2, 2, 4, 4, 64, 64, 64, 64]),
        ];
        for (partitioning, expected) in rows {
            let mut hull = crate::hull::Hull::empty();
            hull.partitioning = partitioning;
            let found =
                FACTORS.map(|factor| match tessellation(&hull, &[factor, 1.0, 1.0], &[1.0]) {
                    Tessellation::Culled => 0,
                    Tessellation::Tessellated { edges, .. } => segments(partitioning, edges[0]),
                });
            assert_eq!(found[..3], [0; 3]);
            assert_eq!(found[3..], expected);
        }
    }

    #[test]
    fn insides_never_cull_and_the_density_is_whole() {
        let mut hull = crate::hull::Hull::empty();
        hull.partitioning = Partitioning::FractionalOdd;
        let tessellated = |edges: &[f32], insides: &[f32]| Tessellation::Tessellated {
            edges: edges.into(),
            insides: insides.into(),
        };
        assert_eq!(
            tessellation(&hull, &[1.0, 1.0, 1.0], &[f32::NAN]),
            tessellated(&[1.0; 3], &[1.0])
        );
        assert_eq!(
            tessellation(&hull, &[1.0, 3.0, 1.0], &[0.0]),
            tessellated(&[1.0, 3.0, 1.0], &[ODD_LEAST])
        );
        hull.domain = Domain::Isoline;
        assert_eq!(tessellation(&hull, &[2.5, 2.5], &[]), tessellated(&[3.0, 2.5], &[]));
    }
}

//! The tessellator's conversion of tessellation factors ([hs50.tessellator.cull] [hs50.tessellator.edges]
//! [hs50.tessellator.insides]).

use std::cmp::Ordering;

use crate::names::{Domain, Partitioning};

/// The result of the tessellator's conversion of the factors.
#[derive(Clone, Debug, PartialEq)]
pub enum TessellationLevels {
    /// The patch is culled: an edge factor is 0, negative or NaN.
    Culled,
    /// The converted factors: clamped, and rounded up for integer partitioning.
    Tessellated {
        /// Edge factors in the order of [`Domain::edges`].
        edges: Vec<f32>,
        /// Inside factors in the order of [`Domain::insides`].
        insides: Vec<f32>,
    },
}

/// In odd partitioning, inside factors up to this value count as 1.
const ODD_ONE: f32 = 1.0 + 1.0 / 131_072.0;
/// The minimum inside factor in odd partitioning, unless all factors are 1.
const ODD_LEAST: f32 = 1.0 + 1.0 / 65_536.0;

/// Converts tessellation factors. The slices are in the order of [`Domain::edges`] and [`Domain::insides`].
pub fn tessellation(
    (domain, partitioning): (Domain, Partitioning),
    edges: &[f32],
    insides: &[f32],
) -> TessellationLevels {
    // The comparison is false for NaN.
    let positive = |factor: &f32| factor.partial_cmp(&0.0) == Some(Ordering::Greater);
    if !edges.iter().all(positive) {
        return TessellationLevels::Culled;
    }
    let range = match partitioning {
        Partitioning::Integer | Partitioning::Pow2 => (1.0, 64.0, true),
        Partitioning::FractionalOdd => (1.0, 63.0, false),
        Partitioning::FractionalEven => (2.0, 64.0, false),
    };
    // For NaN, `max` and `min` return the other operand.
    let converted = |factor: &f32, (least, most, whole): (f32, f32, bool)| {
        let clamped = factor.max(least).min(most);
        if whole { clamped.ceil() } else { clamped }
    };
    let edge = |(number, factor)| {
        // The density of an isoline is rounded to an integer.
        let density = domain == Domain::Isoline && number == 0;
        converted(factor, if density { (1.0, 64.0, true) } else { range })
    };
    let one = |factor: &f32| factor.is_nan() || *factor <= ODD_ONE;
    let mut inside_range = range;
    if partitioning == Partitioning::FractionalOdd && !edges.iter().chain(insides).all(one) {
        inside_range.0 = ODD_LEAST;
    }
    TessellationLevels::Tessellated {
        edges: edges.iter().enumerate().map(edge).collect(),
        insides: insides.iter().map(|factor| converted(factor, inside_range)).collect(),
    }
}

/// Returns the number of segments for a converted edge factor, at most 64.
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

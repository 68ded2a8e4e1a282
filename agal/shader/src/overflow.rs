//! Overflow analysis: finds the sums and products whose results Direct3D 9's float rules limit ([agal.float.sums]).

use crate::operand::WriteMask;

/// The effect of an instruction on clamped values: results that float rules clamp to the largest float, and values
/// computed from such results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverflowEffect {
    /// Float rules clamp the masked components of the result to the largest float, and clamp later sums and products of
    /// these components.
    Starts(WriteMask),
    /// A sum of the sources in each component, which is clamped if all sources depend on clamped results. Ordinary
    /// numbers are too small to make the largest float overflow.
    Sum,
    /// A product of the first two sources in each component, to which a third source may be added.
    Product,
    /// A sum of products: each component of the result depends on all components of the sources.
    Products,
    /// The result is one of the sources from this index on, or a function of these sources that can't overflow.
    Keeps(usize),
    /// The instruction's result is too small for an overflow, so float rules never clamp the result.
    Ends,
}

impl OverflowEffect {
    /// Returns the result components that are clamped or depend on clamped results, and whether the instruction's
    /// result must be clamped.
    ///
    /// `limited` maps the index of a source to the result components for which this source depends on clamped results.
    /// `reads` returns whether any source of the instruction depends on a clamped result.
    pub fn result(
        self,
        mask: WriteMask,
        sources: usize,
        limited: impl Fn(usize) -> WriteMask,
        reads: impl FnOnce() -> bool,
    ) -> (WriteMask, bool) {
        let any =
            |first: usize| (first..sources).map(&limited).fold(WriteMask::EMPTY, WriteMask::union);
        match self {
            OverflowEffect::Starts(components) => (mask.intersection(components), false),
            OverflowEffect::Sum => {
                let all = (0..sources).map(&limited).fold(mask, WriteMask::intersection);
                (any(0), !all.is_empty())
            }
            OverflowEffect::Product => (any(0), !limited(0).union(limited(1)).is_empty()),
            OverflowEffect::Products if reads() => (mask, true),
            OverflowEffect::Keeps(first) => (any(first), false),
            OverflowEffect::Products | OverflowEffect::Ends => (WriteMask::EMPTY, false),
        }
    }
}

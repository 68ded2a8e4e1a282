//! Overflow analysis: finds the sums and products whose results Direct3D 9's float rules limit ([agal.float.sums]).

use crate::operand::WriteMask;

/// The effect of an instruction on limited values: results that float rules clamp to the largest float, and values
/// computed from such results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverflowEffect {
    /// The masked components of the result are limited, and so are later sums and products of these components.
    Starts(WriteMask),
    /// A sum of the sources in each component, limited if all sources are limited. Ordinary numbers are too small to
    /// make the largest float overflow.
    Sum,
    /// A product of the first two sources in each component, to which a third source may be added.
    Product,
    /// A sum of products: each component of the result depends on all components of the sources.
    Products,
    /// The result is one of the sources from this index on, or a function of these sources that can't overflow.
    Keeps(usize),
    /// The result is always small, so it is never limited.
    Ends,
}

impl OverflowEffect {
    /// Returns the components of the result that are limited values, and whether the result must be clamped.
    ///
    /// `limited` returns the components of the result for which a source, given by index, has a limited value. `reads`
    /// returns whether the instruction reads any limited value.
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

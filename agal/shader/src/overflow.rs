//! Overflow analysis: finds the sums and products whose results Direct3D 9's float rules limit ([agal.float.sums]).

use crate::operand::WriteMask;

/// The effect of an instruction on values that depend on a limited result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverflowEffect {
    /// These components of the result are limited, and later sums and products of them are limited, too.
    Starts(WriteMask),
    /// A sum of each component. Ordinary numbers are too small to make the largest float overflow.
    Sum,
    /// A product of the first two sources in each component, to which a third source may be added.
    Product,
    /// A sum of products: each component of the result depends on all components of the sources.
    Products,
    /// The result is a source with at least this index, or a function of such a source that can't overflow.
    Keeps(usize),
    /// The result is small, so it no longer depends on a limited result.
    Ends,
}

impl OverflowEffect {
    /// Returns the components of the result that depend on a limited result, and whether the result itself is limited.
    ///
    /// `limited` returns the components of the result for which a source is limited. `reads` returns whether the
    /// instruction reads any limited component.
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

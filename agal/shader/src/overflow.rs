//! Overflows: the rule for the sums and products whose results Direct3D 9's float rules limit ([agal.float.sums]).

use crate::operand::WriteMask;

/// The effect of an instruction on the numbers that depend on a limited result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// These components of the result are limited, and so are the sums and products of them.
    Starts(WriteMask),
    /// A sum, component by component: an ordinary number that is added to the largest float is too small to overflow
    /// it.
    Sum,
    /// A product of the first two sources, to which a third one may be added, component by component.
    Product,
    /// A sum of products, of which every component depends on all.
    Products,
    /// One of the sources from this one on, or a function of such a source that can't overflow.
    Keeps(usize),
    /// A small number.
    Ends,
}

impl Effect {
    /// Returns the components of the result that depend on a limited one, and whether the result is limited.
    ///
    /// `limited` returns the components of the result for which a source is limited. `reads` returns whether any
    /// component that the instruction reads is limited.
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
            Effect::Starts(components) => (mask.intersection(components), false),
            Effect::Sum => {
                let all = (0..sources).map(&limited).fold(mask, WriteMask::intersection);
                (any(0), !all.is_empty())
            }
            Effect::Product => (any(0), !limited(0).union(limited(1)).is_empty()),
            Effect::Products if reads() => (mask, true),
            Effect::Keeps(first) => (any(first), false),
            Effect::Products | Effect::Ends => (WriteMask::EMPTY, false),
        }
    }
}

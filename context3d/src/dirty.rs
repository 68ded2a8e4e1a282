//! Dirty flags: the checks of a draw that must be repeated, because the state that they depend on may have changed.
//!
//! A call sets the flags of its row in the table of calls before it is executed. A row without flags sets all flags, so
//! that a missing entry costs time, never correctness.

/// A set of dirty flags, one for each part of the state that checks of a draw depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DirtyFlags(u8);

impl DirtyFlags {
    pub(crate) const NOTHING: DirtyFlags = DirtyFlags(0);
    pub(crate) const STREAMS: DirtyFlags = DirtyFlags(1);
    pub(crate) const TEXTURES: DirtyFlags = DirtyFlags(2);
    pub(crate) const RASTER: DirtyFlags = DirtyFlags(4);
    pub(crate) const PROGRAM: DirtyFlags = DirtyFlags(8);
    pub(crate) const TARGET: DirtyFlags = DirtyFlags(16);
    pub(crate) const EVERYTHING: DirtyFlags = DirtyFlags(31);

    /// Returns whether any of the given flags is set.
    #[inline]
    pub(crate) fn has(self, others: DirtyFlags) -> bool {
        self.0 & others.0 != 0
    }

    /// Returns the union of both sets.
    #[inline]
    pub(crate) const fn with(self, others: DirtyFlags) -> DirtyFlags {
        DirtyFlags(self.0 | others.0)
    }
}

impl Default for DirtyFlags {
    fn default() -> Self {
        DirtyFlags::EVERYTHING
    }
}

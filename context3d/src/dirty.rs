//! Dirty flags: which checks of a draw must be repeated, because something that they depend on may have changed since
//! they last passed.
//!
//! A call sets the flags of its row in the table of calls before it is carried out: all of them, unless the row says
//! which. A call that nobody thought of costs time, never correctness.

/// Parts of the state that checks of a draw depend on, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dirty(u8);

impl Dirty {
    pub(crate) const NOTHING: Dirty = Dirty(0);
    pub(crate) const STREAMS: Dirty = Dirty(1);
    pub(crate) const TEXTURES: Dirty = Dirty(2);
    pub(crate) const RASTER: Dirty = Dirty(4);
    pub(crate) const PROGRAM: Dirty = Dirty(8);
    pub(crate) const TARGET: Dirty = Dirty(16);
    pub(crate) const EVERYTHING: Dirty = Dirty(31);

    /// Whether it has any of these.
    #[inline]
    pub(crate) fn has(self, others: Dirty) -> bool {
        self.0 & others.0 != 0
    }

    /// This and the others.
    #[inline]
    pub(crate) const fn with(self, others: Dirty) -> Dirty {
        Dirty(self.0 | others.0)
    }
}

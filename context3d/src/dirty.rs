//! Dirty flags: which checks of a draw must be repeated, because something that they depend on may have changed since
//! they last passed.
//!
//! A call sets the flags of its row in the table of calls before it is carried out: all of them, unless the row says
//! which. A call that nobody thought of costs time, never correctness.

use crate::backend::Backend;
use crate::context::Context3D;

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

impl<B: Backend> Context3D<B> {
    /// Makes the next draw check everything, for tests that compare the two.
    #[doc(hidden)]
    #[inline]
    pub fn invalidate_all(&mut self) {
        self.checked.dirty = Dirty::EVERYTHING;
    }
}

#[cfg(test)]
mod tests {
    use super::Dirty;
    use crate::backend::NullBackend;
    use crate::enums::TextureFormat;
    use crate::{Context3D, ContextOptions, Profile};

    /// A released object that is bound and not alive is not kept: else every collection would look at it again, and all
    /// checks would be repeated.
    #[test]
    fn what_is_bound_and_not_alive_is_not_kept() {
        let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
        let [mut context, mut other] =
            [(); 2].map(|()| Context3D::new(NullBackend::new(), options));
        let texture = |context: &mut Context3D<NullBackend>| {
            context.create_texture(4, 4, TextureFormat::Bgra, false, 0).expect("legal")
        };
        let (own, foreign) = (texture(&mut context), texture(&mut other));
        context.set_texture_at(0, Some(foreign)).expect("legal");
        context.set_texture_at(1, Some(own)).expect("legal");
        context.texture_dispose(own).expect("legal");
        for texture in [own, foreign] {
            context.release(texture).expect("legal");
        }
        context.collect_released().expect("legal");
        assert!(context.released.is_empty());
        context.checked.dirty = Dirty::NOTHING;
        context.collect_released().expect("legal");
        assert_eq!(context.checked.dirty, Dirty::NOTHING);
    }
}

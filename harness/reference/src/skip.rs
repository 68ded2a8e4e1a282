//! Skipping work whose results are never used, for replays that only need a later state.

use super::ReferenceBackend;

/// The kinds of work to skip. Skipped packets don't change pixels but have all their other effects, such as the choice
/// of targets, so later packets that overwrite every stale pixel give the same picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skip {
    /// Draws of triangles.
    pub draws: bool,
    /// Clears of the target.
    pub clears: bool,
    /// `present` doesn't resolve samples: with multisampling the front buffer keeps its older picture.
    pub presents: bool,
    /// Mip levels of rendered textures are not generated.
    pub mips: bool,
}

impl ReferenceBackend {
    /// Skips these kinds of work from now on.
    pub fn skip(&mut self, skip: Skip) {
        self.skip = skip;
    }
}

//! Skipping work whose results are never used, for replays that only need a later state.

use super::ReferenceBackend;

/// The kinds of work to skip. Skipped packets don't change pixels but have all other effects, such as the choice of
/// targets. Later packets that overwrite every stale pixel therefore draw the same image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skip {
    /// Draws of triangles.
    pub draws: bool,
    /// Clears of the target.
    pub clears: bool,
    /// `present` doesn't resolve samples: with multisampling the front buffer keeps its older image.
    pub presents: bool,
    /// Mip levels of rendered textures are not generated.
    pub mips: bool,
}

impl ReferenceBackend {
    /// Sets the kinds of work to skip in later packets.
    pub fn skip(&mut self, skip: Skip) {
        self.skip = skip;
    }
}

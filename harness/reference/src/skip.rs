//! Options to skip rendering work whose results are never used, for replays that need only a later state.

use super::ReferenceBackend;

/// The types of rendering work to skip. Skipped packets don't change pixels but have all other effects, such as the
/// choice of targets. Later packets that overwrite every stale pixel therefore draw the same image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skip {
    /// Skips draws of triangles.
    pub draws: bool,
    /// Skips clears of the target.
    pub clears: bool,
    /// Skips the resolve in `present`: with multisampling, the front buffer keeps its previous image.
    pub presents: bool,
    /// Skips the generation of mip levels of rendered textures.
    pub mips: bool,
}

impl ReferenceBackend {
    /// Sets the types of rendering work to skip in later packets.
    pub fn skip(&mut self, skip: Skip) {
        self.skip = skip;
    }
}

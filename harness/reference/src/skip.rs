//! Skipping work whose results are never used, for replays that only need a later state.

use super::ReferenceBackend;

/// The kinds of work to skip. Skipped packets don't change pixels but have all their other effects, such as the choice
/// of targets, so later packets that overwrite every stale pixel give the same picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skip {
    pub draws: bool,
    pub clears: bool,
    /// `present` doesn't resolve samples: with multisampling the front buffer keeps its older picture.
    pub presents: bool,
    pub mips: bool,
}

impl ReferenceBackend {
    pub fn skip(&mut self, skip: Skip) {
        self.skip = skip;
    }
}

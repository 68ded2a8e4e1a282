//! Leaving out what nobody will see.

use super::ReferenceBackend;

/// What is left out of packets. Pixels stay as they are; all else is as if it were drawn, so that what is drawn later over
/// all of them is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skip {
    /// Draws change no pixels.
    pub draws: bool,
    /// Clears change none.
    pub clears: bool,
    /// `present` may show an older picture.
    pub presents: bool,
    /// Smaller levels of textures are not made.
    pub mips: bool,
}

impl ReferenceBackend {
    /// Leaves this out from now on.
    pub fn skip(&mut self, skip: Skip) {
        self.skip = skip;
    }
}

//! The state of a program at the token being generated.

use crate::operand::WriteMask;
use crate::register::{MAX_TRACKED, RegisterFile};

/// An output that must be complete when the program ends.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    pub(super) file: RegisterFile,
    pub(super) number: u16,
    pub(super) mask: WriteMask,
    /// True if the program must write it. A varying that is never read is optional until it is partly written (3633).
    pub(super) required: bool,
}

/// The components that have been written, by file and number.
#[derive(Clone, Default)]
pub(super) struct WrittenMasks([[WriteMask; MAX_TRACKED]; RegisterFile::ALL.len()]);

impl WrittenMasks {
    pub(super) fn get(&self, file: RegisterFile, number: u16) -> WriteMask {
        let masks = self.0.get(file as usize).and_then(|masks| masks.get(usize::from(number)));
        masks.copied().unwrap_or_default()
    }
    pub(super) fn temporary(&self, number: u16) -> WriteMask {
        self.get(RegisterFile::Temporary, number)
    }
    pub(super) fn add(&mut self, file: RegisterFile, number: u16, mask: WriteMask) {
        let masks = self.0.get_mut(file as usize);
        if let Some(written) = masks.and_then(|masks| masks.get_mut(usize::from(number))) {
            *written = written.union(mask);
        }
    }

    fn common(&self, other: &WrittenMasks) -> WrittenMasks {
        let mut both = self.clone();
        let pairs = both.0.as_flattened_mut().iter_mut().zip(other.0.as_flattened());
        pairs.for_each(|(one, two)| *one = one.intersection(*two));
        both
    }
}

#[derive(Clone)]
pub(super) struct Open {
    before: WrittenMasks,
    /// Components written after the first branch, once the second has started.
    first: Option<WrittenMasks>,
    /// True if the current branch has no instruction yet.
    pub(super) empty: bool,
}

impl Open {
    pub(super) fn new(written: &WrittenMasks) -> Open {
        Open { before: written.clone(), first: None, empty: true }
    }
    pub(super) fn has_else(&self) -> bool {
        self.first.is_some()
    }
    /// Begins the second branch, and returns the components that it may read. `written` is the state after the first
    /// branch.
    pub(super) fn turn(&mut self, written: WrittenMasks) -> WrittenMasks {
        self.first = Some(written);
        self.empty = true;
        self.before.clone()
    }
    /// Returns the components that both branches have written. `written` is the state after the last branch.
    pub(super) fn close(&self, written: &WrittenMasks) -> WrittenMasks {
        written.common(self.first.as_ref().unwrap_or(&self.before))
    }
}

//! The state of program generation at the current token.

use crate::isa::register::{Masks, RegisterFile};
use crate::operand::WriteMask;

/// An output that must be completely written when the program ends.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    pub(super) file: RegisterFile,
    pub(super) number: u16,
    pub(super) mask: WriteMask,
    /// True if the program must write the output. An unread varying is optional until partly written (3633).
    pub(super) required: bool,
}

/// The written components, by register file and number.
#[derive(Clone, Copy, Default)]
pub(super) struct WrittenMasks([Masks; RegisterFile::ALL.len()]);

impl WrittenMasks {
    pub(super) fn get(&self, file: RegisterFile, number: u16) -> WriteMask {
        self.0.get(file.index()).copied().unwrap_or_default().get(number)
    }
    pub(super) fn temporary(&self, number: u16) -> WriteMask {
        self.get(RegisterFile::Temporary, number)
    }
    pub(super) fn add(&mut self, file: RegisterFile, number: u16, mask: WriteMask) {
        if let Some(masks) = self.0.get_mut(file.index()) {
            masks.add(number, mask);
        }
    }

    fn common(mut self, other: WrittenMasks) -> WrittenMasks {
        let pairs = self.0.iter_mut().zip(other.0);
        pairs.for_each(|(one, two)| *one = one.intersection(two));
        self
    }
}

#[derive(Clone)]
pub(super) struct ConditionalState {
    before: WrittenMasks,
    /// The components that the first branch writes; `None` until the second branch starts.
    first: Option<WrittenMasks>,
    /// True if the current branch has no instruction yet.
    pub(super) empty: bool,
}

impl ConditionalState {
    pub(super) fn new(written: WrittenMasks) -> ConditionalState {
        ConditionalState { before: written, first: None, empty: true }
    }
    pub(super) fn has_else(&self) -> bool {
        self.first.is_some()
    }
    /// Begins the second branch. Returns the components that the branch may read. `written` is the state after the
    /// first branch.
    pub(super) fn turn(&mut self, written: WrittenMasks) -> WrittenMasks {
        self.first = Some(written);
        self.empty = true;
        self.before
    }
    /// Returns the components that both branches have written. `written` is the state after the second branch.
    pub(super) fn close(&self, written: WrittenMasks) -> WrittenMasks {
        written.common(self.first.unwrap_or(self.before))
    }
}

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

    /// Returns the components that both branches of a conditional have written.
    pub(super) fn common(mut self, other: WrittenMasks) -> WrittenMasks {
        let pairs = self.0.iter_mut().zip(other.0);
        pairs.for_each(|(one, two)| *one = one.intersection(two));
        self
    }
}

#[derive(Clone)]
pub(super) struct ConditionalState {
    pub(super) before: WrittenMasks,
    /// The components that the first branch writes; `None` until the second branch starts.
    pub(super) first: Option<WrittenMasks>,
    /// True if the current branch has no instruction yet.
    pub(super) empty: bool,
}

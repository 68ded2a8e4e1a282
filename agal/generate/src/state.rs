//! The state of a program at the token being generated.

use agal::operand::WriteMask;
use agal::register::{MAX_TRACKED, RegisterFile};

/// An output that must be complete when the program ends.
#[derive(Clone)]
pub(super) struct Goal {
    pub(super) file: RegisterFile,
    pub(super) number: u16,
    pub(super) mask: WriteMask,
    /// Whether the program must write it. A varying that is never read is optional until it is partly written (3633).
    pub(super) required: bool,
}

/// The components that have been written.
#[derive(Clone, Default)]
pub(super) struct Written {
    pub(super) temporaries: [WriteMask; MAX_TRACKED],
    /// By index in the list of goals.
    pub(super) goals: [WriteMask; MAX_TRACKED],
}

impl Written {
    pub(super) fn temporary(&self, number: u16) -> WriteMask {
        get(&self.temporaries, number.into())
    }
    pub(super) fn goal(&self, place: usize) -> WriteMask {
        get(&self.goals, place)
    }
    pub(super) fn mark_temporary(&mut self, number: u16, mask: WriteMask) {
        mark(&mut self.temporaries, number.into(), mask);
    }
    pub(super) fn mark_goal(&mut self, place: usize, mask: WriteMask) {
        mark(&mut self.goals, place, mask);
    }

    fn common(&self, other: &Written) -> Written {
        let mut both = self.clone();
        let pairs = both.temporaries.iter_mut().zip(&other.temporaries);
        for (one, two) in pairs.chain(both.goals.iter_mut().zip(&other.goals)) {
            *one = WriteMask::from_bits(one.bits() & two.bits());
        }
        both
    }
}

fn get(masks: &[WriteMask; MAX_TRACKED], place: usize) -> WriteMask {
    masks.get(place).copied().unwrap_or_default()
}

fn mark(masks: &mut [WriteMask; MAX_TRACKED], place: usize, mask: WriteMask) {
    if let Some(written) = masks.get_mut(place) {
        *written = written.union(mask);
    }
}

#[derive(Clone)]
pub(super) struct Open {
    before: Written,
    /// Components written after the first branch, once the second has started.
    first: Option<Written>,
    /// Whether the current branch has no instruction yet.
    pub(super) empty: bool,
}

impl Open {
    pub(super) fn new(written: &Written) -> Open {
        Open { before: written.clone(), first: None, empty: true }
    }
    pub(super) fn has_else(&self) -> bool {
        self.first.is_some()
    }
    /// Components that the second branch may read. `written` is the state after the first.
    pub(super) fn turn(&mut self, written: Written) -> Written {
        self.first = Some(written);
        self.empty = true;
        self.before.clone()
    }
    /// Components written in both branches. `written` is the state after the last.
    pub(super) fn close(&self, written: &Written) -> Written {
        written.common(self.first.as_ref().unwrap_or(&self.before))
    }
}

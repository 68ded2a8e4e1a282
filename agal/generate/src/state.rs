//! What is known of a program at the token that is being generated.

use agal::operand::WriteMask;
use agal::register::{MAX_TRACKED, RegisterFile};

/// An output that must be complete when the program ends.
#[derive(Clone)]
pub(super) struct Goal {
    pub(super) file: RegisterFile,
    pub(super) number: u16,
    /// The components that it must have.
    pub(super) mask: WriteMask,
    /// Must the program write it? A varying that nobody reads need not be, until it is written in part (3633).
    pub(super) required: bool,
}

/// The components that have been written.
#[derive(Clone, Default)]
pub(super) struct Written {
    pub(super) temporaries: [WriteMask; MAX_TRACKED],
    /// By place in the list of goals.
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

    /// What both have.
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

/// A conditional that is open.
#[derive(Clone)]
pub(super) struct Open {
    /// What had been written in front of it.
    before: Written,
    /// What the first branch left, once the second has begun.
    first: Option<Written>,
    /// Does the present branch hold no instruction yet?
    pub(super) empty: bool,
}

impl Open {
    pub(super) fn new(written: &Written) -> Open {
        Open {
            before: written.clone(),
            first: None,
            empty: true,
        }
    }
    pub(super) fn has_else(&self) -> bool {
        self.first.is_some()
    }
    /// What the second branch may rely on. `written` is what the first one leaves.
    pub(super) fn turn(&mut self, written: Written) -> Written {
        self.first = Some(written);
        self.empty = true;
        self.before.clone()
    }
    /// What has been written whichever branch was taken. `written` is what the last one leaves.
    pub(super) fn close(&self, written: &Written) -> Written {
        written.common(self.first.as_ref().unwrap_or(&self.before))
    }
}

//! What a replay did.

use std::collections::BTreeMap;

use context3d::{ErrorCode, FlashError};

/// Errors of which everything is kept; of later ones only their number.
pub const MAX_KEPT_ERRORS: usize = 10_000;
/// Errors of which the number is kept in order; later ones are only counted.
pub const MAX_KEPT_NUMBERS: usize = 1 << 20;

/// What a replay did so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// SWF frames that ended.
    pub frames: u64,
    /// Calls played.
    pub calls: u64,
    /// `drawTriangles` and `drawTrianglesInstanced` among them.
    pub draws: u64,
    /// Programs uploaded without an error.
    pub programs: u64,
    /// Contexts that were used.
    pub contexts: u64,
    /// Errors that Flash raises.
    pub errors: Errors,
    /// Draws that Flash silently drops: the error that it would raise with error checking, and how many.
    pub skipped: BTreeMap<ErrorCode, u64>,
    /// Calls that Flash can do and Molehill can't yet: what it can't, and how many.
    pub unsupported: BTreeMap<String, u64>,
    /// Asynchronous uploads that failed, which Flash tells by an `error` event.
    pub failed_uploads: u64,
    /// Calls on, or with, an object whose creation failed here though it did not in the recording player.
    pub consequential: u64,
    /// Calls that raised another error here than in the recording player, or none, or where only one created an
    /// object.
    pub disagreements: u64,
}

impl Report {
    /// Draws that Flash silently drops.
    pub fn skipped_draws(&self) -> u64 {
        self.skipped.values().sum()
    }

    /// Calls that Molehill can't do yet.
    pub fn unsupported_calls(&self) -> u64 {
        self.unsupported.values().sum()
    }
}

/// Errors that Flash raises, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Errors {
    /// How many there were.
    pub total: u64,
    /// The first [`MAX_KEPT_ERRORS`].
    pub kept: Vec<Raised>,
    /// The numbers of the first [`MAX_KEPT_NUMBERS`].
    pub numbers: Vec<u16>,
    /// How many of each row.
    pub by_code: BTreeMap<ErrorCode, u64>,
}

impl Errors {
    pub(super) fn add(&mut self, raised: Raised) {
        self.total += 1;
        *self.by_code.entry(raised.error.code()).or_default() += 1;
        if self.numbers.len() < MAX_KEPT_NUMBERS {
            self.numbers.push(raised.error.number());
        }
        if self.kept.len() < MAX_KEPT_ERRORS {
            self.kept.push(raised);
        }
    }
}

/// An error that Flash raises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// Line of the capture.
    pub line: u64,
    /// The call in it.
    pub call: &'static str,
    /// Which call of the capture, counted from 1.
    pub call_number: u64,
    /// The error.
    pub error: FlashError,
}

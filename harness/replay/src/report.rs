//! The report of a replay: counts and errors.

use std::collections::BTreeMap;

use context3d::{ErrorCode, FlashError};
use molehill_capture::CapturePosition;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::evidence::ResultTally;

/// Maximum number of Flash errors that are stored with details; later errors are only counted.
pub const MAX_KEPT_ERRORS: usize = 10_000;
/// Maximum number of Flash errors whose ids are stored in order; later errors are only counted.
pub const MAX_KEPT_NUMBERS: usize = 1 << 20;
/// Maximum number of differences from the recording player that are described; later differences are only counted.
const MAX_DIFFERENCES: usize = 8;

/// The report of a replay so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplayReport {
    /// Number of finished SWF frames.
    pub frames: u64,
    /// Number of executed Stage3D calls.
    pub calls: u64,
    /// Number of `drawTriangles` and `drawTrianglesInstanced` calls.
    pub draws: u64,
    /// Number of AGAL programs that were uploaded without an error.
    pub programs: u64,
    /// Number of contexts on which calls were executed.
    pub contexts: u64,
    /// The errors that Flash would raise in this replay.
    pub errors: FlashErrors,
    /// Number of draws that Flash silently skips, by the error that they would raise with error checking.
    #[serde(rename = "skippedDraws", serialize_with = "by_number")]
    pub skipped: BTreeMap<ErrorCode, u64>,
    /// Number of draws in contexts in which no `present` or `drawToBitmapData` has succeeded.
    #[serde(rename = "notPresentedDraws")]
    pub not_presented: u64,
    /// Number of calls that Molehill doesn't support yet, by the missing feature.
    pub unsupported: BTreeMap<String, u64>,
    /// Number of failed asynchronous uploads, which Flash reports by an `error` event.
    pub failed_uploads: u64,
    /// Number of calls that used an object whose creation failed in the replay but not in the recording player.
    #[serde(rename = "consequentialCalls")]
    pub consequential: u64,
    /// Number of calls with another result than in the recording player: another error, no error, or an object that
    /// only one of them created.
    pub disagreements: u64,
    /// The errors that the recording player raised.
    #[serde(skip)]
    pub recorded: RecordedErrors,
}

/// The recorded errors of a capture, compared with those of its replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedErrors {
    /// Number of calls with a recorded error.
    pub(super) thrown: u64,
    /// Number of calls whose record contains an error or the id of a created object, so that their result is known.
    pub(super) told: u64,
    pub(super) differences: Vec<String>,
    /// Number of errors in calls without a recorded error, which are differences if the capture records errors.
    pub(super) unrecorded: u64,
    pub(super) unrecorded_texts: Vec<String>,
}

/// Adds a description to a list, which may have [`MAX_DIFFERENCES`] items.
pub(super) fn describe(texts: &mut Vec<String>, text: impl FnOnce() -> String) {
    if texts.len() < MAX_DIFFERENCES {
        texts.push(text());
    }
}

impl ReplayReport {
    /// Returns the number of draws that Flash silently skips.
    pub fn skipped_draws(&self) -> u64 {
        self.skipped.values().sum()
    }

    /// Returns the counts of compared errors of the recording player, and the first differences. If the capture is
    /// `complete` or contains an error, the result of every call is known; otherwise only the results of calls that
    /// create an object.
    pub fn recorded_errors(&self, complete: bool) -> (ResultTally, Vec<String>) {
        let RecordedErrors { thrown, told, differences, unrecorded, unrecorded_texts } =
            &self.recorded;
        let tally = |errors, differing| ResultTally { errors, differing, ..ResultTally::default() };
        if *thrown == 0 && !complete {
            return (tally(*told, self.disagreements), differences.clone());
        }
        let texts = [differences.as_slice(), unrecorded_texts].concat();
        (tally(self.calls, self.disagreements + unrecorded), texts)
    }

    /// Returns the number of calls that Molehill doesn't support yet.
    pub fn unsupported_calls(&self) -> u64 {
        self.unsupported.values().sum()
    }
}

/// The errors that Flash raises, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlashErrors {
    /// The number of all Flash errors.
    pub total: u64,
    /// The first [`MAX_KEPT_ERRORS`] errors.
    pub kept: Vec<RaisedError>,
    /// The ids of the first [`MAX_KEPT_NUMBERS`] errors.
    #[serde(skip)]
    pub numbers: Vec<u16>,
    /// Number of Flash errors by entry of the error table.
    #[serde(rename = "byNumber", serialize_with = "by_number")]
    pub by_code: BTreeMap<ErrorCode, u64>,
}

impl FlashErrors {
    pub(super) fn add(&mut self, raised: RaisedError) {
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

impl RaisedError {
    /// Returns the position of the error in the capture.
    pub fn at(&self) -> CapturePosition {
        CapturePosition { line: self.line, call: self.call_number }
    }
}

/// An error that Flash raises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RaisedError {
    /// The 1-based line of the capture with the call that raised the error.
    pub line: u64,
    /// The name of the call that raised the error.
    pub call: &'static str,
    /// The 1-based index of this call in the capture.
    pub call_number: u64,
    /// The error as Flash raises it.
    #[serde(flatten, serialize_with = "parts")]
    pub error: FlashError,
}

/// Serializes a Flash error as an object with its id, class, message and token.
fn parts<S: Serializer>(error: &FlashError, out: S) -> Result<S::Ok, S::Error> {
    let mut parts = out.serialize_struct("FlashError", 4)?;
    parts.serialize_field("number", &error.number())?;
    parts.serialize_field("class", error.class().name())?;
    parts.serialize_field("message", error.message())?;
    parts.serialize_field("token", &error.token())?;
    parts.end()
}

/// Serializes counts of Flash errors as an object with error ids as keys.
fn by_number<S: Serializer>(counts: &BTreeMap<ErrorCode, u64>, out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(counts.iter().map(|(code, count)| (code.number(), count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_errors_are_bounded() {
        let context3d::Error::Flash(error) = ErrorCode::BufferEmpty.into() else {
            panic!("an error of Flash");
        };
        let raised = RaisedError { line: 2, call: "createVertexBuffer", call_number: 1, error };
        let mut errors = FlashErrors::default();
        for _ in 0..MAX_KEPT_NUMBERS + 5 {
            errors.add(raised.clone());
        }
        assert_eq!(errors.total, MAX_KEPT_NUMBERS as u64 + 5);
        assert_eq!((errors.kept.len(), errors.numbers.len()), (MAX_KEPT_ERRORS, MAX_KEPT_NUMBERS));
    }
}

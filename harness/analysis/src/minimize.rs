//! Deletes all calls of a capture that are not needed to reproduce a bug.

use crate::calls::is_draw;
use crate::capture::Capture;
use crate::error::{InspectError, Result};
pub use crate::shrink::ReductionTest;
use crate::shrink::{ShrinkSearch, each, frames, shrink, shrink_buffers};

#[derive(Debug)]
pub struct MinimizedCapture {
    /// The minimized capture, which still reproduces the bug.
    pub capture: Capture,
    pub attempts: usize,
    /// Number of tests that returned [`ReductionTest::Unknown`].
    pub unknown: usize,
    /// True if the search was exhausted; false if it was stopped or reached the maximum number of tests.
    pub finished: bool,
}

/// Deletes frames, then draws, then other calls, while the capture still reproduces the bug. Deletes calls together
/// with the calls that they depend on. Then shrinks programs, textures and buffers. Calls `test` at most `most` times,
/// with captures that are valid after writing and reading.
///
/// Errors: [`InspectError::NoFault`] if `test` doesn't return [`ReductionTest::Shows`] for the whole capture.
pub fn minimize(
    capture: &Capture,
    most: usize,
    test: &mut dyn FnMut(&Capture) -> ReductionTest,
) -> Result<MinimizedCapture> {
    if test(capture) != ReductionTest::Shows {
        return Err(InspectError::NoFault);
    }
    let numbered = capture.records(0..capture.record_count());
    let records = numbered.map(|record| record.map(|(_, entry)| entry));
    let mut search = ShrinkSearch {
        header: capture.header().clone(),
        records: records.collect::<Result<_, _>>()?,
        left: most,
        attempts: 0,
        unknown: 0,
        test,
    };
    search.cut_tail();
    search.delete(frames);
    search.delete(|records| each(records, is_draw));
    search.delete(|records| each(records, |_| true));
    shrink(&mut search);
    shrink_buffers(&mut search);
    search.delete(|records| each(records, |_| true));
    Ok(MinimizedCapture {
        finished: search.left > 0,
        attempts: search.attempts,
        unknown: search.unknown,
        capture: Capture::new(search.header, search.records),
    })
}

impl ReductionTest {
    pub fn of(shows: bool) -> ReductionTest {
        if shows { ReductionTest::Shows } else { ReductionTest::Gone }
    }
}

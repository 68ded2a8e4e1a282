//! Deletes all calls of a capture that are not needed to show a fault.

use crate::buffers::shrink_buffers;
use crate::calls::is_draw;
use crate::capture::Capture;
use crate::error::{InspectError, Result};
use crate::search::{Search, each, frames};
use crate::shrink::shrink;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempts(pub usize);

impl Default for Attempts {
    fn default() -> Self {
        Attempts(1000)
    }
}

#[derive(Debug)]
pub struct Minimized {
    /// The capture; it still shows the fault.
    pub capture: Capture,
    pub attempts: usize,
    /// Whether the search ended by itself; false if it reached the most tests.
    pub finished: bool,
}

/// Deletes frames, then draws, then any calls, as long as the capture still shows the fault. Calls that depend on a
/// deleted call are deleted with it. Then makes programs, textures and buffers smaller. `shows` tests whether a capture
/// shows the fault; each capture that it gets is valid, so that it is the same when written and read.
pub fn minimize(
    capture: &Capture,
    most: Attempts,
    shows: &mut dyn FnMut(&Capture) -> bool,
) -> Result<Minimized> {
    if !shows(capture) {
        return Err(InspectError::NoFault);
    }
    let records = capture.records(0..capture.record_count());
    let records = records.map(|record| record.map(|(_, entry)| entry));
    let mut search = Search {
        header: capture.header().clone(),
        records: records.collect::<Result<_, _>>()?,
        left: most.0,
        shows,
    };
    search.cut_tail();
    search.delete(frames);
    search.delete(|records| each(records, is_draw));
    search.delete(|records| each(records, |_| true));
    shrink(&mut search);
    shrink_buffers(&mut search);
    search.delete(|records| each(records, |_| true));
    Ok(Minimized {
        finished: search.left > 0,
        attempts: most.0 - search.left,
        capture: Capture::new(search.header, search.records),
    })
}

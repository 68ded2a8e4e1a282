//! Deletes all calls of a capture that are not needed to show a fault.

use std::collections::HashSet;

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, Header};

use crate::buffers::shrink_buffers;
use crate::capture::{Capture, Entry};
use crate::error::InspectError;
use crate::passes::is_draw;
use crate::shrink::shrink;

/// The most tests that a search may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempts(pub usize);

impl Default for Attempts {
    /// 1000 tests.
    fn default() -> Self {
        Attempts(1000)
    }
}

/// A minimized capture.
#[derive(Debug)]
pub struct Minimized {
    /// The capture; it still shows the fault.
    pub capture: Capture,
    /// Number of tests that were run.
    pub attempts: usize,
    /// Whether the search ended by itself; false if it reached the most tests.
    pub finished: bool,
}

/// Deletes frames, then draws, then any calls, as long as the capture still shows the fault. Calls that depend on a
/// deleted call are deleted with it. Then makes programs, textures and buffers smaller. `shows` tests whether a capture
/// shows the fault; each capture that it gets is valid, so that it is the same when written and read.
///
/// # Errors
/// [`InspectError::NoFault`] if the whole capture doesn't show the fault, and those of reading it. The capture is read
/// into memory.
pub fn minimize(
    capture: &Capture,
    most: Attempts,
    shows: &mut dyn FnMut(&Capture) -> bool,
) -> Result<Minimized, InspectError> {
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

/// A search for the smallest capture.
pub(crate) struct Search<'s> {
    header: Header,
    /// The smallest capture so far.
    pub(crate) records: Vec<Entry>,
    left: usize,
    shows: &'s mut dyn FnMut(&Capture) -> bool,
}

impl Search<'_> {
    /// Tests a capture of these records, and keeps it if it shows the fault. Returns whether it does; false without a
    /// test if no attempts are left or nothing differs.
    pub(crate) fn take(&mut self, records: Vec<Entry>) -> bool {
        if self.left == 0 || records.len() == self.records.len() && records == self.records {
            return false;
        }
        self.left -= 1;
        let candidate = Capture::new(self.header.clone(), records.iter().cloned());
        let shows = (self.shows)(&candidate);
        if shows {
            self.records = records;
        }
        shows
    }

    /// Deletes all records after the last frame that is needed, by binary search.
    fn cut_tail(&mut self) {
        let is_end = |record: &Entry| matches!(record, Entry::Frame(_));
        let ends = self.records.iter().enumerate().filter(|(_, record)| is_end(record));
        let ends: Vec<usize> = ends.map(|(index, _)| index + 1).collect();
        let (mut low, mut high) = (0, ends.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let end = ends.get(middle).copied().unwrap_or(self.records.len());
            let part = self.records.get(..end).unwrap_or_default().to_vec();
            match self.take(part) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
    }

    /// Deletes runs of units (lists of record indices), long ones first, until no single unit can be deleted.
    fn delete(&mut self, units: fn(&[Entry]) -> Vec<Vec<usize>>) {
        let mut length = units(&self.records).len().div_ceil(2).max(1);
        while self.left > 0 {
            let mut smaller = false;
            let mut end = units(&self.records).len();
            // Starts at the end, because later calls depend on earlier ones.
            while end > 0 && self.left > 0 {
                let start = end.saturating_sub(length);
                let all = units(&self.records);
                let run = all.get(start..end.min(all.len())).unwrap_or_default();
                let gone: HashSet<usize> = run.iter().flatten().copied().collect();
                smaller |= !gone.is_empty() && self.take(without(&self.records, &gone));
                end = start.min(units(&self.records).len());
            }
            if length > 1 {
                length = length.div_ceil(2);
            } else if !smaller {
                return;
            }
        }
    }
}

/// A unit for each frame: its end, events, and calls that don't create, upload or configure the back buffer.
fn frames(records: &[Entry]) -> Vec<Vec<usize>> {
    let mut frames = vec![Vec::new()];
    for (index, record) in records.iter().enumerate() {
        let lasting = |call: &Call| {
            call.creates().is_some()
                || call.name().starts_with("upload")
                || matches!(call, Call::ConfigureBackBuffer { .. })
        };
        if let Some(frame) = frames.last_mut()
            && !matches!(record, Entry::Call(line) if lasting(&line.call))
        {
            frame.push(index);
        }
        if matches!(record, Entry::Frame(_)) {
            frames.push(Vec::new());
        }
    }
    frames.retain(|frame| !frame.is_empty());
    frames
}

/// A unit for each wanted call, each frame end and each event.
fn each(records: &[Entry], wanted: fn(&Call) -> bool) -> Vec<Vec<usize>> {
    let records = records.iter().enumerate();
    let some = records.filter(|(_, record)| match record {
        Entry::Call(line) => wanted(&line.call),
        Entry::Frame(_) | Entry::Event(_) => true,
    });
    some.map(|(index, _)| vec![index]).collect()
}

/// The records without those in `gone`, and without calls and events that then name a missing object.
fn without(records: &[Entry], gone: &HashSet<usize>) -> Vec<Entry> {
    let mut there: HashSet<ObjectId> = HashSet::new();
    let kept = records.iter().enumerate().filter(|(index, record)| {
        let line = match record {
            Entry::Call(line) => line,
            Entry::Frame(_) => return !gone.contains(index),
            Entry::Event(event) => return there.contains(&event.on) && !gone.contains(index),
        };
        let on_stage = line.call.info().receivers == [ObjectKind::Stage3D];
        let known = (on_stage || there.contains(&line.on))
            && line.call.objects().iter().all(|(_, id)| there.contains(id));
        let kept = known && !gone.contains(index);
        there.extend(line.result.filter(|_| kept));
        kept
    });
    kept.map(|(_, record)| record.clone()).collect()
}

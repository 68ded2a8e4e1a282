//! The search for a smaller capture: tests candidates, and deletes or changes calls.

use std::collections::HashSet;
use std::sync::Arc;

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine, Header};

use crate::calls::is_upload;
use crate::capture::{Capture, Entry};

/// The answer of a test of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The capture shows the fault.
    Shows,
    /// The capture doesn't show the fault.
    Gone,
    /// The capture can't be tested, for example because the driver fails. It is not kept.
    Unknown,
    /// The search ends with the best capture so far.
    Stop,
}

pub(crate) struct Search<'s> {
    pub(crate) header: Header,
    pub(crate) records: Vec<Entry>,
    /// Number of tests that are left; 0 after [`Answer::Stop`].
    pub(crate) left: usize,
    pub(crate) attempts: usize,
    pub(crate) unknown: usize,
    pub(crate) test: &'s mut dyn FnMut(&Capture) -> Answer,
}

impl Search<'_> {
    /// Tests a capture of these records, and keeps it if it shows the fault. Returns whether it does; false without a
    /// test if no attempts are left or nothing differs.
    pub(crate) fn take(&mut self, records: Vec<Entry>) -> bool {
        if self.left == 0 || records.len() == self.records.len() && records == self.records {
            return false;
        }
        (self.left, self.attempts) = (self.left - 1, self.attempts + 1);
        let candidate = Capture::new(self.header.clone(), records.iter().cloned());
        let answer = (self.test)(&candidate);
        match answer {
            Answer::Shows => self.records = records,
            Answer::Gone => {}
            Answer::Unknown => self.unknown += 1,
            Answer::Stop => self.left = 0,
        }
        answer == Answer::Shows
    }

    /// Tries the capture with some calls changed. `change` returns the new call, `Some(None)` to remove it, or `None`
    /// to keep it as it is. Returns whether the result still shows the fault and was accepted.
    pub(crate) fn rewrite(
        &mut self,
        mut change: impl FnMut(&CallLine) -> Option<Option<Call>>,
    ) -> bool {
        let records = self.records.iter().filter_map(|entry| {
            let changed = entry.call().and_then(|line| Some((line, change(line)?)));
            match changed {
                None => Some(entry.clone()),
                Some((line, call)) => call.map(|call| Entry::Call(with_call(line, call))),
            }
        });
        let records = records.collect();
        self.take(records)
    }

    /// Deletes all records after the last frame that is needed, by binary search.
    pub(crate) fn cut_tail(&mut self) {
        let is_end = |record: &Entry| matches!(record, Entry::Frame(_));
        let ends = self.records.iter().enumerate().filter(|(_, record)| is_end(record));
        let ends: Vec<usize> = ends.map(|(index, _)| index + 1).collect();
        let (mut low, mut high) = (0, ends.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let end = ends.get(middle).copied().unwrap_or(self.records.len());
            let part = self.records.get(..end).unwrap_or_default().to_vec();
            if self.take(part) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
    }

    /// Deletes runs of units (lists of record indices), long ones first, until no single unit can be deleted.
    pub(crate) fn delete(&mut self, units: fn(&[Entry]) -> Vec<Vec<usize>>) {
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

/// A unit for each frame: its end, events, notes, and calls that don't create, upload or configure the back buffer.
pub(crate) fn frames(records: &[Entry]) -> Vec<Vec<usize>> {
    let mut frames = vec![Vec::new()];
    for (index, record) in records.iter().enumerate() {
        let lasting = |call: &Call| {
            call.creates().is_some()
                || is_upload(call)
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

/// A unit for each wanted call, each frame end, each event and each note.
pub(crate) fn each(records: &[Entry], wanted: fn(&Call) -> bool) -> Vec<Vec<usize>> {
    let is = |record: &Entry| record.call().is_none_or(|line| wanted(&line.call));
    let some = records.iter().enumerate().filter(|(_, record)| is(record));
    some.map(|(index, _)| vec![index]).collect()
}

/// The records without those in `gone`, and without calls, events and notes that then name a missing object.
fn without(records: &[Entry], gone: &HashSet<usize>) -> Vec<Entry> {
    let mut there: HashSet<ObjectId> = HashSet::new();
    let kept = records.iter().enumerate().filter(|(index, record)| {
        let line = match record {
            Entry::Call(line) => line,
            Entry::Frame(_) => return !gone.contains(index),
            Entry::Event(event) => return there.contains(&event.on) && !gone.contains(index),
            Entry::Note(note) => {
                let known = note.object().is_none_or(|on| there.contains(&on));
                return known && !gone.contains(index);
            }
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

pub(crate) fn with_call(line: &CallLine, call: Call) -> Arc<CallLine> {
    Arc::new(CallLine { call, ..line.clone() })
}

//! Matches the draws of a frame with those of the frame before: by program, buffers, textures and order.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::Result;
use crate::inspector::Inspector;
use crate::signature::pairs;

/// A draw of an earlier frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EarlierDraw {
    pub frame: u32,
    pub call: usize,
}

impl Inspector {
    /// The same draws in the last earlier frame that draws: its number, and its calls by the calls of this frame. `None`
    /// if no earlier frame draws.
    pub fn same_draws(&self, frame: u32) -> Result<Option<(u32, BTreeMap<usize, usize>)>> {
        let span = self.capture().frame(frame)?.clone();
        let dry_run = self.dry_run(span.records.end)?;
        let all = &dry_run.signatures;
        let at = |call: usize| all.partition_point(|(draw, _)| *draw < call);
        let (start, end) = (at(span.calls.start), at(span.calls.end));
        let last = start.checked_sub(1).and_then(|last| all.get(last));
        let Some(before) = last.and_then(|(call, _)| self.capture().frame_of(*call)) else {
            return Ok(None);
        };
        let part = |range: std::ops::Range<usize>| all.get(range).unwrap_or_default();
        let pairs = pairs(part(at(before.calls.start)..start), part(start..end));
        Ok(Some((before.number, pairs)))
    }

    /// The same draw in the last earlier frame that draws; `None` if it has none.
    pub fn same_draw(&self, call: usize) -> Result<Option<EarlierDraw>> {
        let Some(frame) = self.capture().frame_of(call).map(|frame| frame.number) else {
            return Ok(None);
        };
        let found = self.same_draws(frame)?;
        Ok(found.and_then(|(frame, pairs)| Some(EarlierDraw { frame, call: *pairs.get(&call)? })))
    }
}

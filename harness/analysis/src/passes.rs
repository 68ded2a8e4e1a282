//! The outcome and the pass of every call, found by one replay that draws nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use context3d::FlashError;
use context3d::backend::BackendCaps;
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};
use molehill_replay::{CallOutcome, ReplayOptions, Replayer};

use crate::calls::{RenderFace, is_draw, renders};
use crate::capture::{Capture, CaptureEntry};
use crate::effects::{EffectRecorderFactory, Effects};
use crate::error::Result;
use crate::state_items::{StateItem, StateSlot, set_by};
use crate::writes::Writes;

#[derive(Clone, Debug, PartialEq)]
pub struct CallStatus {
    /// The outcome, without the pixels that the call read. `None` if the replay ended before the call.
    pub outcome: Option<CallOutcome>,
    /// The 1-based index of the call's pass in the frame; 0 before the first pass.
    pub pass: u32,
    /// The errors that error checking would raise for this draw, in a context without error checking.
    pub unchecked: Option<Arc<UncheckedErrors>>,
}

/// The errors of a draw in a context without error checking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncheckedErrors {
    /// The first error that error checking would raise.
    pub raised: FlashError,
    /// The error for which Flash skips the draw; `None` if Flash executes the draw.
    pub dropped: Option<FlashError>,
}

impl Display for UncheckedErrors {
    /// Formats the errors as `skipped: error checking would raise 3700: …`, or `drawn, but …`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.dropped {
            None => f.write_str("drawn, but ")?,
            Some(dropped) if *dropped == self.raised => f.write_str("skipped: ")?,
            Some(dropped) => {
                write!(f, "skipped for {}: {}; ", dropped.number(), dropped.message())?;
            }
        }
        write!(f, "error checking would raise {}: {}", self.raised.number(), self.raised.message())
    }
}

impl CallStatus {
    pub fn succeeded(&self) -> bool {
        matches!(self.outcome, Some(CallOutcome::Done | CallOutcome::Bitmap(_)))
    }

    /// Returns the id of the error that the call raises, or that error checking would raise.
    pub fn error(&self) -> Option<u16> {
        match &self.outcome {
            Some(CallOutcome::Raised(error)) => Some(error.number()),
            _ => self.unchecked.as_ref().map(|unchecked| unchecked.raised.number()),
        }
    }

    /// Returns the reason why the call had no effect, or `None` if it succeeded.
    pub fn failure(&self) -> Option<String> {
        match self.outcome.as_ref() {
            Some(CallOutcome::Done | CallOutcome::Bitmap(_)) => None,
            Some(CallOutcome::Raised(error)) => Some(error.to_string()),
            Some(CallOutcome::Skipped(code)) => Some(match &self.unchecked {
                Some(unchecked) => unchecked.to_string(),
                None => format!("skipped for {}: {}", code.number(), code.template()),
            }),
            Some(CallOutcome::Unsupported(what)) => Some(format!("unsupported: {what}")),
            Some(CallOutcome::OnNull) => Some("on an object that could not be created".to_owned()),
            None => Some("not reached: the replay ended before".to_owned()),
        }
    }
}

/// The clears and draws into one set of render targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderPass {
    pub frame: u32,
    /// The 1-based index of the pass in the frame.
    pub number: u32,
    /// The calls of the pass: from its first clear or draw up to the next pass, or to the end of the frame.
    pub calls: Range<usize>,
    pub draws: Vec<usize>,
    pub context: ObjectId,
    /// Texture faces by colour output index; empty for the back buffer.
    pub targets: Vec<RenderFace>,
}

/// Number of earlier draws that are searched for equal errors, so that draws can share them in memory.
const SHARED: usize = 16;

/// A replay without drawing, which finds the status and the pass of each call. The replay advances on demand.
pub(crate) struct DryRun {
    replayer: Replayer<EffectRecorderFactory>,
    records: usize,
    calls: usize,
    /// The outcomes of calls that didn't succeed, by call.
    outcomes: BTreeMap<usize, CallOutcome>,
    pub(crate) passes: Vec<RenderPass>,
    pub(crate) effects: Effects,
    /// The objects that each draw uses, by call. Includes failed draws.
    pub(crate) signatures: Vec<(usize, DrawSignature)>,
    pub(crate) writes: Writes,
    /// For each context, its successful `present` (true) and `configureBackBuffer` (false) calls, which end an image.
    ended_pictures: BTreeMap<ObjectId, Vec<(usize, bool)>>,
    /// The first successful `present` or `drawToBitmapData` call of each context.
    presented: BTreeMap<ObjectId, usize>,
    /// The errors that error checking would raise, by draw call.
    unchecked: BTreeMap<usize, Arc<UncheckedErrors>>,
    /// The last executed call, if the replay failed at the next call.
    failure: Option<usize>,
    /// The contexts whose next clear or draw begins a new pass.
    ended: BTreeSet<ObjectId>,
    /// The 1-based index of the current pass in the frame, and the pass's context.
    pass: u32,
    last: Option<ObjectId>,
}

impl DryRun {
    /// Creates a dry run for a renderer with these capabilities.
    pub(crate) fn new(capture: &Capture, caps: BackendCaps) -> DryRun {
        let factory = EffectRecorderFactory { caps, next: Arc::default() };
        DryRun {
            replayer: Replayer::new(capture.header(), factory, ReplayOptions::default()),
            records: 0,
            calls: 0,
            outcomes: BTreeMap::new(),
            passes: Vec::new(),
            effects: Effects::default(),
            signatures: Vec::new(),
            writes: Writes::default(),
            ended_pictures: BTreeMap::new(),
            presented: BTreeMap::new(),
            unchecked: BTreeMap::new(),
            failure: None,
            ended: BTreeSet::new(),
            pass: 0,
            last: None,
        }
    }

    /// Replays until `records` records are executed. Calls `on_progress` every 256 records, and returns its error.
    pub(crate) fn advance_to(
        &mut self,
        capture: &Capture,
        records: usize,
        on_progress: &mut dyn FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        while self.records < records {
            if self.records.is_multiple_of(256) {
                on_progress(self.records)?;
            }
            let Some((number, entry)) = capture.record(self.records)? else { break };
            self.step(capture, number, &entry);
            self.records += 1;
        }
        Ok(())
    }

    fn step(&mut self, capture: &Capture, number: u64, entry: &CaptureEntry) {
        let mut outcome = None;
        let unchecked = entry.call().and_then(|line| self.unchecked(line));
        if self.failure.is_none() {
            match self.replayer.record(number, entry) {
                Ok(Some(CallOutcome::Bitmap(_))) => outcome = Some(CallOutcome::Done),
                Ok(executed) => outcome = executed,
                Err(_) => self.failure = Some(self.calls),
            }
        }
        if entry.frame().is_some() {
            (self.pass, self.last) = (0, None);
        }
        let Some(line) = entry.call() else { return };
        self.calls += 1;
        let call = self.calls;
        let context = self.replayer.context_of(line.on);
        if let Some(context) = context
            && let Some(noted) = self.replayer.backend_mut(context)
        {
            self.effects.take(self.records, context, noted);
        }
        if is_draw(&line.call) {
            let bound = self.writes.bound(line.on, call).map(|(slot, _, id)| (slot, id));
            self.signatures.push((call, DrawSignature::new(line, &bound.collect::<Vec<_>>())));
        }
        if matches!(outcome, Some(CallOutcome::Done | CallOutcome::Skipped(_))) {
            self.unchecked.extend(unchecked.map(|found| (call, found)));
        }
        if outcome == Some(CallOutcome::Done) {
            self.follow(capture, call, line);
            self.writes.add(call, line);
        }
        if self.pass > 0
            && let Some(pass) = self.passes.last_mut()
        {
            pass.calls.end = call + 1;
        }
        if let Some(outcome) = outcome.filter(|outcome| *outcome != CallOutcome::Done) {
            self.outcomes.insert(call, outcome);
        }
    }

    /// Returns the errors that error checking would raise for the next call, if that is a draw.
    fn unchecked(&mut self, line: &CallLine) -> Option<Arc<UncheckedErrors>> {
        let context = self.replayer.context_of(line.on).filter(|_| is_draw(&line.call))?;
        if self.replayer.error_checking(context) {
            return None;
        }
        let raised = self.replayer.draw_error(line, true)?;
        let found = UncheckedErrors { raised, dropped: self.replayer.draw_error(line, false) };
        let mut before = self.unchecked.values().rev().take(SHARED);
        Some(before.find(|known| ***known == found).cloned().unwrap_or_else(|| Arc::new(found)))
    }

    /// Updates the passes and the calls that end an image, after a successful call.
    fn follow(&mut self, capture: &Capture, call: usize, line: &CallLine) {
        let starts = self.ended.contains(&line.on) || self.last != Some(line.on) || self.pass == 0;
        if renders(&line.call) && (starts || !is_draw(&line.call)) {
            let targets = self.writes.bound(line.on, call).filter_map(|(slot, write, texture)| {
                let side = u8::try_from(write.range.start).unwrap_or(0);
                (slot.item == StateItem::Output).then_some(RenderFace { texture, side })
            });
            self.pass += 1;
            self.passes.push(RenderPass {
                frame: capture.frame_of(call).map_or(0, |frame| frame.number),
                number: self.pass,
                calls: call..call,
                draws: Vec::new(),
                context: line.on,
                targets: targets.collect(),
            });
            self.ended.remove(&line.on);
            self.last = Some(line.on);
        }
        // Calls after `configureBackBuffer` still render to textures if textures were the render target.
        if matches!(set_by(&line.call), ([StateItem::Output | StateItem::BackBuffer], _)) {
            self.ended.insert(line.on);
        }
        if matches!(line.call, Call::Present {} | Call::ConfigureBackBuffer { .. }) {
            let ended = self.ended_pictures.entry(line.on).or_default();
            ended.push((call, line.call == Call::Present {}));
        }
        if matches!(line.call, Call::Present {} | Call::DrawToBitmapData { .. }) {
            self.presented.entry(line.on).or_insert(call);
        }
        if is_draw(&line.call)
            && let Some(pass) = self.passes.last_mut()
        {
            pass.draws.push(call);
        }
    }

    pub(crate) fn get(&self, call: usize) -> CallStatus {
        let outcome = match self.failure {
            Some(last) if call > last => None,
            _ => Some(self.outcomes.get(&call).cloned().unwrap_or(CallOutcome::Done)),
        };
        let after = self.passes.partition_point(|pass| pass.calls.start <= call);
        let before = after.checked_sub(1).and_then(|pass| self.passes.get(pass));
        let pass = before.filter(|pass| pass.calls.contains(&call));
        let unchecked = self.unchecked.get(&call).cloned();
        CallStatus { outcome, pass: pass.map_or(0, |pass| pass.number), unchecked }
    }

    /// Returns the last draw into, or clear of, a texture before a call.
    pub(crate) fn drawn_into(&self, texture: ObjectId, end: usize) -> Option<usize> {
        let before = self.passes.partition_point(|pass| pass.calls.start < end);
        let mut earlier = self.passes.get(..before)?.iter().rev();
        let pass = earlier.find(|pass| pass.targets.iter().any(|face| face.texture == texture))?;
        let draws = pass.draws.iter().rev().find(|draw| **draw < end);
        Some(draws.copied().unwrap_or(pass.calls.start))
    }

    /// Returns the calls of a context before `end` that end an image, each with true for `present`.
    pub(crate) fn pictures_ended(&self, context: ObjectId, end: usize) -> &[(usize, bool)] {
        let all = self.ended_pictures.get(&context).map_or(&[][..], Vec::as_slice);
        all.get(..all.partition_point(|(call, _)| *call < end)).unwrap_or_default()
    }

    /// Returns the draws before `end` of each context that has never presented or read its back buffer until then.
    pub(crate) fn not_presented(&self, end: usize) -> BTreeMap<ObjectId, Vec<usize>> {
        let mut draws = BTreeMap::<_, Vec<usize>>::new();
        for pass in self.passes.iter().take_while(|pass| pass.calls.start < end) {
            if self.presented.get(&pass.context).is_none_or(|first| *first >= end) {
                let before = pass.draws.iter().filter(|draw| **draw < end);
                draws.entry(pass.context).or_default().extend(before);
            }
        }
        draws.retain(|_, draws| !draws.is_empty());
        draws
    }

    pub(crate) fn passes_of(&self, frame: u32) -> &[RenderPass] {
        let first = self.passes.partition_point(|pass| pass.frame < frame);
        let end = self.passes.partition_point(|pass| pass.frame <= frame);
        self.passes.get(first..end).unwrap_or_default()
    }
}

/// Three hashes of the objects that a draw uses: of all bound objects, of the program and buffers, and of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DrawSignature(pub(crate) [u64; 3]);

impl DrawSignature {
    pub(crate) fn new(line: &CallLine, bound: &[(StateSlot, ObjectId)]) -> DrawSignature {
        let named: Vec<ObjectId> = line.call.objects().iter().map(|(_, id)| *id).collect();
        let hash = |buffers: bool, counts: fn(StateItem) -> bool| {
            let mut hasher = DefaultHasher::new();
            (line.on, buffers.then_some(&named)).hash(&mut hasher);
            let used = bound.iter().filter(|(slot, _)| counts(slot.item));
            used.for_each(|used| used.hash(&mut hasher));
            hasher.finish()
        };
        DrawSignature([
            hash(true, |_| true),
            hash(true, |item| !matches!(item, StateItem::Texture | StateItem::Output)),
            hash(false, |item| item == StateItem::Program),
        ])
    }

    /// Returns the hash of the program and the buffers.
    pub(crate) fn buffers(self) -> u64 {
        self.0[1]
    }

    /// Returns whether two draws use equal programs and buffers, and whether all their objects are equal.
    pub(crate) fn equals(self, other: DrawSignature) -> (bool, bool) {
        let (DrawSignature([all, buffers, _]), DrawSignature([others, other_buffers, _])) =
            (self, other);
        (buffers == other_buffers, all == others)
    }
}

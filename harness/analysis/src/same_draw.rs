//! Matches each draw with the same draw of the previous frame, by program, buffers, textures and order. Finds
//! constants, uploads, clears and first indices that were equal in many frames and differ in this frame.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};
use serde::Serialize;

use crate::draw_report::DrawReport;
use crate::error::Result;
use crate::habits::Habit;
use crate::inspector::{DrawRecord, Inspector};
use crate::passes::{DrawSignature, RenderPass};
use crate::renderers::{ReferencePlayer, constants, pair};
use crate::sentence::{Sentence, SentenceValue, sentence};
use crate::state_items::{StateItem, StateSlot};

/// The matching draw of an earlier frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EarlierDraw {
    pub frame: u32,
    pub call: usize,
}

impl Inspector {
    /// Returns the last earlier frame with draws, and a map from this frame's draw calls to the matching calls of that
    /// frame. Returns `None` if no earlier frame draws.
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

    /// Returns the matching draw in the last earlier frame with draws, or `None` if that frame has no matching draw.
    pub fn same_draw(&self, call: usize) -> Result<Option<EarlierDraw>> {
        let Some(frame) = self.capture().frame_of(call).map(|frame| frame.number) else {
            return Ok(None);
        };
        let found = self.same_draws(frame)?;
        Ok(found.and_then(|(frame, pairs)| Some(EarlierDraw { frame, call: *pairs.get(&call)? })))
    }
}

type SceneDraw = (usize, DrawSignature);

/// Returns the similarity of two draws: 9 for equal objects, 7 for equal program and buffers, 4 for equal programs,
/// else 0. Two matching programs outweigh one pair of matching buffers, because engines rotate dynamic buffers.
fn likeness((_, one): &SceneDraw, (_, two): &SceneDraw) -> u32 {
    let mut levels = one.0.iter().zip(two.0).zip([9, 7, 4]);
    levels.find(|((one, two), _)| *one == two).map_or(0, |(_, worth)| worth)
}

/// Maximum number of draw pairs that are compared to find the best order-preserving match.
const MAX_PAIRS: usize = 1 << 20;

/// Returns the most similar pairs of draws that preserve the order of both frames, as a map from calls of `after` to
/// calls of `before`. Returns no pairs if there are too many draws.
fn in_order(mut before: &[SceneDraw], mut after: &[SceneDraw]) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    if before.len().saturating_mul(after.len()) > MAX_PAIRS {
        return found;
    }
    // `rows[n][m]` is the maximum similarity of the last n draws of `before` and the last m draws of `after`.
    let mut rows = vec![vec![0; after.len() + 1]];
    for one in before.iter().rev() {
        let (mut row, last) = (vec![0], rows.last().map_or(&[][..], Vec::as_slice));
        for (two, pair) in after.iter().rev().zip(last.windows(2)) {
            let [both, without] = [pair.first(), pair.last()].map(|it| it.copied().unwrap_or(0));
            let like = likeness(one, two);
            let both = if like == 0 { 0 } else { both + like };
            row.push(both.max(without).max(row.last().copied().unwrap_or(0)));
        }
        rows.push(row);
    }
    let best = |before: usize, after: usize| rows.get(before).and_then(|row| row.get(after));
    while let ([one, more @ ..], [two, others @ ..]) = (before, after) {
        let all = best(before.len(), after.len());
        let like = likeness(one, two);
        if like > 0 && all == best(more.len(), others.len()).map(|rest| rest + like).as_ref() {
            found.insert(two.0, one.0);
            (before, after) = (more, others);
        } else if all == best(more.len(), after.len()) {
            before = more;
        } else {
            after = others;
        }
    }
    found
}

/// Matches draws of `after` with draws of `before`. First matches draws that are in the same order in both frames. In
/// three passes of decreasing similarity, the n-th remaining draw is matched with the n-th draw that uses equal
/// objects.
pub(crate) fn pairs(before: &[SceneDraw], after: &[SceneDraw]) -> BTreeMap<usize, usize> {
    let mut found = in_order(before, after);
    for level in 0..3 {
        let paired: BTreeSet<usize> = found.values().copied().collect();
        let key = |signature: &DrawSignature| signature.0.get(level).copied();
        let mut queues: HashMap<_, VecDeque<usize>> = HashMap::new();
        for (call, signature) in before.iter().filter(|one| !paired.contains(&one.0)) {
            queues.entry(key(signature)).or_default().push_back(*call);
        }
        let rest = after.iter().filter(|(call, _)| !found.contains_key(call));
        for (call, signature) in rest.copied().collect::<Vec<_>>() {
            if let Some(earlier) = queues.get_mut(&key(&signature)).and_then(VecDeque::pop_front) {
                found.insert(call, earlier);
            }
        }
    }
    found
}

/// A value is stable after this many frames without a change.
const STEADY: u8 = 6;
/// The names of the buffers, by bit of a clear's mask.
const BUFFERS: [&str; 3] = ["colour", "depth", "stencil"];

/// A change of a draw's value, such as a constant, that was equal in previous frames.
struct TypicalChange<'a> {
    now: &'a Habit,
    was: &'a Habit,
    age: u8,
}

/// A draw with the state of the matching draws in previous frames.
#[derive(Default)]
pub(crate) struct DrawHistory {
    pub(crate) report: DrawReport,
    /// True if the matching draw of the previous frame had the same objects and state.
    pub(crate) steady: bool,
    /// The state hash ([`DrawReport::setup`]) of the matching draw in the previous frame.
    pub(crate) before: Option<u64>,
    /// For each value in `report.habits`, the number of frames in which this value was unchanged.
    ages: Vec<u8>,
}

impl DrawHistory {
    pub(crate) fn new(report: DrawReport) -> DrawHistory {
        DrawHistory { ages: vec![0; report.habits.len()], report, ..DrawHistory::default() }
    }

    /// Updates `ages`. Returns a sentence about values that changed after many equal frames, and about constants that
    /// exchanged registers. If the draws use different buffers, compares only uploads, because programs often alternate
    /// between buffers.
    pub(crate) fn broken_habits(
        &mut self,
        then: &DrawHistory,
        earlier: u32,
        same_buffers: bool,
    ) -> Option<Sentence> {
        let (mut changed, mut found) = (Vec::new(), Vec::new());
        let habits = self.report.habits.iter().zip(&mut self.ages);
        for ((now, age), (was, old_age)) in habits.zip(then.report.habits.iter().zip(&then.ages)) {
            if !now.is_like(was) {
                continue;
            }
            if now.equals(was) {
                *age = old_age.saturating_add(1);
                continue;
            }
            let counts = match now {
                Habit::Uploaded(_, is_uploaded) => !is_uploaded,
                Habit::Cleared(_) | Habit::FirstIndex(_) | Habit::Constant(..) => same_buffers,
            };
            changed.extend(counts.then_some(TypicalChange { now, was, age: *old_age }));
        }
        for (at, TypicalChange { now, was, age }) in changed.iter().enumerate() {
            let mut all = changed.iter().enumerate();
            let swapped = all.find(|(_, other)| other.now.equals(was) && other.was.equals(now));
            found.push(match swapped {
                Some((before, _)) if before <= at => continue,
                Some((_, other)) if *age.max(&other.age) >= STEADY => {
                    let (one, two) = (now.name(), other.now.name());
                    sentence![
                        one,
                        " and ",
                        two,
                        " have changed places since frame ",
                        SentenceValue(earlier)
                    ]
                }
                None if *age >= STEADY => {
                    let (name, value, old) = (now.name(), now.value(was), was.value(now));
                    let name = sentence![name, now.components(was), " is ", value];
                    sentence![name, ", in each of the ", SentenceValue(age), " frames before ", old]
                }
                Some(_) | None => continue,
            });
        }
        (!found.is_empty()).then(|| Sentence::joined(found, "; "))
    }
}

impl Inspector {
    /// Returns the typical values of a draw: the cleared buffers of its target, its first index, the constants that it
    /// may read, and whether its objects were uploaded in the frame.
    pub(crate) fn habits(
        &self,
        player: &mut ReferencePlayer,
        draw: &DrawRecord,
    ) -> Result<Vec<Habit>> {
        let DrawRecord { call, ref line, context, .. } = *draw;
        let frame = self.capture().frame_of(call);
        let start = frame.map_or(0, |frame| frame.calls.start);
        let mut mask = 0;
        for clear in self.clears(call)? {
            if let Call::Clear { mask: more, .. } = self.capture().call(clear)?.1.call {
                mask |= more;
            }
        }
        let cleared = BUFFERS.iter().zip(0..).filter(|(_, bit)| mask >> bit & 1 != 0);
        let cleared: Vec<&str> = cleared.map(|(name, _)| *name).collect();
        let cleared = if cleared.is_empty() { "nothing".to_owned() } else { cleared.join(", ") };
        let mut habits = vec![Habit::Cleared(cleared)];
        if let Call::DrawTriangles { first_index, .. } = line.call {
            habits.push(Habit::FirstIndex(first_index));
        }
        let bound = player.bound(context);
        if let (Some(bound), Some(pair)) = (bound, pair(player, context)) {
            let read = constants(&bound, pair.interface());
            habits.extend(read.map(|(slot, value)| Habit::Constant(slot, *value)));
        }
        let all = self.drawn_with(call, line)?.into_iter();
        // Index buffers are ignored, because batched quads share one that is seldom uploaded.
        let content = all.filter(|used| used.slot.item != StateItem::Indices);
        habits.extend(content.map(|used| {
            Habit::Uploaded(used.slot, used.upload.is_some_and(|upload| upload >= start))
        }));
        Ok(habits)
    }

    /// Returns the clears of a draw's render target earlier in the same frame.
    pub(crate) fn clears(&self, call: usize) -> Result<Vec<usize>> {
        let dry_run = self.dry_run(0)?;
        let frame = self.capture().frame_of(call).map_or(0, |frame| frame.number);
        let passes = dry_run.passes_of(frame);
        let before = passes.get(..passes.partition_point(|pass| pass.calls.start <= call));
        let Some(before @ [.., own]) = before else { return Ok(Vec::new()) };
        let same = |pass: &&RenderPass| pass.context == own.context && pass.targets == own.targets;
        let clear =
            |it: &RenderPass| Some(it.calls.start).filter(|at| it.draws.first() != Some(at));
        Ok(before.iter().filter(same).filter_map(clear).collect())
    }

    /// Returns the buffers and textures that a draw uses.
    pub(crate) fn drawn_with(&self, call: usize, line: &CallLine) -> Result<Vec<UsedObject>> {
        let writes = &self.dry_run(0)?.writes;
        let indices = line.call.objects().first().map(|(_, id)| (StateItem::Indices.slot(0), *id));
        let bound = writes.bound(line.on, call);
        let read =
            bound.filter(|(slot, ..)| matches!(slot.item, StateItem::Stream | StateItem::Texture));
        let objects = read.map(|(slot, _, id)| (slot, id)).chain(indices);
        let used = |(slot, id)| UsedObject { id, slot, upload: writes.last_upload(id, call) };
        Ok(objects.map(used).collect())
    }
}

/// A buffer or texture that a draw uses.
pub(crate) struct UsedObject {
    pub(crate) id: ObjectId,
    pub(crate) slot: StateSlot,
    /// The last upload to the object before the draw.
    pub(crate) upload: Option<usize>,
}

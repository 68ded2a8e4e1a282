//! Matches the draws of a frame with those of the frame before, by program, buffers, textures and order; and finds what
//! was the same in many frames and differs in this one: constants that keep their value, uploads, clears.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};
use serde::Serialize;

use crate::draw_report::{DrawReport, Habit};
use crate::error::Result;
use crate::inspector::{Inspector, NextDraw};
use crate::number::text;
use crate::origins::CLEARED;
use crate::passes::{Pass, Signature};
use crate::renderers::{Player, constants, pair};
use crate::state_items::Item;

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

/// A draw's call, and what it uses.
type Draw = (usize, Signature);

/// Returns how much two draws have in common; 0: nothing. Two draws with the same programs are worth more than one with the
/// same buffers: engines use their dynamic buffers in turns.
fn likeness((_, one): &Draw, (_, two): &Draw) -> u32 {
    let mut levels = one.0.iter().zip(two.0).zip([9, 7, 4]);
    levels.find(|((one, two), _)| *one == two).map_or(0, |(_, worth)| worth)
}

/// Most pairs of draws that are compared to keep their order.
const MAX_PAIRS: usize = 1 << 20;

/// The most alike pairs of draws in the order of both frames: calls of `before` by those of `after`. None if there are too
/// many draws.
fn in_order(mut before: &[Draw], mut after: &[Draw]) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    if before.len().saturating_mul(after.len()) > MAX_PAIRS {
        return found;
    }
    // The likeness of the last draws: in each row of so many of `before`, in each place of so many of `after`.
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

/// For each draw of `after` the same draw of `before`: first in the order of both frames; of the others, the n-th of equal
/// ones is the n-th, exact matches first.
pub(crate) fn pairs(before: &[Draw], after: &[Draw]) -> BTreeMap<usize, usize> {
    let mut found = in_order(before, after);
    for level in 0..3 {
        let paired: BTreeSet<usize> = found.values().copied().collect();
        let key = |signature: &Signature| signature.0.get(level).copied();
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

/// A value is steady after this many frames without a change.
const STEADY: u8 = 6;
/// By bit of a clear's mask.
const BUFFERS: [&str; 3] = ["colour", "depth", "stencil"];
const UPLOADED: &str = "uploaded in the frame";
/// Buffers often take turns, so that their content is compared by register.
const CONTENT: &str = "the content of ";
const INDICES: &str = "indices";

/// A draw, with what is known of the same draw in the frames before.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) report: DrawReport,
    /// The draw had the same objects and state in the frame before.
    pub(crate) steady: bool,
    /// The state ([`DrawReport::setup`]) that it had in the frame before.
    pub(crate) before: Option<u64>,
    /// For how many frames its habits have kept their values.
    ages: Vec<u8>,
}

impl Known {
    pub(crate) fn new(report: DrawReport) -> Known {
        Known { ages: vec![0; report.habits.len()], report, ..Known::default() }
    }

    /// Notes the ages of the habits. Returns those that changed after many frames, or that changed places, in words: without
    /// the same buffers, only uploads.
    pub(crate) fn broken_habits(
        &mut self,
        then: &Known,
        earlier: u32,
        same_buffers: bool,
    ) -> Option<String> {
        let (mut changed, mut found) = (Vec::new(), Vec::new());
        let now = self.report.habits.iter().zip(&mut self.ages);
        for ((habit, age), (old, old_age)) in now.zip(then.report.habits.iter().zip(&then.ages)) {
            let ((name, value), (old_name, was)) = (habit, old);
            let parts = components(name, value, was);
            if name == old_name && parts.1.is_empty() {
                *age = old_age.saturating_add(1);
            } else if name == old_name
                && value != UPLOADED
                && (same_buffers || name.starts_with(CONTENT))
            {
                changed.push((name, value, was, *old_age, parts));
            }
        }
        for (at, (name, value, was, age, (of, value_of, was_of))) in changed.iter().enumerate() {
            let mut all = changed.iter().enumerate();
            let swapped = all.find(|(_, (_, now, before, ..))| now == was && before == value);
            let (other, old) = swapped.map_or((name, age), |(_, (other, .., old, _))| (other, old));
            found.push(match swapped {
                _ if *age.max(old) < STEADY => continue,
                Some((before, _)) if before <= at => continue,
                Some(_) => format!("{name} and {other} have changed places since frame {earlier}"),
                None => format!("{of} is {value_of}, in each of the {age} frames before {was_of}"),
            });
        }
        (!found.is_empty()).then(|| found.join("; "))
    }
}

/// The components of a constant that differ, as `constant vc1.z`, and their values; of another habit all of it. The values are
/// empty if nothing differs.
fn components(name: &str, value: &str, was: &str) -> (String, String, String) {
    if !name.starts_with("constant ") || value == was {
        let value = if value == was { "" } else { value };
        return (name.to_owned(), value.to_owned(), was.to_owned());
    }
    // -0 and 0 are equal, NaN and NaN are not.
    let number = |text: &str| text.parse().unwrap_or(f32::NAN);
    let all = "xyzw".chars().zip(value.split(", ").zip(was.split(", ")));
    let other = all.filter(|(_, (now, then))| now != then && number(now) != number(then));
    let (letters, (now, then)): (String, (Vec<&str>, Vec<&str>)) = other.unzip();
    let letters = if letters.len() == 4 { String::new() } else { format!(".{letters}") };
    (format!("{name}{letters}"), now.join(", "), then.join(", "))
}

impl Inspector {
    /// Returns the habits of a draw: the buffers of its target that were cleared in its frame, its first index, the constants
    /// that it may read, and the objects whose content was uploaded in its frame.
    pub(crate) fn habits(&self, player: &mut Player, draw: &NextDraw) -> Result<Vec<Habit>> {
        let NextDraw { call, ref line, context, .. } = *draw;
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
        let mut habits = vec![(CLEARED.to_owned(), cleared)];
        if let Call::DrawTriangles { first_index, .. } = line.call {
            habits.push(("firstIndex".to_owned(), first_index.to_string()));
        }
        let bound = player.bound(context);
        if let (Some(bound), Some(pair)) = (bound, pair(player, context)) {
            let read = constants(&bound, pair.interface());
            habits.extend(read.map(|(name, value)| (format!("constant {name}"), text(value))));
        }
        for (_, name, upload) in self.drawn_with(call, line)? {
            let here = upload.is_some_and(|upload| upload >= start);
            let value = if here { UPLOADED } else { "not uploaded in the frame" };
            // Batches of quads share indices, which are seldom uploaded.
            if name != INDICES {
                habits.push((format!("{CONTENT}{name}"), value.to_owned()));
            }
        }
        Ok(habits)
    }

    /// The clears of a draw's target before it in its frame.
    pub(crate) fn clears(&self, call: usize) -> Result<Vec<usize>> {
        let dry_run = self.dry_run(0)?;
        let frame = self.capture().frame_of(call).map_or(0, |frame| frame.number);
        let passes = dry_run.passes_of(frame);
        let before = passes.get(..passes.partition_point(|pass| pass.calls.start <= call));
        let Some(before @ [.., own]) = before else { return Ok(Vec::new()) };
        let same = |pass: &&Pass| pass.context == own.context && pass.targets == own.targets;
        let clear = |it: &Pass| Some(it.calls.start).filter(|at| it.draws.first() != Some(at));
        Ok(before.iter().filter(same).filter_map(clear).collect())
    }

    /// The buffers and textures of a draw, each with its register and the last upload before.
    pub(crate) fn drawn_with(
        &self,
        call: usize,
        line: &CallLine,
    ) -> Result<Vec<(ObjectId, String, Option<usize>)>> {
        let writes = &self.dry_run(0)?.writes;
        let indices = line.call.objects().first().map(|(_, id)| (*id, INDICES.to_owned()));
        let bound = writes.bound(line.on, call);
        let read = bound.filter(|(slot, ..)| matches!(slot.item, Item::Stream | Item::Texture));
        let objects = read.map(|(slot, _, id)| (id, slot.to_string())).chain(indices);
        Ok(objects.map(|(id, name)| (id, name, writes.last_upload(id, call))).collect())
    }
}

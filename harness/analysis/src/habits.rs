//! What a capture did in every frame before and doesn't do in this one: constants that keep their value, uploads, clears.

use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

use crate::draw_report::{DrawReport, Habit};
use crate::error::Result;
use crate::inspector::{Inspector, NextDraw};
use crate::number::text;
use crate::origins::CLEARED;
use crate::passes::Pass;
use crate::renderers::{Player, constants, pair};

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
    /// Whether it had the same objects and state in the frame before.
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
    /// What was cleared of a draw's target in its frame, its first index, the constants that it may read, and whether the
    /// content of its buffers and textures was uploaded in its frame.
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
        let slots = [("setVertexBufferAt", "va"), ("setTextureAt", "fs")].into_iter();
        let slots = slots.flat_map(|slot| (0..16).map(move |index| (slot, index)));
        let objects = slots.filter_map(|((setter, letter), index)| {
            let write = writes.last(line.on, (setter, index), call)?;
            Some((write.object?, format!("{letter}{index}")))
        });
        let last = |id: ObjectId| {
            let all = writes.uploads.get(&id)?;
            let before = all.partition_point(|(_, write)| write.call < call);
            Some(all.get(before.checked_sub(1)?)?.1.call)
        };
        Ok(objects.chain(indices).map(|(id, name)| (id, name, last(id))).collect())
    }
}

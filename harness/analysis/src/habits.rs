//! What a capture did in every frame before and doesn't do in this one: constants that keep their value, uploads, clears.

use std::collections::BTreeMap;

use context3d::agal::LinkedPair;
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

use crate::draw_report::DrawReport;
use crate::error::Result;
use crate::face::Face;
use crate::inspector::Inspector;
use crate::number::text;
use crate::renderers::Player;
use crate::scan::Outlier;

/// A value is steady after this many frames without a change.
const STEADY: u8 = 6;
/// Bits of a clear's mask.
const BUFFERS: [(u32, &str); 3] = [(1, "colour"), (2, "depth"), (4, "stencil")];
const UPLOADED: &str = "uploaded in the frame";

/// What mostly stays as it is from frame to frame: a name, and its value.
pub(crate) type Habit = (String, String);

/// A draw, with what is known of the same draw in the frames before.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) report: DrawReport,
    /// Whether it had the same objects and state in the frame before.
    pub(crate) steady: bool,
    /// For how many frames its habits have kept their values.
    ages: Vec<u8>,
}

impl Known {
    pub(crate) fn new(report: DrawReport) -> Known {
        Known { ages: vec![0; report.habits.len()], report, steady: false }
    }

    /// Notes the ages of the habits. Returns those that changed after many frames, or that changed places, in words.
    pub(crate) fn broken_habits(&mut self, then: &Known, earlier: u32) -> Option<String> {
        let (mut changed, mut found) = (Vec::new(), Vec::new());
        let now = self.report.habits.iter().zip(&mut self.ages);
        for ((habit, age), (old, old_age)) in now.zip(then.report.habits.iter().zip(&then.ages)) {
            let ((name, value), (old_name, was)) = (habit, old);
            if habit == old {
                *age = old_age.saturating_add(1);
            } else if name == old_name && value != UPLOADED {
                changed.push((name, value, was, *old_age));
            }
        }
        for (at, (name, value, was, age)) in changed.iter().enumerate() {
            let mut all = changed.iter().enumerate();
            match all.find(|(_, (_, now, before, _))| now == was && before == value) {
                Some((other, (swapped, ..))) if other > at => {
                    found.push(format!(
                        "{name} and {swapped} have changed places since frame {earlier}"
                    ));
                }
                None if *age >= STEADY => {
                    found.push(format!(
                        "{name} is {value}, in each of the {age} frames before {was}"
                    ));
                }
                Some(_) | None => {}
            }
        }
        (!found.is_empty()).then(|| found.join("; "))
    }
}

impl Inspector {
    /// The constants that a draw may read, and whether the content of its buffers and textures was uploaded in its
    /// frame.
    pub(crate) fn habits(
        &self,
        player: &mut Player,
        context: usize,
        (call, line): (usize, &CallLine),
    ) -> Result<Vec<Habit>> {
        let start = self.capture().frame_of(call).map_or(0, |frame| frame.calls.start);
        let (program, bound) = (player.bound_device_program(context), player.bound(context));
        let pair = player.backend_mut(context).and_then(|backend| backend.program(program?));
        let mut habits = Vec::new();
        if let (Some(bound), Some(interface)) = (bound, pair.map(LinkedPair::interface)) {
            for (letter, bank, count) in [
                ("vc", &bound.vertex_constants, interface.vertex_constants),
                ("fc", &bound.fragment_constants, interface.fragment_constants),
            ] {
                let read = bank.iter().enumerate().take(count.into());
                habits.extend(
                    read.map(|(at, value)| (format!("constant {letter}{at}"), text(value))),
                );
            }
        }
        for (id, name, upload) in self.drawn_with(call, line)? {
            let here = upload.is_some_and(|upload| upload >= start);
            let value = if here { UPLOADED } else { "not uploaded in the frame" };
            habits.push((format!("{} ({name})", self.capture().name(id)), value.to_owned()));
        }
        Ok(habits)
    }

    /// The buffers and textures of a draw, each with its register and the last upload before.
    pub(crate) fn drawn_with(
        &self,
        call: usize,
        line: &CallLine,
    ) -> Result<Vec<(ObjectId, String, Option<usize>)>> {
        let writes = &self.dry_run(0)?.writes;
        let indices = line.call.objects().first().map(|(_, id)| (*id, "indices".to_owned()));
        let slots = [("setVertexBufferAt", "va"), ("setTextureAt", "fs")].into_iter();
        let slots = slots.flat_map(|slot| (0..16).map(move |index| (slot, index)));
        let objects = slots.filter_map(|((setter, letter), index)| {
            let write = writes.last(line.on, setter, index, call)?;
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

/// By context and render target: the first call that renders into it, and the mask of its clears.
pub(crate) type Clears = BTreeMap<(ObjectId, Vec<Face>), (usize, u32)>;

impl Inspector {
    pub(crate) fn clears(&self, frame: u32) -> Result<Clears> {
        let mut clears = Clears::new();
        for pass in self.passes(frame)? {
            let key = (pass.context, pass.targets);
            let clear = clears.entry(key).or_insert((pass.calls.start, 0));
            if let Call::Clear { mask, .. } = self.capture().call(pass.calls.start)?.1.call {
                clear.1 |= mask;
            }
        }
        Ok(clears)
    }

    /// The render targets of a frame that lack a clear which both frames before had.
    pub(crate) fn missing_clears(
        &self,
        frame: u32,
        (now, before): (&Clears, &[Clears; 2]),
    ) -> Vec<Outlier> {
        let mut found = Vec::new();
        for (key, (call, mask)) in now {
            let usual = before.iter().map(|clears| clears.get(key).map_or(0, |clear| clear.1));
            let missing = usual.fold(!mask, |usual, mask| usual & mask);
            let buffers = BUFFERS.iter().filter(|(bit, _)| missing & bit != 0);
            let buffers: Vec<&str> = buffers.map(|(_, name)| *name).collect();
            if !buffers.is_empty() {
                let targets = key.1.iter().map(|face| self.capture().face_title(*face));
                let mut targets: Vec<String> = targets.collect();
                if targets.is_empty() {
                    targets.push("the back buffer".to_owned());
                }
                let (buffers, targets) = (buffers.join(" and "), targets.join(", "));
                let reason = format!(
                    "{buffers} of {targets} is not cleared from call {call} on, in the frames before it was"
                );
                found.push(Outlier { frame, call: Some(*call), reason });
            }
        }
        found
    }
}

//! The origins of state and content: the calls that set values, and the calls that uploaded or rendered content.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use molehill_capture::objects::ObjectId;

use crate::calls::{is_draw, renders};
use crate::error::Result;
use crate::inspector::Inspector;
use crate::passes::DryRun;
use crate::sentence::Subject;
use crate::state_items::{StateArea, StateItem, StateSlot};
pub use crate::writes::ContentPart;
use crate::writes::{StateWrite, ranges, without};

/// The call that set the value of a state report's row, or wrote a bound object's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOrigin {
    pub slot: StateSlot,
    pub kind: OriginKind,
    pub call: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OriginKind {
    /// The call set the value of the slot.
    Set,
    /// The call uploaded this part of the bound object's content.
    Uploaded(ContentPart),
    /// The call drew into, or cleared, the bound texture.
    Drawn,
}

impl CallOrigin {
    /// Returns whether the call set the complete state value, not just one component.
    pub fn is_whole(&self) -> bool {
        self.kind == OriginKind::Set && self.slot.item.part().is_empty()
    }

    /// Returns whether the call set all or a part of the state value that a state report lists under this area and
    /// name.
    pub fn is_of(&self, area: StateArea, name: &str) -> bool {
        self.slot.item.area() == area && self.slot.to_string() == name
    }
}

impl fmt::Display for CallOrigin {
    /// Formats the part of the state value that the call set, such as `level 0` or `0 to 99`. Writes nothing if the
    /// call set the complete state value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            OriginKind::Set => f.write_str(self.slot.item.part()),
            OriginKind::Drawn => f.write_str("drawn"),
            OriginKind::Uploaded(ContentPart::All) => f.write_str("upload"),
            OriginKind::Uploaded(ContentPart::Level { side: 0, level }) => {
                write!(f, "level {level}")
            }
            OriginKind::Uploaded(ContentPart::Level { side, level }) => {
                write!(f, "side {side}, level {level}")
            }
            OriginKind::Uploaded(ContentPart::Elements(all)) => {
                write!(f, "{} to {}", all.start, all.end.saturating_sub(1))
            }
        }
    }
}

/// An entry in the list of draws: a draw, or the clear that begins a pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawLine {
    pub call: usize,
    pub program: Option<ObjectId>,
    /// The texture of the first sampler with a bound texture.
    pub texture: Option<ObjectId>,
    /// The source and destination blend factors: `one, zero`.
    pub blend: String,
    /// Seconds from this call to the next call, if both have recorded times.
    pub seconds: Option<f64>,
    /// The marker regions that contain the call, outermost first.
    pub markers: Vec<String>,
}

const MAX_PARTS: usize = 40;

/// Finds the origins of the state and content before the call `end`.
struct Origins<'a> {
    dry_run: &'a DryRun,
    context: ObjectId,
    /// The call at which the search ends, exclusive.
    end: usize,
}

impl Origins<'_> {
    fn last(&self, slot: StateSlot) -> Option<&StateWrite> {
        self.dry_run.writes.last(self.context, slot, self.end)
    }

    /// Returns the uploads that produced an object's current content, newest first.
    fn content(&self, slot: StateSlot, object: ObjectId) -> impl Iterator<Item = CallOrigin> {
        let uploads = self.dry_run.writes.content(object, self.end, MAX_PARTS).into_iter();
        uploads.map(move |(call, part)| CallOrigin {
            slot,
            kind: OriginKind::Uploaded(part.clone()),
            call,
        })
    }

    /// Returns the last draw into, or clear of, the texture that is bound to a slot.
    fn drawn(&self, slot: StateSlot, texture: ObjectId) -> Option<CallOrigin> {
        let call = self.dry_run.drawn_into(texture, self.end)?;
        (slot.item == StateItem::Texture).then_some(CallOrigin {
            slot,
            kind: OriginKind::Drawn,
            call,
        })
    }

    /// Returns the calls that set the current values of a stage's constant registers.
    fn constants(&self, bank: StateItem) -> Vec<CallOrigin> {
        let all = self.dry_run.writes.of(self.context, bank.slot(0), self.end);
        let count = all.iter().map(|write| write.range.end).max().unwrap_or(0).min(1024);
        let (mut missing, mut found) = (ranges(0..count), Vec::new());
        for write in all.iter().rev().filter(|write| !write.range.is_empty()) {
            let left = without(&missing, &write.range);
            let registers = missing.into_iter().flatten().filter(|it| write.range.contains(it));
            let origin =
                |at| CallOrigin { slot: bank.slot(at), kind: OriginKind::Set, call: write.call };
            found.extend(registers.map(origin));
            missing = left;
            if missing.is_empty() {
                break;
            }
        }
        found
    }

    /// Returns the last call that set the value or content to which a sentence refers. `clear` is the last clear of the
    /// target.
    fn of_subject(&self, subject: Subject, clear: Option<usize>) -> Option<usize> {
        let last = |slot| self.last(slot).map(|write| write.call);
        match subject {
            Subject::Value(StateSlot {
                item: bank @ (StateItem::VertexConstants | StateItem::FragmentConstants),
                index,
            }) => {
                let all = self.dry_run.writes.of(self.context, bank.slot(0), self.end);
                let set = all.iter().rev().find(|write| write.range.contains(&index));
                set.map(|write| write.call)
            }
            Subject::Value(slot @ StateSlot { item: StateItem::Texture, index }) => {
                last(slot).max(last(StateItem::Sampler.slot(index)))
            }
            Subject::Value(slot) => last(slot),
            Subject::Content(slot) => {
                let object = self.last(slot)?.object?;
                let upload = self.dry_run.writes.last_upload(object, self.end);
                upload.max(self.drawn(slot, object).map(|origin| origin.call))
            }
            Subject::Level(slot, level) => {
                let mut uploads = self.content(slot, self.last(slot)?.object?);
                let wanted = OriginKind::Uploaded(ContentPart::Level { side: 0, level });
                uploads.find(|origin| origin.kind == wanted).map(|origin| origin.call)
            }
            Subject::Clear => clear,
        }
    }
}

impl Inspector {
    /// Returns the calls that set the state at a call, and the calls that wrote the content of the bound objects. See
    /// [`Inspector::state`].
    pub fn origins(&self, call: usize) -> Result<Vec<CallOrigin>> {
        let capture = self.capture();
        let (_, line) = capture.call(call)?;
        let dry_run = self.dry_run(capture.record_index(call)? + 1)?;
        let end = call + usize::from(!renders(&line.call));
        let context = capture.context_of(line.on);
        let origins = Origins { dry_run: &dry_run, context, end };
        let mut found = Vec::new();
        for item in StateItem::ALL.iter().filter(|item| item.area() != StateArea::Hidden) {
            if matches!(item, StateItem::VertexConstants | StateItem::FragmentConstants) {
                found.extend(origins.constants(*item));
                continue;
            }
            for slot in (0..item.slots()).map(|index| item.slot(index)) {
                let Some(write) = origins.last(slot) else { continue };
                found.push(CallOrigin { slot, kind: OriginKind::Set, call: write.call });
                found.extend(write.object.into_iter().flat_map(|id| origins.content(slot, id)));
            }
        }
        let bound = dry_run.writes.bound(context, end);
        found.extend(bound.filter_map(|(slot, _, texture)| origins.drawn(slot, texture)));
        if let Some((_, id)) = line.call.objects().first().filter(|_| is_draw(&line.call)) {
            found.extend(origins.content(StateItem::Indices.slot(0), *id));
        }
        Ok(found)
    }

    /// Returns the end of a sentence about a draw: the calls that set the values which the sentence names.
    pub(crate) fn set_by(&self, call: usize, subjects: &BTreeSet<Subject>) -> Result<String> {
        let capture = self.capture();
        let context = capture.context_of(capture.call(call)?.1.on);
        let clear = self.clears(call)?.last().copied();
        let dry_run = self.dry_run(0)?;
        let origins = Origins { dry_run: &dry_run, context, end: call };
        let mut calls: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for subject in subjects {
            if let Some(set) = origins.of_subject(*subject, clear) {
                calls.entry(set).or_default().insert(subject.to_string());
            }
        }
        let set = |(call, labels): (usize, BTreeSet<String>)| {
            let frame = capture.frame_of(call).map(|frame| format!(" of frame {}", frame.number));
            let labels = Vec::from_iter(labels).join(", ");
            format!("; set by call {call}{}: {labels}", frame.unwrap_or_default())
        };
        Ok(calls.into_iter().map(set).collect())
    }

    /// Returns the clears and draws of a frame, ordered by call.
    pub fn draw_lines(&self, frame: u32) -> Result<Vec<DrawLine>> {
        let capture = self.capture();
        let dry_run = self.dry_run(capture.frame(frame)?.records.end)?;
        let mut lines = Vec::new();
        for pass in dry_run.passes_of(frame) {
            let first = Some(pass.calls.start).filter(|call| pass.draws.first() != Some(call));
            for call in first.into_iter().chain(pass.draws.iter().copied()) {
                let last = |item: StateItem| dry_run.writes.last(pass.context, item.slot(0), call);
                let mut bound = dry_run.writes.bound(pass.context, call);
                let texture = bound.find(|(slot, ..)| slot.item == StateItem::Texture);
                let blend = match last(StateItem::Blend).map(|write| capture.call(write.call)) {
                    None => "one, zero".to_owned(),
                    Some(set) => {
                        let factors = set?.1.call.arguments(&|_| String::new());
                        factors.into_iter().map(|(_, it)| it).collect::<Vec<_>>().join(", ")
                    }
                };
                let time = |call| capture.call(call).ok().and_then(|(_, line)| line.time);
                lines.push(DrawLine {
                    call,
                    program: last(StateItem::Program).and_then(|write| write.object),
                    texture: texture.map(|(.., id)| id),
                    blend,
                    seconds: time(call).zip(time(call + 1)).map(|(here, next)| next - here),
                    markers: capture.call_site(call, &capture.call(call)?.1).markers,
                });
            }
        }
        Ok(lines)
    }

    /// Returns the calls on an object, and the calls with the object as an argument, in the whole capture.
    pub fn uses(&self, id: ObjectId) -> Result<Vec<usize>> {
        let dry_run = self.dry_run(self.capture().record_count())?;
        Ok(dry_run.writes.uses.get(&id).cloned().unwrap_or_default())
    }
}

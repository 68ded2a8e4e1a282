//! The origins of values: the calls that set the state at a call, and those that uploaded the content.

use std::collections::BTreeMap;

use molehill_capture::objects::ObjectId;
use serde::Serialize;

use crate::calls::{is_draw, renders};
use crate::error::Result;
use crate::inspector::Inspector;
use crate::state_items::{Item, Slot};
use crate::writes::{Part, Writes, ranges, without};

/// The call that set a value of [`StateReport`](crate::state::StateReport), or a part of a bound object's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// Area and name of the value's row; `indices` in the area `streams` for a draw's index buffer.
    pub area: &'static str,
    pub name: String,
    /// What of the value: empty for itself, `sampler`, `level 0`, `vertices 0 to 99` and so on.
    pub part: String,
    pub call: usize,
}

/// A draw of a frame, or the clear that begins a pass, with what identifies it in a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawLine {
    pub call: usize,
    pub program: Option<ObjectId>,
    /// The texture of the first sampler that has one.
    pub texture: Option<ObjectId>,
    /// Source and destination factor: `one, zero`.
    pub blend: String,
    /// Seconds from this call to the next one, if both were recorded.
    pub seconds: Option<f64>,
    /// The parts of the frame that contain the call, the outermost first.
    pub markers: Vec<String>,
}

/// What a frame does before a draw, in the words of a text.
pub(crate) const CLEARED: &str = "what is cleared before";

/// More uploads to an object are not listed.
const MAX_PARTS: usize = 40;

/// Collects the origins of the state and the content at the call `end`.
struct Origins<'a> {
    writes: &'a Writes,
    context: ObjectId,
    /// The first call that doesn't count.
    end: usize,
    found: Vec<Origin>,
}

impl Origins<'_> {
    fn push(&mut self, area: &'static str, name: &str, part: impl Into<String>, call: usize) {
        self.found.push(Origin { area, name: name.to_owned(), part: part.into(), call });
    }

    fn slot(&mut self, slot: Slot) {
        let Some(write) = self.writes.last(self.context, slot, self.end) else { return };
        let (area, name) = (slot.item.area(), slot.to_string());
        self.push(area, &name, slot.item.part(), write.call);
        if let Some(object) = write.object {
            self.content(area, &name, object);
        }
    }

    /// Adds the uploads that an object's content comes from, the newest first.
    fn content(&mut self, area: &'static str, name: &str, object: ObjectId) {
        for (call, part) in self.writes.content(object, self.end, MAX_PARTS) {
            let part = match part {
                Part::All => "upload".to_owned(),
                Part::Level(0, level) => format!("level {level}"),
                Part::Level(side, level) => format!("side {side}, level {level}"),
                Part::Elements(all) => format!("{} to {}", all.start, all.end.saturating_sub(1)),
            };
            self.push(area, name, part, call);
        }
    }

    fn constants(&mut self, bank: Item) {
        let all = self.writes.of(self.context, bank.slot(0), self.end);
        let count = all.iter().map(|write| write.range.end).max().unwrap_or(0).min(1024);
        let mut missing = ranges(0..count);
        for write in all.iter().rev().filter(|write| !write.range.is_empty()) {
            let left = without(&missing, &write.range);
            for register in missing.into_iter().flatten().filter(|it| write.range.contains(it)) {
                self.push(bank.area(), &bank.slot(register).to_string(), "", write.call);
            }
            missing = left;
            if missing.is_empty() {
                return;
            }
        }
    }
}

impl Inspector {
    /// The calls that set the state at a call, and the content of what is bound: see [`Inspector::state`].
    pub fn origins(&self, call: usize) -> Result<Vec<Origin>> {
        let capture = self.capture();
        let (_, line) = capture.call(call)?;
        let dry_run = self.dry_run(capture.record_index(call)? + 1)?;
        let end = call + usize::from(!renders(&line.call));
        let (context, writes) = (capture.context_of(line.on), &dry_run.writes);
        let mut origins = Origins { writes, context, end, found: Vec::new() };
        for item in Item::ALL.iter().filter(|item| !item.area().is_empty()) {
            match item {
                Item::VertexConstants | Item::FragmentConstants => origins.constants(*item),
                _ => (0..item.slots()).for_each(|index| origins.slot(item.slot(index))),
            }
        }
        for (slot, _, texture) in writes.bound(context, end) {
            let drawn = dry_run.drawn_into(texture, end).filter(|_| slot.item == Item::Texture);
            if let Some(call) = drawn {
                origins.push(slot.item.area(), &slot.to_string(), "drawn", call);
            }
        }
        if let Some((_, id)) = line.call.objects().first().filter(|_| is_draw(&line.call)) {
            origins.content("streams", "indices", *id);
        }
        Ok(origins.found)
    }

    /// The calls that set what a text about a draw names, as the end of the text.
    pub(crate) fn set_by(&self, call: usize, text: &str) -> Result<String> {
        let capture = self.capture();
        // With blanks around each word, so that vc1 is not in vc10.
        let words = format!(" {text} ").replace(|it: char| !it.is_alphanumeric(), " ");
        let has = |phrase: &str| words.contains(&format!(" {phrase} "));
        let cleared = self.clears(call)?.last().copied().filter(|_| has(CLEARED));
        let cleared = cleared.map(|clear| (CLEARED.to_owned(), clear));
        let mut newest: BTreeMap<String, usize> = cleared.into_iter().collect();
        for Origin { area, name, part, call } in self.origins(call)? {
            let setter = || {
                area == "raster" && capture.call(call).is_ok_and(|(_, line)| has(line.call.name()))
            };
            let content = format!("content of {name}");
            // Every sentence about a program has that word.
            let word = if area == "program" { "program is" } else { &name };
            let label = match part.as_str() {
                "" | "sampler" if !has(&content) && (has(word) || setter()) => name,
                "" | "sampler" => continue,
                _ if has(&content) => content,
                _ if has(&format!("slot {} has a {part}", name.replace("fs", ""))) => {
                    format!("{part} of {name}")
                }
                _ => continue,
            };
            let newest = newest.entry(label).or_default();
            *newest = call.max(*newest);
        }
        let mut calls: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        newest.into_iter().for_each(|(label, call)| calls.entry(call).or_default().push(label));
        let set = |(call, names): (usize, Vec<String>)| {
            let frame = capture.frame_of(call).map(|frame| format!(" of frame {}", frame.number));
            format!("; set by call {call}{}: {}", frame.unwrap_or_default(), names.join(", "))
        };
        Ok(calls.into_iter().map(set).collect())
    }

    /// The clears and draws of a frame, in the order of their calls.
    pub fn draw_lines(&self, frame: u32) -> Result<Vec<DrawLine>> {
        let capture = self.capture();
        let dry_run = self.dry_run(capture.frame(frame)?.records.end)?;
        let mut lines = Vec::new();
        for pass in dry_run.passes_of(frame) {
            let first = Some(pass.calls.start).filter(|call| pass.draws.first() != Some(call));
            for call in first.into_iter().chain(pass.draws.iter().copied()) {
                let last = |item: Item| dry_run.writes.last(pass.context, item.slot(0), call);
                let mut bound = dry_run.writes.bound(pass.context, call);
                let texture = bound.find(|(slot, ..)| slot.item == Item::Texture);
                let blend = match last(Item::Blend).map(|write| capture.call(write.call)) {
                    None => "one, zero".to_owned(),
                    Some(set) => {
                        let factors = set?.1.call.arguments(&|_| String::new());
                        factors.into_iter().map(|(_, it)| it).collect::<Vec<_>>().join(", ")
                    }
                };
                let time = |call| capture.call(call).ok().and_then(|(_, line)| line.time);
                lines.push(DrawLine {
                    call,
                    program: last(Item::Program).and_then(|write| write.object),
                    texture: texture.map(|(.., id)| id),
                    blend,
                    seconds: time(call).zip(time(call + 1)).map(|(here, next)| next - here),
                    markers: capture.call_site(call, &capture.call(call)?.1).markers,
                });
            }
        }
        Ok(lines)
    }

    /// The calls on an object and those that name it, up to the end of the capture.
    pub fn uses(&self, id: ObjectId) -> Result<Vec<usize>> {
        let dry_run = self.dry_run(self.capture().record_count())?;
        Ok(dry_run.writes.uses.get(&id).cloned().unwrap_or_default())
    }
}

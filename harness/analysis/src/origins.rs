//! Where values come from: the calls that set state and content.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use molehill_capture::objects::ObjectId;
use serde::Serialize;

use crate::calls::{Slot, TARGET, is_draw, renders};
use crate::error::Result;
use crate::inspector::Inspector;
use crate::restore::RASTER;
use crate::writes::{Part, SIZE, Write, Writes};

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

struct Origins<'a> {
    writes: &'a Writes,
    context: ObjectId,
    /// Calls from this one on don't count.
    end: usize,
    found: Vec<Origin>,
}

impl Origins<'_> {
    fn push(&mut self, area: &'static str, name: &str, part: impl Into<String>, call: usize) {
        self.found.push(Origin { area, name: name.to_owned(), part: part.into(), call });
    }

    fn slot(&mut self, slot: Slot, area: &'static str, name: &str) {
        let Some(write) = self.writes.last(self.context, slot, self.end) else { return };
        self.push(area, name, "", write.call);
        if let Some(object) = write.object {
            self.content(area, name, object);
        }
    }

    /// The uploads that an object's content comes from, the newest first.
    fn content(&mut self, area: &'static str, name: &str, object: ObjectId) {
        let Some(uploads) = self.writes.uploads.get(&object) else { return };
        let before = uploads.partition_point(|(_, write)| write.call < self.end);
        let mut missing: Vec<Range<u32>> = std::iter::once(0..u32::MAX).collect();
        let mut levels = Vec::new();
        let first = self.found.len();
        for (part, write) in uploads.iter().take(before).rev() {
            if missing.is_empty() || self.found.len() - first >= MAX_PARTS {
                break;
            }
            match part {
                Part::All => {
                    self.push(area, name, "upload", write.call);
                    break;
                }
                Part::Level(side, level) => {
                    if !levels.contains(&(*side, *level)) {
                        levels.push((*side, *level));
                        let side = if *side > 0 { format!("side {side}, ") } else { String::new() };
                        self.push(area, name, format!("{side}level {level}"), write.call);
                    }
                }
                Part::Range => {
                    let left = without(&missing, write.start..write.end);
                    if std::mem::replace(&mut missing, left.clone()) != left {
                        let last = write.end.saturating_sub(1);
                        self.push(area, name, format!("{} to {last}", write.start), write.call);
                    }
                }
            }
        }
    }

    fn constants(&mut self, bank: &'static str, letter: &str) {
        let Some(all) = self.writes.banks.get(&(self.context, bank)) else { return };
        let all = all.get(..all.partition_point(|write| write.call < self.end));
        let all = all.unwrap_or_default();
        let count = all.iter().map(|write| write.end).max().unwrap_or(0).min(1024);
        let mut missing: Vec<Range<u32>> = std::iter::once(0..count).collect();
        for write in all.iter().rev() {
            let (start, end) = (write.start, write.end.min(count));
            for register in start..end {
                if missing.iter().any(|range| range.contains(&register)) {
                    self.push("constants", &format!("{letter}{register}"), "", write.call);
                }
            }
            missing = without(&missing, start..end);
            if missing.is_empty() {
                return;
            }
        }
    }
}

fn without(all: &[Range<u32>], part: Range<u32>) -> Vec<Range<u32>> {
    let cut = |range: &Range<u32>| {
        [range.start..range.end.min(part.start), range.start.max(part.end)..range.end]
    };
    all.iter().flat_map(cut).filter(|range| !range.is_empty()).collect()
}

impl Inspector {
    /// The calls that set the state at a call, and the content of what is bound: see [`Inspector::state`].
    pub fn origins(&self, call: usize) -> Result<Vec<Origin>> {
        let capture = self.capture();
        let (_, line) = capture.call(call)?;
        let dry_run = self.dry_run(capture.record_index(call)? + 1)?;
        let end = call + usize::from(!renders(&line.call));
        let context = capture.context_of(line.on);
        let mut origins = Origins { writes: &dry_run.writes, context, end, found: Vec::new() };
        origins.slot(("setProgram", 0), "program", "program");
        for (name, setter) in RASTER {
            origins.slot((setter, 0), "raster", name);
        }
        for index in 0..16 {
            origins.slot(("setVertexBufferAt", index), "streams", &format!("va{index}"));
            let name = format!("fs{index}");
            origins.slot(("setTextureAt", index), "textures", &name);
            let sampler = dry_run.writes.last(context, ("setSamplerStateAt", index), end);
            if let Some(write) = sampler {
                origins.push("textures", &name, "sampler", write.call);
            }
            let texture = dry_run.writes.last(context, ("setTextureAt", index), end);
            let drawn = texture.and_then(|write| dry_run.drawn_into(write.object?, end));
            if let Some(call) = drawn {
                origins.push("textures", &name, "drawn", call);
            }
        }
        for output in 0..4 {
            origins.slot((TARGET, output), "targets", &format!("output {output}"));
        }
        if let Some(write) = dry_run.writes.last(context, (SIZE, 0), end) {
            origins.push("targets", "output 0", "back buffer", write.call);
        }
        for (bank, letter) in [("vertex constants", "vc"), ("fragment constants", "fc")] {
            origins.constants(bank, letter);
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
        let mut blends: HashMap<usize, String> = HashMap::new();
        let mut lines = Vec::new();
        for pass in dry_run.passes_of(frame) {
            let last = |slot, call| dry_run.writes.last(pass.context, slot, call);
            let first = Some(pass.calls.start).filter(|call| pass.draws.first() != Some(call));
            for call in first.into_iter().chain(pass.draws.iter().copied()) {
                let textures =
                    (0..16).filter_map(|index| last(("setTextureAt", index), call)?.object);
                let blend = match last(("setBlendFactors", 0), call) {
                    None => "one, zero".to_owned(),
                    Some(Write { call, .. }) => match blends.get(&call) {
                        Some(known) => known.clone(),
                        None => {
                            let (_, line) = capture.call(call)?;
                            let factors = line.call.arguments(&|_| String::new());
                            let factors: Vec<_> = factors.into_iter().map(|(_, it)| it).collect();
                            blends.entry(call).or_insert(factors.join(", ")).clone()
                        }
                    },
                };
                let time = |call| capture.call(call).ok().and_then(|(_, line)| line.time);
                lines.push(DrawLine {
                    call,
                    program: last(("setProgram", 0), call).and_then(|write| write.object),
                    texture: textures.into_iter().next(),
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

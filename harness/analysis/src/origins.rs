//! Where values come from: the calls that set state and content.

use std::collections::HashMap;
use std::ops::Range;

use context3d::enums::TriangleFace;
use molehill_capture::data::Enum;
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine};
use serde::Serialize;

use crate::calls::{TARGET, is_draw, payload, registers, renders, slot, uploaded_level};
use crate::capture::Capture;
use crate::error::Result;
use crate::inspector::Inspector;

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

/// A draw of a frame, with what identifies it in a list.
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
}

#[derive(Clone, Copy)]
struct Write {
    call: usize,
    object: Option<ObjectId>,
    /// Constants: one more than the last register. Uploads to a buffer: its elements.
    end: u32,
    start: u32,
}

/// What calls set, in their order. Holds only calls that succeeded.
#[derive(Default)]
pub(crate) struct Writes {
    /// By context, setter and index of the slot.
    slots: HashMap<(ObjectId, &'static str, i32), Vec<Write>>,
    /// Constants by context and bank.
    banks: HashMap<(ObjectId, &'static str), Vec<Write>>,
    /// By object, with the part of the content.
    uploads: HashMap<ObjectId, Vec<(Part, Write)>>,
    /// The calls on an object, and those that name it.
    uses: HashMap<ObjectId, Vec<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Level(u32, u32),
    Range,
}

/// Setters with one slot, and the rows that they set.
const RASTER: [(&str, &str, &str); 8] = [
    ("setProgram", "program", "program"),
    ("setCulling", "raster", "culling"),
    ("setBlendFactors", "raster", "blend"),
    ("setColorMask", "raster", "color mask"),
    ("setDepthTest", "raster", "depth test"),
    ("setStencilReferenceValue", "raster", "stencil reference"),
    ("setScissorRectangle", "raster", "scissor"),
    ("setFillMode", "raster", "fill"),
];

const FRONT: &str = "stencil front";
const BACK: &str = "stencil back";
const SIZE: &str = "configureBackBuffer";
/// More uploads to an object are not listed.
const MAX_PARTS: usize = 40;

impl Writes {
    pub(crate) fn note(&mut self, call: usize, line: &CallLine) {
        let named = line.call.objects();
        let object = named.first().map(|(_, id)| *id);
        let on = (!line.call.info().receivers.contains(&ObjectKind::Context3D)).then_some(line.on);
        for id in named.iter().map(|(_, id)| *id).chain(on) {
            self.uses.entry(id).or_default().push(call);
        }
        let mut write = Write { call, object, start: 0, end: 0 };
        let mut set = |name, index, write| {
            self.slots.entry((line.on, name, index)).or_default().push(write);
        };
        match &line.call {
            Call::SetStencilActions { triangle_face, .. } => {
                if !matches!(triangle_face, Enum::Is(TriangleFace::Back)) {
                    set(FRONT, 0, write);
                }
                if !matches!(triangle_face, Enum::Is(TriangleFace::Front)) {
                    set(BACK, 0, write);
                }
            }
            Call::SetRenderToBackBuffer {} | Call::Present {} => {
                write.object = None;
                for output in 0..4 {
                    set(TARGET, output, write);
                }
            }
            Call::ConfigureBackBuffer { .. } => set(SIZE, 0, write),
            other => match (slot(other), registers(other)) {
                (Some((bank, first)), Some(count)) => {
                    write.start = u32::try_from(first).unwrap_or(0);
                    write.end = write.start.saturating_add(count);
                    self.banks.entry((line.on, bank)).or_default().push(write);
                }
                (Some((name, index)), None) => set(name, index, write),
                (None, _) => {}
            },
        }
        if payload(&line.call).is_some() {
            let range = range(&line.call);
            let part = match (uploaded_level(&line.call), &range) {
                (Some((side, level)), _) => Part::Level(side, level),
                (None, Some(_)) => Part::Range,
                (None, None) => Part::All,
            };
            let range = range.unwrap_or_default();
            (write.start, write.end) = (range.start, range.end);
            self.uploads.entry(line.on).or_default().push((part, write));
        }
    }

    /// The last write of a slot before a call.
    fn last(&self, context: ObjectId, name: &'static str, index: i32, end: usize) -> Option<Write> {
        let all = self.slots.get(&(context, name, index))?;
        let before = all.partition_point(|write| write.call < end);
        all.get(before.checked_sub(1)?).copied()
    }
}

/// The elements of a buffer that a call uploads.
fn range(call: &Call) -> Option<Range<u32>> {
    let (start, count) = match call {
        Call::VertexBufferUploadFromVector { start_vertex, num_vertices, .. }
        | Call::VertexBufferUploadFromFloatVector { start_vertex, num_vertices, .. }
        | Call::VertexBufferUploadFromByteArray { start_vertex, num_vertices, .. } => {
            (*start_vertex, *num_vertices)
        }
        Call::IndexBufferUploadFromVector { start_offset, count, .. }
        | Call::IndexBufferUploadFromByteArray { start_offset, count, .. } => {
            (*start_offset, *count)
        }
        _ => return None,
    };
    let start = u32::try_from(start).unwrap_or(0);
    Some(start..start.saturating_add(u32::try_from(count).unwrap_or(0)))
}

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

    fn slot(&mut self, setter: &'static str, index: i32, area: &'static str, name: &str) {
        let Some(write) = self.writes.last(self.context, setter, index, self.end) else { return };
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
        let context = context_of(capture, line.on);
        let mut origins = Origins { writes: &dry_run.writes, context, end, found: Vec::new() };
        for (setter, area, name) in RASTER {
            origins.slot(setter, 0, area, name);
        }
        for name in [FRONT, BACK] {
            origins.slot(name, 0, "raster", name);
        }
        for index in 0..16 {
            origins.slot("setVertexBufferAt", index, "streams", &format!("va{index}"));
            let name = format!("fs{index}");
            origins.slot("setTextureAt", index, "textures", &name);
            let sampler = dry_run.writes.last(context, "setSamplerStateAt", index, end);
            if let Some(write) = sampler {
                origins.push("textures", &name, "sampler", write.call);
            }
            let texture = dry_run.writes.last(context, "setTextureAt", index, end);
            let drawn = texture.and_then(|write| dry_run.drawn_into(write.object?, end));
            if let Some(call) = drawn {
                origins.push("textures", &name, "drawn", call);
            }
        }
        for output in 0..4 {
            origins.slot(TARGET, output, "targets", &format!("output {output}"));
        }
        if let Some(write) = dry_run.writes.last(context, SIZE, 0, end) {
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

    /// The draws of a frame, in the order of their calls.
    pub fn draw_lines(&self, frame: u32) -> Result<Vec<DrawLine>> {
        let capture = self.capture();
        let dry_run = self.dry_run(capture.frame(frame)?.records.end)?;
        let mut blends: HashMap<usize, String> = HashMap::new();
        let mut lines = Vec::new();
        for pass in dry_run.passes_of(frame) {
            let last = |name, index, call| dry_run.writes.last(pass.context, name, index, call);
            for call in pass.draws.iter().copied() {
                let textures =
                    (0..16).filter_map(|index| last("setTextureAt", index, call)?.object);
                let blend = match last("setBlendFactors", 0, call) {
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
                    program: last("setProgram", 0, call).and_then(|write| write.object),
                    texture: textures.into_iter().next(),
                    blend,
                    seconds: time(call).zip(time(call + 1)).map(|(here, next)| next - here),
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

/// The context of a call's receiver.
fn context_of(capture: &Capture, on: ObjectId) -> ObjectId {
    // Objects were created by their context.
    let object = capture.objects().get(&on);
    let created = object.filter(|object| object.kind != ObjectKind::Context3D);
    let call = created.and_then(|object| capture.call(object.created).ok());
    call.map_or(on, |(_, line)| line.on)
}

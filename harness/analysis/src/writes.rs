//! What calls set and upload, in their order.

use std::collections::HashMap;
use std::ops::Range;

use context3d::enums::TriangleFace;
use molehill_capture::data::Enum;
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine};

use crate::calls::{Slot, TARGET, payload, registers, slot, uploaded_level};

pub(crate) const FRONT: &str = "stencil front";
pub(crate) const BACK: &str = "stencil back";
pub(crate) const SIZE: &str = "configureBackBuffer";

#[derive(Clone, Copy)]
pub(crate) struct Write {
    pub(crate) call: usize,
    pub(crate) object: Option<ObjectId>,
    /// Constants: one more than the last register. Uploads to a buffer: its elements.
    pub(crate) end: u32,
    pub(crate) start: u32,
}

/// What calls set, in their order. Holds only calls that succeeded.
#[derive(Default)]
pub(crate) struct Writes {
    /// By context and slot.
    pub(crate) slots: HashMap<(ObjectId, Slot), Vec<Write>>,
    /// Constants by context and bank.
    pub(crate) banks: HashMap<(ObjectId, &'static str), Vec<Write>>,
    /// By object, with the part of the content.
    pub(crate) uploads: HashMap<ObjectId, Vec<(Part, Write)>>,
    /// The calls on an object, and those that name it.
    pub(crate) uses: HashMap<ObjectId, Vec<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    All,
    /// Face and level.
    Level(u32, u32),
    /// Some vertices or indices.
    Range,
}

impl Part {
    /// What an upload replaces; `None` for other calls.
    pub(crate) fn of(call: &Call) -> Option<Part> {
        payload(call)?;
        let level = uploaded_level(call).map(|(side, level)| Part::Level(side, level));
        Some(level.unwrap_or(if range(call).is_some() { Part::Range } else { Part::All }))
    }
}

impl Writes {
    pub(crate) fn note(&mut self, call: usize, line: &CallLine) {
        let named = line.call.objects();
        let object = named.first().map(|(_, id)| *id);
        let on = (!line.call.info().receivers.contains(&ObjectKind::Context3D)).then_some(line.on);
        for id in named.iter().map(|(_, id)| *id).chain(on) {
            self.uses.entry(id).or_default().push(call);
        }
        let mut write = Write { call, object, start: 0, end: 0 };
        let mut set = |slot, write| self.slots.entry((line.on, slot)).or_default().push(write);
        match &line.call {
            Call::SetStencilActions { triangle_face, .. } => {
                if !matches!(triangle_face, Enum::Is(TriangleFace::Back)) {
                    set((FRONT, 0), write);
                }
                if !matches!(triangle_face, Enum::Is(TriangleFace::Front)) {
                    set((BACK, 0), write);
                }
            }
            Call::SetRenderToBackBuffer {} | Call::Present {} => {
                write.object = None;
                for output in 0..4 {
                    set((TARGET, output), write);
                }
            }
            Call::ConfigureBackBuffer { .. } => set((SIZE, 0), write),
            other => match (slot(other), registers(other)) {
                (Some((bank, first)), Some(count)) => {
                    write.start = u32::try_from(first).unwrap_or(0);
                    write.end = write.start.saturating_add(count);
                    self.banks.entry((line.on, bank)).or_default().push(write);
                }
                (Some(slot), None) => set(slot, write),
                (None, _) => {}
            },
        }
        if let Some(part) = Part::of(&line.call) {
            let range = range(&line.call).unwrap_or_default();
            (write.start, write.end) = (range.start, range.end);
            self.uploads.entry(line.on).or_default().push((part, write));
        }
    }

    /// The last write of a slot before a call.
    pub(crate) fn last(&self, context: ObjectId, slot: Slot, end: usize) -> Option<Write> {
        let all = self.slots.get(&(context, slot))?;
        let before = all.partition_point(|write| write.call < end);
        all.get(before.checked_sub(1)?).copied()
    }
}

/// The elements of a buffer that a call uploads.
fn range(call: &Call) -> Option<Range<u32>> {
    let (start, count) = match call {
        Call::VertexBufferUploadFromVector { start_vertex: start, num_vertices: count, .. }
        | Call::VertexBufferUploadFromFloatVector {
            start_vertex: start,
            num_vertices: count,
            ..
        }
        | Call::VertexBufferUploadFromByteArray {
            start_vertex: start, num_vertices: count, ..
        }
        | Call::IndexBufferUploadFromVector { start_offset: start, count, .. }
        | Call::IndexBufferUploadFromByteArray { start_offset: start, count, .. } => {
            (*start, *count)
        }
        _ => return None,
    };
    let start = u32::try_from(start).unwrap_or(0);
    Some(start..start.saturating_add(u32::try_from(count).unwrap_or(0)))
}

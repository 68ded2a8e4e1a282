//! The successful calls that set state or upload content, in order.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine};

use crate::calls::{is_asynchronous, is_dispose, is_upload, uploaded_level};
use crate::state_items::{StateItem, StateSlot, set_by};

/// A call that sets a state slot.
pub(crate) struct StateWrite {
    pub(crate) call: usize,
    pub(crate) object: Option<ObjectId>,
    /// The range of set constant registers. For a render target, the start of the range is the cube face.
    pub(crate) range: Range<usize>,
}

/// The successful calls that set state or upload content, in order.
#[derive(Default)]
pub(crate) struct Writes {
    slots: BTreeMap<(ObjectId, StateSlot), Vec<StateWrite>>,
    /// For each object, its upload calls with the uploaded parts.
    uploads: HashMap<ObjectId, Vec<(usize, ContentPart)>>,
    /// The calls on an object, and the calls with the object as an argument.
    pub(crate) uses: HashMap<ObjectId, Vec<usize>>,
    disposed: HashMap<ObjectId, usize>,
    /// The first call with an asynchronous upload.
    pub(crate) asynchronous: Option<usize>,
}

/// The part of an object's content that an upload replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentPart {
    All,
    Level {
        side: u32,
        level: u32,
    },
    /// A range of vertices or indices.
    Elements(Range<usize>),
}

impl ContentPart {
    fn of(call: &Call) -> ContentPart {
        match (uploaded_level(call), elements(call)) {
            (Some((side, level)), _) => ContentPart::Level { side, level },
            (None, Some(elements)) => ContentPart::Elements(elements),
            (None, None) => ContentPart::All,
        }
    }
}

impl Writes {
    /// Records the state, uploads and object uses of a successful call.
    pub(crate) fn add(&mut self, call: usize, line: &CallLine) {
        let named = line.call.objects();
        let on = (!line.call.info().receivers.contains(&ObjectKind::Context3D)).then_some(line.on);
        for id in named.iter().map(|(_, id)| *id).chain(on) {
            self.uses.entry(id).or_default().push(call);
        }
        let object = named.first().map(|(_, id)| *id);
        let (items, indices) = set_by(&line.call);
        for item in items {
            let (indices, range) = match (item, &line.call) {
                (StateItem::VertexConstants | StateItem::FragmentConstants, _) => {
                    (0..1, indices.clone())
                }
                (_, Call::SetRenderToTexture { surface_selector: face, .. }) => {
                    (indices.clone(), usize::try_from(*face).unwrap_or(0)..usize::MAX)
                }
                _ => (indices.clone(), 0..0),
            };
            for index in indices {
                let slot =
                    self.slots.entry((line.on, StateSlot { item: *item, index })).or_default();
                slot.push(StateWrite { call, object, range: range.clone() });
            }
        }
        if is_upload(&line.call) {
            self.uploads.entry(line.on).or_default().push((call, ContentPart::of(&line.call)));
            let first = self.asynchronous.unwrap_or(call);
            self.asynchronous = is_asynchronous(&line.call).then_some(first).or(self.asynchronous);
        } else if is_dispose(&line.call) {
            self.disposed.entry(line.on).or_insert(call);
        }
    }

    /// Returns the calls before `end` that set the state slot `slot`.
    pub(crate) fn of(&self, on: ObjectId, slot: StateSlot, end: usize) -> &[StateWrite] {
        before(self.slots.get(&(on, slot)), end, |write| write.call)
    }

    /// Returns the last call before `end` that set the state slot `slot`.
    pub(crate) fn last(&self, on: ObjectId, slot: StateSlot, end: usize) -> Option<&StateWrite> {
        self.of(on, slot, end).last()
    }

    /// Returns a context's slots that contain objects before the call `end`, with the calls that set the slots.
    pub(crate) fn bound(
        &self,
        context: ObjectId,
        end: usize,
    ) -> impl Iterator<Item = (StateSlot, &StateWrite, ObjectId)> {
        let all = self.slots.range((context, StateItem::Program.slot(0))..);
        let own = all.take_while(move |((on, _), _)| *on == context);
        own.filter_map(move |((_, slot), all)| {
            let write = before(Some(all), end, |write| write.call).last()?;
            Some((*slot, write, write.object?))
        })
    }

    fn uploads(&self, object: ObjectId, end: usize) -> &[(usize, ContentPart)] {
        before(self.uploads.get(&object), end, |(call, _)| *call)
    }

    /// Returns the last upload to an object before the call `end`.
    pub(crate) fn last_upload(&self, object: ObjectId, end: usize) -> Option<usize> {
        self.uploads(object, end).last().map(|(call, _)| *call)
    }

    /// Returns the uploads that produced an object's content before the call `end`: newest first, at most `most`.
    pub(crate) fn content(
        &self,
        object: ObjectId,
        end: usize,
        most: usize,
    ) -> Vec<(usize, &ContentPart)> {
        let mut missing = ranges(0..usize::MAX);
        let (mut levels, mut found) = (BTreeSet::new(), Vec::new());
        for (call, part) in self.uploads(object, end).iter().rev() {
            let adds = match part {
                ContentPart::All => true,
                ContentPart::Level { side, level } => levels.insert((side, level)),
                ContentPart::Elements(range) => {
                    let left = without(&missing, range);
                    std::mem::replace(&mut missing, left.clone()) != left
                }
            };
            found.extend(adds.then_some((*call, part)));
            if *part == ContentPart::All || missing.is_empty() || found.len() == most {
                break;
            }
        }
        found
    }

    pub(crate) fn is_disposed(&self, object: ObjectId, end: usize) -> bool {
        self.disposed.get(&object).is_some_and(|call| *call < end)
    }
}

/// Returns the elements of a sorted list whose calls precede `end`.
fn before<T>(all: Option<&Vec<T>>, end: usize, call: impl Fn(&T) -> usize) -> &[T] {
    let all = all.map_or(&[][..], Vec::as_slice);
    all.get(..all.partition_point(|one| call(one) < end)).unwrap_or_default()
}

pub(crate) fn ranges(whole: Range<usize>) -> Vec<Range<usize>> {
    std::iter::once(whole).collect()
}

pub(crate) fn without(all: &[Range<usize>], part: &Range<usize>) -> Vec<Range<usize>> {
    let cut = |range: &Range<usize>| {
        [range.start..range.end.min(part.start), range.start.max(part.end)..range.end]
    };
    all.iter().flat_map(cut).filter(|range| !range.is_empty()).collect()
}

/// Returns the range of buffer elements that a call uploads.
fn elements(call: &Call) -> Option<Range<usize>> {
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
    let start = usize::try_from(start).unwrap_or(0);
    Some(start..start.saturating_add(usize::try_from(count).unwrap_or(0)))
}

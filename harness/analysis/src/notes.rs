//! The annotations of a capture: object names, marker regions and call stacks.

use std::collections::HashMap;
use std::sync::Arc;

use molehill_capture::CaptureNote;
use molehill_capture::objects::ObjectId;
use serde::Serialize;

/// Maximum bytes of stored annotations. After this limit, object names and call stacks are ignored.
const MAX_BYTES: usize = 64 << 20;

/// Maximum nesting depth of marker regions. Marker regions below this depth are ignored.
const MAX_DEPTH: usize = 64;

/// The names of objects, the marker regions of frames, and the call stacks of calls.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) names: HashMap<ObjectId, String>,
    pub(crate) stacks: HashMap<u32, Vec<String>>,
    /// The open marker regions from each record on, up to the next entry or the frame's end.
    parts: Vec<(usize, Vec<Arc<str>>)>,
    /// The number of open marker regions that exceed the maximum depth.
    deeper: usize,
    bytes: usize,
}

impl Notes {
    /// Adds an annotation. `first` is the first record of the frame that contains `record`.
    pub(crate) fn add(&mut self, note: &CaptureNote, record: usize, first: usize) {
        let depth = self.parts.last().map_or(0, |(_, parts)| parts.len());
        let bytes =
            self.bytes + size_of::<CaptureNote>() + note.bytes() + depth * size_of::<Arc<str>>();
        if bytes > MAX_BYTES {
            return;
        }
        self.bytes = bytes;
        let mut parts = self.parts_at(record, first).to_vec();
        match note {
            CaptureNote::Name { on, text } => drop(self.names.insert(*on, text.clone())),
            CaptureNote::Stack { number, functions: all } => {
                drop(self.stacks.insert(*number, all.clone()))
            }
            CaptureNote::Begin(text) => {
                self.deeper = if parts.is_empty() { 0 } else { self.deeper };
                if parts.len() < MAX_DEPTH {
                    parts.push(text.as_str().into());
                    self.parts.push((record, parts));
                } else {
                    self.deeper += 1;
                }
            }
            CaptureNote::End if self.deeper > 0 && parts.len() == MAX_DEPTH => self.deeper -= 1,
            CaptureNote::End => self.parts.extend(parts.pop().map(|_| (record, parts))),
        }
    }

    /// Returns the open marker regions at a record. `first` is the index of the first record in the frame that contains
    /// `record`.
    pub(crate) fn parts_at(&self, record: usize, first: usize) -> &[Arc<str>] {
        let before = self.parts.partition_point(|(at, _)| *at < record);
        let last = before.checked_sub(1).and_then(|last| self.parts.get(last));
        last.filter(|(at, _)| *at >= first).map_or(&[], |(_, parts)| parts)
    }
}

/// The marker regions and the call stack of a call, if the host recorded them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CallSite {
    /// The marker regions that contain the call, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<String>,
    /// The ActionScript functions on the call stack, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<String>,
}

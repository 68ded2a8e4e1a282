//! Finds objects that are uploaded but never used.

use std::collections::BTreeMap;

use molehill_capture::objects::{ObjectId, ObjectKind};

use super::FrameUse;
use crate::warnings::WarningKind;

/// Number of calls after the frame in which a first use of an object is searched.
const LATER_CALLS: usize = 20_000;
/// Maximum number of objects that one diagnostic names.
const NAMED: usize = 4;

impl FrameUse<'_> {
    /// Finds uploaded objects that no call binds or uses in a draw.
    pub(super) fn unused_objects(&mut self) {
        let end = self.calls.end;
        let is_named = |id: ObjectId, call: usize| {
            let line = self.call(call);
            line.is_some_and(|line| line.call.objects().iter().any(|(_, named)| *named == id))
        };
        // Ignores programs, because many applications create all shader variants and use only a few.
        let all = self
            .capture
            .objects()
            .iter()
            .filter(|(_, object)| object.created < end && object.kind != ObjectKind::Program3D);
        let mut unused: BTreeMap<ObjectId, usize> = all
            .filter_map(|(id, _)| Some((*id, self.writes.last_upload(*id, end)?)))
            .filter(|(id, _)| {
                let mut uses = self.writes.uses.get(id).into_iter().flatten();
                !uses.any(|call| *call < end && is_named(*id, *call))
            })
            .collect();
        let mut later = end..=self.capture.call_count().min(end.saturating_add(LATER_CALLS));
        while let Some(call) = later.next().filter(|_| !unused.is_empty()) {
            let line = self.call(call);
            for (_, id) in line.iter().flat_map(|line| line.call.objects()) {
                unused.remove(&id);
            }
        }
        // Reports textures first, because unused buffers are often leftovers.
        let is_buffer = |id: &ObjectId| {
            let kind = self.capture.kind(*id);
            matches!(kind, Some(ObjectKind::VertexBuffer3D | ObjectKind::IndexBuffer3D))
        };
        let mut ids: Vec<ObjectId> = unused.keys().copied().collect();
        ids.sort_by_key(is_buffer);
        let Some(upload) = ids.first().and_then(|id| unused.get(id)).copied() else { return };
        let names: Vec<_> = ids.iter().take(NAMED).map(|id| self.capture.title(*id)).collect();
        let more = match ids.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let is = if ids.len() == 1 { "is" } else { "are" };
        let text = format!("{}{more} {is} uploaded and never used", names.join(", "));
        self.add(WarningKind::NeverBound, upload, Vec::new(), text);
    }
}

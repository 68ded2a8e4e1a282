//! Finds suspicious calls in a frame without an expected image. Unlike a comparison of frames, the search for
//! suspicious calls finds errors that occur in every frame.

pub mod census;
mod content;
mod layout;
pub mod matrices;
mod objects;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use context3d::agal::{LinkedPair, Rules, upload};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

pub use census::{CensusReport, CensusRow};
pub use content::crosses;

use crate::calls::is_draw;
use crate::capture::Capture;
use crate::error::Result;
use crate::inspector::Inspector;
use crate::plan::ExactSurfaces;
use crate::renderers::ReferencePlayer;
use crate::state_items::{StateItem, StateSlot};
use crate::warnings::{WarningKind, WarningMatch};
use crate::writes::Writes;

struct DrawUse {
    call: usize,
    line: Arc<CallLine>,
    /// The slots with bound objects, each with the call that bound the object.
    bound: Vec<(StateSlot, usize, ObjectId)>,
    program: Option<ObjectId>,
    /// The linked program, or `None` if linking fails.
    pair: Option<Arc<LinkedPair>>,
}

impl DrawUse {
    fn of(&self, item: StateItem) -> impl Iterator<Item = (usize, usize, ObjectId)> {
        let own = self.bound.iter().filter(move |(slot, ..)| slot.item == item);
        own.map(|(slot, write, id)| (slot.index, *write, *id))
    }
}

struct FrameUse<'a> {
    capture: &'a Capture,
    writes: &'a Writes,
    calls: Range<usize>,
    draws: Vec<DrawUse>,
    found: Vec<WarningMatch>,
}

impl FrameUse<'_> {
    fn call(&self, call: usize) -> Option<Arc<CallLine>> {
        self.capture.call(call).ok().map(|(_, line)| line)
    }

    fn add(&mut self, kind: WarningKind, call: usize, draws: Vec<usize>, text: String) {
        self.found.push(WarningMatch { kind, call, draws, text });
    }
}

impl Inspector {
    /// Returns the suspicious calls of a frame.
    pub fn frame_evidence(&mut self, frame: u32) -> Result<Vec<WarningMatch>> {
        let end = self.capture().frame(frame)?.records.end;
        let mut player = self.at(end, ExactSurfaces::TEXTURES)?.player;
        self.evidence(frame, &mut player)
    }

    /// Returns the suspicious calls of a frame. `player` is a replay in this frame, from which textures are read.
    pub(crate) fn evidence(
        &self,
        frame: u32,
        player: &mut ReferencePlayer,
    ) -> Result<Vec<WarningMatch>> {
        let capture = self.capture();
        let span = capture.frame(frame)?;
        let dry_run = self.dry_run(span.records.end)?;
        let writes = &dry_run.writes;
        let mut draws = Vec::new();
        let mut pairs = BTreeMap::new();
        for call in span.calls.clone() {
            let (_, line) = capture.call(call)?;
            if !is_draw(&line.call) || !dry_run.get(call).succeeded() {
                continue;
            }
            let bound = writes.bound(line.on, call);
            let bound: Vec<_> = bound.map(|(slot, write, id)| (slot, write.call, id)).collect();
            let program = bound.iter().find(|(slot, ..)| slot.item == StateItem::Program);
            let program = program.map(|(.., id)| *id);
            let upload = program.and_then(|id| writes.last_upload(id, call));
            let link = |at: usize| pair(&capture.call(at).ok()?.1.call);
            let pair = upload.and_then(|at| pairs.entry(at).or_insert_with(|| link(at)).clone());
            draws.push(DrawUse { call, line, bound, program, pair });
        }
        let calls = span.calls.clone();
        let mut frame = FrameUse { capture, writes, calls, draws, found: Vec::new() };
        frame.layouts();
        frame.indices();
        frame.matrices();
        frame.odd_arguments();
        frame.unused_objects();
        frame.textures(player)?;
        Ok(frame.found)
    }
}

/// Returns the linked shaders of an uploaded program, or `None` if linking fails.
pub fn pair(call: &Call) -> Option<Arc<LinkedPair>> {
    let Call::ProgramUpload { vertex_program, fragment_program } = call else { return None };
    let (vertex, fragment) = (vertex_program.0.as_ref()?, fragment_program.0.as_ref()?);
    let (vertex, fragment) = ((&*vertex.bytes, vertex.endian), (&*fragment.bytes, fragment.endian));
    upload(vertex, fragment, &Rules::NEWEST).ok().map(Arc::new)
}

//! Extracts frames of a capture as a capture of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine};

use crate::capture::{Capture, Entry};
use crate::error::InspectError;
use crate::inspector::{Inspector, Player};
use crate::plan::Want;
use crate::restore::Restorer;

/// Extracted frames.
#[derive(Debug)]
pub struct Trimmed {
    /// The capture. Frames keep their numbers.
    pub capture: Capture,
    /// Number of calls at the start that rebuild objects and state.
    pub restored: usize,
}

/// Extracts frames `first` to `last` as a capture that draws the same pictures. It starts with calls that create the
/// objects that are still used, upload their content, and set the state. The calls after the `present` before the first
/// frame's picture follow.
///
/// # Errors
/// [`InspectError::NoFrame`], [`InspectError::EmptyRange`], those of the replay, and [`InspectError::Unsupported`] with
/// the name of an object whose content can't be read.
pub fn trim(inspector: &mut Inspector, first: u32, last: u32) -> Result<Trimmed, InspectError> {
    let capture = Arc::clone(inspector.capture());
    if first > last {
        return Err(InspectError::EmptyRange);
    }
    let start = capture.frame(first)?.records.clone();
    let end = capture.frame(last)?.records.end;
    let cut = cut(inspector, &capture, start.start, start.end)?;
    let mut kept = Vec::new();
    for record in capture.records(cut..end) {
        let (_, entry) = record?;
        if !matches!(entry, Entry::Frame(frame) if frame < first) {
            kept.push(entry);
        }
    }
    let player = inspector.at(cut, Want::TEXTURES)?.player;
    let history = History::of(inspector, &capture, cut)?;
    let needed = needed(&kept, &history, &player);
    let mut restorer =
        Restorer { capture: &capture, history: &history, player, needed: &needed, out: Vec::new() };
    restorer.stages_and_contexts()?;
    let out = restorer.out;
    let restored = out.len();
    let records = out.into_iter().map(|line| Entry::Call(Arc::new(line))).chain(kept);
    Ok(Trimmed { capture: Capture::new(capture.header().clone(), records), restored })
}

/// The first record to keep. `start..end` are the records of the first frame, which shows the last `present` of each
/// context before `end`. The calls that draw this picture begin after the `present` or `configureBackBuffer` before it,
/// or at the context's creation. Returns the earliest of these records over all contexts, at most `start`.
fn cut(
    inspector: &mut Inspector,
    capture: &Capture,
    start: usize,
    end: usize,
) -> Result<usize, InspectError> {
    let player = inspector.at(end, Want::STATE)?.player;
    let mut cut = start;
    for context in 0..player.contexts() {
        if player.bound(context).is_none() {
            continue;
        }
        let (mut presented, mut from) = (false, 0);
        for index in (0..end).rev() {
            let Some(line) = call_at(capture, index)? else {
                continue;
            };
            let own = || player.context_of(line.on) == Some(context);
            match line.call {
                Call::Present {} if !own() => {}
                Call::Present {} if !presented => presented = true,
                Call::Present {} => {
                    from = index + 1;
                    break;
                }
                Call::ConfigureBackBuffer { .. } if own() && line.throws.is_none() => {
                    from = index + 1;
                    break;
                }
                _ => {}
            }
        }
        // A context that is created later needs no earlier records.
        let own = Some(molehill_capture::commands::Object::Context(context));
        let mut objects = capture.objects().iter();
        let requested = objects.find(|(id, _)| player.ids().get(**id) == own);
        let requested =
            requested.map_or(Ok(0), |(_, object)| capture.record_index(object.created))?;
        cut = cut.min(from.max(requested));
    }
    Ok(cut)
}

/// The call of a record; `None` for other records.
fn call_at(capture: &Capture, index: usize) -> Result<Option<Arc<CallLine>>, InspectError> {
    Ok(match capture.record(index)? {
        Some((_, Entry::Call(line))) => Some(line),
        _ => None,
    })
}

/// What happened to each object before the cut.
pub(crate) struct History {
    /// Calls that created an object, with its id, in order.
    pub(crate) created: Vec<(ObjectId, CallLine)>,
    /// Successful uploads by receiver, without those that a later upload replaced.
    pub(crate) uploads: BTreeMap<ObjectId, Vec<CallLine>>,
    pub(crate) disposed: BTreeSet<ObjectId>,
    /// Textures that were render targets of a draw or clear.
    pub(crate) rendered: BTreeSet<ObjectId>,
    /// The last successful call by receiver and name: of the setters of a Stage3D, `configureBackBuffer`,
    /// `maxBackBufferWidth` and `maxBackBufferHeight`.
    pub(crate) settings: BTreeMap<(ObjectId, &'static str), CallLine>,
}

impl History {
    fn of(inspector: &Inspector, capture: &Capture, cut: usize) -> Result<History, InspectError> {
        let mut history = History {
            created: Vec::new(),
            uploads: BTreeMap::new(),
            disposed: BTreeSet::new(),
            rendered: BTreeSet::new(),
            settings: BTreeMap::new(),
        };
        let dry_run = inspector.dry_run(cut)?;
        let mut count = 0;
        for record in capture.records(0..cut) {
            let (_, Entry::Call(line)) = record? else {
                continue;
            };
            count += 1;
            if let Some(id) = line.result {
                history.created.push((id, (*line).clone()));
            }
            if dry_run.get(count).succeeded() {
                history.note(&line);
            }
        }
        let earlier = dry_run.passes.iter().filter(|pass| pass.calls.start <= count);
        history.rendered =
            earlier.flat_map(|pass| pass.targets.iter().map(|face| face.texture)).collect();
        Ok(history)
    }

    fn note(&mut self, line: &CallLine) {
        match &line.call {
            Call::SetX { .. }
            | Call::SetY { .. }
            | Call::SetVisible { .. }
            | Call::ConfigureBackBuffer { .. }
            | Call::SetMaxBackBufferWidth { .. }
            | Call::SetMaxBackBufferHeight { .. } => {
                let key = (line.on, line.call.name());
                self.settings.insert(key, line.clone());
            }
            call if call.name() == "dispose" => drop(self.disposed.insert(line.on)),
            call => {
                let Some(part) = part(call) else { return };
                let uploads = self.uploads.entry(line.on).or_default();
                match part {
                    Part::All => uploads.clear(),
                    part => uploads.retain(|earlier| self::part(&earlier.call) != Some(part)),
                }
                let mut line = line.clone();
                line.call = in_time(line.call);
                uploads.push(line);
            }
        }
    }
}

/// The part of an object that an upload replaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Level(u32, u32),
    /// Some vertices or indices. The buffer's content is read back from the renderer instead.
    Range,
}

fn part(call: &Call) -> Option<Part> {
    Some(match call {
        Call::TextureUploadFromBitmapData { side, miplevel, .. }
        | Call::TextureUploadFromBitmapDataAsync { side, miplevel, .. }
        | Call::TextureUploadFromByteArray { side, miplevel, .. }
        | Call::TextureUploadFromByteArrayAsync { side, miplevel, .. }
        | Call::TextureUploadBlocks { side, miplevel, .. } => {
            Part::Level(side.0.unwrap_or(0), miplevel.0.unwrap_or(0))
        }
        Call::ProgramUpload { .. }
        | Call::TextureUploadCompressedFromByteArray { .. }
        | Call::VideoTextureFrame { .. } => Part::All,
        Call::VertexBufferUploadFromByteArray { .. }
        | Call::VertexBufferUploadFromVector { .. }
        | Call::VertexBufferUploadFromFloatVector { .. }
        | Call::IndexBufferUploadFromByteArray { .. }
        | Call::IndexBufferUploadFromVector { .. } => Part::Range,
        _ => return None,
    })
}

/// The synchronous form of an upload: it is complete at the cut.
fn in_time(call: Call) -> Call {
    match call {
        Call::TextureUploadFromBitmapDataAsync { source, side, miplevel } => {
            Call::TextureUploadFromBitmapData { source, side, miplevel }
        }
        Call::TextureUploadFromByteArrayAsync { data, byte_array_offset, side, miplevel } => {
            Call::TextureUploadFromByteArray { data, byte_array_offset, side, miplevel }
        }
        Call::TextureUploadCompressedFromByteArray { data, byte_array_offset, .. } => {
            Call::TextureUploadCompressedFromByteArray { data, byte_array_offset, is_async: false }
        }
        call => call,
    }
}

/// The objects that a trimmed capture has to create: those that the kept records name or that are bound at the cut, all
/// live contexts, and the objects that created them.
fn needed(kept: &[Entry], history: &History, player: &Player) -> BTreeSet<ObjectId> {
    let mut needed: BTreeSet<ObjectId> = BTreeSet::new();
    for record in kept {
        match record {
            Entry::Call(line) => {
                needed.insert(line.on);
                needed.extend(line.call.objects().iter().map(|(_, id)| *id));
            }
            Entry::Event(event) => drop(needed.insert(event.on)),
            Entry::Frame(_) => {}
        }
    }
    for context in 0..player.contexts() {
        needed.extend(crate::restore::bound_objects(player, context));
    }
    for (id, line) in history.created.iter().rev() {
        let alive = line.call.creates() == Some(ObjectKind::Context3D)
            && player.context_of(*id).is_some_and(|context| player.bound(context).is_some());
        if alive {
            needed.insert(*id);
        }
        if needed.contains(id) {
            needed.insert(line.on);
        }
    }
    needed
}

//! Cuts frames out of a capture, so that they stand alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine};

use crate::capture::{Capture, Entry};
use crate::error::InspectError;
use crate::inspector::{Inspector, Player};
use crate::plan::Want;
use crate::restore::Restorer;

/// Some frames as a capture of their own.
#[derive(Debug)]
pub struct Trimmed {
    /// The capture. Frames keep their numbers.
    pub capture: Capture,
    /// Calls at its start that rebuild objects and state.
    pub restored: usize,
}

/// Frames `first` to `last` as a capture that draws the same pictures. It starts with calls that create the objects that
/// are still used, with their content, and that set the state; then come the calls since the `present` before the first
/// frame's picture.
///
/// # Errors
/// [`InspectError::NoFrame`], [`InspectError::EmptyRange`], those of the replay, and [`InspectError::Unsupported`] naming
/// what can't be rebuilt.
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
    let mut restorer = Restorer {
        capture: &capture,
        history: &history,
        player,
        needed: &needed,
        out: Vec::new(),
    };
    restorer.stages_and_contexts()?;
    let out = restorer.out;
    let restored = out.len();
    let records = out
        .into_iter()
        .map(|line| Entry::Call(Arc::new(line)))
        .chain(kept);
    Ok(Trimmed {
        capture: Capture::new(capture.header().clone(), records),
        restored,
    })
}

/// The record to start with: after the `present` (or the new back buffer) before the last `present` that a frame, whose
/// records start and end here, shows; of the context for which that is earliest.
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
        for place in (0..end).rev() {
            let Some(line) = call_at(capture, place)? else {
                continue;
            };
            let own = || player.context_of(line.on) == Some(context);
            match line.call {
                Call::Present {} if !own() => {}
                Call::Present {} if !presented => presented = true,
                Call::Present {} => {
                    from = place + 1;
                    break;
                }
                Call::ConfigureBackBuffer { .. } if own() && line.throws.is_none() => {
                    from = place + 1;
                    break;
                }
                _ => {}
            }
        }
        // A context that is opened later needs nothing from before.
        let own = Some(molehill_capture::commands::Object::Context(context));
        let mut objects = capture.objects().iter();
        let requested = objects.find(|(id, _)| player.ids().get(**id) == own);
        let requested = requested.map_or(Ok(0), |(_, object)| capture.place(object.created))?;
        cut = cut.min(from.max(requested));
    }
    Ok(cut)
}

/// The call of a record.
fn call_at(capture: &Capture, place: usize) -> Result<Option<Arc<CallLine>>, InspectError> {
    Ok(match capture.record(place)? {
        Some((_, Entry::Call(line))) => Some(line),
        _ => None,
    })
}

/// What was done to each object before the cut.
pub(crate) struct History {
    /// Calls that created an object, by its id, in their order.
    pub(crate) created: Vec<(ObjectId, CallLine)>,
    /// Uploads that were carried out, by their receiver, and those of them that still matter.
    pub(crate) uploads: BTreeMap<ObjectId, Vec<CallLine>>,
    pub(crate) disposed: BTreeSet<ObjectId>,
    /// Textures that were drawn into or cleared.
    pub(crate) rendered: BTreeSet<ObjectId>,
    /// The last call of some kinds by receiver and name: those on Stage3Ds, and `configureBackBuffer`.
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
        let marks = inspector.marks(cut)?;
        let mut count = 0;
        for record in capture.records(0..cut) {
            let (_, Entry::Call(line)) = record? else {
                continue;
            };
            count += 1;
            if let Some(id) = line.result {
                history.created.push((id, (*line).clone()));
            }
            if marks.get(count).done() {
                history.note(&line);
            }
        }
        let earlier = marks.passes.iter().filter(|pass| pass.calls.start <= count);
        history.rendered = earlier
            .flat_map(|pass| pass.targets.iter().map(|face| face.texture))
            .collect();
        Ok(history)
    }

    fn note(&mut self, line: &CallLine) {
        match &line.call {
            Call::SetX { .. }
            | Call::SetY { .. }
            | Call::SetVisible { .. }
            | Call::ConfigureBackBuffer { .. }
            | Call::MaxBackBufferWidth { .. }
            | Call::MaxBackBufferHeight { .. } => {
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

/// What an upload replaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Level(u32, u32),
    /// Some vertices or indices: the content is read back instead.
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
        | Call::IndexBufferUploadFromByteArray { .. }
        | Call::IndexBufferUploadFromVector { .. } => Part::Range,
        _ => return None,
    })
}

/// The same upload, not asynchronous: it is done by now.
fn in_time(call: Call) -> Call {
    match call {
        Call::TextureUploadFromBitmapDataAsync {
            source,
            side,
            miplevel,
        } => Call::TextureUploadFromBitmapData {
            source,
            side,
            miplevel,
        },
        Call::TextureUploadFromByteArrayAsync {
            data,
            byte_array_offset,
            side,
            miplevel,
        } => Call::TextureUploadFromByteArray {
            data,
            byte_array_offset,
            side,
            miplevel,
        },
        Call::TextureUploadCompressedFromByteArray {
            data,
            byte_array_offset,
            ..
        } => Call::TextureUploadCompressedFromByteArray {
            data,
            byte_array_offset,
            is_async: false,
        },
        call => call,
    }
}

/// The objects from before the cut that are named after it or bound at it, with what they belong to.
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
            && player
                .context_of(*id)
                .is_some_and(|context| player.bound(context).is_some());
        if alive {
            needed.insert(*id);
        }
        if needed.contains(id) {
            needed.insert(line.on);
        }
    }
    needed
}

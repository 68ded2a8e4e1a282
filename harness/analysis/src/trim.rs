//! Extracts frames of a capture as a capture of their own.

use std::collections::BTreeSet;
use std::sync::Arc;

use molehill_capture::Call;
use molehill_capture::commands::Object;
use molehill_capture::objects::{ObjectId, ObjectKind};

use crate::capture::{Capture, Entry};
use crate::error::{InspectError, Result};
use crate::history::History;
use crate::inspector::Inspector;
use crate::plan::Want;
use crate::renderers::Player;
use crate::restore::{Restorer, bound_objects};

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
pub fn trim(inspector: &mut Inspector, first: u32, last: u32) -> Result<Trimmed> {
    let capture = Arc::clone(inspector.capture());
    if first > last {
        return Err(InspectError::EmptyRange);
    }
    let start = capture.frame(first)?.records.clone();
    let end = capture.frame(last)?.records.end;
    let cut = cut(inspector, &capture, start.start, start.end)?;
    let entries = capture.records(cut..end).map(|record| Ok(record?.1));
    let mut kept = entries.collect::<Result<Vec<Entry>>>()?;
    kept.retain(|entry| !matches!(entry, Entry::Frame(frame) if *frame < first));
    let player = inspector.at(cut, Want::TEXTURES)?.player;
    let history = &History::of(inspector, &capture, cut)?;
    let needed = &needed(&kept, history, &player);
    let out = Restorer { capture: &capture, history, player, needed, out: Vec::new() }.restore()?;
    let restored = out.len();
    let records = out.into_iter().map(|line| Entry::Call(Arc::new(line))).chain(kept);
    Ok(Trimmed { capture: Capture::new(capture.header().clone(), records), restored })
}

/// The first record to keep. `start..end` are the records of the first frame, which shows the last `present` of each
/// context before `end`. The calls that draw this picture begin after the `present` or `configureBackBuffer` before it,
/// or at the context's creation. Returns the earliest of these records over all contexts, at most `start`.
fn cut(inspector: &mut Inspector, capture: &Capture, start: usize, end: usize) -> Result<usize> {
    let player = inspector.at(end, Want::STATE)?.player;
    let mut cut = start;
    for context in 0..player.contexts() {
        if player.bound(context).is_none() {
            continue;
        }
        let (mut presented, mut from) = (false, 0);
        for index in (0..end).rev() {
            let Some((_, Entry::Call(line))) = capture.record(index)? else { continue };
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
        let own = Some(Object::Context(context));
        let mut objects = capture.objects().iter();
        let requested = objects.find(|(id, _)| player.ids().get(**id) == own);
        let requested =
            requested.map_or(Ok(0), |(_, object)| capture.record_index(object.created))?;
        cut = cut.min(from.max(requested));
    }
    Ok(cut)
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
        needed.extend(bound_objects(player, context));
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

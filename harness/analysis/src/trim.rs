//! Extracts frames of a capture as a capture of their own.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;

use molehill_capture::commands::Object;
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, Form, Header, NOTE_VERSION, Writer};

use crate::capture::{Capture, Entry, invalid};
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
/// frame's picture follow. If that is larger, in binary form, than all calls up to frame `last`, it has these instead.
pub fn trim(inspector: &mut Inspector, first: u32, last: u32) -> Result<Trimmed> {
    let capture = Arc::clone(inspector.capture());
    if first > last {
        return Err(InspectError::EmptyRange);
    }
    let start = capture.frame(first)?.records.clone();
    let end = capture.frame(last)?.records.end;
    let cut = cut(inspector, &capture, start.start, start.end)?;
    // Earlier frames and their parts end before the first frame.
    let earlier = |index: usize, entry: &Entry| match entry {
        Entry::Frame(_) => index < start.start,
        Entry::Note(note) => note.ends_with_frame() && index < start.start,
        Entry::Call(_) | Entry::Event(_) => false,
    };
    let entries = |from: usize| {
        let records = (from..).zip(capture.records(from..end));
        let entries = records.map(|(index, record)| record.map(|(_, entry)| (index, entry)));
        let kept = entries.filter(|it| !it.as_ref().is_ok_and(|(at, entry)| earlier(*at, entry)));
        kept.map(|item| item.map(|(_, entry)| entry))
    };
    let mut kept = entries(cut).collect::<Result<Vec<Entry>>>()?;
    let player = inspector.at(cut, Want::TEXTURES)?.player;
    let history = &History::of(inspector, &capture, cut)?;
    let needed = &needed(&kept, history, &player);
    let dry_run = &*inspector.dry_run(end)?;
    let restorer = Restorer {
        capture: &capture,
        history,
        player,
        needed,
        kept: cut..end,
        effects: &dry_run.effects,
        out: Vec::new(),
    };
    let out = restorer.restore()?;
    let restored = out.len();
    let calls = out.iter().chain(kept.iter().filter_map(Entry::call));
    let notes: Vec<Entry> = capture.notes_about(&out, calls).collect();
    let mut known: BTreeSet<ObjectId> = out.iter().filter_map(|line| line.result).collect();
    kept.retain(|entry| {
        known.extend(entry.call().and_then(|line| line.result));
        let Entry::Note(note) = entry else { return true };
        note.object().is_none_or(|on| known.contains(&on))
    });
    let out = out.into_iter().map(|line| Entry::Call(Arc::new(line)));
    let records: Vec<Entry> = out.chain(notes).chain(kept).collect();
    let header = capture.header();
    // The end of a frame ends asynchronous uploads, so its record can't be left out after one.
    let small = history.asynchronous || {
        let part = size(header, records.iter().cloned().map(Ok), u64::MAX)?;
        let all = part.map_or(Ok(None), |part| size(header, entries(0), part))?;
        part <= all.or(part)
    };
    if small {
        return Ok(Trimmed { capture: Capture::new(header.clone(), records), restored });
    }
    let records = entries(0).collect::<Result<Vec<Entry>>>()?;
    Ok(Trimmed { capture: Capture::new(header.clone(), records), restored: 0 })
}

/// Counts the bytes that are written to it, and ends at more than `most`.
struct Counter {
    bytes: u64,
    most: u64,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        if self.bytes > self.most { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Counts the bytes of a binary capture of these records; `None` if they are more than `most`.
fn size(
    header: &Header,
    entries: impl Iterator<Item = Result<Entry>>,
    most: u64,
) -> Result<Option<u64>> {
    let writer = Writer::with_form(Counter { bytes: 0, most }, header, Form::Binary, NOTE_VERSION);
    let written = writer.and_then(|mut writer| {
        for entry in entries {
            entry.map_err(invalid)?.write(&mut writer)?;
        }
        writer.finish()
    });
    match written {
        Ok(counter) => Ok(Some(counter.bytes)),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => Ok(None),
        Err(error) => Err(InspectError::Unsupported(error.to_string())),
    }
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
        let requested = requested.map_or(Ok(0), |(_, it)| capture.record_index(it.created))?;
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
            Entry::Frame(_) | Entry::Note(_) => {}
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

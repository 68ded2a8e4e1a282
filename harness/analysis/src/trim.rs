//! Extracts frames of a capture as a separate capture.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Write};
use std::ops::Range;
use std::sync::Arc;

use context3d::backend::Backend;
use context3d::internals::{BoundState, RegisterCounts};
use context3d::keys::TextureKey;
use context3d::packets::Packet;
use molehill_capture::commands::ReplayObject;
use molehill_capture::data::{ByteArray, CubeSide, MipLevel, OptionalParameter};
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine, CaptureHeader, CaptureWriter, Form, NOTE_VERSION};

use crate::calls::{integer, object_bytes};
use crate::capture::{Capture, CaptureEntry, invalid};
use crate::effects::EffectAction;
use crate::error::{InspectError, Result};
use crate::inspector::Inspector;
use crate::passes::DryRun;
use crate::plan::ExactSurfaces;
use crate::renderers::ReferencePlayer;
use crate::resource_key::ResourceKey;
use crate::state_items::{RestoreTime, StateItem, fresh};

#[derive(Debug)]
pub struct TrimmedCapture {
    /// The trimmed capture. Each frame has the same number as in the whole capture.
    pub capture: Capture,
    /// Number of calls at the start of the capture that restore objects and state.
    pub restored: usize,
}

/// Frames in which calls that restore objects and state replace all earlier calls.
pub struct Extract {
    pub records: Vec<CaptureEntry>,
    /// Number of calls at the start that restore objects and state.
    pub restored: usize,
    /// The number, in the whole capture, of the first call after the restoring calls. From this call on, all calls are
    /// unchanged.
    pub first_kept: usize,
}

/// Returns a range of records, without the frame ends and markers before the record `first_frame`.
fn entries(
    capture: &Capture,
    from: Range<usize>,
    first_frame: usize,
) -> impl Iterator<Item = Result<CaptureEntry>> {
    let earlier = move |index: usize, entry: &CaptureEntry| match entry {
        CaptureEntry::Frame(_) => index < first_frame,
        CaptureEntry::Note(note) => note.ends_with_frame() && index < first_frame,
        CaptureEntry::Call(_) | CaptureEntry::Event(_) => false,
    };
    let records = (from.start..).zip(capture.records(from));
    let entries = records.map(|(index, record)| record.map(|(_, entry)| (index, entry)));
    let kept = entries.filter(move |it| !it.as_ref().is_ok_and(|(at, it)| earlier(*at, it)));
    kept.map(|item| item.map(|(_, entry)| entry))
}

/// Extracts frames `first` to `last` as records that draw the same images. The first calls create the used objects,
/// upload their content and set the state. The remaining records are all calls since the `present` before the first
/// frame's image. If `unused` is true, the first calls also create the objects that the frames don't use.
pub fn extract(
    inspector: &mut Inspector,
    (first, last): (u32, u32),
    unused: bool,
) -> Result<Extract> {
    let capture = Arc::clone(inspector.capture());
    if first > last {
        return Err(InspectError::EmptyRange);
    }
    let start = capture.frame(first)?.records.clone();
    let end = capture.frame(last)?.records.end;
    let cut = cut(inspector, &capture, start.start, start.end)?;
    let mut kept =
        entries(&capture, cut..end, start.start).collect::<Result<Vec<CaptureEntry>>>()?;
    let player = inspector.at(cut, ExactSurfaces::TEXTURES)?.player;
    let first_kept = capture.first_call(cut);
    let created = &created(&capture, first_kept)?;
    let dry_run = &*inspector.dry_run(end)?;
    let mut needed = needed(&kept, created, &player, (dry_run, first_kept));
    if unused {
        let exists = |(id, _): &&_| !dry_run.writes.is_disposed(*id, first_kept);
        needed.extend(created.iter().filter(exists).map(|(id, _)| *id));
    }
    let restorer = Restorer {
        capture: &capture,
        dry_run,
        created,
        player,
        needed: &needed,
        kept: cut..end,
        end: first_kept,
        out: Vec::new(),
    };
    let out = restorer.restore()?;
    let restored = out.len();
    let calls = out.iter().chain(kept.iter().filter_map(CaptureEntry::call));
    let notes: Vec<CaptureEntry> = capture.notes_about(&out, calls).collect();
    let mut known: BTreeSet<ObjectId> = out.iter().filter_map(|line| line.result).collect();
    kept.retain(|entry| {
        known.extend(entry.call().and_then(|line| line.result));
        let CaptureEntry::Note(note) = entry else { return true };
        note.object().is_none_or(|on| known.contains(&on))
    });
    let out = out.into_iter().map(|line| CaptureEntry::Call(Arc::new(line)));
    let records = out.chain(notes).chain(kept).collect();
    Ok(Extract { records, restored, first_kept })
}

/// Extracts frames `first` to `last` as a capture that draws the same images. The capture's first calls create the used
/// objects, upload their content and set the state. If a capture of all calls up to `last` is smaller in binary form,
/// returns that capture instead.
pub fn trim(inspector: &mut Inspector, first: u32, last: u32) -> Result<TrimmedCapture> {
    let Extract { records, restored, first_kept } = extract(inspector, (first, last), false)?;
    let capture = Arc::clone(inspector.capture());
    let (start, end) = (capture.frame(first)?.records.start, capture.frame(last)?.records.end);
    let header = capture.header();
    // A frame end completes asynchronous uploads, so frame ends after an asynchronous upload must remain.
    let asynchronous = inspector.dry_run(end)?.writes.asynchronous;
    let small = asynchronous.is_some_and(|upload| upload < first_kept) || {
        let part = size(header, records.iter().cloned().map(Ok), u64::MAX)?;
        let all = |part| size(header, entries(&capture, 0..end, start), part);
        part <= part.map_or(Ok(None), all)?.or(part)
    };
    if small {
        return Ok(TrimmedCapture { capture: Capture::new(header.clone(), records), restored });
    }
    let records = entries(&capture, 0..end, start).collect::<Result<Vec<CaptureEntry>>>()?;
    Ok(TrimmedCapture { capture: Capture::new(header.clone(), records), restored: 0 })
}

/// A writer that counts bytes, and fails after `most` bytes.
struct LimitedWriter {
    bytes: u64,
    most: u64,
}

impl Write for LimitedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        if self.bytes > self.most { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the size in bytes of a binary capture of these records, or `None` if it exceeds `most`.
fn size(
    header: &CaptureHeader,
    entries: impl Iterator<Item = Result<CaptureEntry>>,
    most: u64,
) -> Result<Option<u64>> {
    let writer = CaptureWriter::with_form(
        LimitedWriter { bytes: 0, most },
        header,
        Form::Binary,
        NOTE_VERSION,
    );
    let written = writer.and_then(|mut writer| {
        for entry in entries {
            writer.write(&entry.map_err(invalid)?)?;
        }
        writer.finish()
    });
    match written {
        Ok(counter) => Ok(Some(counter.bytes)),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => Ok(None),
        Err(error) => Err(InspectError::Unsupported(error.to_string())),
    }
}

/// Returns the first record to keep, at most `start`. The first frame is `start..end`, and shows each context's last
/// `present` before `end`. The calls that draw this image follow the previous `present` or `configureBackBuffer`, or
/// the context's creation. With several contexts, returns the earliest record that any context needs.
fn cut(inspector: &mut Inspector, capture: &Capture, start: usize, end: usize) -> Result<usize> {
    let player = inspector.at(end, ExactSurfaces::STATE)?.player;
    let dry_run = inspector.dry_run(end)?;
    let mut cut = start;
    for (id, object) in capture.objects() {
        let context = player.context_of(*id).filter(|_| object.kind == ObjectKind::Context3D);
        if context.and_then(|context| player.bound(context)).is_none() {
            continue;
        }
        let from = match dry_run.pictures_ended(*id, capture.first_call(end)) {
            [.., (before, _), (_, true)] | [.., (before, false)] => {
                capture.record_index(*before)? + 1
            }
            _ => 0,
        };
        // A context needs no records before its creation.
        cut = cut.min(from.max(capture.record_index(object.created)?));
    }
    Ok(cut)
}

/// Returns the objects that a trimmed capture must create: objects named in the kept records or bound at the cut, live
/// contexts, and the creators of these objects.
fn needed(
    kept: &[CaptureEntry],
    created: &CreationCalls,
    player: &ReferencePlayer,
    (dry_run, end): (&DryRun, usize),
) -> BTreeSet<ObjectId> {
    let mut needed: BTreeSet<ObjectId> = BTreeSet::new();
    for record in kept {
        match record {
            CaptureEntry::Call(line) => {
                needed.insert(line.on);
                needed.extend(line.call.objects().iter().map(|(_, id)| *id));
            }
            CaptureEntry::Event(event) => drop(needed.insert(event.on)),
            CaptureEntry::Frame(_) | CaptureEntry::Note(_) => {}
        }
    }
    let is_alive = |(id, line): &&(ObjectId, Arc<CallLine>)| {
        line.call.creates() == Some(ObjectKind::Context3D)
            && player.context_of(*id).is_some_and(|context| player.bound(context).is_some())
    };
    for (context, _) in created.iter().filter(is_alive) {
        let bound = dry_run.writes.bound(*context, end).map(|(.., id)| id);
        needed.extend(bound.filter(|id| !dry_run.writes.is_disposed(*id, end)));
        needed.insert(*context);
    }
    for (id, line) in created.iter().rev() {
        if needed.contains(id) {
            needed.insert(line.on);
        }
    }
    needed
}

/// Objects with the calls that created them, ordered by call.
type CreationCalls = Vec<(ObjectId, Arc<CallLine>)>;

/// Returns the objects that were created before the call `end`.
fn created(capture: &Capture, end: usize) -> Result<CreationCalls> {
    let all = capture.objects().iter().filter(|(_, object)| object.kind != ObjectKind::Stage3D);
    let mut all: Vec<_> = all.map(|(id, object)| (object.created, *id)).collect();
    all.retain(|(call, _)| *call < end);
    all.sort_unstable();
    all.into_iter().map(|(call, id)| Ok((id, capture.call(call)?.1))).collect()
}

/// Creates the calls that restore objects and state.
struct Restorer<'a> {
    capture: &'a Capture,
    dry_run: &'a DryRun,
    created: &'a CreationCalls,
    /// The replay before the first kept record.
    player: ReferencePlayer,
    needed: &'a BTreeSet<ObjectId>,
    kept: Range<usize>,
    end: usize,
    out: Vec<CallLine>,
}

impl Restorer<'_> {
    fn push(&mut self, on: ObjectId, call: Call) {
        self.out.push(CallLine::new(on, call));
    }

    /// Repeats the last call that set a state item, such as the program or the blend factors.
    fn repeat(&mut self, on: ObjectId, item: StateItem) -> Result<()> {
        if let Some(write) = self.dry_run.writes.last(on, item.slot(0), self.end) {
            self.out.push((*self.capture.call(write.call)?.1).clone());
        }
        Ok(())
    }

    /// Restores all contexts in sequence, because a new context disposes of the previous context of its Stage3D.
    fn restore(mut self) -> Result<Vec<CallLine>> {
        for (stage, _) in
            self.capture.objects().iter().filter(|(_, it)| it.kind == ObjectKind::Stage3D)
        {
            StateItem::restored(RestoreTime::OnStage)
                .try_for_each(|item| self.repeat(*stage, item))?;
        }
        for (id, line) in self.created {
            if line.call.creates() == Some(ObjectKind::Context3D) && self.needed.contains(id) {
                self.out.push((**line).clone());
                self.context(*id)?;
            }
        }
        Ok(self.out)
    }

    fn context(&mut self, context: ObjectId) -> Result<()> {
        let number = self.player.context_of(context);
        let bound = number.and_then(|number| self.player.bound(number));
        if let Some(bound) = &bound {
            let fresh = fresh();
            for item in StateItem::restored(RestoreTime::BeforeObjects) {
                let [call, initial] = [bound, &fresh].map(|bound| item.call(0, bound, &|_| None));
                match call {
                    None => self.repeat(context, item)?,
                    Some(call) if initial.as_ref() != Some(&call) => self.push(context, call),
                    Some(_) => {}
                }
            }
        }
        let own = |line: &CallLine| line.on == context && line.call.creates().is_some();
        let all = self.created.iter();
        let objects: Vec<_> = all.filter(|(id, it)| own(it) && self.needed.contains(id)).collect();
        for (id, line) in &objects {
            self.out.push((**line).clone());
            if self.dry_run.writes.is_disposed(*id, self.end) {
                let dispose = match line.call.creates() {
                    Some(ObjectKind::VertexBuffer3D) => Call::VertexBufferDispose {},
                    Some(ObjectKind::IndexBuffer3D) => Call::IndexBufferDispose {},
                    Some(ObjectKind::Program3D) => Call::ProgramDispose {},
                    _ => Call::TextureDispose {},
                };
                self.push(*id, dispose);
            } else if let (Some(number), Some(_)) = (number, &bound) {
                self.content(*id, number)?;
            }
        }
        match (number, bound) {
            (Some(number), Some(bound)) => self.state(context, number, &bound),
            // The context was never used or is disposed. A disposed context matters only if it has objects, whose calls
            // raise errors.
            _ if !objects.is_empty() => {
                self.push(context, Call::Dispose { recreate: OptionalParameter(None) });
            }
            _ => {}
        }
        Ok(())
    }

    /// Uploads the content of an object, from the capture's uploads or by reading it back from the renderer.
    fn content(&mut self, id: ObjectId, context: usize) -> Result<()> {
        let uploaded = self.dry_run.writes.last_upload(id, self.end).is_some();
        let created = self.created.iter().find(|(made, _)| *made == id);
        let size = created.and_then(|(_, line)| object_bytes(&line.call)).unwrap_or(u64::MAX);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let call = match self.player.ids().get(id) {
            Some(ReplayObject::VertexBuffer(_, handle)) if uploaded => {
                let stride = self.player.vertex_stride(context, handle.key());
                let backend = self.player.backend_mut(context);
                let bytes = backend.and_then(|it| it.vertex_buffer(handle.key()));
                stride.zip(bytes).map(|((stride, _), bytes)| {
                    Call::VertexBufferUploadFromByteArray {
                        num_vertices: integer(bytes.len() / (stride as usize).max(1)),
                        data: ByteArray::from(bytes.to_vec()),
                        byte_array_offset: 0,
                        start_vertex: 0,
                    }
                })
            }
            Some(ReplayObject::IndexBuffer(_, handle)) if uploaded => {
                let backend = self.player.backend_mut(context);
                let bytes = backend.and_then(|it| it.index_buffer(handle.key()));
                // The renderer's buffer may be longer than the object, because uploads are aligned.
                let bytes = bytes.map(|bytes| bytes.get(..size).unwrap_or(bytes));
                bytes.map(|bytes| Call::IndexBufferUploadFromByteArray {
                    count: integer(bytes.len() / 2),
                    data: ByteArray::from(bytes.to_vec()),
                    byte_array_offset: 0,
                    start_offset: 0,
                })
            }
            Some(ReplayObject::Texture(_, handle))
                if self.dry_run.drawn_into(id, self.end).is_some() =>
            {
                return self.texels(id, context, handle.key());
            }
            _ => {
                let uploads = self.dry_run.writes.content(id, self.end, usize::MAX);
                for (upload, _) in uploads.into_iter().rev() {
                    let (_, line) = self.capture.call(upload)?;
                    let call = synchronous(&line.call);
                    self.out.push(CallLine { call, ..(*line).clone() });
                }
                None
            }
        };
        call.into_iter().for_each(|call| self.push(id, call));
        Ok(())
    }

    /// Uploads the texels of a texture that was a render target, after generating the mip levels that its next use
    /// would generate. Omits levels that are cleared before their next use.
    fn texels(&mut self, id: ObjectId, context: usize, texture: TextureKey) -> Result<()> {
        let Some(desc) = self.player.texture_desc(context, texture) else { return Ok(()) };
        let kind = self.capture.kind(id);
        let cube = kind == Some(ObjectKind::CubeTexture);
        let levels = kind != Some(ObjectKind::RectangleTexture);
        for side in 0..desc.kind.faces() {
            let mut due = self.player.pending_mips(context, texture, side);
            let used = self.used_levels(context, texture, side);
            let used = |level: &u8| used[usize::from(*level > 0)];
            for level in (0..desc.levels).filter(used) {
                let Some(backend) = self.player.backend_mut(context) else { return Ok(()) };
                let (mut bytes, mut made) = (Vec::new(), Ok(()));
                let due = std::mem::take(&mut due);
                if due > 0 {
                    made =
                        backend.execute(Packet::GenerateMips { key: texture, side, levels: due });
                }
                let read = backend.level_texels(texture, (side, level), &mut bytes);
                let read = made.and(read).map_err(|error| {
                    let title = self.capture.title(id);
                    format!("{title}: level {level} can't be read: {error}")
                });
                if read?.is_none() {
                    continue;
                }
                let call = Call::TextureUploadFromByteArray {
                    data: ByteArray::from(bytes),
                    byte_array_offset: 0,
                    side: CubeSide(cube.then_some(side.into())),
                    miplevel: MipLevel(levels.then_some(level.into())),
                };
                self.push(id, call);
            }
        }
        Ok(())
    }

    /// Returns whether the kept records read the old content of a face that was a render target: in level 0, and in the
    /// other levels. The next draw regenerates the other levels only after a clear of the face as a render target.
    fn used_levels(&self, context: usize, texture: TextureKey, side: u8) -> [bool; 2] {
        let effects = &self.dry_run.effects;
        let Some(levels) = effects.levels((context, texture, side)) else { return [true; 2] };
        let [first, others] = levels.map(|surface| effects.first_use(self.kept.clone(), surface));
        let is_used = |(_, _, replaces): (usize, EffectAction, bool)| !replaces;
        let cleared = matches!(first, Some((_, EffectAction::Clear, true)));
        [first.is_some_and(is_used), others.is_some_and(|it| is_used(it) || !cleared)]
    }

    /// Adds the calls that set all state which differs from a new context.
    fn state(&mut self, on: ObjectId, number: usize, bound: &BoundState) {
        let fresh = fresh();
        let id = |key: ResourceKey| key.id(&self.player, number);
        // `setProgram` sets the samplers that its program declares, so default values must be set again.
        let profile = self.player.profile(number).filter(|_| bound.program.is_some());
        let samplers = profile.map_or(0, |profile| RegisterCounts::of(profile).samplers);
        let mut calls = Vec::new();
        for item in StateItem::restored(RestoreTime::AfterObjects) {
            for index in 0..item.slots() {
                let call = item.call(index, bound, &id);
                let is_declared = item == StateItem::Sampler && index < samplers;
                if is_declared || call != item.call(index, &fresh, &id) {
                    calls.extend(call);
                }
            }
        }
        for call in calls {
            self.push(on, call);
        }
    }
}

/// Returns the synchronous variant of an upload, because asynchronous uploads before the trimmed frames are complete.
fn synchronous(call: &Call) -> Call {
    match call.clone() {
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

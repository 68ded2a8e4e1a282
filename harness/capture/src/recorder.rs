//! Records the commands that a host executes.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use context3d::{
    AnyHandle, Error, FlashError, Invocation, Profile, Reply, RequestRefusal, TextureEvent,
};
use twox_hash::XxHash3_128;

use crate::call::{self, Call};
use crate::command::{KnownObject, ObjectTable, Scope};
use crate::data::Enum;
use crate::extent::{self, Extent};
use crate::header::CaptureHeader;
use crate::limits::{MAX_NOTE_BYTES, MAX_STACK, MAX_STACKS, STAGE3DS};
use crate::note::CaptureNote;
use crate::object::{ObjectId, ObjectKind};
use crate::output::{self, MessageTarget, OutputSink, RecordSink, RecordingStatus, STALL};
use crate::record::{CallLine, CaptureRecord, EventLine, EventRecord};
use crate::value::OptionalParameter;
use crate::writer::Form;

/// The environment variable that names the file of [`record_from_env`](crate::record_from_env).
pub const RECORD_VARIABLE: &str = "MOLEHILL_RECORD";

const MAX_FILES: u32 = 10_000;

/// A context in a recording: see [`CaptureRecorder::context`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedContext(pub(crate) ObjectId);

/// Writes the commands of a host, with their replies, as a capture. One file can have several Stage3Ds and contexts.
///
/// A recorder's errors never make a host's call fail. When the output fails or the byte limit is reached, recording
/// ends with a message in the log, the records before it are a valid capture, and [`CaptureRecorder::error`] returns
/// the reason. Dropping a recorder ends its capture as [`CaptureRecorder::finish`] does. If a file's storage accepts no
/// data, no method waits longer than ten seconds: recording ends with [`io::ErrorKind::TimedOut`].
///
/// The recorder stores only the part of a byte array, vector or bitmap that the call reads, with offset 0; a replay has
/// the same result. A binary capture stores equal bytes once.
///
/// If the process is killed, the capture lacks the frame that had not ended. A capture in a file may also lack the
/// previous frame, because a worker thread writes the file. A binary recording starts new blocks for each frame, which
/// costs about a kilobyte per frame; `molehill convert` joins them.
///
/// Memory is bounded, except for 80 bytes for each object that the program creates; [`CaptureRecorder::forget`] frees
/// them.
///
/// Annotations of the host make a capture easier to read: [`CaptureRecorder::name`], [`CaptureRecorder::begin`] and
/// [`CaptureRecorder::stack`]. Strings are cut to 1024 bytes, stacks to the innermost 64 functions.
#[derive(Debug)]
pub struct CaptureRecorder<W: Write> {
    output: OutputSink<W>,
    status: Arc<RecordingStatus>,
    known: ObjectTable,
    ids: u64,
    stages: [Option<ObjectId>; STAGE3DS as usize],
    frames: u32,
    /// The numbers of stored stacks by their hash.
    stacks: HashMap<u128, u32>,
    stacks_so_far: u32,
    stack: Option<u32>,
}

/// The arguments of `requestContext3D`, or of `requestContext3DMatchingProfiles` if there are profiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextRequest<'a> {
    /// The argument `context3DRenderMode`.
    pub render_mode: Option<&'a str>,
    /// The granted profile; the requested profile if the request was rejected.
    pub profile: Option<&'a str>,
    /// The argument `profiles` of `requestContext3DMatchingProfiles`.
    pub profiles: Option<&'a [Option<&'a str>]>,
}

impl CaptureRecorder<BufWriter<File>> {
    /// Creates a recorder to a file. An existing file is never replaced: `game.1.s3d.jsonl` is created next to
    /// `game.s3d.jsonl`, then `game.2.s3d.jsonl` and so on, with a message in the log. Child processes and other
    /// contexts with the same name therefore write separate files.
    ///
    /// If the name ends in `.s3d`, the file is a binary capture; any other name gives JSON Lines (`.s3d.jsonl`), which
    /// cost several times as much. A worker thread compresses and writes if threads are available; the host waits until
    /// the thread has written the previous frame, or the previous half megabyte.
    /// Errors: the file can't be created within ten seconds, or the name ends in `.zst`: use `molehill convert` to
    /// compress a recording.
    pub fn create(path: &Path, header: &CaptureHeader, limit: u64) -> io::Result<Self> {
        Self::create_within(STALL, path, header, (limit, MessageTarget::Log))
    }

    /// Like [`CaptureRecorder::create`], but with the file name in the environment variable `MOLEHILL_RECORD`. Returns
    /// `None` if the variable is not set. Messages and errors are printed to standard error, because the user set
    /// `MOLEHILL_RECORD`.
    pub fn from_env(
        header: impl FnOnce() -> CaptureHeader,
        limit: u64,
    ) -> io::Result<Option<Self>> {
        let Some(path) = std::env::var_os(RECORD_VARIABLE) else { return Ok(None) };
        let to_user = (limit, MessageTarget::User);
        Self::create_within(STALL, Path::new(&path), &header(), to_user).map(Some).inspect_err(
            |error| {
                let path = Path::new(&path).display();
                MessageTarget::User
                    .tell(&format_args!("{RECORD_VARIABLE}={path} can't be written: {error}"));
            },
        )
    }

    fn create_within(
        stall: Duration,
        path: &Path,
        header: &CaptureHeader,
        limit: (u64, MessageTarget),
    ) -> io::Result<Self> {
        if path.extension().is_some_and(|end| end == "zst") {
            let text = "recordings are not compressed as a whole; name it .s3d or .s3d.jsonl";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let form = Form::of(path);
        let (path, header) = (path.to_owned(), header.clone());
        let limited = output::open(stall, move || {
            let output = BufWriter::new(create_numbered(&path, limit.1)?);
            Ok(RecordSink::begin(output, &header, form, limit))
        })?;
        Ok(Self::with_output(limited, |limited| OutputSink::threaded(limited, stall)))
    }
}

impl<W: Write> CaptureRecorder<W> {
    /// Starts a capture of JSON Lines of about `limit` bytes at most: recording ends before the first record that
    /// starts beyond the limit.
    pub fn new(output: W, header: &CaptureHeader, limit: u64) -> Self {
        Self::with_form(output, header, Form::Lines, limit)
    }

    /// Like [`CaptureRecorder::new`], but for any form of captures.
    pub fn with_form(output: W, header: &CaptureHeader, form: Form, limit: u64) -> Self {
        Self::with_output(
            RecordSink::begin(output, header, form, (limit, MessageTarget::Log)),
            OutputSink::Direct,
        )
    }

    fn with_output(
        limited: RecordSink<W>,
        output: impl FnOnce(RecordSink<W>) -> OutputSink<W>,
    ) -> Self {
        CaptureRecorder {
            status: Arc::clone(&limited.status),
            output: output(limited),
            known: ObjectTable::new(),
            ids: 0,
            stages: [None; STAGE3DS as usize],
            frames: 0,
            stacks: HashMap::new(),
            stacks_so_far: 0,
            stack: None,
        }
    }

    /// Returns the reason why recording ended; `None` while it continues. A worker thread's errors are delayed.
    pub fn error(&self) -> Option<&io::Error> {
        self.status.error.get()
    }

    /// Returns the number of bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.status.bytes()
    }

    /// Records a granted `requestContext3D` on `stage.stage3Ds[index]` and returns the new context. An `index` above 3
    /// counts as 3.
    pub fn context(&mut self, index: u32, render_mode: &str, profile: Profile) -> RecordedContext {
        let request = ContextRequest {
            render_mode: Some(render_mode),
            profile: Some(profile.name()),
            profiles: None,
        };
        self.request(index, &request)
    }

    /// Like [`CaptureRecorder::context`], but with all arguments of the request.
    pub fn request(&mut self, index: u32, request: &ContextRequest<'_>) -> RecordedContext {
        self.stage3d(index);
        let id = self.next_id();
        self.on_stage3d(index, request.call(index), Some(id));
        RecordedContext(id)
    }

    /// Records a request that was rejected, with the error and the reason if they are known.
    pub fn refused(
        &mut self,
        index: u32,
        request: &ContextRequest<'_>,
        error: Option<&FlashError>,
        reason: Option<&RequestRefusal>,
    ) {
        let on = self.stage3d(index);
        let (throws, reason) =
            (error.map(FlashError::number), reason.map(RequestRefusal::to_string));
        self.line(CallLine { throws, reason, ..CallLine::new(on, request.call(index)) });
    }

    /// Records the horizontal position of a Stage3D.
    pub fn set_x(&mut self, index: u32, value: f64) {
        self.on_stage3d(index, Call::SetX { value }, None);
    }

    /// Records the vertical position of a Stage3D.
    pub fn set_y(&mut self, index: u32, value: f64) {
        self.on_stage3d(index, Call::SetY { value }, None);
    }

    /// Records that a Stage3D was shown or hidden.
    pub fn set_visible(&mut self, index: u32, value: bool) {
        self.on_stage3d(index, Call::SetVisible { value }, None);
    }

    /// Records a command and its result. Device failures and unsupported features are recorded as calls without a
    /// result.
    pub fn call(
        &mut self,
        context: RecordedContext,
        command: &Invocation<'_>,
        result: &Result<Reply, Error>,
    ) {
        if self.error().is_some() {
            return;
        }
        let receiver = match call::receiver(command) {
            None => Some(KnownObject {
                id: context.0,
                class: ObjectKind::Context3D,
                extent: Extent::Fixed,
            }),
            Some(object) => self.known.get(&object).copied(),
        };
        // An object that was created before the recording started has no id.
        let Some(KnownObject { id: on, class, extent }) = receiver else {
            return;
        };
        let known = &self.known;
        let cut = extent::cut(command, extent, result.is_ok());
        let Some(call) = call::from_command(&cut, &Scope { known, class }) else {
            return;
        };
        let created = match result {
            Ok(reply) => created(reply).zip(call.creates()),
            Err(_) => None,
        };
        let id = created.map(|(object, kind)| {
            let id = self.next_id();
            let object_of_call = KnownObject { id, class: kind, extent: Extent::of(command) };
            self.known.insert(object, object_of_call);
            id
        });
        let throws = match result {
            Err(Error::Flash(error)) => Some(error.number()),
            Ok(_) | Err(Error::Unsupported(_) | Error::Backend(_)) => None,
        };
        self.line(CallLine { result: id, throws, ..CallLine::new(on, call) });
    }

    /// Records an event that the host took from the context and dispatches.
    pub fn event(&mut self, event: &TextureEvent) {
        let Some(on) = self.known.get(&event.texture.into()).map(|known| known.id) else {
            return;
        };
        let number = event.error.as_ref().map(FlashError::number);
        let event = number.map_or(EventRecord::TextureReady, EventRecord::Error);
        let line = EventLine { on, event, time: None };
        self.output.record(CaptureRecord::Event(line));
    }

    /// Names an object, for example by the program's own name of a texture. A later name of an object replaces its
    /// earlier name. The name of an object that is not recorded is ignored.
    pub fn name(&mut self, object: impl Into<AnyHandle>, text: &str) {
        if let Some(on) = self.known.get(&object.into()).map(|known| known.id) {
            self.note(CaptureNote::Name { on, text: cut(text) });
        }
    }

    /// Like [`CaptureRecorder::name`], but for a context.
    pub fn name_context(&mut self, context: RecordedContext, text: &str) {
        self.note(CaptureNote::Name { on: context.0, text: cut(text) });
    }

    /// Begins a marker region, for example a pass. Regions nest; [`CaptureRecorder::end_frame`] ends all.
    pub fn begin(&mut self, text: &str) {
        self.note(CaptureNote::Begin(cut(text)));
    }

    /// Ends the innermost marker region.
    pub fn end(&mut self) {
        self.note(CaptureNote::End);
    }

    /// Sets the ActionScript call stack of the following calls, the innermost function first, as in
    /// `Error.getStackTrace()`. An empty stack means unknown. Equal stacks are stored once.
    pub fn stack(&mut self, functions: &[&str]) {
        let functions = functions.get(..MAX_STACK).unwrap_or(functions);
        if functions.is_empty() || self.error().is_some() {
            self.stack = None;
            return;
        }
        let mut hash = XxHash3_128::new();
        for function in functions {
            hash.write(&function.len().to_le_bytes());
            hash.write(function.as_bytes());
        }
        let hash = hash.finish_128();
        if let Some(number) = self.stacks.get(&hash) {
            self.stack = Some(*number);
            return;
        }
        if self.stacks.len() >= MAX_STACKS {
            self.stacks.clear();
        }
        let number = self.stacks_so_far;
        self.stacks_so_far = number.wrapping_add(1);
        self.stacks.insert(hash, number);
        self.stack = Some(number);
        let functions = functions.iter().map(|function| cut(function)).collect();
        self.note(CaptureNote::Stack { number, functions });
    }

    fn note(&mut self, note: CaptureNote) {
        self.output.record(CaptureRecord::Note(note));
    }

    /// Frees the memory of an object that the program can no longer reach, for example because it was garbage
    /// collected. Later calls on the object are not recorded.
    pub fn forget(&mut self, object: impl Into<AnyHandle>) {
        self.known.remove(&object.into());
    }

    /// Returns the number of objects that later calls can refer to.
    pub fn objects(&self) -> usize {
        self.known.len()
    }

    /// Records the end of an SWF frame.
    pub fn end_frame(&mut self) {
        let frame = self.frames;
        self.frames = self.frames.saturating_add(1);
        self.output.record(CaptureRecord::Frame(frame));
    }

    /// Writes buffered records, ends the capture and returns the output.
    /// Errors: the error that ended the recording earlier, or those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        let output = self.output.finish();
        match (output, self.error()) {
            (_, Some(error)) => Err(io::Error::new(error.kind(), error.to_string())),
            (Some(output), None) => output,
            (None, None) => Err(io::ErrorKind::Other.into()),
        }
    }

    fn next_id(&mut self) -> ObjectId {
        self.ids += 1;
        ObjectId(self.ids)
    }

    fn stage3d(&mut self, index: u32) -> ObjectId {
        let index = index.min(STAGE3DS - 1) as usize;
        if let Some(Some(id)) = self.stages.get(index) {
            return *id;
        }
        let id = self.next_id();
        if let Some(slot) = self.stages.get_mut(index) {
            *slot = Some(id);
        }
        id
    }

    fn on_stage3d(&mut self, index: u32, call: Call, result: Option<ObjectId>) {
        let on = self.stage3d(index);
        self.line(CallLine { result, ..CallLine::new(on, call) });
    }

    fn line(&mut self, line: CallLine) {
        self.output.record(CaptureRecord::Call(CallLine { stack: self.stack, ..line }));
    }
}

impl<W: Write> Drop for CaptureRecorder<W> {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.output.finish() {
            self.status.stop(error);
        }
    }
}

impl ContextRequest<'_> {
    fn call(&self, index: u32) -> Call {
        let text = |text: &str| text.to_owned();
        let profiles = self.profiles.map(|names| {
            let names = names.iter().map(|name| name.map(text));
            names.collect()
        });
        Call::RequestContext3D {
            stage3d_index: index.min(STAGE3DS - 1),
            render_mode: OptionalParameter(Some(Enum::parse(self.render_mode))),
            profile: OptionalParameter(Some(self.profile.map(text))),
            profiles: OptionalParameter(profiles.map(Some)),
        }
    }
}

/// Creates a new file, with a number before the extension if the name is in use. Existing devices and pipes are opened.
fn create_numbered(path: &Path, tells: MessageTarget) -> io::Result<File> {
    if fs::metadata(path).is_ok_and(|existing| !existing.is_file()) {
        return File::options().write(true).open(path);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let end = [".s3d.jsonl", ".s3d"].into_iter().find(|end| name.ends_with(end));
    let end = end.or_else(|| name.rfind('.').filter(|at| *at > 0).and_then(|at| name.get(at..)));
    let end = end.unwrap_or_default();
    let stem = name.strip_suffix(end).unwrap_or(&name);
    let mut unused = path.to_owned();
    for number in 1..=MAX_FILES {
        match File::create_new(&unused) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                unused = path.with_file_name(format!("{stem}.{number}{end}"));
            }
            Ok(file) if number > 1 => {
                let [exists, unused] = [path, &unused].map(Path::display);
                tells.tell(&format_args!("{exists} exists; the recording is written to {unused}"));
                return Ok(file);
            }
            created => return created,
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Returns a prefix of a string, at most [`MAX_NOTE_BYTES`] bytes.
fn cut(text: &str) -> String {
    text.get(..text.floor_char_boundary(MAX_NOTE_BYTES)).unwrap_or_default().to_owned()
}

fn created(reply: &Reply) -> Option<AnyHandle> {
    match reply {
        Reply::VertexBuffer(handle) => Some((*handle).into()),
        Reply::IndexBuffer(handle) => Some((*handle).into()),
        Reply::Program(handle) => Some((*handle).into()),
        Reply::Texture(handle) => Some((*handle).into()),
        Reply::Done | Reply::Null | Reply::Skipped(_) | Reply::Bitmap(_) => None,
    }
}

#[cfg(test)]
#[path = "../tests/unit/storage.rs"]
mod tests;

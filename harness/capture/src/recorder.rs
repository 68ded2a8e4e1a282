//! Records what a host executes.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use context3d::{AnyHandle, Command, Error, FlashError, Profile, Reply, TextureEvent};

use crate::call::{self, Call};
use crate::header::Header;
use crate::objects::{ObjectId, ObjectKind, STAGE3DS};
use crate::output::{Limited, Output, Status};
use crate::reader::{CallLine, Event, EventLine, Record};
use crate::recorded::{Known, Scope};
use crate::value::Optional;
use crate::writer::Form;

/// The environment variable that names the file of [`Recorder::from_env`].
pub const RECORD_VARIABLE: &str = "MOLEHILL_RECORD";

/// A context in a recording: see [`Recorder::context`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedContext(ObjectId);

/// Writes the commands of a host, with their replies, as a capture: several Stage3Ds and contexts in one file.
///
/// A recorder never fails the host. When the output fails or the limit of bytes is reached, recording ends with a message
/// in the log, what was written before is a valid capture, and [`Recorder::error`] says why. One that is dropped ends its
/// capture as [`Recorder::finish`] does. If the process is killed, a capture of lines lacks what its output buffered, at
/// most since the last frame, and a binary one its last block: at most a megabyte or 60 frames; a recorder into a file also
/// what its thread has not written yet, at most four frames.
///
/// Its memory is bounded but for 50 bytes for each object that the program creates; [`Recorder::forget`] frees them.
///
/// ```
/// use context3d::{Command, Context3D, ContextOptions, Profile, backend::NullBackend};
/// use molehill_capture::{Header, Recorder};
///
/// let header = Header {
///     title: "a game".to_owned(), swf_version: 30, stage_width: 640, stage_height: 480,
///     stage_color: [255; 3], frame_rate: Some(60.0), generator: Some("an emulator".to_owned()),
/// };
/// let mut recorder = Recorder::new(Vec::new(), &header, u64::MAX);
/// let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
/// let mut context = Context3D::new(NullBackend::new(), options);
/// let recorded = recorder.context(0, "auto", Profile::Baseline);
///
/// let command = Command::CreateProgram {};
/// let result = context.execute(&command);
/// recorder.call(recorded, &command, &result);
/// recorder.end_frame();
/// assert!(recorder.error().is_none());
/// ```
#[derive(Debug)]
pub struct Recorder<W: Write> {
    output: Output<W>,
    status: Arc<Status>,
    known: Known,
    /// The last id that was given out.
    ids: u64,
    stages: [Option<ObjectId>; STAGE3DS as usize],
    frames: u32,
}

/// What a program passed to `requestContext3D`, or to `requestContext3DMatchingProfiles` if there are profiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextRequest<'a> {
    /// `context3DRenderMode`.
    pub render_mode: Option<&'a str>,
    /// The profile that was granted; if none was, the one that was asked for.
    pub profile: Option<&'a str>,
    /// The profiles that `requestContext3DMatchingProfiles` was given.
    pub profiles: Option<&'a [Option<&'a str>]>,
}

impl Recorder<BufWriter<File>> {
    /// A recorder into a file: a binary capture without compression if its name ends in `.s3d` (`molehill convert` makes it
    /// small), else lines (`.s3d.jsonl`), which cost several times as much. A thread of its own writes it, where there are
    /// threads; the host waits for it when it is four frames or a few megabytes behind.
    ///
    /// # Errors
    /// The file can't be created, or its name asks for a compressed file: `molehill convert` makes that of a recording.
    pub fn create(path: &Path, header: &Header, limit: u64) -> io::Result<Self> {
        if path.extension().is_some_and(|end| end == "zst") {
            let text = "recordings are not compressed as a whole; name it .s3d or .s3d.jsonl";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let output = BufWriter::new(File::create(path)?);
        let form = match Form::of(path) {
            Form::Lines => Form::Lines,
            Form::Binary | Form::Uncompressed => Form::Uncompressed,
        };
        let limited = Limited::begin(output, header, form, limit);
        Ok(Self::with_output(limited, Output::beside))
    }

    /// A recorder into the file that `MOLEHILL_RECORD` names; `None` without the variable.
    ///
    /// # Errors
    /// As [`Recorder::create`].
    pub fn from_env(header: &Header, limit: u64) -> io::Result<Option<Self>> {
        std::env::var_os(RECORD_VARIABLE)
            .map(|path| Self::create(Path::new(&path), header, limit))
            .transpose()
    }
}

impl<W: Write> Recorder<W> {
    /// Begins a capture of lines of at most about `limit` bytes: it ends before the first record that would begin past them.
    pub fn new(output: W, header: &Header, limit: u64) -> Self {
        Self::with_form(output, header, Form::Lines, limit)
    }

    /// As [`Recorder::new`], in either form.
    pub fn with_form(output: W, header: &Header, form: Form, limit: u64) -> Self {
        Self::with_output(Limited::begin(output, header, form, limit), Output::Here)
    }

    fn with_output(limited: Limited<W>, output: impl FnOnce(Limited<W>) -> Output<W>) -> Self {
        Recorder {
            status: Arc::clone(&limited.status),
            output: output(limited),
            known: Known::new(),
            ids: 0,
            stages: [None; STAGE3DS as usize],
            frames: 0,
        }
    }

    /// Why recording has ended; `None` while it goes on. What a thread writes is known a little later.
    pub fn error(&self) -> Option<&io::Error> {
        self.status.error.get()
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.status.bytes()
    }

    /// A new context on `stage.stage3Ds[index]`, as `requestContext3D` granted it. Indices from 4 on are taken as 3.
    pub fn context(&mut self, index: u32, render_mode: &str, profile: Profile) -> RecordedContext {
        let request = ContextRequest {
            render_mode: Some(render_mode),
            profile: Some(profile.name()),
            profiles: None,
        };
        self.request(index, &request)
    }

    /// As [`Recorder::context`], with what the program asked for.
    pub fn request(&mut self, index: u32, request: &ContextRequest<'_>) -> RecordedContext {
        self.stage3d(index);
        let id = self.next_id();
        self.on_stage3d(index, request.call(index), Some(id), None);
        RecordedContext(id)
    }

    /// A request that was refused with an error, or without one.
    pub fn refused(
        &mut self,
        index: u32,
        request: &ContextRequest<'_>,
        error: Option<&FlashError>,
    ) {
        self.on_stage3d(index, request.call(index), None, error);
    }

    /// `Stage3D.x` is set.
    pub fn set_x(&mut self, index: u32, value: f64) {
        self.on_stage3d(index, Call::SetX { value }, None, None);
    }

    /// `Stage3D.y` is set.
    pub fn set_y(&mut self, index: u32, value: f64) {
        self.on_stage3d(index, Call::SetY { value }, None, None);
    }

    /// `Stage3D.visible` is set.
    pub fn set_visible(&mut self, index: u32, value: bool) {
        self.on_stage3d(index, Call::SetVisible { value }, None, None);
    }

    /// A command and what came of it. What the device could not do and what is unsupported is recorded as a call without
    /// result.
    pub fn call(
        &mut self,
        context: RecordedContext,
        command: &Command<'_>,
        result: &Result<Reply, Error>,
    ) {
        if self.error().is_some() {
            return;
        }
        let receiver = match call::receiver(command) {
            None => Some((context.0, ObjectKind::Context3D)),
            Some(object) => self.known.get(&object).copied(),
        };
        // An object that was made before the recording began can't be named.
        let Some((on, class)) = receiver else { return };
        let known = &self.known;
        let Some(call) = call::recorded(command, &Scope { known, class }) else {
            return;
        };
        let created = match result {
            Ok(reply) => created(reply).zip(call.creates()),
            Err(_) => None,
        };
        let id = created.map(|(object, kind)| {
            let id = self.next_id();
            self.known.insert(object, (id, kind));
            id
        });
        let throws = match result {
            Err(Error::Flash(error)) => Some(error.number()),
            Ok(_) | Err(Error::Unsupported(_) | Error::Backend(_)) => None,
        };
        self.line(CallLine {
            on,
            call,
            result: id,
            throws,
            time: None,
        });
    }

    /// An event that the host took from the context and dispatches.
    pub fn event(&mut self, event: &TextureEvent) {
        let Some((on, _)) = self.known.get(&event.texture.into()).copied() else {
            return;
        };
        let number = event.error.as_ref().map(FlashError::number);
        let event = number.map_or(Event::TextureReady, Event::Error);
        let line = EventLine {
            on,
            event,
            time: None,
        };
        self.output.record(Record::Event(line));
    }

    /// The program can't name this object any more, so that no call on it follows: its garbage collector freed it.
    pub fn forget(&mut self, object: impl Into<AnyHandle>) {
        self.known.remove(&object.into());
    }

    /// Number of objects that later calls can name.
    pub fn objects(&self) -> usize {
        self.known.len()
    }

    /// An SWF frame ends.
    pub fn end_frame(&mut self) {
        let frame = self.frames;
        self.frames = self.frames.saturating_add(1);
        self.output.record(Record::Frame(frame));
    }

    /// Writes out what is buffered, ends the capture and gives the output back.
    ///
    /// # Errors
    /// Why recording has ended before, or those of the output.
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

    fn on_stage3d(
        &mut self,
        index: u32,
        call: Call,
        result: Option<ObjectId>,
        error: Option<&FlashError>,
    ) {
        let on = self.stage3d(index);
        self.line(CallLine {
            on,
            call,
            result,
            throws: error.map(FlashError::number),
            time: None,
        });
    }

    fn line(&mut self, line: CallLine) {
        self.output.record(Record::Call(line));
    }
}

impl<W: Write> Drop for Recorder<W> {
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
            render_mode: Optional(Some(self.render_mode.map(text))),
            profile: Optional(Some(self.profile.map(text))),
            profiles: Optional(profiles.map(Some)),
        }
    }
}

/// The object that a reply gives.
fn created(reply: &Reply) -> Option<AnyHandle> {
    match reply {
        Reply::VertexBuffer(handle) => Some((*handle).into()),
        Reply::IndexBuffer(handle) => Some((*handle).into()),
        Reply::Program(handle) => Some((*handle).into()),
        Reply::Texture(handle) => Some((*handle).into()),
        Reply::Done | Reply::Null | Reply::Skipped(_) | Reply::Bitmap(_) => None,
    }
}

//! Records what a host executes.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use context3d::{AnyHandle, Command, Error, Reply};

use crate::call::{self, Call};
use crate::header::Header;
use crate::objects::{ObjectId, ObjectKind, STAGE3DS};
use crate::reader::CallLine;
use crate::recorded::{Known, Scope};
use crate::value::Optional;
use crate::writer::Writer;

/// The environment variable that names the file of [`Recorder::from_env`].
pub const RECORD_VARIABLE: &str = "MOLEHILL_RECORD";

/// A context in a recording: see [`Recorder::context`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedContext(ObjectId);

/// Writes the commands of a host, with their replies, as a capture: several Stage3Ds and contexts in one file.
///
/// A recorder never fails the host. When the output fails or the limit of bytes is reached, recording ends, what was
/// written before is a valid capture, and [`Recorder::error`] says why.
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
    writer: Option<Writer<Counted<W>>>,
    limit: u64,
    error: Option<io::Error>,
    known: Known,
    /// The last id that was given out.
    ids: u64,
    stages: [Option<ObjectId>; STAGE3DS as usize],
    frames: u32,
}

/// Counts bytes.
#[derive(Debug)]
struct Counted<W> {
    output: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Recorder<BufWriter<File>> {
    /// A recorder into the file that `MOLEHILL_RECORD` names; `None` without the variable.
    ///
    /// # Errors
    /// The file can't be created.
    pub fn from_env(header: &Header, limit: u64) -> io::Result<Option<Self>> {
        match std::env::var_os(RECORD_VARIABLE) {
            Some(path) => {
                let output = BufWriter::new(File::create(path)?);
                Ok(Some(Self::new(output, header, limit)))
            }
            None => Ok(None),
        }
    }
}

impl<W: Write> Recorder<W> {
    /// Begins a capture of at most about `limit` bytes: it ends before the first line that would begin past them.
    pub fn new(output: W, header: &Header, limit: u64) -> Self {
        let output = Counted { output, bytes: 0 };
        let mut recorder = Recorder {
            writer: None,
            limit,
            error: None,
            known: Known::new(),
            ids: 0,
            stages: [None; STAGE3DS as usize],
            frames: 0,
        };
        match Writer::new(output, header) {
            Ok(writer) => recorder.writer = Some(writer),
            Err(error) => recorder.error = Some(error),
        }
        recorder
    }

    /// Why recording has ended; `None` while it goes on.
    pub fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.writer
            .as_ref()
            .map_or(0, |writer| writer.output().bytes)
    }

    /// A new context on `stage.stage3Ds[index]`, as `requestContext3D` granted it. Indices from 4 on are taken as 3.
    pub fn context(
        &mut self,
        index: u32,
        render_mode: &str,
        profile: context3d::Profile,
    ) -> RecordedContext {
        let stage3d = self.stage3d(index);
        let id = self.next_id();
        self.line(CallLine {
            on: stage3d,
            call: Call::RequestContext3D {
                stage3d_index: index.min(STAGE3DS - 1),
                render_mode: Optional(Some(Some(render_mode.to_owned()))),
                profile: Optional(Some(Some(profile.name().to_owned()))),
                profiles: Optional(None),
            },
            result: Some(id),
            throws: None,
            time: None,
        });
        RecordedContext(id)
    }

    /// `Stage3D.x` is set.
    pub fn set_x(&mut self, index: u32, value: f64) {
        self.on_stage3d(index, Call::SetX { value });
    }

    /// `Stage3D.y` is set.
    pub fn set_y(&mut self, index: u32, value: f64) {
        self.on_stage3d(index, Call::SetY { value });
    }

    /// `Stage3D.visible` is set.
    pub fn set_visible(&mut self, index: u32, value: bool) {
        self.on_stage3d(index, Call::SetVisible { value });
    }

    /// A command and what came of it. What the device could not do and what is unsupported is recorded as a call without
    /// result.
    pub fn call(
        &mut self,
        context: RecordedContext,
        command: &Command<'_>,
        result: &Result<Reply, Error>,
    ) {
        if self.writer.is_none() {
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

    /// An SWF frame ends.
    pub fn end_frame(&mut self) {
        let frame = self.frames;
        self.frames = self.frames.saturating_add(1);
        self.write(|writer| writer.frame(frame));
    }

    /// Writes out what is buffered and gives the output back.
    ///
    /// # Errors
    /// Why recording has ended before, or those of the output.
    pub fn finish(self) -> io::Result<W> {
        match (self.writer, self.error) {
            (Some(writer), None) => Ok(writer.finish()?.output),
            (_, Some(error)) => Err(error),
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

    fn on_stage3d(&mut self, index: u32, call: Call) {
        let on = self.stage3d(index);
        self.line(CallLine {
            on,
            call,
            result: None,
            throws: None,
            time: None,
        });
    }

    fn line(&mut self, line: CallLine) {
        self.write(|writer| writer.call(&line));
    }

    fn write(&mut self, write: impl FnOnce(&mut Writer<Counted<W>>) -> io::Result<()>) {
        let Some(writer) = &mut self.writer else {
            return;
        };
        let written = match writer.output().bytes < self.limit {
            true => write(writer),
            false => Err(io::Error::new(
                io::ErrorKind::StorageFull,
                format!(
                    "the recording has reached its limit of {} bytes",
                    self.limit
                ),
            )),
        };
        if let Err(error) = written {
            log::warn!("recording ends: {error}");
            self.error = Some(error);
            // Flushes what is buffered; the error above is the one to report.
            if let Some(writer) = self.writer.take() {
                let _ = writer.finish();
            }
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

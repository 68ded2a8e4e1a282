//! Records a program written against this API: every call is executed, then written with its result.

use std::fmt;
use std::io::{self, Write};

use context3d::FlashError;

use crate::image::Image;
use crate::report::Report;
use crate::{Options, Outcome, ReplayError, Replayer};
use context3d::backend::BackendFactory;
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine, Header, Writer};

/// Why a call could not be recorded.
#[derive(Debug)]
pub enum RecordError {
    /// The call could not be executed.
    Replay(ReplayError),
    /// Flash raises this. The call is written with the error's number.
    Flash(FlashError),
    /// Flash can do this and Molehill can't yet. The call is written.
    Unsupported(String),
    /// The call could not be written.
    Io(io::Error),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Replay(error) => write!(f, "{error}"),
            RecordError::Flash(error) => write!(f, "{error}"),
            RecordError::Unsupported(what) => write!(f, "unsupported: {what}"),
            RecordError::Io(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RecordError::Replay(error) => Some(error),
            RecordError::Io(error) => Some(error),
            RecordError::Flash(_) | RecordError::Unsupported(_) => None,
        }
    }
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        RecordError::Io(error)
    }
}

impl From<ReplayError> for RecordError {
    fn from(error: ReplayError) -> Self {
        RecordError::Replay(error)
    }
}

/// Executes and writes calls.
pub struct Recorder<W: Write, F: BackendFactory> {
    replayer: Replayer<F>,
    writer: Writer<W>,
    /// Number of lines written.
    lines: u64,
    /// Number of ids assigned.
    ids: u64,
    /// Number of finished frames.
    frames: u32,
}

impl<W: Write, F: BackendFactory> Recorder<W, F> {
    /// The Stage3D of a capture with only one.
    pub const STAGE3D: ObjectId = ObjectId(1);

    /// Starts a capture. The id [`Recorder::STAGE3D`] is in use.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn new(output: W, header: &Header, factory: F) -> io::Result<Self> {
        let writer = Writer::new(output, header)?;
        let replayer = Replayer::new(header, factory, Options::default());
        Ok(Recorder { replayer, writer, lines: 1, ids: Self::STAGE3D.0, frames: 0 })
    }

    /// Executes a call on an object and writes it. Returns the object that it created, if any.
    ///
    /// # Errors
    /// The call's error, or a failure to execute or write it.
    pub fn call(&mut self, on: ObjectId, call: Call) -> Result<Option<ObjectId>, RecordError> {
        let result = call.creates().map(|_| ObjectId(self.ids + 1));
        let mut line = CallLine { on, call, result, throws: None, time: None };
        self.lines += 1;
        let outcome = self.replayer.call(self.lines, &line)?;
        let failure = match outcome {
            Outcome::Done | Outcome::Bitmap(_) | Outcome::Skipped(_) | Outcome::OnNull => None,
            Outcome::Raised(error) => {
                line.throws = Some(error.number());
                Some(RecordError::Flash(error))
            }
            Outcome::Unsupported(what) => Some(RecordError::Unsupported(what)),
        };
        if failure.is_some() {
            line.result = None;
        }
        self.writer.call(&line)?;
        self.ids += u64::from(line.result.is_some());
        failure.map_or(Ok(line.result), Err)
    }

    /// As [`Recorder::call`], for a call that creates an object.
    ///
    /// # Errors
    /// As [`Recorder::call`]; for a call that creates nothing, an [`io::Error`] of kind `InvalidInput`.
    pub fn create(&mut self, on: ObjectId, call: Call) -> Result<ObjectId, RecordError> {
        let name = call.name();
        let nothing =
            || io::Error::new(io::ErrorKind::InvalidInput, format!("{name} creates nothing"));
        self.call(on, call)?.ok_or_else(|| nothing().into())
    }

    /// The report of the replay so far.
    pub fn report(&self) -> &Report {
        self.replayer.report()
    }

    /// Ends an SWF frame.
    ///
    /// # Errors
    /// Those of the output.
    pub fn end_frame(&mut self) -> io::Result<()> {
        self.lines += 1;
        self.replayer.end_frame();
        self.writer.frame(self.frames)?;
        self.frames += 1;
        Ok(())
    }

    /// The stage as it is shown now.
    ///
    /// # Errors
    /// The device's errors.
    pub fn screen(&mut self) -> Result<Image, ReplayError> {
        self.replayer.screen(self.lines)
    }

    /// Ends the capture and returns the output.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(self) -> io::Result<W> {
        self.writer.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::{Observer, run};
    use context3d::backend::NullFactory;
    use context3d::enums::{BufferUsage, RenderMode};
    use molehill_capture::data::Optional;
    use molehill_capture::{Reader, Record};

    fn request() -> Call {
        Call::RequestContext3D {
            stage3d_index: 0,
            render_mode: Optional(Some(RenderMode::Auto.into())),
            profile: Optional(Some(Some("baseline".to_owned()))),
            profiles: Optional(None),
        }
    }

    fn create(num_vertices: i32) -> Call {
        Call::CreateVertexBuffer {
            num_vertices,
            data32_per_vertex: 1,
            buffer_usage: BufferUsage::StaticDraw.into(),
        }
    }

    struct Nothing;
    impl Observer for Nothing {}

    #[test]
    fn what_is_recorded_replays_the_same() {
        let header = Header {
            title: "t".to_owned(),
            swf_version: 30,
            stage_width: 8,
            stage_height: 8,
            stage_color: [0; 3],
            frame_rate: None,
            generator: None,
        };
        let mut recorder = Recorder::new(Vec::new(), &header, NullFactory).unwrap();
        let stage3d = Recorder::<Vec<u8>, NullFactory>::STAGE3D;
        let context = recorder.create(stage3d, request()).unwrap();
        let error = recorder.create(context, create(0)).unwrap_err();
        assert!(matches!(error, RecordError::Flash(error) if error.number() == 3671));
        let buffer = recorder.create(context, create(1)).unwrap();
        assert_eq!(recorder.call(buffer, Call::VertexBufferDispose {}).unwrap(), None);
        assert!(matches!(
            recorder.create(context, Call::SetRenderToBackBuffer {}),
            Err(RecordError::Io(_))
        ));
        recorder.end_frame().unwrap();
        let text = recorder.finish().unwrap();

        let mut reader = Reader::new(Cursor::new(text.clone())).unwrap();
        let mut replayer = Replayer::new(&header, NullFactory, Options::default());
        run(&mut reader, &mut replayer, &mut Nothing).unwrap();
        let report = replayer.report();
        assert_eq!((report.calls, report.frames, report.disagreements), (5, 1, 0));
        assert_eq!(report.errors.numbers, [3671]);

        let records = Reader::new(Cursor::new(text)).unwrap().map(|item| item.unwrap().1);
        let calls: Vec<(Option<u64>, Option<u16>)> = records
            .filter_map(|record| match record {
                Record::Call(line) => Some((line.result.map(|id| id.0), line.throws)),
                Record::Frame(_) | Record::Event(_) => None,
            })
            .collect();
        assert_eq!(
            calls,
            [(Some(2), None), (None, Some(3671)), (Some(3), None), (None, None), (None, None)]
        );
    }
}

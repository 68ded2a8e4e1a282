//! Records a program that uses this API: executes every Stage3D call, then writes it with its result.

use std::io::{self, Write};

use context3d::FlashError;
use context3d::backend::BackendFactory;
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine, CaptureHeader, CaptureWriter};
use thiserror::Error;

use crate::error::ReplayError;
use crate::image::RgbaImage;
use crate::replayer::{CallOutcome, ReplayOptions, Replayer};
use crate::report::ReplayReport;

/// The error of a call that could not be recorded.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The call could not be executed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The call raises this Flash error. The call is written with the error's id.
    #[error("{0}")]
    Flash(FlashError),
    /// Molehill doesn't support this feature of Flash yet. The call is written to the capture.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The call could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Executes Stage3D calls and writes them to a capture.
pub struct CallWriter<W: Write, F: BackendFactory> {
    replayer: Replayer<F>,
    writer: CaptureWriter<W>,
    /// Number of lines that were written to the capture.
    lines: u64,
    /// Number of object ids that were assigned.
    ids: u64,
    /// Number of finished frames.
    frames: u32,
}

impl<W: Write, F: BackendFactory> CallWriter<W, F> {
    /// The object id of the Stage3D in captures with only one Stage3D.
    pub const STAGE3D: ObjectId = ObjectId(1);

    /// Starts a capture. The id [`CallWriter::STAGE3D`] is reserved. Errors of `output` are returned.
    pub fn new(output: W, header: &CaptureHeader, factory: F) -> io::Result<Self> {
        let writer = CaptureWriter::new(output, header)?;
        let replayer = Replayer::new(header, factory, ReplayOptions::default());
        Ok(CallWriter { replayer, writer, lines: 1, ids: Self::STAGE3D.0, frames: 0 })
    }

    /// Executes a call on an object and writes it to the capture. Returns the object that the call created, if any.
    pub fn call(&mut self, on: ObjectId, call: Call) -> Result<Option<ObjectId>, RecordError> {
        let result = call.creates().map(|_| ObjectId(self.ids + 1));
        let mut line = CallLine { result, ..CallLine::new(on, call) };
        self.lines += 1;
        let failure = match self.replayer.call(self.lines, &line)? {
            CallOutcome::Done
            | CallOutcome::Bitmap(_)
            | CallOutcome::Skipped(_)
            | CallOutcome::OnNull => None,
            CallOutcome::Raised(error) => {
                line.throws = Some(error.number());
                Some(RecordError::Flash(error))
            }
            CallOutcome::Unsupported(what) => Some(RecordError::Unsupported(what)),
        };
        line.result = line.result.filter(|_| failure.is_none());
        self.writer.call(&line)?;
        self.ids += u64::from(line.result.is_some());
        failure.map_or(Ok(line.result), Err)
    }

    /// Like [`CallWriter::call`], but for a call that creates an object; returns `InvalidInput` for any other call.
    pub fn create(&mut self, on: ObjectId, call: Call) -> Result<ObjectId, RecordError> {
        let nothing = format!("{} creates no object", call.name());
        let nothing = || io::Error::new(io::ErrorKind::InvalidInput, nothing);
        self.call(on, call)?.ok_or_else(|| nothing().into())
    }

    /// Returns the report about all calls so far.
    pub fn report(&self) -> &ReplayReport {
        self.replayer.report()
    }

    /// Ends an SWF frame. Errors of the output are returned.
    pub fn end_frame(&mut self) -> io::Result<()> {
        self.lines += 1;
        self.replayer.end_frame();
        self.writer.frame(self.frames)?;
        self.frames += 1;
        Ok(())
    }

    /// Returns the current image of the stage. Errors of the device are returned.
    pub fn screen(&mut self) -> Result<RgbaImage, ReplayError> {
        self.replayer.screen(self.lines)
    }

    /// Finishes the capture and returns the output.
    pub fn finish(self) -> io::Result<W> {
        self.writer.finish()
    }
}

//! Records a program that is written against this API: executes every call, then writes it with its result.

use std::io::{self, Write};

use context3d::FlashError;
use context3d::backend::BackendFactory;
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine, Header, Writer};
use thiserror::Error;

use crate::error::ReplayError;
use crate::image::Image;
use crate::replayer::{Options, Outcome, Replayer};
use crate::report::Report;

/// The error of a call that could not be recorded.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The call could not be executed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Flash raises this error. The call is written with the error's id.
    #[error("{0}")]
    Flash(FlashError),
    /// Molehill doesn't support this feature of Flash yet. The call is written.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The call could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
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
    /// The id of the Stage3D, in captures with only one.
    pub const STAGE3D: ObjectId = ObjectId(1);

    /// Starts a capture. The id [`Recorder::STAGE3D`] is reserved. The errors are those of `output`.
    pub fn new(output: W, header: &Header, factory: F) -> io::Result<Self> {
        let writer = Writer::new(output, header)?;
        let replayer = Replayer::new(header, factory, Options::default());
        Ok(Recorder { replayer, writer, lines: 1, ids: Self::STAGE3D.0, frames: 0 })
    }

    /// Executes a call on an object and writes it. Returns the object that it created, if any.
    pub fn call(&mut self, on: ObjectId, call: Call) -> Result<Option<ObjectId>, RecordError> {
        let result = call.creates().map(|_| ObjectId(self.ids + 1));
        let mut line = CallLine { result, ..CallLine::new(on, call) };
        self.lines += 1;
        let failure = match self.replayer.call(self.lines, &line)? {
            Outcome::Done | Outcome::Bitmap(_) | Outcome::Skipped(_) | Outcome::OnNull => None,
            Outcome::Raised(error) => {
                line.throws = Some(error.number());
                Some(RecordError::Flash(error))
            }
            Outcome::Unsupported(what) => Some(RecordError::Unsupported(what)),
        };
        line.result = line.result.filter(|_| failure.is_none());
        self.writer.call(&line)?;
        self.ids += u64::from(line.result.is_some());
        failure.map_or(Ok(line.result), Err)
    }

    /// Does the same as [`Recorder::call`], for a call that creates an object. Other calls are `InvalidInput` errors.
    pub fn create(&mut self, on: ObjectId, call: Call) -> Result<ObjectId, RecordError> {
        let nothing = format!("{} creates nothing", call.name());
        let nothing = || io::Error::new(io::ErrorKind::InvalidInput, nothing);
        self.call(on, call)?.ok_or_else(|| nothing().into())
    }

    /// Returns the report of the replay so far.
    pub fn report(&self) -> &Report {
        self.replayer.report()
    }

    /// Ends an SWF frame. The errors are those of the output.
    pub fn end_frame(&mut self) -> io::Result<()> {
        self.lines += 1;
        self.replayer.end_frame();
        self.writer.frame(self.frames)?;
        self.frames += 1;
        Ok(())
    }

    /// Returns the current image of the stage. The errors are those of the device.
    pub fn screen(&mut self) -> Result<Image, ReplayError> {
        self.replayer.screen(self.lines)
    }

    /// Ends the capture and returns the output.
    pub fn finish(self) -> io::Result<W> {
        self.writer.finish()
    }
}

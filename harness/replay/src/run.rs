//! Replays a whole capture.

use std::collections::VecDeque;

use super::error::{ReplayError, ReplayErrorKind};
use super::replayer::{CallOutcome, Replayer};
use super::report::{RaisedError, ReplayReport};
use crate::image::RgbaImage;
use context3d::backend::BackendFactory;
use molehill_capture::{Call, CallLine, CaptureReader, CaptureRecord};

/// Callbacks of a replay. Every callback has a default that does nothing.
pub trait ReplayObserver {
    /// Returns whether to read the image of this frame and pass it to [`ReplayObserver::frame`].
    fn wants_frame(&mut self, _frame: u32) -> bool {
        false
    }

    /// Receives the image of the stage at the end of an SWF frame. Errors: a message, which ends the replay.
    fn frame(&mut self, _frame: u32, _image: &RgbaImage) -> Result<(), String> {
        Ok(())
    }

    /// Returns whether to read the image of the last frame and pass it to [`ReplayObserver::last_frame`].
    fn wants_last_frame(&self) -> bool {
        false
    }

    /// Receives the image of the last frame, also if the replay ended early. An error makes the replay fail.
    fn last_frame(&mut self, _frame: u32, _image: RgbaImage) -> Result<(), String> {
        Ok(())
    }

    /// Receives an executed call and its result. Errors: a message, which ends the replay.
    fn called(
        &mut self,
        _line: u64,
        _call: &CallLine,
        _outcome: &CallOutcome,
    ) -> Result<(), String> {
        Ok(())
    }

    /// Receives an error that Flash raises. Errors: a message, which ends the replay.
    fn raised(&mut self, _raised: &RaisedError) -> Result<(), String> {
        Ok(())
    }

    /// Returns whether the replay may end after the current frame.
    fn is_finished(&self) -> bool {
        false
    }

    /// Receives the report of the replay's progress after every line of the capture.
    fn progress(&mut self, _report: &ReplayReport) {}
}

/// The last finished frame, whose image an observer may request at the end of the replay.
enum LastFrame {
    None,
    /// The stage still shows this frame, so its image can be read.
    Shown(u32),
    /// A copy of this frame's image.
    Taken(u32, RgbaImage),
    /// The stage has changed, so this frame isn't the last frame of the replay.
    Gone,
}

/// Replays all records of a capture, and calls the observer. Errors: the error that ended the replay early.
pub fn run<F: BackendFactory>(
    reader: &mut CaptureReader,
    replayer: &mut Replayer<F>,
    observer: &mut dyn ReplayObserver,
) -> Result<(), ReplayError> {
    let mut last = LastFrame::None;
    let mut line = 1;
    let played = play(reader, replayer, observer, &mut last, &mut line);
    // The stage can't be read after a device failure.
    use ReplayErrorKind::{Device, NoDevice};
    let readable = !matches!(&played, Err(error) if matches!(error.kind, Device(..) | NoDevice(_)));
    let shown = match last {
        LastFrame::Taken(frame, image) => show_last(observer, frame, image),
        LastFrame::Shown(frame) if readable && observer.wants_last_frame() => {
            replayer.screen(line).and_then(|image| show_last(observer, frame, image))
        }
        LastFrame::None | LastFrame::Shown(_) | LastFrame::Gone => Ok(()),
    };
    let done = played.and(shown);
    done.map_err(|error| error.in_call(replayer.report().calls))
}

/// Limits of reading ahead: number of records, and total bytes of their lines.
const LOOK_AHEAD: (usize, usize) = (1 << 14, 64 << 20);

/// The result of reading one line of a capture.
type LineResult = <CaptureReader as Iterator>::Item;

/// The records of a capture, some of which are read ahead.
struct RecordStream<'a> {
    reader: &'a mut CaptureReader,
    ahead: VecDeque<LineResult>,
}

impl<'a> RecordStream<'a> {
    fn of(reader: &'a mut CaptureReader) -> Self {
        RecordStream { reader, ahead: VecDeque::new() }
    }

    /// Returns whether another frame ends before the end of the capture and before any error that would end the replay.
    /// Also returns false if the frame's end is beyond the read-ahead limits: captures may be larger than memory.
    fn have_frame(&mut self) -> bool {
        let (mut records, mut bytes) = LOOK_AHEAD;
        let mut looked = 0;
        loop {
            if looked == self.ahead.len() {
                let Some(item) = self.reader.next() else {
                    return false;
                };
                bytes = bytes.saturating_sub(self.reader.line_bytes());
                self.ahead.push_back(item);
            }
            match self.ahead.get(looked) {
                Some(Ok((_, CaptureRecord::Frame(_)))) => return true,
                // A context of an unknown profile, or without a device, ends the replay.
                Some(Ok((_, CaptureRecord::Call(call))))
                    if !matches!(call.call, Call::RequestContext3D { .. }) => {}
                Some(Ok((_, CaptureRecord::Note(_)))) => {}
                _ => return false,
            }
            looked += 1;
            records -= 1;
            if records == 0 || bytes == 0 {
                return false;
            }
        }
    }
}

impl Iterator for RecordStream<'_> {
    type Item = LineResult;

    fn next(&mut self) -> Option<LineResult> {
        self.ahead.pop_front().or_else(|| self.reader.next())
    }
}

fn show_last(
    observer: &mut dyn ReplayObserver,
    frame: u32,
    image: RgbaImage,
) -> Result<(), ReplayError> {
    observer.last_frame(frame, image).map_err(ReplayError::observer)
}

fn play<F: BackendFactory>(
    reader: &mut CaptureReader,
    replayer: &mut Replayer<F>,
    observer: &mut dyn ReplayObserver,
    last: &mut LastFrame,
    line: &mut u64,
) -> Result<(), ReplayError> {
    let mut records = RecordStream::of(reader);
    while let Some(record) = records.next() {
        let (number, record) = record?;
        *line = number;
        match record {
            CaptureRecord::Call(call) => {
                // Read the image of a frame that may be the last frame, before the stage changes.
                if let LastFrame::Shown(frame) = *last
                    && observer.wants_last_frame()
                    && Replayer::<F>::changes_screen(&call.call)
                {
                    *last = if !replayer.is_strict() && records.have_frame() {
                        LastFrame::Gone
                    } else {
                        LastFrame::Taken(frame, replayer.screen(number)?)
                    };
                }
                play_call(number, &call, replayer, observer)?;
            }
            CaptureRecord::Event(event) => replayer.event(&event),
            CaptureRecord::Note(_) => {}
            CaptureRecord::Frame(frame) => {
                replayer.end_frame();
                *last = LastFrame::Shown(frame);
                if observer.wants_frame(frame) {
                    let image = replayer.screen(number)?;
                    observer.frame(frame, &image).map_err(ReplayError::observer)?;
                    if observer.wants_last_frame() {
                        *last = LastFrame::Taken(frame, image);
                    }
                }
                if observer.is_finished() {
                    break;
                }
            }
        }
        observer.progress(replayer.report());
    }
    Ok(())
}

fn play_call<F: BackendFactory>(
    number: u64,
    call: &CallLine,
    replayer: &mut Replayer<F>,
    observer: &mut dyn ReplayObserver,
) -> Result<(), ReplayError> {
    let outcome = match replayer.call(number, call) {
        Ok(outcome) => outcome,
        // A strict replay ends after the observer has received the error.
        Err(ReplayError { at: Some(at), kind: ReplayErrorKind::Strict(call, error) }) => {
            let call_number = replayer.report().calls;
            let raised = RaisedError { line: at.line, call, call_number, error };
            observer.raised(&raised).map_err(ReplayError::observer)?;
            return Err(ReplayErrorKind::Strict(call, raised.error).at(at));
        }
        Err(error) => return Err(error),
    };
    if let CallOutcome::Raised(error) = &outcome {
        let call_number = replayer.report().calls;
        let raised =
            RaisedError { line: number, call: call.call.name(), call_number, error: error.clone() };
        observer.raised(&raised).map_err(ReplayError::observer)?;
    }
    observer.called(number, call, &outcome).map_err(ReplayError::observer)
}

//! Plays a whole capture.

use super::error::ReplayError;
use super::replayer::{Outcome, Replayer};
use super::report::{Raised, Report};
use crate::image::Image;
use context3d::BackendFactory;
use molehill_capture::{CallLine, Position, Reader, Record};

/// Who looks at a replay. Every method has a default that does nothing.
pub trait Observer {
    /// Whether [`Observer::frame`] shall be called for this frame.
    fn wants(&mut self, _frame: u32) -> bool {
        false
    }

    /// The stage at the end of an SWF frame.
    ///
    /// # Errors
    /// What ends the replay, as a message.
    fn frame(&mut self, _frame: u32, _image: &Image) -> Result<(), String> {
        Ok(())
    }

    /// Whether [`Observer::last_frame`] shall be called.
    fn wants_last(&self) -> bool {
        false
    }

    /// The stage at the end of the last frame, also where the replay ended early.
    ///
    /// # Errors
    /// What makes the replay fail, as a message.
    fn last_frame(&mut self, _frame: u32, _image: Image) -> Result<(), String> {
        Ok(())
    }

    /// A call that was played, and what came of it.
    ///
    /// # Errors
    /// What ends the replay, as a message.
    fn called(&mut self, _line: u64, _call: &CallLine, _outcome: &Outcome) -> Result<(), String> {
        Ok(())
    }

    /// An error that Flash raises.
    ///
    /// # Errors
    /// What ends the replay, as a message.
    fn raised(&mut self, _raised: &Raised) -> Result<(), String> {
        Ok(())
    }

    /// How far the replay is; called after every line.
    fn progress(&mut self, _report: &Report, _position: Position) {}
}

/// The last frame that ended, with its picture if it was taken already.
type Last = Option<(u32, Option<Image>)>;

/// Plays all that the reader has. What the observer was given stays, however this ends.
///
/// # Errors
/// What ended the replay early.
pub fn run<F: BackendFactory>(
    reader: &mut Reader,
    replayer: &mut Replayer<F>,
    observer: &mut dyn Observer,
) -> Result<(), ReplayError> {
    let mut last = None;
    let mut line = 1;
    let played = play(reader, replayer, observer, &mut last, &mut line);
    // After a device's failure there is nothing to read the screen from.
    let readable = !matches!(
        played,
        Err(ReplayError::Device { .. } | ReplayError::NoDevice { .. })
    );
    let shown = match last {
        Some((frame, Some(image))) => show_last(observer, frame, image),
        Some((frame, None)) if readable && observer.wants_last() => replayer
            .screen(line)
            .and_then(|image| show_last(observer, frame, image)),
        _ => Ok(()),
    };
    played.and(shown)
}

fn show_last(observer: &mut dyn Observer, frame: u32, image: Image) -> Result<(), ReplayError> {
    observer
        .last_frame(frame, image)
        .map_err(ReplayError::Observer)
}

fn play<F: BackendFactory>(
    reader: &mut Reader,
    replayer: &mut Replayer<F>,
    observer: &mut dyn Observer,
    last: &mut Last,
    line: &mut u64,
) -> Result<(), ReplayError> {
    while let Some(record) = reader.next() {
        let (number, record) = record?;
        *line = number;
        match record {
            Record::Call(call) => {
                // Nobody knows which frame is the last until the capture ends: what a frame showed is taken just
                // before it goes.
                if let Some((_, picture @ None)) = last
                    && observer.wants_last()
                    && Replayer::<F>::changes_screen(&call.call)
                {
                    *picture = Some(replayer.screen(number)?);
                }
                play_call(number, &call, replayer, observer)?;
            }
            Record::Frame(frame) => {
                replayer.end_frame();
                let mut picture = None;
                if observer.wants(frame) {
                    let image = replayer.screen(number)?;
                    observer
                        .frame(frame, &image)
                        .map_err(ReplayError::Observer)?;
                    picture = observer.wants_last().then_some(image);
                }
                *last = Some((frame, picture));
            }
        }
        observer.progress(replayer.report(), reader.read_so_far());
    }
    Ok(())
}

fn play_call<F: BackendFactory>(
    number: u64,
    call: &CallLine,
    replayer: &mut Replayer<F>,
    observer: &mut dyn Observer,
) -> Result<(), ReplayError> {
    let outcome = match replayer.call(number, call) {
        Ok(outcome) => outcome,
        // A strict replay ends here, but not before the error is told.
        Err(ReplayError::Strict { line, call, error }) => {
            let call_number = replayer.report().calls;
            let raised = Raised {
                line,
                call,
                call_number,
                error,
            };
            observer.raised(&raised).map_err(ReplayError::Observer)?;
            return Err(ReplayError::Strict {
                line,
                call,
                error: raised.error,
            });
        }
        Err(error) => return Err(error),
    };
    if let Outcome::Raised(error) = &outcome {
        let call_number = replayer.report().calls;
        let raised = Raised {
            line: number,
            call: call.call.name(),
            call_number,
            error: error.clone(),
        };
        observer.raised(&raised).map_err(ReplayError::Observer)?;
    }
    observer
        .called(number, call, &outcome)
        .map_err(ReplayError::Observer)
}

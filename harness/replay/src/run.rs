//! Plays a whole capture.

use std::collections::VecDeque;

use super::error::ReplayError;
use super::replayer::{Outcome, Replayer};
use super::report::{Raised, Report};
use crate::image::Image;
use context3d::BackendFactory;
use molehill_capture::{Call, CallLine, Reader, Record};

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

    /// Whether the replay may end after the frame that has just ended.
    fn has_seen_enough(&self) -> bool {
        false
    }

    /// How far the replay is; called after every line.
    fn progress(&mut self, _report: &Report) {}
}

/// The last frame that ended.
enum Last {
    None,
    /// The screen still shows it.
    Shown(u32),
    /// Its picture.
    Taken(u32, Image),
    /// The screen shows something else, and a later frame will be the last.
    Gone,
}

/// Plays all that the reader has. What the observer was given stays, however this ends.
///
/// # Errors
/// What ended the replay early.
pub fn run<F: BackendFactory>(
    reader: &mut Reader,
    replayer: &mut Replayer<F>,
    observer: &mut dyn Observer,
) -> Result<(), ReplayError> {
    let mut last = Last::None;
    let mut line = 1;
    let played = play(reader, replayer, observer, &mut last, &mut line);
    // After a device's failure there is nothing to read the screen from.
    let readable = !matches!(
        played,
        Err(ReplayError::Device { .. } | ReplayError::NoDevice { .. })
    );
    let shown = match last {
        Last::Taken(frame, image) => show_last(observer, frame, image),
        Last::Shown(frame) if readable && observer.wants_last() => replayer
            .screen(line)
            .and_then(|image| show_last(observer, frame, image)),
        Last::None | Last::Shown(_) | Last::Gone => Ok(()),
    };
    played.and(shown)
}

/// Records that are looked at before their turn, at most, and the bytes of their lines.
const LOOK_AHEAD: (usize, usize) = (1 << 14, 64 << 20);

/// What a reader gives for one line.
type Item = <Reader as Iterator>::Item;

/// The records of a capture, of which some can be looked at before their turn.
struct Records<'a> {
    reader: &'a mut Reader,
    ahead: VecDeque<Item>,
}

impl<'a> Records<'a> {
    fn of(reader: &'a mut Reader) -> Self {
        Records {
            reader,
            ahead: VecDeque::new(),
        }
    }

    /// Whether a frame ends before the capture does, and before anything can end the replay. `false` also where it is too
    /// far to tell: captures may be larger than memory.
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
                Some(Ok((_, Record::Frame(_)))) => return true,
                // A context of an unknown profile, or without a device, ends the replay.
                Some(Ok((_, Record::Call(call))))
                    if !matches!(call.call, Call::RequestContext3D { .. }) => {}
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

impl Iterator for Records<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        self.ahead.pop_front().or_else(|| self.reader.next())
    }
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
    let mut records = Records::of(reader);
    while let Some(record) = records.next() {
        let (number, record) = record?;
        *line = number;
        match record {
            Record::Call(call) => {
                // What a frame showed is taken just before it goes, if it may be the last.
                if let Last::Shown(frame) = *last
                    && observer.wants_last()
                    && Replayer::<F>::changes_screen(&call.call)
                {
                    *last = match !replayer.is_strict() && records.have_frame() {
                        true => Last::Gone,
                        false => Last::Taken(frame, replayer.screen(number)?),
                    };
                }
                play_call(number, &call, replayer, observer)?;
            }
            Record::Frame(frame) => {
                replayer.end_frame();
                *last = Last::Shown(frame);
                if observer.wants(frame) {
                    let image = replayer.screen(number)?;
                    observer
                        .frame(frame, &image)
                        .map_err(ReplayError::Observer)?;
                    if observer.wants_last() {
                        *last = Last::Taken(frame, image);
                    }
                }
                if observer.has_seen_enough() {
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

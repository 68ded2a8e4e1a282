//! Answers of any renderer: what it draws up to a call, and at the end.

use context3d::backend::{BackendFactory, Surface};
use molehill_capture::{Call, CallLine, Record};
use molehill_replay::image::Image;
use molehill_replay::{Options, Outcome, ReplayError, Replayer};

use crate::capture::Capture;
use crate::error::InspectError;

/// Executes one record; the outcome of a call.
pub(crate) fn execute<F: BackendFactory>(
    player: &mut Replayer<F>,
    number: u64,
    record: &Record,
) -> Result<Option<Outcome>, ReplayError> {
    match record {
        Record::Call(line) => return player.call(number, line).map(Some),
        Record::Frame(_) => player.end_frame(),
        Record::Event(event) => player.event(event),
    }
    Ok(None)
}

/// Replays a capture up to a call; with the call's line and what it says.
pub(crate) fn play<F: BackendFactory>(
    capture: &Capture,
    factory: F,
    call: usize,
) -> Result<(Replayer<F>, u64, &CallLine), InspectError> {
    let last = capture.place(call)?;
    let mut player = Replayer::new(capture.header(), factory, Options::default());
    for (number, record) in capture.records().iter().take(last + 1) {
        execute(&mut player, *number, record)?;
    }
    let (number, line) = capture.call(call)?;
    Ok((player, number, line))
}

/// As [`Inspector::picture`](crate::Inspector::picture), on a renderer.
///
/// # Errors
/// [`InspectError::NoCall`], and those of the replay.
pub fn picture_on<F: BackendFactory>(
    capture: &Capture,
    factory: F,
    call: usize,
) -> Result<Option<Image>, InspectError> {
    let (mut player, number, line) = play(capture, factory, call)?;
    picture(&mut player, number, line)
}

/// What a context draws into after a call, what is shown after `present`, and the stage after a call on a Stage3D.
pub(crate) fn picture<F: BackendFactory>(
    player: &mut Replayer<F>,
    number: u64,
    line: &CallLine,
) -> Result<Option<Image>, InspectError> {
    let Some(context) = player.context_of(line.on) else {
        return Ok(Some(player.screen(number)?));
    };
    Ok(match line.call {
        Call::Present {} => player.surface(number, context, Surface::Front)?,
        _ => player.target(number, context)?,
    })
}

/// The stage at the end of the last frame that the capture ends, on a renderer; `None` without frames.
///
/// # Errors
/// Those of the replay.
pub fn last_picture<F: BackendFactory>(
    capture: &Capture,
    factory: F,
) -> Result<Option<Image>, InspectError> {
    let mut player = Replayer::new(capture.header(), factory, Options::default());
    let mut ended = capture.frames().iter().rev().filter(|frame| frame.ended);
    let end = ended.next().map_or(0, |frame| frame.records.end);
    for (number, record) in capture.records().iter().take(end) {
        execute(&mut player, *number, record)?;
    }
    let number = end as u64;
    Ok(match end {
        0 => None,
        _ => Some(player.screen(number)?),
    })
}

//! Pictures from any renderer: after a call, and at the end of a capture.

use context3d::backend::{BackendFactory, Surface};
use molehill_capture::{Call, CallLine};
use molehill_replay::image::Image;
use molehill_replay::{Options, Outcome, ReplayError, Replayer};

use crate::capture::{Capture, Entry};
use crate::error::InspectError;
use crate::inspector::Key;
use crate::pixel::Face;

/// Executes one record and returns the outcome of a call. `number` is its line, for messages.
///
/// # Errors
/// Those of the replay.
pub fn execute<F: BackendFactory>(
    player: &mut Replayer<F>,
    number: u64,
    entry: &Entry,
) -> Result<Option<Outcome>, ReplayError> {
    match entry {
        Entry::Call(line) => return player.call(number, line).map(Some),
        Entry::Frame(_) => player.end_frame(),
        Entry::Event(event) => player.event(event),
    }
    Ok(None)
}

/// Replays the first `records` records.
fn play<F: BackendFactory>(
    capture: &Capture,
    factory: F,
    records: usize,
) -> Result<Replayer<F>, InspectError> {
    let mut player = Replayer::new(capture.header(), factory, Options::default());
    for record in capture.records(0..records) {
        let (number, entry) = record?;
        let done = execute(&mut player, number, &entry);
        done.map_err(|error| error.in_call(player.report().calls))?;
    }
    Ok(player)
}

/// As [`Inspector::picture`](crate::Inspector::picture), from another renderer.
///
/// # Errors
/// [`InspectError::NoCall`], and those of the replay.
pub fn picture_on<F: BackendFactory>(
    capture: &Capture,
    factory: F,
    call: usize,
) -> Result<Option<Image>, InspectError> {
    let mut player = play(capture, factory, capture.record_index(call)? + 1)?;
    let (number, line) = capture.call(call)?;
    picture(&mut player, number, &line)
}

/// The picture after a call: the render target, for `present` the presented picture, for calls on a Stage3D the stage.
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

/// The texture that a context draws into, that of the first colour output; `None` for the back buffer.
pub fn target_face<F: BackendFactory>(player: &Replayer<F>, context: usize) -> Option<Face> {
    match *player.targets(context).first()? {
        Surface::Texture { texture, side, .. } => {
            Some(Face { texture: Key::Texture(texture).id(player, context)?, side })
        }
        Surface::BackBuffer | Surface::Front => None,
    }
}

/// The stage at the end of the last complete frame; `None` if there is none.
///
/// # Errors
/// Those of the replay.
pub fn last_picture<F: BackendFactory>(
    capture: &Capture,
    factory: F,
) -> Result<Option<Image>, InspectError> {
    let mut ended = capture.frames().iter().rev().filter(|frame| frame.ended);
    let end = ended.next().map_or(0, |frame| frame.records.end);
    let mut player = play(capture, factory, end)?;
    let number = end as u64;
    Ok(match end {
        0 => None,
        _ => Some(player.screen(number)?),
    })
}

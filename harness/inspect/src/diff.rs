//! Finds the first differences between two replays: of two captures, or of one capture on two renderers.

use context3d::backend::BackendFactory;
use molehill_capture::{Call, CallLine};
use std::sync::Arc;

use molehill_replay::image::{Image, Pixel, compare};
use molehill_replay::{Options, Outcome, Replayer};
use serde::Serialize;

use crate::capture::{Capture, Entry};
use crate::error::InspectError;
use crate::passes::is_draw;
use crate::renderers::execute;

/// A capture, and the renderer to replay it on.
pub struct Side<'c, F> {
    /// The capture.
    pub capture: &'c Capture,
    /// Makes the renderer; called for each of up to two replays.
    pub factory: &'c mut dyn FnMut() -> F,
}

/// The first differences of each kind; `None` or 0 where there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The first call that differs, or that one side lacks.
    pub call: Option<CallDifference>,
    /// The first call with a different result.
    pub result: Option<CallDifference>,
    /// The first frame whose picture differs: its number on both sides.
    pub frame: Option<(u32, u32)>,
    /// The first clear or draw of that frame after which the render target differs: its call on both sides.
    pub draw: Option<(usize, usize)>,
    /// The first differing pixel of `pictures`: position, and red, green, blue, alpha on both sides.
    pub pixel: Option<Pixel>,
    /// Number of differing pixels of `pictures`.
    pub pixels: u64,
    /// The render target after `draw` on both sides, or the pictures of the frame if no draw differs.
    #[serde(skip)]
    pub pictures: Option<[Image; 2]>,
}

/// A call on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallDifference {
    /// Number of the call.
    pub call: usize,
    /// The call or its result on the first side, as text.
    pub a: String,
    /// The call or its result on the second side, as text.
    pub b: String,
}

impl Difference {
    /// Whether nothing differs.
    pub fn is_none(&self) -> bool {
        self.call.is_none() && self.result.is_none() && self.frame.is_none()
    }
}

/// A replay in progress.
struct Replay<'c, F: BackendFactory> {
    capture: &'c Capture,
    player: Replayer<F>,
    /// Number of executed records and calls.
    record: usize,
    call: usize,
}

impl<'c, F: BackendFactory> Replay<'c, F> {
    fn new(side: &mut Side<'c, F>) -> Self {
        let header = side.capture.header();
        Replay {
            capture: side.capture,
            player: Replayer::new(header, (side.factory)(), Options::default()),
            record: 0,
            call: 0,
        }
    }

    /// Executes one record and returns what it was; `None` at the end of the capture.
    fn step(&mut self) -> Result<Option<Event>, InspectError> {
        let Some((number, entry)) = self.capture.record(self.record)? else {
            return Ok(None);
        };
        self.record += 1;
        let outcome = execute(&mut self.player, number, &entry)?;
        Ok(Some(match (entry, outcome) {
            (Entry::Call(line), Some(outcome)) => {
                self.call += 1;
                Event::Call(line, outcome, number)
            }
            (Entry::Frame(frame), _) => Event::Frame(frame, number),
            (Entry::Call(_) | Entry::Event(_), _) => Event::Notice,
        }))
    }

    /// Continues to the end of the next frame and returns its number and picture. `on_outcome` is called with every outcome.
    fn frame(
        &mut self,
        on_outcome: &mut dyn FnMut(usize, &CallLine, &Outcome),
    ) -> Result<Option<(u32, Image)>, InspectError> {
        while let Some(event) = self.step()? {
            match event {
                Event::Frame(frame, number) => {
                    return Ok(Some((frame, self.player.screen(number)?)));
                }
                Event::Call(line, outcome, _) => on_outcome(self.call, &line, &outcome),
                Event::Notice => {}
            }
        }
        Ok(None)
    }

    /// Continues to the next clear or draw and returns its call with the render target after it. `None` at the end of
    /// the frame.
    fn draw(&mut self) -> Result<Option<(usize, Option<Image>)>, InspectError> {
        while let Some(event) = self.step()? {
            let (line, number) = match event {
                Event::Call(line, _, number) => (line, number),
                Event::Frame(..) => return Ok(None),
                Event::Notice => continue,
            };
            let draws = is_draw(&line.call) || matches!(line.call, Call::Clear { .. });
            if let (true, Some(context)) = (draws, self.player.context_of(line.on)) {
                return Ok(Some((self.call, self.player.target(number, context)?)));
            }
        }
        Ok(None)
    }
}

/// An executed record. Calls have their outcome, frames their number; both have their line.
enum Event {
    /// An event that the player dispatched.
    Notice,
    Frame(u32, u64),
    Call(Arc<CallLine>, Outcome, u64),
}

/// Finds the first differences between two sides. `tolerance` is the largest difference of a channel that counts as
/// equal, and `outliers` the number of pixels that may differ by more.
///
/// # Errors
/// Those of both replays.
pub fn diff<F: BackendFactory, G: BackendFactory>(
    mut a: Side<'_, F>,
    mut b: Side<'_, G>,
    tolerance: u8,
    outliers: u64,
) -> Result<Difference, InspectError> {
    let mut found = Difference { call: first_call(a.capture, b.capture), ..Difference::default() };
    let (mut one, mut two) = (Replay::new(&mut a), Replay::new(&mut b));
    let mut frames = 0;
    loop {
        let mut results = Vec::new();
        let left =
            one.frame(&mut |call, _, outcome| results.push((call, outcome_text(outcome))))?;
        let mut results = results.into_iter();
        let result = &mut found.result;
        let right = two.frame(&mut |_, _, outcome| {
            let there = outcome_text(outcome);
            if let Some((call, here)) = results.next()
                && here != there
                && result.is_none()
            {
                *result = Some(CallDifference { call, a: here, b: there });
            }
        })?;
        let (Some((left, here)), Some((right, there))) = (left, right) else {
            return Ok(found);
        };
        let compared = compare(&here, &there, tolerance);
        if !compared.passes(outliers) {
            found.frame = Some((left, right));
            found.pixel = compared.first;
            found.pixels = compared.differing;
            found.pictures = Some([here, there]);
            break;
        }
        frames += 1;
    }
    // Replays both sides again up to that frame, and compares it draw by draw.
    let (mut one, mut two) = (Replay::new(&mut a), Replay::new(&mut b));
    for _ in 0..frames {
        skip_frame(&mut one)?;
        skip_frame(&mut two)?;
    }
    while let (Some((left, here)), Some((right, there))) = (one.draw()?, two.draw()?) {
        let (Some(here), Some(there)) = (here, there) else {
            continue;
        };
        let compared = compare(&here, &there, tolerance);
        if !compared.passes(outliers) {
            found.draw = Some((left, right));
            found.pixel = compared.first;
            found.pixels = compared.differing;
            found.pictures = Some([here, there]);
            break;
        }
    }
    Ok(found)
}

fn skip_frame<F: BackendFactory>(track: &mut Replay<'_, F>) -> Result<(), InspectError> {
    while let Some(Event::Call(..) | Event::Notice) = track.step()? {}
    Ok(())
}

/// An outcome as text. Pixels that were read are compared as pictures, not as results.
fn outcome_text(outcome: &Outcome) -> String {
    let status = crate::passes::CallStatus {
        outcome: Some(match outcome {
            Outcome::Bitmap(_) => Outcome::Done,
            outcome => outcome.clone(),
        }),
        pass: 0,
    };
    status.failure().unwrap_or_else(|| "done".to_owned())
}

/// The first call with another receiver, method, argument or result id.
fn first_call(a: &Capture, b: &Capture) -> Option<CallDifference> {
    let text = |capture: &Capture, call: usize| {
        let Ok((_, line)) = capture.call(call) else {
            return "the capture has ended".to_owned();
        };
        let arguments = line.call.arguments(&|id| capture.name(id));
        let arguments = arguments.iter().map(|(name, value)| format!("{name}: {value}"));
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        format!("{}.{}({arguments})", capture.name(line.on), line.call.name())
    };
    let last = a.call_count().max(b.call_count());
    let differs = |call: &usize| {
        let essence = |capture: &Capture| {
            let line = capture.call(*call).ok()?.1;
            Some((line.on, line.call.clone(), line.result))
        };
        essence(a) != essence(b)
    };
    (1..=last).find(differs).map(|call| CallDifference { call, a: text(a, call), b: text(b, call) })
}

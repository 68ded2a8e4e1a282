//! Answers questions with the engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use molehill_inspect::diff::{Difference, Side};
use molehill_inspect::passes::Pass;
use molehill_inspect::{Capture, InspectError, Inspector};
use molehill_reference::{Options, ReferenceFactory};

use super::{Question, Reply};

/// A search ends with the chunk in which it has found this many calls.
const MAX_FOUND: usize = 100_000;
/// Calls per chunk of a search.
const CHUNK: usize = 1000;

/// The passes of all frames, and the calls with an error or without effect.
pub struct Outline {
    /// By the frame's index in the capture.
    pub passes: Vec<Vec<Pass>>,
    /// The error, or why there was no effect, by call number.
    pub failures: BTreeMap<usize, String>,
}

/// Why there is no answer.
pub(super) enum Unanswered {
    /// Cancelled, or its time slice is over.
    Cancelled,
    /// The reason, as a message.
    Failed(String),
}

impl From<InspectError> for Unanswered {
    fn from(error: InspectError) -> Self {
        match error {
            InspectError::Cancelled => Unanswered::Cancelled,
            error => Unanswered::Failed(error.to_string()),
        }
    }
}

pub(super) fn answer(
    inspector: &mut Inspector,
    baseline: Option<&Capture>,
    question: &Question,
) -> Result<Reply, Unanswered> {
    let reply = match question {
        Question::Outline => outline(inspector).map(Reply::Outline),
        Question::Shortcut(records) => {
            inspector.shortcut(*records).map(|shortcut| Reply::Shortcut(Arc::new(shortcut)))
        }
        Question::State(call) => {
            inspector.state(*call).map(|report| Reply::State(Box::new(report)))
        }
        Question::Draw(call) => inspector
            .draw_pictures(*call)
            .map(|(report, pictures)| Reply::Draw(Box::new(report), Box::new(pictures.into()))),
        Question::Textures(call) => inspector.textures(*call).map(|pictures| {
            let shared = pictures.into_iter().map(|mut picture| {
                let empty = molehill_replay::image::Image::filled(0, 0, [0; 4]);
                let image = Arc::new(std::mem::replace(&mut picture.image, empty));
                (picture, image)
            });
            Reply::Textures(shared.collect())
        }),
        Question::Mesh(call) => inspector.mesh(*call).map(Arc::new).map(Reply::Mesh),
        Question::Pixel(frame, None, at) => {
            inspector.pixel(*frame, *at).map(|history| Reply::Pixel(Box::new(history)))
        }
        Question::Pixel(frame, Some(face), at) => inspector
            .texture_pixel(*frame, *face, *at)
            .map(|history| Reply::Pixel(Box::new(history))),
        Question::Step(frame, at, call, fragment) => {
            inspector.step(*frame, *at, *call, *fragment).map(|steps| Reply::Step(Box::new(steps)))
        }
        Question::Frame(frame) => inspector.draws(*frame).map(Reply::Frame),
        Question::Screen(frame) => {
            inspector.screen(*frame).map(|image| Reply::Screen(Arc::new(image)))
        }
        Question::Objects => inspector.objects().map(Reply::Objects),
        Question::Search(text) => search(inspector, text).map(Reply::Search),
        Question::Difference => {
            let found = difference(inspector.capture(), baseline);
            return found
                .map(|found| Reply::Difference(Box::new(found)))
                .map_err(Unanswered::Failed);
        }
    };
    reply.map_err(Unanswered::from)
}

fn outline(inspector: &Inspector) -> Result<Outline, InspectError> {
    let capture = inspector.capture();
    let frames = capture.frames().iter();
    let passes = frames.map(|frame| Ok(inspector.passes(frame.number)?.to_vec()));
    let mut failures = BTreeMap::new();
    for call in 1..=capture.call_count() {
        if let Some(failure) = inspector.call_status(call)?.failure() {
            failures.insert(call, failure);
        }
    }
    Ok(Outline { passes: passes.collect::<Result<_, InspectError>>()?, failures })
}

/// The calls whose text contains `text`, ignoring case.
fn search(inspector: &Inspector, text: &str) -> Result<Vec<usize>, InspectError> {
    let text = text.to_lowercase();
    let last = inspector.capture().call_count();
    let mut found = Vec::new();
    let mut first = 1;
    while first <= last && found.len() < MAX_FOUND {
        let end = (first + CHUNK - 1).min(last);
        for line in inspector.dump(first..=end)? {
            if line.to_string().to_lowercase().contains(&text) {
                found.push(line.call);
            }
        }
        first = end + 1;
    }
    Ok(found)
}

fn difference(main: &Capture, baseline: Option<&Capture>) -> Result<Difference, String> {
    let mut reference = || ReferenceFactory(Options::default());
    let one = Side { capture: main, factory: &mut reference };
    let mut again = || ReferenceFactory(Options::default());
    match baseline {
        Some(baseline) => {
            let two = Side { capture: baseline, factory: &mut again };
            molehill_inspect::diff(one, two, 0, 0).map_err(|error| error.to_string())
        }
        None => with_driver(one),
    }
}

/// Tolerance of a channel, and pixels that may differ by more, between a driver and the reference renderer.
const DRIVER_TOLERANCE: (u8, u64) = (8, 64);

#[cfg(not(target_arch = "wasm32"))]
fn with_driver(reference: Side<'_, ReferenceFactory>) -> Result<Difference, String> {
    use backend_gl::offscreen::{Api, GlFactory, Options};
    let mut driver = || GlFactory::new(Options::new(Api::OpenGl));
    let other = Side { capture: reference.capture, factory: &mut driver };
    let (tolerance, outliers) = DRIVER_TOLERANCE;
    molehill_inspect::diff(other, reference, tolerance, outliers).map_err(|error| error.to_string())
}

#[cfg(target_arch = "wasm32")]
fn with_driver(_: Side<'_, ReferenceFactory>) -> Result<Difference, String> {
    let _ = DRIVER_TOLERANCE;
    Err("a page can't open a second context: use the window, or `molehill diff`".to_owned())
}

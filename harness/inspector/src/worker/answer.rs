//! Answers questions with the engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use molehill_inspect::diff::{Difference, Side};
use molehill_inspect::{Capture, InspectError, Inspector};
use molehill_reference::{Options, ReferenceFactory};

use super::question::{Outline, Question, Reply};

/// A search ends with the chunk in which it has found this many calls.
const MAX_FOUND: usize = 100_000;
const CHUNK: usize = 1000;

pub(super) enum Unanswered {
    Cancelled,
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
    Ok(match question {
        Question::Outline => Reply::Outline(outline(inspector)?),
        Question::Shortcut(records) => Reply::Shortcut(Arc::new(inspector.shortcut(*records)?)),
        Question::State(call) => Reply::State(Box::new(inspector.state(*call)?)),
        Question::Draw(call) => {
            let (report, pictures) = inspector.draw_pictures(*call)?;
            Reply::Draw(Box::new(report), Box::new(pictures))
        }
        Question::Textures(call) => Reply::Textures(inspector.textures(*call)?.into()),
        Question::Mesh(call) => Reply::Mesh(Arc::new(inspector.mesh(*call)?)),
        Question::Pixel(frame, texture, at) => Reply::Pixel(Box::new(match texture {
            None => inspector.pixel(*frame, *at)?,
            Some(face) => inspector.texture_pixel(*frame, *face, *at)?,
        })),
        Question::Step(frame, at, call, fragment) => {
            Reply::Step(Box::new(inspector.step(*frame, *at, *call, *fragment)?))
        }
        Question::Frame(frame) => Reply::Frame(inspector.draws(*frame)?),
        Question::Screen(frame) => Reply::Screen(Arc::new(inspector.screen(*frame)?)),
        Question::Objects => Reply::Objects(inspector.objects()?),
        Question::Search(text) => Reply::Search(search(inspector, text)?),
        Question::Difference => {
            let found = difference(inspector.capture(), baseline).map_err(Unanswered::Failed)?;
            Reply::Difference(Box::new(found))
        }
    })
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

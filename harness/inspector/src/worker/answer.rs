//! Executes queries with the analysis engine.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use molehill_analysis::cost::CallTime;
#[cfg(not(target_arch = "wasm32"))]
use molehill_analysis::cost::measure;
use molehill_analysis::diff::{CaptureDifference, DiffSide};
use molehill_analysis::passes::RenderPass;
use molehill_analysis::{Capture, InspectError, Inspector};
use molehill_capture::Form;
use molehill_reference::{RasterOptions, ReferenceFactory};
use molehill_replay::files;

/// Number of matching calls after which a search ends, at the next chunk boundary.
const MAX_FOUND: usize = 100_000;
const CHUNK: usize = 1000;

/// The passes of all frames, and the calls with an error or without effect.
pub struct Outline {
    /// The passes by the frame's 0-based index in the capture.
    pub passes: Vec<Vec<RenderPass>>,
    /// The error of each failed call, or the reason why it had no effect, by call number.
    pub failures: BTreeMap<usize, String>,
}

pub(super) enum AnswerFailure {
    Cancelled,
    Failed(String),
}

impl From<InspectError> for AnswerFailure {
    fn from(error: InspectError) -> Self {
        match error {
            InspectError::Cancelled => AnswerFailure::Cancelled,
            error => AnswerFailure::Failed(error.to_string()),
        }
    }
}

pub(super) fn outline(inspector: &Inspector) -> Result<Outline, InspectError> {
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

/// Returns the calls whose text contains all words of `text`, case-insensitively.
pub(super) fn search(inspector: &Inspector, text: &str) -> Result<Vec<usize>, InspectError> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let last = inspector.capture().call_count();
    let mut found = Vec::new();
    let mut first = 1;
    while first <= last && found.len() < MAX_FOUND {
        let end = (first + CHUNK - 1).min(last);
        for line in inspector.dump(first..=end)? {
            let line_text = line.to_string().to_lowercase();
            if words.iter().all(|word| line_text.contains(word)) {
                found.push(line.call);
            }
        }
        first = end + 1;
    }
    Ok(found)
}

/// Writes the edits `changes` or, without edits, the capture `changed` to a new file. Fails if the file exists.
pub(super) fn save(
    path: &str,
    changes: Option<&str>,
    changed: Option<&Capture>,
) -> Result<(), AnswerFailure> {
    let saved = files::create(Path::new(path), |file| match (changes, changed) {
        (None, Some(changed)) => changed.write(BufWriter::new(file), Form::Binary)?.flush(),
        (changes, _) => (&*file).write_all(changes.unwrap_or_default().as_bytes()),
    });
    saved.map_err(|error| AnswerFailure::Failed(error.to_string()))
}

pub(super) fn difference(
    main: &Capture,
    baseline: Option<&Capture>,
) -> Result<CaptureDifference, AnswerFailure> {
    let mut reference = || ReferenceFactory(RasterOptions::default());
    let one = DiffSide { capture: main, input: None, factory: &mut reference };
    let mut again = || ReferenceFactory(RasterOptions::default());
    match baseline {
        Some(baseline) => {
            let two = DiffSide {
                capture: baseline,
                input: Some("the second capture"),
                factory: &mut again,
            };
            Ok(molehill_analysis::diff(one, two, 0, 0)?)
        }
        None => with_driver(one),
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn with_driver(
    reference: DiffSide<'_, ReferenceFactory>,
) -> Result<CaptureDifference, AnswerFailure> {
    use backend_gl::offscreen::{Api, GlFactory, OffscreenOptions};
    let mut driver = || GlFactory::new(OffscreenOptions::new(Api::OpenGl));
    let other = DiffSide { capture: reference.capture, input: None, factory: &mut driver };
    // The tolerance per channel, and the number of pixels that may exceed it.
    let (tolerance, outliers) = (8, 64);
    Ok(molehill_analysis::diff(other, reference, tolerance, outliers)?)
}

#[cfg(not(target_arch = "wasm32"))]
pub(super) fn measured(inspector: &Inspector, frame: u32) -> Result<Vec<CallTime>, InspectError> {
    use backend_gl::offscreen::{Api, GlFactory, OffscreenOptions};
    let factory = GlFactory::new(OffscreenOptions::new(Api::OpenGl));
    let untimed = |work: &mut dyn FnMut()| {
        work();
        None
    };
    measure(inspector.capture(), factory, frame, untimed)
}

#[cfg(target_arch = "wasm32")]
pub(super) fn measured(_: &Inspector, _: u32) -> Result<Vec<CallTime>, AnswerFailure> {
    Err(AnswerFailure::Failed(NO_CONTEXT.to_owned()))
}

#[cfg(target_arch = "wasm32")]
const NO_CONTEXT: &str = "a page can't open a second context: use the window or the command line";

#[cfg(target_arch = "wasm32")]
fn with_driver(_: DiffSide<'_, ReferenceFactory>) -> Result<CaptureDifference, AnswerFailure> {
    Err(AnswerFailure::Failed(NO_CONTEXT.to_owned()))
}

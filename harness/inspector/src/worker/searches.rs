//! Searches that continue across several queries, and the compared image or capture.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use molehill_analysis::scan::ScanState;
use molehill_analysis::{Capture, FrameExpectation, Inspector};
use molehill_queries::explain::{Explainer, Explanation};
use molehill_replay::image::RgbaImage;
use web_time::Instant;

use super::answer::AnswerFailure;

/// The duration of one step of a search. The steps of a search are short on web pages, which have only one thread.
const PART: Duration = Duration::from_millis(if cfg!(target_arch = "wasm32") { 60 } else { 400 });

/// The capture or image with which the open capture is compared.
#[derive(Clone, Default)]
pub(super) struct ComparisonInput {
    pub(super) capture: Option<Arc<Capture>>,
    pub(super) picture: Option<Arc<RgbaImage>>,
}

impl ComparisonInput {
    pub(super) fn expected(&self) -> Result<FrameExpectation, AnswerFailure> {
        let capture = |capture: &Arc<Capture>| {
            FrameExpectation::Capture(Box::new(Inspector::new(Arc::clone(capture))), None)
        };
        let picture = self.picture.clone().map(FrameExpectation::Picture);
        let missing = || AnswerFailure::Failed("there is no image to compare with".to_owned());
        picture.or_else(|| self.capture.as_ref().map(capture)).ok_or_else(missing)
    }

    fn is_same(&self, other: &ComparisonInput) -> bool {
        let captures =
            self.capture.as_ref().map(Arc::as_ptr) == other.capture.as_ref().map(Arc::as_ptr);
        captures
            && self.picture.as_ref().map(Arc::as_ptr) == other.picture.as_ref().map(Arc::as_ptr)
    }
}

/// The state of unfinished searches.
#[derive(Default)]
pub(super) struct Searches {
    pub(super) scan: ScanState,
    /// The search for the cause of a frame's wrong pixels, with its frame and the compared image or capture.
    explaining: Option<(u32, ComparisonInput, Explainer)>,
}

impl Searches {
    pub(super) fn new(capture: &Capture) -> Searches {
        Searches { scan: ScanState::new(capture, 0, u32::MAX), explaining: None }
    }

    /// Continues the search for the cause of a frame's wrong pixels. Returns the best result, and whether the search
    /// continues.
    pub(super) fn explain(
        &mut self,
        inspector: &mut Inspector,
        frame: u32,
        compared: &ComparisonInput,
    ) -> Result<(Explanation, bool), AnswerFailure> {
        let is_same = |(of, with, _): &(u32, ComparisonInput, Explainer)| {
            *of == frame && with.is_same(compared)
        };
        let search = match self.explaining.take().filter(is_same) {
            Some((.., search)) => search,
            None => {
                let expected = compared.expected()?.picture(frame)?;
                Explainer::new(inspector, frame, &expected)?
            }
        };
        let (.., search) = self.explaining.insert((frame, compared.clone(), search));
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let until = Instant::now() + PART;
        let _ = search.advance((until, threads), &|_| ControlFlow::Continue(()));
        if !search.goes_on() {
            search.join();
        }
        let found = search.explanation(inspector.capture())?;
        let goes_on = search.goes_on();
        if !goes_on {
            self.explaining = None;
        }
        Ok((found, goes_on))
    }
}

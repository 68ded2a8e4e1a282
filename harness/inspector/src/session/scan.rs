//! The search for anomalous frames, and the initial selection of an opened capture.

use std::time::Duration;

use molehill_analysis::scan::OutlierDraw;
use molehill_analysis::{CapturePlace, SCAN_TIME};
use web_time::Instant;

use super::{Session, SessionSelection};
use crate::worker::{InspectorQuestion, QuestionReply};

/// Number of frames per query of the search.
const SCANNED: usize = 4;
/// Minimum time and number of frames of the initial search. A web page searches less, on its only thread.
const OPENING: (Duration, usize) =
    if cfg!(target_arch = "wasm32") { (Duration::from_secs(2), 1) } else { (SCAN_TIME, 8) };

/// The search for anomalous frames.
#[derive(Default)]
pub(crate) struct FrameSearch {
    pub(crate) runs: bool,
    /// Number of frames that were searched.
    pub(crate) done: usize,
    pub(crate) found: Vec<OutlierDraw>,
    pub(crate) error: Option<String>,
    /// The most important anomaly, until the user dismisses it.
    pub(crate) place: Option<CapturePlace>,
    /// True while the search that starts when a capture opens has not selected an anomaly yet.
    opening: bool,
    /// The earliest time at which the initial search may end.
    until: Option<Instant>,
    /// The automatic selection. `None` once the user has selected anything.
    own: Option<SessionSelection>,
}

impl FrameSearch {
    /// Returns a search that starts when a capture opens, and that selects the most important anomaly.
    pub(crate) fn at_opening() -> FrameSearch {
        FrameSearch {
            runs: true,
            opening: true,
            own: Some(SessionSelection::default()),
            ..FrameSearch::default()
        }
    }

    /// Stops automatic selection.
    pub(crate) fn stay(&mut self) {
        self.own = None;
    }
}

impl Session {
    /// Searches the next frames for anomalies, if the search is running. Returns whether the selection changed.
    pub(crate) fn scan_on(&mut self) -> bool {
        let before = self.selection;
        if self.scan.opening {
            self.show_first_draw();
        }
        let all = self.capture.frames().len();
        self.scan.runs &= self.scan.done < all;
        if self.scan.runs {
            self.scan_part();
        }
        if self.scan.opening && !self.scan.runs {
            self.name_place();
        }
        self.selection != before
    }

    fn scan_part(&mut self) {
        let opening = self.scan.opening;
        if opening && self.scan.until.is_none() {
            self.scan.until = Some(Instant::now() + OPENING.0);
        }
        let question = InspectorQuestion::Scan(if opening { 1 } else { SCANNED });
        match self.ask(question.clone()) {
            None => return,
            Some(Ok(QuestionReply::Scan((done, found)))) => {
                (self.scan.done, self.scan.found) = (*done, found.clone());
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                let error = Some(error.to_owned());
                let before = std::mem::take(&mut self.scan);
                self.scan = FrameSearch { runs: false, opening: false, error, ..before };
            }
        }
        self.forget(&question);
        let late = self.scan.until.is_some_and(|until| Instant::now() >= until);
        let ends = opening && late && self.scan.done >= OPENING.1;
        self.scan.runs &= self.scan.done < self.capture.frames().len() && !ends;
    }

    /// Selects the first frame with an executed draw, until the most important anomaly is known.
    fn show_first_draw(&mut self) {
        let Some(outline) = self.outline().filter(|_| self.scan.own == Some(self.selection)) else {
            return;
        };
        let mut frames = outline.passes.iter();
        let first = frames.position(|passes| {
            let mut draws = passes.iter().flat_map(|pass| &pass.draws);
            draws.any(|draw| !outline.failures.contains_key(draw))
        });
        if let Some(first) = first {
            self.select_frame(first);
            self.scan.own = Some(self.selection);
        }
    }

    /// Stores the most important anomaly. Selects the anomaly unless the user has changed the selection.
    fn name_place(&mut self) {
        let place = match self.ask(InspectorQuestion::Place) {
            None => return,
            Some(Ok(QuestionReply::Place(place))) => Some((**place).clone()),
            Some(_) => None,
        };
        self.forget(&InspectorQuestion::Place);
        self.scan.opening = false;
        let own = self.scan.own.take() == Some(self.selection);
        let Some(mut place) = place else { return };
        // If the anomaly is a whole frame, the frame's end shows more than its first draw.
        place.call =
            place.call.filter(|_| self.scan.found.first().is_some_and(|it| it.call.is_some()));
        let index = self.index_of(place.frame);
        match place.call {
            Some(call) if own => self.select_call(call),
            None if own => self.select_frame(index),
            Some(_) | None => {}
        }
        self.scan.place = Some(place).filter(|_| index > 0 || !self.scan.found.is_empty());
    }

    /// Returns the 0-based index of the frame with this number.
    pub(crate) fn index_of(&self, number: u32) -> usize {
        self.capture.frames().partition_point(|frame| frame.number < number)
    }
}

//! Finds the calls that cause the difference between a frame and its expected image. Replays the frame with changed
//! arguments, and ranks the changes by the number of remaining wrong pixels.

mod alteration;
mod answer;
mod candidates;
mod contents;
mod evidence;
mod owners;
mod queue;
mod ranking;
mod scene;
mod values;
mod variants;
mod whose;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use molehill_analysis::{Inspector, Result};
use molehill_replay::image::{ImageComparison, RgbaImage};
use web_time::Instant;

pub use answer::{Explanation, Suggestion, WrongPixels};
pub use whose::{expect_state, wrong_pixels};

use candidates::{CallCandidate, candidates, joined};
use owners::differs;
use queue::{CandidateQueue, TrialOutcome};
use scene::{Scene, compared};

/// Number of further candidates to try after a candidate that leaves almost no difference.
const AFTER_SUCCESS: usize = 24;
/// Number of further candidates to try after a candidate that leaves at most a tenth of the difference.
const AFTER_MOST: usize = 200;
/// The search spends 1/`JOINING` of its time on combinations of changes.
const JOINING: u32 = 8;
/// A remaining difference of at most 1/`NOTHING` of the original difference counts as a solution.
const NOTHING: u64 = 200;

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub time: Duration,
    /// Number of replay threads. If `threads` is 1, the caller's thread replays.
    pub threads: usize,
}

/// The progress of a search, as reported to the caller.
#[derive(Clone, Copy, Debug)]
pub struct SearchProgress {
    pub tried: usize,
    pub candidates: usize,
    /// Number of pixels that still differ with the best change.
    pub best: u64,
}

/// A callback that receives the progress after each candidate. [`ControlFlow::Break`] ends the search.
pub type SearchCallback<'a> = &'a (dyn Fn(SearchProgress) -> ControlFlow<()> + Sync);

/// A candidate's index, the remaining difference of the image, and the candidate's 1-based rank in the order of trial.
type TriedCandidate = (usize, ImageComparison, usize);

/// The remaining candidates, and the results of the tried candidates.
#[derive(Clone, Default)]
struct ExplainState {
    queue: CandidateQueue,
    tried: Vec<TriedCandidate>,
    end: usize,
}

/// Searches for changes of a frame's calls that bring its image closer to an expected image. If the search ends early,
/// returns the best changes so far.
///
/// Errors: those of the replay, and [`InspectError::Unsupported`](molehill_analysis::InspectError::Unsupported) if the
/// expected image and the stage differ in size.
pub fn explain(
    inspector: &mut Inspector,
    frame: u32,
    expected: &RgbaImage,
    bounds: Bounds,
    progress: SearchCallback<'_>,
) -> Result<Explanation> {
    let end = Instant::now() + bounds.time;
    let mut search = Explainer::new(inspector, frame, expected)?;
    // Reserves the remaining time for combinations of helpful changes.
    let first_end = end - bounds.time / JOINING;
    if search.advance((first_end, bounds.threads), progress).is_continue() {
        search.join();
        let _ = search.advance((end, bounds.threads), progress);
    }
    search.explanation(inspector.capture())
}

/// A search that can be continued after each time limit.
pub struct Explainer {
    frame: u32,
    scene: Scene,
    picture: RgbaImage,
    expected: RgbaImage,
    before: ImageComparison,
    all: Vec<CallCandidate>,
    /// True if the last candidates are combinations of earlier candidates.
    has_joined: bool,
    state: ExplainState,
    time: Duration,
}

impl Explainer {
    /// Prepares a search for the cause of a difference. Errors: like [`explain`].
    pub fn new(inspector: &mut Inspector, frame: u32, expected: &RgbaImage) -> Result<Explainer> {
        let started = Instant::now();
        let last_call = inspector.capture().frame(frame)?.calls.end.saturating_sub(1);
        let (scene, picture, before) = Scene::compared(inspector, frame, expected)?;
        let all = match before.differing {
            0 => Vec::new(),
            _ => {
                let evidence = inspector.frame_evidence(frame)?;
                candidates(&scene, inspector.capture(), last_call, &evidence)?
            }
        };
        let mut state = ExplainState { end: usize::MAX, ..ExplainState::default() };
        state.queue.extend(&all);
        Ok(Explainer {
            frame,
            scene,
            picture,
            expected: expected.clone(),
            before,
            all,
            has_joined: false,
            state,
            time: started.elapsed(),
        })
    }

    /// Tries candidates on several threads until a deadline. Returns [`ControlFlow::Break`] if `progress` did.
    pub fn advance(
        &mut self,
        (until, threads): (Instant, usize),
        progress: SearchCallback<'_>,
    ) -> ControlFlow<()> {
        let started = Instant::now();
        let search = SearchThreads {
            of: self,
            until,
            stopped: AtomicBool::new(false),
            state: Mutex::new(self.state.clone()),
            progress,
        };
        if cfg!(target_family = "wasm") || threads <= 1 {
            search.work(&self.scene);
        } else {
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    let scene = self.scene.clone();
                    scope.spawn(|| search.work(&{ scene }));
                }
            });
        }
        let SearchThreads { stopped, state, .. } = search;
        self.state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.time += started.elapsed();
        if stopped.into_inner() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Adds combinations of candidates that each reduced the difference a little, unless a single candidate reduced the
    /// difference sufficiently.
    pub fn join(&mut self) {
        let cost_before = cost(&self.before);
        let best = self.state.tried.iter().map(|(_, it, _)| cost(it)).min();
        if self.has_joined || best.is_none_or(|best| best * NOTHING <= cost_before) {
            return;
        }
        let helping =
            self.state.tried.iter().filter(|(_, it, _)| cost(it) * 100 <= cost_before * 99);
        let helping: BTreeSet<usize> = helping.map(|(index, ..)| *index).collect();
        let joined = joined(&self.all, &|index| helping.contains(&index));
        self.has_joined = true;
        self.state.end = self.state.queue.taken() + joined.len();
        self.state.queue.extend(&joined);
        self.all.extend(joined);
    }

    /// Returns whether all candidates were tried.
    pub fn is_done(&self) -> bool {
        self.state.tried.len() == self.all.len()
    }

    /// Returns whether there are candidates that the search will still try.
    pub fn goes_on(&self) -> bool {
        !self.state.queue.is_empty() && self.state.queue.taken() < self.state.end
    }
}

/// The state that threads share during one [`Explainer::advance`].
struct SearchThreads<'a> {
    of: &'a Explainer,
    until: Instant,
    stopped: AtomicBool,
    state: Mutex<ExplainState>,
    progress: SearchCallback<'a>,
}

impl SearchThreads<'_> {
    fn state(&self) -> MutexGuard<'_, ExplainState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next candidate, with its 1-based rank in the order of trial.
    fn take(&self) -> Option<(usize, usize)> {
        let mut state = self.state();
        let is_over = state.queue.taken() >= state.end || Instant::now() >= self.until;
        let next = (!is_over).then(|| state.queue.take())?;
        next.map(|index| (index, state.queue.taken()))
    }

    fn work(&self, scene: &Scene) {
        let Explainer { all, before, expected, .. } = self.of;
        while !self.stopped.load(Ordering::Relaxed) {
            let Some((index, place)) = self.take() else { return };
            let Some(candidate) = all.get(index) else { return };
            // If the replay of a candidate fails, the candidate doesn't help.
            let picture = scene.picture(&candidate.changes).ok();
            let now = picture.as_ref().map_or(*before, |picture| compared(picture, expected));
            let outcome = picture.map(|picture| self.outcome(&picture, &now)).unwrap_or_default();
            let mut state = self.state();
            if cost(&now) * NOTHING <= cost(before) {
                state.end = state.end.min(place + AFTER_SUCCESS);
            } else if cost(&now) * 10 <= cost(before) {
                state.end = state.end.min(place + AFTER_MOST);
            }
            state.queue.learn(all, index, outcome);
            state.tried.push((index, now, place));
            let best = state.tried.iter().map(|(_, it, _)| it.differing).min().unwrap_or(0);
            let now = SearchProgress {
                tried: state.tried.len(),
                candidates: all.len(),
                best: best.min(before.differing),
            };
            drop(state);
            if (self.progress)(now).is_break() {
                self.stopped.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Compares the image of a candidate with the original image.
    fn outcome(&self, picture: &RgbaImage, now: &ImageComparison) -> TrialOutcome {
        let Explainer { picture: old, expected, before, .. } = self.of;
        let [is, was, should] = [picture, old, expected].map(|it| it.rgba().as_chunks::<4>().0);
        let (mut wrong, mut right) = (0u64, 0u64);
        for ((is, was), should) in is.iter().zip(was).zip(should).filter(|((is, was), _)| is != was)
        {
            let count = if differs(was, should) { &mut wrong } else { &mut right };
            *count += u64::from(is != was);
        }
        let all = was.len() as u64 - before.differing;
        let part = |number: u64, of: u64| number as f64 / of.max(1) as f64;
        let gain = 1.0 - part(cost(now), cost(before));
        TrialOutcome { wrong: part(wrong, before.differing), right: part(right, all), gain }
    }
}

/// Returns the weighted number of pixels that differ from the expected image. A pixel on a shifted edge has a lower
/// weight than a wrong pixel.
fn cost(comparison: &ImageComparison) -> u64 {
    comparison.wrong() * 4 + comparison.moved
}

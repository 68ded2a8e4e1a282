//! Finds the calls that explain why a frame isn't like an expected picture: replays the frame with other arguments, and
//! ranks the changes by the pixels that still differ.

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

use molehill_replay::image::{Comparison, Image};
use web_time::Instant;

pub use answer::{Explanation, Suggestion, WrongPixels};

use candidates::{Candidate, candidates, joined};
use owners::differs;
use queue::{Outcome, Queue};
use scene::{Scene, compared};

use crate::capture::Capture;
use crate::error::Result;
use crate::inspector::Inspector;
use crate::plan::Want;

/// Candidates that are still tried after one that leaves almost no difference.
const AFTER_SUCCESS: usize = 24;
/// Candidates that are still tried after one that leaves a tenth of the difference.
const AFTER_MOST: usize = 200;
/// One in this many parts of the time is for changes that join others.
const JOINING: u32 = 8;
/// A difference of one in this many of the first pixels counts as none.
const NOTHING: u64 = 200;

/// The bounds of a search.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub time: Duration,
    /// Number of threads that replay; 1 replays in the caller's.
    pub threads: usize,
}

/// The state of a search, for its caller.
#[derive(Clone, Copy, Debug)]
pub struct SearchProgress {
    pub tried: usize,
    pub candidates: usize,
    /// Pixels that differ with the best change so far.
    pub best: u64,
}

/// Receives the state of a search after each candidate, and can end it with [`ControlFlow::Break`].
pub type OnSearch<'a> = &'a (dyn Fn(SearchProgress) -> ControlFlow<()> + Sync);

/// A candidate's index, how the picture then differs, and the candidate's place in the order of trial, from 1.
type Tried = (usize, Comparison, usize);

/// The candidates that are left, and those that were tried.
#[derive(Clone, Default)]
struct State {
    queue: Queue,
    tried: Vec<Tried>,
    /// The number of candidates that are tried at most.
    end: usize,
}

impl Inspector {
    /// Searches the changes of a frame's calls that make its picture like an expected one. A search that ends early has
    /// the best of what it tried.
    ///
    /// Errors: those of the replay, and [`InspectError::Unsupported`](crate::InspectError::Unsupported) for a picture of another size than the stage.
    pub fn explain(
        &mut self,
        frame: u32,
        expected: &Image,
        bounds: Bounds,
        progress: OnSearch<'_>,
    ) -> Result<Explanation> {
        let end = Instant::now() + bounds.time;
        let mut search = Explaining::new(self, frame, expected)?;
        // The last part of the time joins what helps.
        let first_end = end - bounds.time / JOINING;
        if search.advance((first_end, bounds.threads), progress).is_continue() {
            search.join();
            let _ = search.advance((end, bounds.threads), progress);
        }
        search.explanation(self.capture())
    }
}

/// A search that goes on from one part of the time to the next.
pub struct Explaining {
    frame: u32,
    scene: Scene,
    picture: Image,
    expected: Image,
    before: Comparison,
    all: Vec<Candidate>,
    /// True if the last candidates join earlier ones.
    has_joined: bool,
    state: State,
    /// The time that the search has taken.
    time: Duration,
}

impl Explaining {
    /// Prepares the search for the cause why a frame isn't like an expected picture. Errors: as [`Inspector::explain`].
    pub fn new(inspector: &mut Inspector, frame: u32, expected: &Image) -> Result<Explaining> {
        let started = Instant::now();
        let last_call = inspector.capture().frame(frame)?.calls.end.saturating_sub(1);
        let (scene, picture, before) = Scene::compared(inspector, frame, expected)?;
        let all = match before.differing {
            0 => Vec::new(),
            _ => {
                let end = inspector.capture().frame(frame)?.records.end;
                let mut player = inspector.at(end, Want::TEXTURES)?.player;
                let evidence = inspector.evidence(frame, &mut player)?;
                candidates(&scene, inspector.capture(), last_call, &evidence)?
            }
        };
        let mut state = State { end: usize::MAX, ..State::default() };
        state.queue.extend(&all);
        Ok(Explaining {
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

    /// Tries candidates until a time, on a number of threads. Returns [`ControlFlow::Break`] if `progress` ended the part.
    pub fn advance(
        &mut self,
        (until, threads): (Instant, usize),
        progress: OnSearch<'_>,
    ) -> ControlFlow<()> {
        let started = Instant::now();
        let search = Search {
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
        let Search { stopped, state, .. } = search;
        self.state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.time += started.elapsed();
        if stopped.into_inner() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Adds candidates that join those that helped a little, unless one helped enough.
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

    /// Returns whether no candidate is left.
    pub fn is_done(&self) -> bool {
        self.state.tried.len() == self.all.len()
    }

    /// Returns whether the search has candidates that it will still try.
    pub fn goes_on(&self) -> bool {
        !self.state.queue.is_empty() && self.state.queue.taken() < self.state.end
    }

    /// Returns the answer so far. `capture` is that of the inspector.
    pub fn explanation(&self, capture: &Capture) -> Result<Explanation> {
        answer::explanation(capture, self)
    }
}

/// A part of a search that several threads share.
struct Search<'a> {
    of: &'a Explaining,
    until: Instant,
    /// True if `progress` ended the part.
    stopped: AtomicBool,
    state: Mutex<State>,
    progress: OnSearch<'a>,
}

impl Search<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next candidate, with its place in the order of trial.
    fn take(&self) -> Option<(usize, usize)> {
        let mut state = self.state();
        let is_over = state.queue.taken() >= state.end || Instant::now() >= self.until;
        let next = (!is_over).then(|| state.queue.take())?;
        next.map(|index| (index, state.queue.taken()))
    }

    /// Tries candidates until there are no more.
    fn work(&self, scene: &Scene) {
        let Explaining { all, before, expected, .. } = self.of;
        while !self.stopped.load(Ordering::Relaxed) {
            let Some((index, place)) = self.take() else { return };
            let Some(candidate) = all.get(index) else { return };
            // A candidate with which the replay ends doesn't help.
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

    /// Compares a picture with that before the change.
    fn outcome(&self, picture: &Image, now: &Comparison) -> Outcome {
        let Explaining { picture: old, expected, before, .. } = self.of;
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
        Outcome { wrong: part(wrong, before.differing), right: part(right, all), gain }
    }
}

/// Returns a measure of a difference, in which a moved edge counts less than a wrong pixel.
fn cost(comparison: &Comparison) -> u64 {
    comparison.wrong() * 4 + comparison.moved
}

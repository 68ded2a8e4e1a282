//! Finds the calls that explain why a frame isn't like an expected picture: replays the frame with other arguments, and
//! ranks the changes by the pixels that still differ.

mod answer;
mod candidates;
mod evidence;
mod scene;
mod variants;
mod whose;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use molehill_replay::image::{Comparison, Image};
use web_time::Instant;

pub use answer::{Explanation, Suggestion, WrongPixels};

use candidates::{Candidate, candidates, joined};
use scene::{Scene, compared};

use crate::capture::Capture;
use crate::error::Result;
use crate::inspector::Inspector;
use crate::plan::Want;

/// Candidates that are still tried after one that leaves almost no difference.
const AFTER_SUCCESS: usize = 64;
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

/// A candidate's index, and how the picture then differs.
type Tried = (usize, Comparison);

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
    expected: Image,
    before: Comparison,
    /// The candidates; those from `joins` on join earlier ones.
    all: Vec<Candidate>,
    joins: Option<usize>,
    tried: Vec<Tried>,
    /// The next candidate, and the first that isn't tried any more.
    next: usize,
    end: usize,
    /// The time that the search has taken.
    time: Duration,
}

impl Explaining {
    /// Prepares the search for the cause why a frame isn't like an expected picture. Errors: as [`Inspector::explain`].
    pub fn new(inspector: &mut Inspector, frame: u32, expected: &Image) -> Result<Explaining> {
        let started = Instant::now();
        let last_call = inspector.capture().frame(frame)?.calls.end.saturating_sub(1);
        let (scene, _, before) = Scene::compared(inspector, frame, expected)?;
        let all = match before.differing {
            0 => Vec::new(),
            _ => {
                let end = inspector.capture().frame(frame)?.records.end;
                let mut player = inspector.at(end, Want::TEXTURES)?.player;
                let odd = inspector.evidence(frame, &mut player)?;
                let odd: Vec<usize> = odd.iter().map(|found| found.call).collect();
                candidates(&scene, inspector.capture(), last_call, &odd)?
            }
        };
        Ok(Explaining {
            frame,
            scene,
            expected: expected.clone(),
            before,
            end: all.len(),
            all,
            joins: None,
            tried: Vec::new(),
            next: 0,
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
            next: AtomicUsize::new(self.next),
            end: AtomicUsize::new(self.end),
            stopped: AtomicBool::new(false),
            tried: Mutex::new(self.tried.clone()),
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
        let Search { next, end, stopped, tried, .. } = search;
        (self.next, self.end) = (next.into_inner(), end.into_inner());
        self.tried = tried.into_inner().unwrap_or_default();
        self.time += started.elapsed();
        if stopped.into_inner() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Adds candidates that join those that helped a little, unless one helped enough.
    pub fn join(&mut self) {
        let cost_before = cost(&self.before);
        let best = self.tried.iter().map(|(_, it)| cost(it)).min();
        if self.joins.is_some() || best.is_none_or(|best| best * NOTHING <= cost_before) {
            return;
        }
        let helping = self.tried.iter().filter(|(_, it)| cost(it) * 100 <= cost_before * 99);
        let helping: BTreeSet<usize> = helping.map(|(index, _)| *index).collect();
        let joined = joined(&self.all, &|index| helping.contains(&index));
        self.joins = Some(self.all.len());
        self.next = self.all.len();
        self.all.extend(joined);
        self.end = self.all.len();
    }

    /// Returns whether no candidate is left.
    pub fn is_done(&self) -> bool {
        self.tried.len() == self.all.len()
    }

    /// Returns whether the search has candidates that it will still try.
    pub fn goes_on(&self) -> bool {
        self.next < self.end
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
    next: AtomicUsize,
    end: AtomicUsize,
    /// Whether `progress` ended the part.
    stopped: AtomicBool,
    tried: Mutex<Vec<Tried>>,
    progress: OnSearch<'a>,
}

impl Search<'_> {
    /// Tries candidates until there are no more.
    fn work(&self, scene: &Scene) {
        let Explaining { all, before, expected, .. } = self.of;
        while !self.stopped.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let is_over = index >= self.end.load(Ordering::Relaxed) || Instant::now() >= self.until;
            let Some(candidate) = all.get(index).filter(|_| !is_over) else {
                self.next.fetch_sub(1, Ordering::Relaxed);
                return;
            };
            // A candidate with which the replay ends doesn't help.
            let picture = scene.picture(&candidate.changes);
            let now = picture.map_or(*before, |picture| compared(&picture, expected));
            if cost(&now) * NOTHING <= cost(before) {
                self.end.fetch_min(index + AFTER_SUCCESS, Ordering::Relaxed);
            }
            let Ok(mut tried) = self.tried.lock() else { return };
            tried.push((index, now));
            let best = tried.iter().map(|(_, it)| it.differing).min().unwrap_or(0);
            let state = SearchProgress {
                tried: tried.len(),
                candidates: all.len(),
                best: best.min(before.differing),
            };
            if (self.progress)(state).is_break() {
                self.stopped.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Returns a measure of a difference, in which a moved edge counts less than a wrong pixel.
fn cost(comparison: &Comparison) -> u64 {
    comparison.wrong() * 4 + comparison.moved
}

//! Finds the calls that explain why a frame isn't like an expected picture: replays the frame with other arguments, and
//! ranks the changes by the pixels that still differ.

mod answer;
mod candidates;
mod evidence;
mod scene;
mod variants;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use molehill_reference::Options;
use molehill_replay::image::{Comparison, Image};
use web_time::Instant;

pub use answer::{Explanation, Remaining, Suggestion, WrongPixels};

use candidates::{Candidate, candidates, joined};
use scene::{Scene, remaining};

use crate::error::{InspectError, Result};
use crate::inspector::Inspector;

/// The largest difference of a channel that counts as equal: renderers round and filter differently.
pub const TOLERANCE: u8 = 8;
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
    /// Errors: those of the replay, and [`InspectError::Unsupported`] for a picture of another size than the stage.
    pub fn explain(
        &mut self,
        frame: u32,
        expected: &Image,
        bounds: Bounds,
        progress: OnSearch<'_>,
    ) -> Result<Explanation> {
        let started = Instant::now();
        let last_call = self.capture().frame(frame)?.calls.end.saturating_sub(1);
        let (mut scene, picture) = Scene::new(self, frame, Options::default())?;
        let before = remaining(&picture, expected);
        if !before.same_size() {
            return Err(InspectError::Unsupported(before.describe_sizes()));
        }
        scene.attribute(&picture, expected)?;
        let mut all = match before.differing {
            0 => Vec::new(),
            _ => candidates(&scene, self.capture(), last_call)?,
        };
        // The last part of the time joins what helps.
        let end = started + bounds.time;
        let search = |all: &[Candidate], end| {
            Search::run(all, &scene, (expected, before), (end, bounds.threads), progress)
        };
        let (mut tried, finished) = search(&all, end - bounds.time / JOINING);
        let best = tried.iter().map(|(_, it)| cost(it)).min();
        if best.is_some_and(|best| best * NOTHING > cost(&before)) {
            let helping: BTreeSet<usize> = tried
                .iter()
                .filter(|(_, it)| cost(it) * 100 <= cost(&before) * 99)
                .map(|(index, _)| *index)
                .collect();
            let joined = joined(&all, &|index| helping.contains(&index));
            let (found, _) = search(&joined, end);
            tried.extend(found.into_iter().map(|(index, after)| (all.len() + index, after)));
            all.extend(joined);
        }
        answer::explanation(
            self.capture(),
            frame,
            &scene,
            (&all, tried),
            (before, finished),
            started,
        )
    }
}

/// A search that several threads share.
struct Search<'a> {
    candidates: &'a [Candidate],
    expected: &'a Image,
    before: Comparison,
    end: Instant,
    /// The next candidate.
    next: AtomicUsize,
    /// The candidates from this one on aren't tried any more.
    end_index: AtomicUsize,
    tried: Mutex<Vec<Tried>>,
    progress: OnSearch<'a>,
}

impl<'a> Search<'a> {
    /// Tries candidates until a time. Returns those that were tried, and whether all were.
    fn run(
        candidates: &'a [Candidate],
        scene: &Scene,
        (expected, before): (&'a Image, Comparison),
        (end, threads): (Instant, usize),
        progress: OnSearch<'a>,
    ) -> (Vec<Tried>, bool) {
        let search = Search {
            candidates,
            expected,
            before,
            end,
            next: AtomicUsize::new(0),
            end_index: AtomicUsize::new(candidates.len()),
            tried: Mutex::default(),
            progress,
        };
        if cfg!(target_family = "wasm") || threads <= 1 {
            search.work(scene);
        } else {
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    let scene = scene.clone();
                    scope.spawn(|| search.work(&{ scene }));
                }
            });
        }
        let tried = search.tried.into_inner().unwrap_or_default();
        let finished = tried.len() == candidates.len();
        (tried, finished)
    }

    /// Tries candidates until there are no more.
    fn work(&self, scene: &Scene) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(candidate) = self.candidates.get(index) else { return };
            if index >= self.end_index.load(Ordering::Relaxed) || Instant::now() >= self.end {
                self.next.fetch_sub(1, Ordering::Relaxed);
                return;
            }
            // A candidate with which the replay ends doesn't help.
            let picture = scene.picture(&candidate.changes);
            let now = picture.map_or(self.before, |picture| remaining(&picture, self.expected));
            if cost(&now) * NOTHING <= cost(&self.before) {
                self.end_index.fetch_min(index + AFTER_SUCCESS, Ordering::Relaxed);
            }
            let Ok(mut tried) = self.tried.lock() else { return };
            tried.push((index, now));
            let best = tried.iter().map(|(_, it)| it.differing).min().unwrap_or(0);
            let state = SearchProgress {
                tried: tried.len(),
                candidates: self.candidates.len(),
                best: best.min(self.before.differing),
            };
            if (self.progress)(state).is_break() {
                self.end_index.store(0, Ordering::Relaxed);
            }
        }
    }
}

/// Returns a measure of a difference, in which a moved edge counts less than a wrong pixel.
fn cost(comparison: &Comparison) -> u64 {
    comparison.wrong() * 4 + comparison.moved
}

//! [`Inspector`]: a capture, with checkpoints of its replay on the reference renderer.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use context3d::backend::{Backend, ReadSurface};
use molehill_capture::{Call, CallLine};
use molehill_reference::skip::Skip;
use molehill_reference::watch::{Watch, WatchRecord};
use molehill_reference::{RasterOptions, ReferenceBackend, ReferenceFactory};
use molehill_replay::image::RgbaImage;
use molehill_replay::{ReplayError, Replayer};

use crate::calls::{is_draw, renders};
use crate::capture::{Capture, CaptureEntry};
use crate::effects::Effects;
use crate::error::{InspectError, Result};
use crate::passes::{CallStatus, DryRun, RenderPass};
use crate::plan::{ExactSurfaces, Plan, Shortcut, StaleSurfaces};

pub use crate::renderers::ReferencePlayer;

const MAX_CHECKPOINTS: usize = 32;
/// Number of checkpoints that are always retained, even if they exceed [`KEPT_BYTES`].
const MIN_CHECKPOINTS: usize = 2;
/// Maximum bytes of the buffers, textures and images of all checkpoints. Callers also limit the size of cached results
/// to `KEPT_BYTES`.
pub const KEPT_BYTES: usize = 96 << 20;
/// Minimum distance between checkpoints, in records, outside the frame at which the replay ends. The usual distance
/// between checkpoints is 1/16 of the replay.
const FAR_RECORDS: usize = 2000;
/// Minimum distance between checkpoints in the frame at which the replay ends. The usual distance between checkpoints
/// is 1/16 of the frame.
const NEAR_RECORDS: usize = 50;
const PROGRESS_RECORDS: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchState {
    /// Number of executed records in the current step of the work.
    pub done: usize,
    /// Total number of records in the current step.
    pub of: usize,
}

type ProgressCallback = Box<dyn FnMut(SearchState) -> ControlFlow<()> + Send>;

/// The next record of a replay, which is a draw.
pub(crate) struct DrawRecord {
    pub(crate) record: usize,
    /// The line number of the draw in the file.
    pub(crate) number: u64,
    pub(crate) call: usize,
    pub(crate) line: Arc<CallLine>,
    pub(crate) context: usize,
}

#[derive(Clone)]
pub(crate) struct ReplayState {
    pub(crate) player: ReferencePlayer,
    /// Surfaces with wrong content, because draws into them were skipped.
    stale: StaleSurfaces,
}

impl ReplayState {
    /// Executes a record, except for the packets that the plan skips.
    pub(crate) fn step(
        &mut self,
        capture: &Capture,
        record: usize,
        (effects, plan): (&Effects, &Plan),
    ) -> Result<()> {
        let Some((line, entry)) = capture.record(record)? else { return Ok(()) };
        let skip = plan.skip(effects, record, &mut self.stale);
        if skip != Skip::default() {
            self.skip(&entry, skip);
        }
        let done = self.player.record(line, &entry);
        if skip != Skip::default() {
            self.skip(&entry, Skip::default());
        }
        done.map_err(|error: ReplayError| {
            error.in_call(capture.first_call(record + 1) as u64 - 1)
        })?;
        Ok(())
    }

    fn skip(&mut self, entry: &CaptureEntry, skip: Skip) {
        if let CaptureEntry::Call(line) = entry
            && let Some(context) = self.player.context_of(line.on)
            && let Some(backend) = self.player.backend_mut(context)
        {
            backend.skip(skip);
        }
    }
}

/// Checkpoints by the number of executed records.
#[derive(Default)]
struct Checkpoints(BTreeMap<usize, ReplayState>);

impl Checkpoints {
    /// Adds a checkpoint at record `done`, unless a checkpoint with at most as many stale surfaces exists there.
    /// Removes the checkpoints with the closest neighbours if there are too many.
    fn add(&mut self, done: usize, state: &ReplayState) {
        let known = self.0.get(&done);
        if done == 0 || known.is_some_and(|known| known.stale.len() <= state.stale.len()) {
            return;
        }
        self.0.insert(done, state.clone());
        while self.0.len() > MAX_CHECKPOINTS
            || self.0.len() > MIN_CHECKPOINTS && self.bytes() > KEPT_BYTES
        {
            let indices: Vec<usize> = self.0.keys().copied().collect();
            let gaps = indices.windows(3).filter_map(|three| match three {
                [before, index, after] if *index != done => Some((after - before, *index)),
                _ => None,
            });
            match gaps.min() {
                Some((_, index)) => drop(self.0.remove(&index)),
                None => return,
            }
        }
    }

    /// Returns the total bytes of all checkpoints. Data that several checkpoints share is counted once.
    fn bytes(&mut self) -> usize {
        let mut renderers = BTreeMap::new();
        for state in self.0.values_mut() {
            for context in 0..state.player.contexts() {
                let backend = state.player.backend_mut(context);
                renderers.extend(backend.map(|backend| backend.held_bytes()));
            }
        }
        renderers.values().sum()
    }
}

/// Answers queries about a capture.
///
/// Errors "of the replay" are [`InspectError::Capture`] if a record can't be read, [`InspectError::Replay`] if the
/// replay ends early, and [`InspectError::Cancelled`] (see [`Inspector::on_progress`]).
pub struct Inspector {
    capture: Arc<Capture>,
    options: RasterOptions,
    dry_run: Mutex<DryRun>,
    checkpoints: Checkpoints,
    progress_callback: Mutex<Option<ProgressCallback>>,
}

impl Inspector {
    /// Creates an inspector with the reference renderer's default options.
    pub fn new(capture: impl Into<Arc<Capture>>) -> Inspector {
        Inspector::with_options(capture, RasterOptions::default())
    }

    pub fn with_options(capture: impl Into<Arc<Capture>>, options: RasterOptions) -> Inspector {
        let capture = capture.into();
        let caps = ReferenceBackend::new(options).caps().clone();
        Inspector {
            dry_run: Mutex::new(DryRun::new(&capture, caps)),
            capture,
            options,
            checkpoints: Checkpoints::default(),
            progress_callback: Mutex::default(),
        }
    }

    pub fn capture(&self) -> &Arc<Capture> {
        &self.capture
    }

    /// Sets a callback that receives the progress of all later queries, every few milliseconds. If the callback returns
    /// [`ControlFlow::Break`], the query fails with [`InspectError::Cancelled`]. Later queries reuse the cancelled
    /// query's checkpoints.
    pub fn on_progress(
        &mut self,
        callback: impl FnMut(SearchState) -> ControlFlow<()> + Send + 'static,
    ) {
        self.progress_callback = Mutex::new(Some(Box::new(callback)));
    }

    pub(crate) fn report_progress(&self, done: usize, of: usize) -> Result<()> {
        report_progress(&self.progress_callback, done, of)
    }

    /// Executes a task that reports its own progress. Queries that the task makes report no progress.
    pub(crate) fn with_own_progress<T>(
        &mut self,
        work: impl FnOnce(&mut Self, &dyn Fn(usize, usize) -> Result<()>) -> Result<T>,
    ) -> Result<T> {
        let callback = std::mem::take(&mut self.progress_callback);
        let done = work(self, &|done, of| report_progress(&callback, done, of));
        self.progress_callback = callback;
        done
    }

    /// Returns the dry run, advanced to at least `records` records.
    pub(crate) fn dry_run(&self, records: usize) -> Result<MutexGuard<'_, DryRun>> {
        let mut dry_run = self.dry_run.lock().unwrap_or_else(PoisonError::into_inner);
        dry_run
            .advance_to(&self.capture, records, &mut |done| self.report_progress(done, records))?;
        Ok(dry_run)
    }

    pub fn call_status(&self, call: usize) -> Result<CallStatus> {
        let index = self.capture.record_index(call)?;
        Ok(self.dry_run(index + 1)?.get(call))
    }

    pub fn passes(&self, frame: u32) -> Result<Vec<RenderPass>> {
        let end = self.capture.frame(frame)?.records.end;
        Ok(self.dry_run(end)?.passes_of(frame).to_vec())
    }

    /// Returns the replay after `records` records. Skipped draws affect no surface that `want` selects.
    pub(crate) fn at(&mut self, records: usize, want: ExactSurfaces) -> Result<ReplayState> {
        drop(self.dry_run(records.max(want.until))?);
        let Inspector { capture, dry_run, checkpoints, progress_callback, .. } = self;
        let dry_run = dry_run.get_mut().unwrap_or_else(PoisonError::into_inner);
        let earlier = checkpoints.0.range(..=records).rev();
        let stale = earlier.map(|(index, state)| (*index, &state.stale));
        let plan = Plan::new(&dry_run.effects, records, want, stale);
        let mut state = match checkpoints.0.get(&plan.start) {
            Some(state) => state.clone(),
            None => {
                let (factory, options) = (ReferenceFactory(self.options), Default::default());
                let player = Replayer::new(capture.header(), factory, options);
                ReplayState { player, stale: StaleSurfaces::default() }
            }
        };
        let frames = capture.frames();
        let last = frames.partition_point(|frame| frame.records.end <= records);
        let last = frames.get(last).map_or(0..0, |frame| frame.records.clone());
        let near = (last.len() / 16).max(NEAR_RECORDS);
        let far = ((records - plan.start) / 16).max(FAR_RECORDS);
        for done in plan.start..records {
            if (done - plan.start).is_multiple_of(PROGRESS_RECORDS) {
                report_progress(progress_callback, done - plan.start, records - plan.start)?;
            }
            let distance = if last.contains(&done) { near } else { far };
            if done == last.start || done % distance == 0 {
                checkpoints.add(done, &state);
            }
            state.step(capture, done, (&dry_run.effects, &plan))?;
        }
        checkpoints.add(records, &state);
        Ok(state)
    }

    /// Replays the whole capture and adds checkpoints, so that the first query about any call is fast.
    pub fn prepare(&mut self) -> Result<()> {
        self.at(self.capture.record_count(), ExactSurfaces::STATE).map(drop)
    }

    /// Executes the next record completely, and returns the watched context's results. Adds no checkpoint.
    pub(crate) fn execute_next(
        &mut self,
        state: &mut ReplayState,
        record: usize,
        watch: Option<(usize, Watch)>,
    ) -> Result<Option<WatchRecord>> {
        drop(self.dry_run(record + 1)?);
        let dry_run = self.dry_run.get_mut().unwrap_or_else(PoisonError::into_inner);
        let backend = watch.and_then(|(context, _)| state.player.backend_mut(context));
        if let (Some(backend), Some((_, watch))) = (backend, watch) {
            backend.watch(Some(watch));
        }
        state.step(&self.capture, record, (&dry_run.effects, &Plan::default()))?;
        let backend = watch.and_then(|(context, _)| state.player.backend_mut(context));
        Ok(backend.and_then(|backend| {
            let watched = backend.take_watched();
            backend.watch(None);
            watched
        }))
    }

    /// Returns a draw, with the replay just before it.
    pub(crate) fn next_draw(&mut self, call: usize) -> Result<(ReplayState, DrawRecord)> {
        let (record, (number, line)) = (self.capture.record_index(call)?, self.capture.call(call)?);
        let state = self.at(record, ExactSurfaces::STATE.and_following(record + 1))?;
        let context = state.player.context_of(line.on).filter(|_| is_draw(&line.call));
        let context = context.ok_or(InspectError::NotADraw(call))?;
        Ok((state, DrawRecord { record, number, call, line, context }))
    }

    pub(crate) fn watch(&mut self, call: usize, watch: Watch) -> Result<WatchRecord> {
        let (mut state, draw) = self.next_draw(call)?;
        let watched = self.execute_next(&mut state, draw.record, Some((draw.context, watch)))?;
        watched.ok_or(InspectError::NotADraw(call))
    }

    pub(crate) fn add_checkpoint(&mut self, done: usize, state: &ReplayState) {
        self.checkpoints.add(done, state);
    }

    /// Returns the call, its line number, and the replay before the call, if the call draws or clears, or otherwise
    /// after the call.
    pub(crate) fn at_call(
        &mut self,
        call: usize,
        want: ExactSurfaces,
    ) -> Result<(ReferencePlayer, u64, Arc<CallLine>)> {
        let (index, (number, line)) = (self.capture.record_index(call)?, self.capture.call(call)?);
        let player = self.at(index + usize::from(!renders(&line.call)), want)?.player;
        Ok((player, number, line))
    }

    /// Returns the image after a call: the render target, the front buffer for `present`, or the stage for calls on a
    /// Stage3D. Returns `None` if the render target or front buffer doesn't exist.
    pub fn picture(&mut self, call: usize) -> Result<Option<RgbaImage>> {
        let index = self.capture.record_index(call)?;
        let (number, line) = self.capture.call(call)?;
        let context = self.at(index + 1, ExactSurfaces::STATE)?.player.context_of(line.on);
        let mut at = |want| self.at(index + 1, want).map(|state| state.player);
        Ok(match (context, &line.call) {
            (None, _) => Some(at(ExactSurfaces::FRONT)?.screen(number)?),
            (Some(context), Call::Present {}) => {
                at(ExactSurfaces::FRONT)?.surface(number, context, ReadSurface::Front)?
            }
            (Some(context), _) => at(ExactSurfaces::TARGETS)?.target(number, context)?,
        })
    }

    pub fn screen(&mut self, frame: u32) -> Result<RgbaImage> {
        let end = self.capture.frame(frame)?.records.end;
        let last = self.capture.record(end.saturating_sub(1))?;
        let number = last.map_or(1, |(line, _)| line);
        Ok(self.at(end, ExactSurfaces::FRONT)?.player.screen(number)?)
    }
}

fn report_progress(
    callback: &Mutex<Option<ProgressCallback>>,
    done: usize,
    of: usize,
) -> Result<()> {
    let mut callback = callback.lock().unwrap_or_else(PoisonError::into_inner);
    match callback.as_mut().map(|callback| callback(SearchState { done, of })) {
        Some(ControlFlow::Break(())) => Err(InspectError::Cancelled),
        _ => Ok(()),
    }
}

impl Inspector {
    /// Returns the packets that a replay may skip on the way to the state after `records` records.
    pub fn shortcut(&self, records: usize) -> Result<Shortcut> {
        let dry_run = self.dry_run(records)?;
        let effects = &dry_run.effects;
        let plan = Plan::new(effects, records, ExactSurfaces::ALL, std::iter::empty());
        let mut stale = HashSet::new();
        let indices: BTreeSet<usize> = plan.records(effects).collect();
        let skips = indices.into_iter().map(|it| (it, plan.skip(effects, it, &mut stale)));
        Ok(Shortcut {
            end: records,
            skips: skips.filter(|(_, skip)| *skip != Skip::default()).collect(),
        })
    }
}

//! Scans many frames: counts draws and pixels, and finds anomalies by comparing each frame with its neighbours.

use std::collections::{BTreeMap, BTreeSet};

use molehill_replay::image::{RgbaImage, compare};
use serde::Serialize;
use web_time::Instant;

use crate::calls::is_draw;
use crate::capture::Capture;
use crate::draws::{DrawReport, FrameReport, not_presented};
pub use crate::dump::MemoryUse;
use crate::error::{InspectError, Result};
use crate::expected::FrameExpectation;
use crate::inspector::Inspector;
pub use crate::outlying_frames::FrameRow;
use crate::outlying_frames::outlying_frames;
use crate::passes::DrawSignature;
use crate::same_draw::DrawHistory;
use crate::sentence::{Count, Sentence, SentenceValue, sentence};
use crate::state_items::StateArea;
use crate::warnings::{Warning, WarningKind};
use crate::wrong::TOLERANCE;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FrameScan {
    pub frames: Vec<FrameRow>,
    /// The anomalies, ordered by frame.
    pub outliers: Vec<OutlierDraw>,
    /// Executed draws that error checking would reject, by error id.
    pub refused: Vec<RejectedDraws>,
}

/// Executed draws that error checking would reject with the same error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RejectedDraws {
    pub error: u16,
    pub draws: u64,
    /// The call of the first rejected draw.
    pub call: usize,
    pub frame: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OutlierDraw {
    pub frame: u32,
    pub call: Option<usize>,
    pub reason: String,
    /// `also`: other draws of the frame whose anomaly has the same cause. `again`: later frames in which the anomaly
    /// recurs.
    pub also: Vec<usize>,
    pub again: Vec<u32>,
    /// A description of the anomaly's cause, such as a changed constant; empty if no cause is known.
    #[serde(skip)]
    cause: String,
    /// The key that groups similar anomalies: a hash of the program and buffers, and the words of the reason without
    /// values.
    #[serde(skip)]
    kind: (Option<u64>, String),
}

impl OutlierDraw {
    /// Returns the frame in which the anomaly first occurs, followed by the frames in which it recurs.
    pub fn frames(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.frame).chain(self.again.iter().copied())
    }

    fn new(frame: u32, draw: Option<DrawSignature>, reason: Sentence) -> OutlierDraw {
        let kind = (draw.map(DrawSignature::buffers), reason.meaning.words);
        OutlierDraw { frame, reason: reason.text, kind, ..OutlierDraw::default() }
    }
}

/// Merges the anomalies of a frame with the same cause, and anomalies with the same key across frames. Sorts anomalies
/// with a cause first, then other draws, then whole frames, then recurring anomalies. `all` must be ordered by frame.
pub fn ranked(all: Vec<OutlierDraw>) -> Vec<OutlierDraw> {
    let (mut ranked, mut places) = (Vec::<OutlierDraw>::new(), BTreeMap::new());
    let (mut numbers, mut causes) = (BTreeMap::new(), BTreeMap::<_, usize>::new());
    for outlier in all {
        let cause = (outlier.frame, outlier.cause.clone());
        if let Some(first) = causes.get(&cause).and_then(|place| ranked.get_mut(*place)) {
            // For a recurring anomaly, lists only the draws of its first frame.
            let counts = outlier.call.filter(|_| first.frame == outlier.frame);
            first.also.extend(counts);
            continue;
        }
        let number = numbers.entry((outlier.frame, outlier.kind.clone())).or_insert(0);
        *number += 1;
        let place = *places.entry((outlier.kind.clone(), *number)).or_insert(ranked.len());
        if !outlier.cause.is_empty() {
            causes.insert(cause, place);
        }
        match ranked.get_mut(place) {
            Some(first) => first.again.push(outlier.frame),
            None => ranked.push(outlier),
        }
    }
    let rank = |it: &OutlierDraw| (it.again.len() >= OFTEN, it.cause.is_empty(), it.call.is_none());
    ranked.sort_by_key(rank);
    ranked
}

/// Minimum ratio of a draw's passed fragments between two frames that is an anomaly.
const RATIO: u64 = 16;
/// Minimum number of passed fragments, in one of two compared frames, that makes a draw anomalous: in total, and per
/// thousand of the target's pixels.
const LEAST: (u64, u64) = (64, 1);
/// Minimum number of recurrences that marks an anomaly as normal behaviour. A real problem makes a frame differ from
/// the neighbouring frames only when the problem starts and ends.
const OFTEN: usize = 2;
type Draws = BTreeMap<usize, DrawHistory>;
#[derive(Default)]
struct CallFindings {
    /// The anomalous effect of a draw, if there is one.
    effect: Sentence,
    causes: Vec<Sentence>,
}

type ScanFindings = BTreeMap<usize, CallFindings>;

impl Inspector {
    /// Renders frames `first` to `last` and compares each frame with its neighbours. Skips frame numbers that don't
    /// exist.
    pub fn frame_scan(&mut self, first: u32, last: u32) -> Result<FrameScan> {
        if first > last {
            return Err(InspectError::EmptyRange);
        }
        let mut scan = ScanState::new(self.capture(), first, last);
        scan.part(self, usize::MAX)?;
        Ok(scan.result())
    }

    /// Compares the scanned frames with the frames of an expected capture. Errors: those of the replays, and
    /// [`InspectError::Unsupported`] for several frames with one image.
    pub fn expect_frames(
        &mut self,
        scan: &mut FrameScan,
        expected: &mut FrameExpectation,
    ) -> Result<()> {
        if matches!(expected, FrameExpectation::Picture(_)) && scan.frames.len() > 1 {
            return Err(
                "an image shows one frame: select the frame with --frame, or expect a capture"
                    .to_owned()
                    .into(),
            );
        }
        for row in &mut scan.frames {
            let (is, should) = (self.screen(row.frame)?, expected.picture(row.frame)?);
            row.wrong = Some(compare(&is, &should, TOLERANCE).differing);
        }
        Ok(())
    }
}

/// A scan that can be executed in several steps.
#[derive(Default)]
pub struct ScanState {
    frames: Vec<u32>,
    done: usize,
    /// The number of the first frame in the result. Earlier frames only initialize the comparison.
    first: u32,
    found: FrameScan,
    memory: MemoryUse,
    /// The draws and the image of the previous frame.
    before: Draws,
    picture: Option<RgbaImage>,
    faults: BTreeSet<String>,
}

impl ScanState {
    /// Creates a scan of frames `first` to `last`.
    pub fn new(capture: &Capture, first: u32, last: u32) -> ScanState {
        let all: Vec<u32> = capture.frames().iter().map(|frame| frame.number).collect();
        let from = all.partition_point(|number| *number < first);
        let end = all.partition_point(|number| *number <= last);
        // The scan starts two frames earlier, to find the state that doesn't change between frames.
        let frames = all.get(from.saturating_sub(2)..end).unwrap_or_default().to_vec();
        ScanState { frames, first, ..ScanState::default() }
    }

    /// Scans at most `most` further frames. Returns the number of scanned frames and the [`ranked`] anomalies. After
    /// [`InspectError::Cancelled`], the next call continues at the same frame.
    pub fn part(
        &mut self,
        inspector: &mut Inspector,
        most: usize,
    ) -> Result<(usize, Vec<OutlierDraw>)> {
        let end = self.done.saturating_add(most);
        inspector.with_own_progress(|inspector, progress| {
            while let Some(number) = self.frames.get(self.done).filter(|_| self.done < end) {
                progress(self.done, self.frames.len())?;
                self.frame(inspector, *number)?;
                self.done += 1;
            }
            Ok(())
        })?;
        Ok((self.done, ranked(self.result().outliers)))
    }

    /// Scans a frame. On failure, the scan is unchanged.
    fn frame(&mut self, inspector: &mut Inspector, number: u32) -> Result<()> {
        let span = inspector.capture().frame(number)?.clone();
        let begin = Instant::now();
        let (report, mut state) = inspector.draw_frame(number)?;
        let milliseconds = begin.elapsed().as_secs_f64() * 1000.0;
        let screen = state.player.screen(span.records.end as u64)?;
        let before = self.picture.as_ref();
        let mut row = row(&report, span.calls.len());
        row.ended = span.ended;
        row.changed = before.map_or(0, |before| compare(&screen, before, 0).differing);
        row.milliseconds = milliseconds;
        for call in span.calls.clone() {
            let failed = inspector.call_status(call)?.failure().is_some();
            row.errors += u64::from(failed);
            row.dropped += u64::from(failed && is_draw(&inspector.capture().call(call)?.1.call));
        }
        row.bytes = self.memory.at(inspector, span.calls.end)?;
        let (mut why, mut faults, mut found) =
            (BTreeMap::new(), BTreeSet::new(), ScanFindings::new());
        // A problem that exists from the start isn't an anomaly, except for failed calls and for mip levels that differ
        // from the texture's other levels.
        let drawn = self.found.frames.iter().any(|row| row.draws > 0);
        for Warning { call, kind, error, text, meaning, .. } in report.warnings {
            if let (WarningKind::Unchecked, Some(error)) = (kind, error) {
                self.refuse(error, call, number);
            }
            let faulty = kind == WarningKind::Faulty;
            let cause = Sentence { text, meaning };
            let counts =
                faulty && (drawn || cause.is_about_level()) && !faults.contains(&cause.text);
            if (counts || kind == WarningKind::FailedCall) && !self.faults.contains(&cause.text) {
                found.entry(call).or_default().causes.push(cause.clone());
            }
            if faulty {
                faults.insert(cause.text);
            } else if kind == WarningKind::FailedCall {
                why.insert(call, cause);
            }
        }
        let draws = report.passes.into_iter().flat_map(|pass| pass.draws);
        let mut draws: Draws = draws.map(|draw| (draw.call, DrawHistory::new(draw))).collect();
        inspector.outlying_draws(number, (&self.before, &mut draws, &why), &mut found)?;
        for (call, found) in found {
            self.found.outliers.push(inspector.outlier(number, call, found)?);
        }
        if self.done + 1 == self.frames.len() {
            self.not_presented(inspector, span.calls.end)?;
        }
        self.found.frames.push(row);
        self.faults.append(&mut faults);
        self.faults.extend(why.into_values().map(|why| why.text));
        (self.before, self.picture) = (draws, Some(screen));
        Ok(())
    }

    /// Counts a draw that error checking would reject.
    fn refuse(&mut self, error: u16, call: usize, frame: u32) {
        if frame < self.first {
            return;
        }
        let refused = &mut self.found.refused;
        match refused.iter_mut().find(|known| known.error == error) {
            Some(known) => known.draws += 1,
            None => refused.push(RejectedDraws { error, draws: 1, call, frame }),
        }
    }

    /// Adds the contexts with draws before `end` that never presented an image.
    fn not_presented(&mut self, inspector: &Inspector, end: usize) -> Result<()> {
        let capture = inspector.capture();
        for (context, draws) in inspector.dry_run(0)?.not_presented(end) {
            let call = draws.first().copied();
            let frame = call.and_then(|call| capture.frame_of(call)).map_or(0, |it| it.number);
            let reason = not_presented(draws.len(), &capture.name(context));
            let cause = reason.text.clone();
            let outlier = OutlierDraw { call, cause, ..OutlierDraw::new(frame, None, reason) };
            self.found.outliers.push(outlier);
        }
        Ok(())
    }

    fn result(&self) -> FrameScan {
        let mut scan = self.found.clone();
        let frames = outlying_frames(&scan.frames).into_iter();
        scan.outliers.extend(frames.map(|(frame, reasons)| OutlierDraw::new(frame, None, reasons)));
        scan.frames.retain(|row| row.frame >= self.first);
        scan.outliers.retain(|outlier| outlier.frame >= self.first);
        scan.outliers.sort_by_key(|outlier| (outlier.frame, outlier.call));
        scan
    }
}

impl Inspector {
    /// Finds draws that differ much from the previous frame: in passed fragments, objects or state.
    fn outlying_draws(
        &mut self,
        frame: u32,
        (before, after, why): (&Draws, &mut Draws, &BTreeMap<usize, Sentence>),
        found: &mut ScanFindings,
    ) -> Result<()> {
        let Some((earlier, pairs)) = self.same_draws(frame)? else { return Ok(()) };
        for (call, same) in pairs {
            let Some(known) = before.get(&same) else { continue };
            let then = &known.report;
            let Some(now) = after.get_mut(&call) else {
                let CallFindings { effect, causes } = found.entry(call).or_default();
                let kept = sentence![" it had ", Count(then.kept), " passed fragments"];
                *effect = sentence!["is not executed, in frame ", SentenceValue(earlier), kept];
                if causes.is_empty() {
                    causes.extend(why.get(&call).cloned());
                }
                causes.extend(self.lost_clear(call, (earlier, same))?);
                continue;
            };
            let both = self.signature(call)?.zip(self.signature(same)?);
            let (buffers, all) = both.map_or((false, false), |(one, two)| one.equals(two));
            let habits = now.broken_habits(known, earlier, buffers);
            let equal = now.report.setup == then.setup;
            now.steady = buffers && all && equal;
            now.before = Some(then.setup);
            // The previous frame was the anomaly: the draw's state equals that of the last but one frame.
            if !equal && known.before == Some(now.report.setup) {
                continue;
            }
            let odd = known.steady && buffers && !now.steady;
            let mut effect = effect(&now.report, then, earlier);
            if now.report.kept == 0 {
                let why = effect.as_ref().map(|_| self.no_effect(call)).transpose()?;
                effect.iter_mut().zip(why).for_each(|(it, why)| it.add(sentence!["; it ", why]));
            }
            let target = now.report.target != then.target;
            let explains = odd || effect.is_some() && (target || !equal);
            let state = explains.then(|| self.other_state(call, earlier, (odd, target)));
            let state = state.transpose()?.filter(|state| !state.is_empty());
            let habits = habits.filter(|_| effect.is_some() || state.is_none());
            if effect.is_some() || state.is_some() || habits.is_some() {
                let finding = found.entry(call).or_default();
                finding.effect = effect.unwrap_or_default();
                finding.causes.extend(state.into_iter().chain(habits));
            }
        }
        Ok(())
    }

    /// If a clear precedes a draw in the earlier frame but not in this frame, returns a sentence about the missing
    /// clear.
    fn lost_clear(&self, call: usize, (earlier, same): (u32, usize)) -> Result<Option<Sentence>> {
        let lost = self.clears(same)?.last().copied();
        let lost = lost.filter(|_| self.clears(call).is_ok_and(|it| it.is_empty()));
        let earlier =
            sentence!["no clear precedes the draw, in frame ", SentenceValue(earlier), " call "];
        Ok(lost.map(|clear| sentence![earlier, SentenceValue(clear), " did"]))
    }

    fn signature(&self, call: usize) -> Result<Option<DrawSignature>> {
        let all = &self.dry_run(0)?.signatures;
        let found = all.binary_search_by_key(&call, |(draw, _)| *draw).ok();
        Ok(found.and_then(|at| all.get(at)).map(|(_, signature)| *signature))
    }

    fn outlier(&self, frame: u32, call: usize, findings: CallFindings) -> Result<OutlierDraw> {
        let (_, line) = self.capture().call(call)?;
        let CallFindings { effect, causes } = findings;
        let is_draw = is_draw(&line.call);
        let cause = Sentence::joined(causes.iter().cloned(), "; ");
        let new = causes.into_iter().filter(|cause| !effect.contains(cause));
        let new = Sentence::joined(new, "; ");
        let kind = if is_draw { "draw " } else { "call " };
        let subject = sentence![kind, SentenceValue(call)];
        let reason = match (effect.is_empty(), new.is_empty()) {
            (true, _) if !is_draw => sentence![subject, ": ", line.call.name(), " ", new],
            (true, _) => sentence![subject, ": ", new],
            (false, true) => sentence![subject, " ", effect],
            (false, false) => sentence![subject, " ", effect, "; ", new],
        };
        let subjects = reason.meaning.subjects.clone();
        let mut outlier = OutlierDraw::new(frame, self.signature(call)?, reason);
        if is_draw {
            outlier.reason += &self.set_by(call, &subjects)?;
        }
        Ok(OutlierDraw { call: Some(call), cause: cause.text, ..outlier })
    }

    /// Returns the state of a draw that differs from the same draw of an earlier frame, without constants. `all`
    /// includes objects and draw parameters, which often alternate. If `target` is true, the compared state includes
    /// render targets.
    fn other_state(
        &mut self,
        call: usize,
        earlier: u32,
        (all, target): (bool, bool),
    ) -> Result<Sentence> {
        let state = self.state(call)?;
        let counts = |area| match area {
            StateArea::Raster => true,
            StateArea::Targets => all || target,
            StateArea::Program | StateArea::Streams | StateArea::Textures => all,
            StateArea::Constants | StateArea::Hidden => false,
        };
        // The key of an anomaly ignores numbers, but contains the names of objects and enumerations.
        let value = |text: &str| {
            if text.contains(char::is_numeric) {
                sentence![SentenceValue(text)]
            } else {
                text.into()
            }
        };
        let rows = state.rows.iter().filter(|row| counts(row.area)).filter_map(|row| {
            let was = value(row.earlier.as_ref()?);
            let name = row.slot.map_or_else(|| row.name.as_str().into(), |slot| sentence![slot]);
            let now = sentence![name, " is ", value(&row.value)];
            Some(sentence![now, ", in frame ", SentenceValue(earlier), " ", was])
        });
        Ok(Sentence::joined(rows, "; "))
    }
}

fn row(report: &FrameReport, calls: usize) -> FrameRow {
    let draws = || report.passes.iter().flat_map(|pass| &pass.draws);
    FrameRow {
        frame: report.frame,
        calls,
        draws: draws().count() as u64,
        without_effect: draws().filter(|draw| draw.changed == 0).count() as u64,
        triangles: draws().map(|draw| draw.triangles).sum(),
        shaded: draws().map(|draw| draw.shaded).sum(),
        ..FrameRow::default()
    }
}

/// Returns the effect of a draw, if it differs much from the same draw of an earlier frame.
fn effect(now: &DrawReport, then: &DrawReport, earlier: u32) -> Option<Sentence> {
    let target = u64::from(now.target.0) * u64::from(now.target.1);
    let least = LEAST.0.max(target * LEAST.1 / 1000);
    let earlier = sentence![", in frame ", SentenceValue(earlier), " it "];
    if now.invalid_triangles > 0 && then.invalid_triangles == 0 {
        let invalid = Count(now.invalid_triangles);
        let positions = " triangles with NaN or infinite positions";
        return Some(sentence!["has ", invalid, positions, earlier, "had none"]);
    }
    let keeps_none = now.kept == 0 && then.kept >= least;
    if !keeps_none && now.changed == 0 && then.changed >= least {
        let none = sentence!["changes no pixel with ", Count(now.kept), " passed fragments"];
        return Some(sentence![none, earlier, "changed ", Count(then.changed)]);
    }
    let far = |more: u64, fewer: u64| more >= fewer.saturating_mul(RATIO) && more >= 10 * least;
    let differs = far(then.kept, now.kept) || far(now.kept, then.kept) && then.kept > 0;
    let kept = sentence!["has ", Count(now.kept), " passed fragments"];
    (keeps_none || differs).then(|| sentence![kept, earlier, "had ", Count(then.kept)])
}

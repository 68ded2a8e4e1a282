//! Looks at many frames: what each one draws, and what stands out from the frames around it.

use std::collections::{BTreeMap, BTreeSet};

use molehill_replay::image::{Image, compare};
use serde::Serialize;
use web_time::Instant;

use crate::calls::is_draw;
use crate::capture::Capture;
use crate::draws::{DrawReport, FrameReport, not_presented};
pub use crate::dump::Memory;
use crate::error::{InspectError, Result};
use crate::expected::Expected;
use crate::faults::LEVEL;
use crate::inspector::Inspector;
use crate::number::count;
pub use crate::outlying_frames::FrameRow;
use crate::outlying_frames::outlying_frames;
use crate::passes::Signature;
use crate::same_draw::Known;
use crate::warnings::{Warning, WarningKind};
use crate::wrong::TOLERANCE;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FrameScan {
    pub frames: Vec<FrameRow>,
    /// In the order of the frames.
    pub outliers: Vec<Outlier>,
    /// The draws that are executed and that error checking would refuse, by the error's number.
    pub refused: Vec<Refused>,
}

/// The draws that error checking would refuse with one error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Refused {
    pub error: u16,
    pub draws: u64,
    /// The first of them.
    pub call: usize,
    pub frame: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outlier {
    pub frame: u32,
    pub call: Option<usize>,
    pub reason: String,
    /// Other draws of the frame with the same cause, and later frames with the same: see [`ranked`].
    pub also: Vec<usize>,
    pub again: Vec<u32>,
    /// The cause in the capture; empty for what is only an effect.
    #[serde(skip)]
    cause: String,
    /// The same for outliers that differ only in values, of draws with the same program and buffers.
    #[serde(skip)]
    kind: (Option<u64>, String),
}

impl Outlier {
    /// The frame, and the later ones with the same.
    pub fn frames(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.frame).chain(self.again.iter().copied())
    }

    fn new(frame: u32, draw: Option<Signature>, reason: String) -> Outlier {
        let is_value = |word: &&str| word.contains(char::is_numeric) && !word.contains('#');
        let words = reason.split(' ').filter(|word| !is_value(word)).collect();
        let kind = (draw.map(Signature::buffers), words);
        Outlier { frame, reason, kind, ..Outlier::default() }
    }
}

/// Joins outliers of one cause in a frame, and those of one kind in all. Those with a cause come first, then other draws,
/// then whole frames; what comes again and again is last. `all` are in the order of their frames.
pub fn ranked(all: Vec<Outlier>) -> Vec<Outlier> {
    let (mut ranked, mut places) = (Vec::<Outlier>::new(), BTreeMap::new());
    let (mut numbers, mut causes) = (BTreeMap::new(), BTreeMap::<_, usize>::new());
    for outlier in all {
        let cause = (outlier.frame, outlier.cause.clone());
        if let Some(first) = causes.get(&cause).and_then(|place| ranked.get_mut(*place)) {
            // Where it comes again, the draws are not listed again.
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
    let rank = |it: &Outlier| (it.again.len() >= OFTEN, it.cause.is_empty(), it.call.is_none());
    ranked.sort_by_key(rank);
    ranked
}

/// A draw stands out if it keeps this many times fewer or more pixels than in the frame before.
const RATIO: u64 = 16;
/// Least pixels that such a draw keeps in the fuller frame: a number, and the part of the target in thousandths.
const LEAST: (u64, u64) = (64, 1);
/// Number of times that an outlier comes again which no single fault explains: it begins, and it ends.
const OFTEN: usize = 2;
type Draws = BTreeMap<usize, Known>;
/// The outcome of a draw, and its causes.
type Finding = (String, Vec<String>);
type Findings = BTreeMap<usize, Finding>;

impl Inspector {
    /// Draws frames `first` to `last` and compares each with those around it. Frames that the capture lacks are
    /// skipped.
    pub fn frame_scan(&mut self, first: u32, last: u32) -> Result<FrameScan> {
        if first > last {
            return Err(InspectError::EmptyRange);
        }
        let mut scan = Scan::new(self.capture(), first, last);
        scan.part(self, usize::MAX)?;
        Ok(scan.result())
    }

    /// Compares the frames of a scan with those of an expected capture. Errors: those of the replays, and
    /// [`InspectError::Unsupported`] for several frames and one picture.
    pub fn expect_frames(&mut self, scan: &mut FrameScan, expected: &mut Expected) -> Result<()> {
        if matches!(expected, Expected::Picture(_)) && scan.frames.len() > 1 {
            return Err("a picture is of one frame: expect a capture, or use --frame"
                .to_owned()
                .into());
        }
        for row in &mut scan.frames {
            let (is, should) = (self.screen(row.frame)?, expected.picture(row.frame)?);
            row.wrong = Some(compare(&is, &should, TOLERANCE).differing);
        }
        Ok(())
    }
}

/// A scan that goes on from one part to the next.
#[derive(Default)]
pub struct Scan {
    /// The numbers of the frames that it looks at, how many of them it has, and the first one that counts.
    frames: Vec<u32>,
    done: usize,
    first: u32,
    found: FrameScan,
    memory: Memory,
    /// The draws and the picture of the frame before.
    before: Draws,
    picture: Option<Image>,
    /// The faults so far.
    faults: BTreeSet<String>,
}

impl Scan {
    /// A scan of frames `first` to `last` that has looked at none yet.
    pub fn new(capture: &Capture, first: u32, last: u32) -> Scan {
        let all: Vec<u32> = capture.frames().iter().map(|frame| frame.number).collect();
        let from = all.partition_point(|number| *number < first);
        let end = all.partition_point(|number| *number <= last);
        // Two frames more, to know what is steady.
        let frames = all.get(from.saturating_sub(2)..end).unwrap_or_default().to_vec();
        Scan { frames, first, ..Scan::default() }
    }

    /// Looks at `most` further frames, with the progress of the inspector. Returns the number of frames so far, and what
    /// stands out in them as [`ranked`] does. After [`InspectError::Cancelled`], the next part begins where this one ended.
    pub fn part(
        &mut self,
        inspector: &mut Inspector,
        most: usize,
    ) -> Result<(usize, Vec<Outlier>)> {
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

    /// Looks at a frame. Notes nothing of it if there is an error.
    fn frame(&mut self, inspector: &mut Inspector, number: u32) -> Result<()> {
        let span = inspector.capture().frame(number)?.clone();
        let begin = Instant::now();
        let (report, mut state) = inspector.draw_frame(number)?;
        let milliseconds = begin.elapsed().as_secs_f64() * 1000.0;
        let screen = state.player.screen(span.records.end as u64)?;
        let before = self.picture.as_ref();
        let mut row = row(&report, span.calls.len());
        row.changed = before.map_or(0, |before| compare(&screen, before, 0).differing);
        row.milliseconds = milliseconds;
        for call in span.calls.clone() {
            let failed = inspector.call_status(call)?.failure().is_some();
            row.errors += u64::from(failed);
            row.dropped += u64::from(failed && is_draw(&inspector.capture().call(call)?.1.call));
        }
        row.bytes = self.memory.at(inspector, span.calls.end)?;
        let (mut why, mut faults, mut found) = (BTreeMap::new(), BTreeSet::new(), Findings::new());
        // What is faulty from the start stands out from nothing, except a level from the others, and failed calls.
        let drawn = self.found.frames.iter().any(|row| row.draws > 0);
        for Warning { call, kind, error, text, .. } in report.warnings {
            if let (WarningKind::Unchecked, Some(error)) = (kind, error) {
                self.refuse(error, call, number);
            }
            let faulty = kind == WarningKind::Faulty;
            let counts = faulty && (drawn || text.contains(LEVEL)) && !faults.contains(&text);
            if (counts || kind == WarningKind::FailedCall) && !self.faults.contains(&text) {
                found.entry(call).or_default().1.push(text.clone());
            }
            if faulty {
                faults.insert(text);
            } else if kind == WarningKind::FailedCall {
                why.insert(call, text);
            }
        }
        let draws = report.passes.into_iter().flat_map(|pass| pass.draws);
        let mut draws: Draws = draws.map(|draw| (draw.call, Known::new(draw))).collect();
        inspector.outlying_draws(number, (&self.before, &mut draws, &why), &mut found)?;
        for (call, found) in found {
            self.found.outliers.push(inspector.outlier(number, call, found)?);
        }
        if self.done + 1 == self.frames.len() {
            self.not_presented(inspector, span.calls.end)?;
        }
        self.found.frames.push(row);
        self.faults.append(&mut faults);
        self.faults.extend(why.into_values());
        (self.before, self.picture) = (draws, Some(screen));
        Ok(())
    }

    /// Counts a draw that error checking would refuse.
    fn refuse(&mut self, error: u16, call: usize, frame: u32) {
        if frame < self.first {
            return;
        }
        let refused = &mut self.found.refused;
        match refused.iter_mut().find(|known| known.error == error) {
            Some(known) => known.draws += 1,
            None => refused.push(Refused { error, draws: 1, call, frame }),
        }
    }

    /// Adds the contexts with draws of which nothing was presented before a call.
    fn not_presented(&mut self, inspector: &Inspector, end: usize) -> Result<()> {
        let capture = inspector.capture();
        for (context, draws) in inspector.dry_run(0)?.not_presented(end) {
            let call = draws.first().copied();
            let frame = call.and_then(|call| capture.frame_of(call)).map_or(0, |it| it.number);
            let reason = not_presented(draws.len(), &capture.name(context));
            let cause = reason.clone();
            let outlier = Outlier { call, cause, ..Outlier::new(frame, None, reason) };
            self.found.outliers.push(outlier);
        }
        Ok(())
    }

    /// What was found so far.
    fn result(&self) -> FrameScan {
        let mut scan = self.found.clone();
        let outliers = outlying_frames(&scan.frames).into_iter();
        let outliers = outliers.map(|(frame, reasons)| Outlier::new(frame, None, reasons));
        scan.outliers.extend(outliers);
        scan.frames.retain(|row| row.frame >= self.first);
        scan.outliers.retain(|outlier| outlier.frame >= self.first);
        scan.outliers.sort_by_key(|outlier| (outlier.frame, outlier.call));
        scan
    }
}

impl Inspector {
    /// Draws that kept many pixels in the frame before and keep few, or the other way round, or that use something else.
    fn outlying_draws(
        &mut self,
        frame: u32,
        (before, after, why): (&Draws, &mut Draws, &BTreeMap<usize, String>),
        found: &mut Findings,
    ) -> Result<()> {
        let Some((earlier, pairs)) = self.same_draws(frame)? else { return Ok(()) };
        for (call, same) in pairs {
            let Some(known) = before.get(&same) else { continue };
            let then = &known.report;
            let Some(now) = after.get_mut(&call) else {
                let (effect, causes) = found.entry(call).or_default();
                let kept = count(then.kept);
                *effect = format!("is not executed, in frame {earlier} it kept {kept} pixels");
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
            // The frame before stood out.
            if !equal && known.before == Some(now.report.setup) {
                continue;
            }
            let odd = known.steady && buffers && !now.steady;
            let mut effect = effect(&now.report, then, earlier);
            if now.report.kept == 0 {
                let why = effect.as_ref().map(|_| self.no_effect(call)).transpose()?;
                effect.iter_mut().zip(why).for_each(|(it, why)| *it += &format!("; it {why}"));
            }
            let target = now.report.target != then.target;
            let explains = odd || effect.is_some() && (target || !equal);
            let state = explains.then(|| self.other_state(call, earlier, (odd, target)));
            let state = state.transpose()?.filter(|state| !state.is_empty());
            let habits = habits.filter(|_| effect.is_some() || state.is_none());
            if effect.is_some() || state.is_some() || habits.is_some() {
                let finding = found.entry(call).or_default();
                finding.0 = effect.unwrap_or_default();
                finding.1.extend(state.into_iter().chain(habits));
            }
        }
        Ok(())
    }

    /// The clear of an earlier frame that a draw lacks.
    fn lost_clear(&self, call: usize, (earlier, same): (u32, usize)) -> Result<Option<String>> {
        let lost = self.clears(same)?.last().copied();
        let lost = lost.filter(|_| self.clears(call).is_ok_and(|it| it.is_empty()));
        Ok(lost.map(|it| format!("nothing is cleared before, in frame {earlier} call {it} did")))
    }

    fn signature(&self, call: usize) -> Result<Option<Signature>> {
        let all = &self.dry_run(0)?.signatures;
        let found = all.binary_search_by_key(&call, |(draw, _)| *draw).ok();
        Ok(found.and_then(|at| all.get(at)).map(|(_, signature)| *signature))
    }

    fn outlier(&self, frame: u32, call: usize, (effect, causes): Finding) -> Result<Outlier> {
        let (_, line) = self.capture().call(call)?;
        let (draws, cause) = (is_draw(&line.call), causes.join("; "));
        let what = if draws { "draw" } else { "call" };
        // The effect may tell some of them.
        let told = causes.iter().map(String::as_str).filter(|it| !effect.contains(it));
        let told = told.collect::<Vec<_>>().join("; ");
        let reason = match (effect.as_str(), told.as_str()) {
            ("", cause) if !draws => format!("call {call}: {} {cause}", line.call.name()),
            ("", cause) => format!("{what} {call}: {cause}"),
            (effect, "") => format!("{what} {call} {effect}"),
            (effect, cause) => format!("{what} {call} {effect}; {cause}"),
        };
        let mut outlier = Outlier::new(frame, self.signature(call)?, reason);
        if draws {
            outlier.reason += &self.set_by(call, &outlier.reason)?;
        }
        Ok(Outlier { call: Some(call), cause, ..outlier })
    }

    /// The state of a draw that the same draw of an earlier frame had not, without constants. Objects and parameters often
    /// alternate; they count if `all` does, and targets also if they have another size.
    fn other_state(
        &mut self,
        call: usize,
        earlier: u32,
        (all, target): (bool, bool),
    ) -> Result<String> {
        let state = self.state(call)?;
        let counts = |area| match area {
            "raster" => true,
            "targets" => all || target,
            area => all && area != "constants",
        };
        let rows = state.rows.iter().filter(|row| counts(row.area)).filter_map(|row| {
            let was = row.earlier.as_ref()?;
            Some(format!("{} is {}, in frame {earlier} {was}", row.name, row.value))
        });
        Ok(rows.collect::<Vec<_>>().join("; "))
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

/// What became of a draw, if it stands out from the same draw of an earlier frame.
fn effect(now: &DrawReport, then: &DrawReport, earlier: u32) -> Option<String> {
    let target = u64::from(now.target.0) * u64::from(now.target.1);
    let least = LEAST.0.max(target * LEAST.1 / 1000);
    let it_kept = format!("in frame {earlier} it kept {}", count(then.kept));
    if now.invalid_triangles > 0 && then.invalid_triangles == 0 {
        let invalid = count(now.invalid_triangles);
        return Some(format!(
            "has {invalid} triangles with NaN or infinite positions, in frame {earlier} it had none"
        ));
    }
    if now.kept == 0 && then.kept >= least {
        return Some(format!("keeps 0 pixels, {it_kept}"));
    }
    if now.changed == 0 && then.changed >= least {
        let (kept, changed) = (count(now.kept), count(then.changed));
        return Some(format!(
            "changes none of the {kept} pixels that it keeps, in frame {earlier} it changed {changed}"
        ));
    }
    let far = |more: u64, fewer: u64| more >= fewer.saturating_mul(RATIO) && more >= 10 * least;
    (far(then.kept, now.kept) || far(now.kept, then.kept) && then.kept > 0)
        .then(|| format!("keeps {} pixels, {it_kept}", count(now.kept)))
}

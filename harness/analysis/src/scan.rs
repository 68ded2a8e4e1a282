//! Looks at many frames: what each one draws, and what stands out from the frames around it.

use std::collections::{BTreeMap, BTreeSet};

use context3d::enums::{FlashName, TextureFormat};
use molehill_capture::Call;
use molehill_capture::objects::ObjectId;
use molehill_replay::image::{Image, compare};
use serde::Serialize;
use web_time::Instant;

use crate::calls::{is_draw, texture};
use crate::capture::Capture;
use crate::draws::{DrawReport, FrameReport};
use crate::error::{InspectError, Result};
use crate::faults::LEVEL;
use crate::habits::Known;
use crate::inspector::Inspector;
use crate::number::count;
use crate::signature::Signature;
use crate::warnings::{Warning, WarningKind};

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FrameScan {
    pub frames: Vec<FrameRow>,
    /// In the order of the frames.
    pub outliers: Vec<Outlier>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameRow {
    pub frame: u32,
    pub calls: usize,
    /// Draws that were executed.
    pub draws: u64,
    /// Draws that were not: because of an error, or silently.
    pub dropped: u64,
    /// Executed draws that changed no pixel.
    pub without_effect: u64,
    /// Calls that raised an error, were skipped or are unsupported.
    pub errors: u64,
    /// Pixels of the picture that differ from that of the frame before.
    pub changed: u64,
    pub triangles: u64,
    /// Runs of fragment programs.
    pub shaded: u64,
    /// Bytes of the textures, buffers and back buffers that exist at the frame's end, as a device with 4 bytes a pixel
    /// would store them.
    pub bytes: u64,
    /// Time in milliseconds that the reference renderer took, with counting: comparable only within one scan.
    pub milliseconds: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outlier {
    pub frame: u32,
    pub call: Option<usize>,
    pub reason: String,
    /// Later frames with the same: see [`ranked`].
    pub again: Vec<u32>,
    /// The same for outliers that differ only in values, of draws with the same program and buffers.
    #[serde(skip)]
    kind: (Option<u64>, String),
}

impl Outlier {
    /// The frame, and the later ones with the same.
    pub fn frames(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.frame).chain(self.again.iter().copied())
    }

    fn new(frame: u32, call: Option<usize>, draw: Option<Signature>, reason: String) -> Outlier {
        let is_value = |word: &&str| word.contains(char::is_numeric) && !word.contains('#');
        let words = reason.split(' ').filter(|word| !is_value(word)).collect();
        let kind = (draw.map(Signature::buffers), words);
        Outlier { frame, call, reason, again: Vec::new(), kind }
    }
}

/// Joins outliers of one kind, and moves those behind the others that come again and again. `all` are in the order of
/// their frames.
pub fn ranked(all: Vec<Outlier>) -> Vec<Outlier> {
    let (mut ranked, mut places) = (Vec::<Outlier>::new(), BTreeMap::new());
    let mut numbers = BTreeMap::new();
    for outlier in all {
        let number = numbers.entry((outlier.frame, outlier.kind.clone())).or_insert(0);
        *number += 1;
        let place = *places.entry((outlier.kind.clone(), *number)).or_insert(ranked.len());
        match ranked.get_mut(place) {
            Some(first) => first.again.push(outlier.frame),
            None => ranked.push(outlier),
        }
    }
    ranked.sort_by_key(|outlier| outlier.again.len() >= OFTEN);
    ranked
}

/// What is compared with the frames around: its name, its value, the least difference that counts, and the least ratio.
type Measure = (&'static str, fn(&FrameRow) -> f64, f64, f64);

const MEASURES: [Measure; 6] = [
    ("draws", |row| row.draws as f64, 2.0, 1.5),
    ("dropped draws", |row| row.dropped as f64, 1.0, 1.5),
    ("calls with an error", |row| row.errors as f64, 1.0, 1.5),
    ("triangles", |row| row.triangles as f64, 100.0, 2.0),
    ("runs of fragment programs", |row| row.shaded as f64, 10_000.0, 2.0),
    ("changed pixels", |row| row.changed as f64, 500.0, 3.0),
];
/// Number of frames on each side whose median a frame is compared with.
const AROUND: usize = 4;
/// A draw stands out if it keeps this many times fewer or more pixels than in the frame before.
const RATIO: u64 = 16;
/// Least pixels that such a draw keeps in the fuller frame: a number, and the part of the target in thousandths.
const LEAST: (u64, u64) = (64, 1);
/// Number of times that an outlier comes again which no single fault explains: it begins, and it ends.
const OFTEN: usize = 2;
/// Growth of memory from one frame to the next that stands out: bytes, and the part of what was held in quarters.
const GROWTH: (u64, u64) = (8 << 20, 1);

type Draws = BTreeMap<usize, Known>;
/// Why draws changed nothing, by call.
type Reasons = BTreeMap<usize, String>;

impl Inspector {
    /// Draws frames `first` to `last` and compares each with those around it. Frames that the capture lacks are
    /// skipped.
    pub fn frame_scan(&mut self, first: u32, last: u32) -> Result<FrameScan> {
        if first > last {
            return Err(InspectError::EmptyRange);
        }
        let mut scan = Scan::new(self.capture(), first, last);
        self.with_own_progress(|inspector, progress| {
            scan.go_on(inspector, usize::MAX, progress)?;
            Ok(scan.result())
        })
    }
}

/// A scan that goes on from one part to the next.
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
        Scan {
            frames,
            done: 0,
            first,
            found: FrameScan::default(),
            memory: Memory::default(),
            before: Draws::new(),
            picture: None,
            faults: BTreeSet::new(),
        }
    }

    /// Looks at `most` further frames, with the progress of the inspector. Returns the number of frames so far, and what
    /// stands out in them as [`ranked`] does. After [`InspectError::Cancelled`], the next part begins where this one ended.
    pub fn part(
        &mut self,
        inspector: &mut Inspector,
        most: usize,
    ) -> Result<(usize, Vec<Outlier>)> {
        let end = self.done.saturating_add(most);
        inspector.with_own_progress(|inspector, progress| self.go_on(inspector, end, progress))?;
        Ok((self.done, ranked(self.result().outliers)))
    }

    fn go_on(
        &mut self,
        inspector: &mut Inspector,
        end: usize,
        progress: &dyn Fn(usize, usize) -> Result<()>,
    ) -> Result<()> {
        let all = self.frames.len();
        while let Some(number) = self.frames.get(self.done).filter(|_| self.done < end) {
            progress(self.done, all)?;
            self.frame(inspector, *number)?;
            self.done += 1;
        }
        Ok(())
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
        let (mut why, mut faults, mut outliers) = (Reasons::new(), BTreeSet::new(), Vec::new());
        // What is faulty from the start stands out from nothing, except a level from the others.
        let drawn = self.found.frames.iter().any(|row| row.draws > 0);
        for Warning { call, kind, text, .. } in report.warnings {
            if kind == WarningKind::DrawWithoutEffect {
                why.insert(call, text);
            } else if kind == WarningKind::Faulty
                && !self.faults.contains(&text)
                && faults.insert(text.clone())
                && (drawn || text.contains(LEVEL))
            {
                let reason = format!("draw {call}: {text}");
                outliers.push(inspector.outlying_draw(number, call, reason)?);
            }
        }
        let draws = report.passes.into_iter().flat_map(|pass| pass.draws);
        let mut draws: Draws = draws.map(|draw| (draw.call, Known::new(draw))).collect();
        inspector.outlying_draws(number, (&self.before, &mut draws, &why), &mut outliers)?;
        self.found.frames.push(row);
        self.found.outliers.append(&mut outliers);
        self.faults.append(&mut faults);
        (self.before, self.picture) = (draws, Some(screen));
        Ok(())
    }

    /// What was found so far.
    fn result(&self) -> FrameScan {
        let mut scan = self.found.clone();
        outlying_frames(&mut scan);
        scan.frames.retain(|row| row.frame >= self.first);
        scan.outliers.retain(|outlier| outlier.frame >= self.first);
        scan.outliers.sort_by_key(|outlier| (outlier.frame, outlier.call));
        scan
    }
}

impl Inspector {
    /// Draws that kept many pixels in the frame before and keep few, or the other way round.
    fn outlying_draws(
        &mut self,
        frame: u32,
        (before, after, why): (&Draws, &mut Draws, &Reasons),
        found: &mut Vec<Outlier>,
    ) -> Result<()> {
        let Some((earlier, pairs)) = self.same_draws(frame)? else { return Ok(()) };
        for (call, same) in pairs {
            let Some(known) = before.get(&same) else { continue };
            let then = &known.report;
            let reason = match after.get_mut(&call) {
                None => {
                    let why = self.call_status(call)?.failure().unwrap_or_default();
                    format!(
                        "draw {call} is not executed, in frame {earlier} it kept {} pixels: {why}",
                        count(then.kept)
                    )
                }
                Some(now) => {
                    let both = self.signature(call)?.zip(self.signature(same)?);
                    let (buffers, all) = both.map_or((false, false), |(one, two)| one.equals(two));
                    let habits = now.broken_habits(known, earlier, buffers);
                    let equal = now.report.setup == then.setup;
                    now.steady = buffers && all && equal;
                    let odd = known.steady && buffers && !now.steady;
                    let reason = reason(&now.report, then, earlier, why.get(&call));
                    let explains = odd || reason.is_some() && !equal;
                    let state =
                        explains.then(|| self.other_state(call, earlier, odd)).transpose()?;
                    let state = state.filter(|state| !state.is_empty());
                    let habits = habits.filter(|_| reason.is_some() || state.is_none());
                    let causes: Vec<String> = state.into_iter().chain(habits).collect();
                    match (reason, causes.join("; ").as_str()) {
                        (None, "") => continue,
                        (Some(reason), "") => reason,
                        (Some(reason), causes) => format!("{reason}; {causes}"),
                        (None, causes) => format!("draw {call}: {causes}"),
                    }
                }
            };
            found.push(self.outlying_draw(frame, call, reason)?);
        }
        Ok(())
    }
}

impl Inspector {
    fn signature(&self, call: usize) -> Result<Option<Signature>> {
        let all = &self.dry_run(0)?.signatures;
        let found = all.binary_search_by_key(&call, |(draw, _)| *draw).ok();
        Ok(found.and_then(|at| all.get(at)).map(|(_, signature)| *signature))
    }

    fn outlying_draw(&self, frame: u32, call: usize, reason: String) -> Result<Outlier> {
        let mut outlier = Outlier::new(frame, Some(call), self.signature(call)?, reason);
        outlier.reason += &self.set_by(call, &outlier.reason)?;
        Ok(outlier)
    }

    /// The state of a draw that the same draw of an earlier frame had not, without constants. Objects and parameters often
    /// alternate; they count if `all` does.
    fn other_state(&mut self, call: usize, earlier: u32, all: bool) -> Result<String> {
        let state = self.state(call)?;
        let counts = |area: &str| area == "raster" || all && area != "constants";
        let rows = state.rows.iter().filter(|row| counts(row.area)).filter_map(|row| {
            let was = row.earlier.as_ref()?;
            Some(format!("{} is {}, in frame {earlier} {was}", row.name, row.value))
        });
        Ok(rows.collect::<Vec<_>>().join("; "))
    }
}

/// The bytes of the objects that exist after some calls.
#[derive(Default)]
pub struct Memory {
    calls: usize,
    objects: BTreeMap<ObjectId, u64>,
}

impl Memory {
    /// The bytes after the calls before `end`, which may not go back.
    pub fn at(&mut self, inspector: &Inspector, end: usize) -> Result<u64> {
        for call in self.calls + 1..end {
            let (_, line) = inspector.capture().call(call)?;
            let bytes = object_bytes(&line.call).filter(|_| line.throws.is_none());
            if let Some(bytes) = bytes {
                self.objects.insert(line.result.unwrap_or(line.on), bytes);
            } else if line.call.name() == "dispose" {
                self.objects.remove(&line.on);
            }
        }
        self.calls = self.calls.max(end.saturating_sub(1));
        Ok(self.objects.values().fold(0, |sum, bytes| sum.saturating_add(*bytes)))
    }
}

/// The bytes of what a call creates.
fn object_bytes(call: &Call) -> Option<u64> {
    let size = |number: &i32| u64::try_from(*number).unwrap_or(0);
    if let Some((format, width, height)) = texture(call) {
        let pixels = size(&width).saturating_mul(size(&height));
        let format = format.and_then(TextureFormat::from_name).unwrap_or(TextureFormat::Bgra);
        let level = pixels.saturating_mul(format.bits_per_texel()) / 8;
        return Some(match call {
            Call::CreateRectangleTexture { .. } => level,
            Call::CreateCubeTexture { .. } => level.saturating_mul(8),
            _ => level / 3 * 4,
        });
    }
    Some(match call {
        Call::CreateVertexBuffer { num_vertices, data32_per_vertex, .. }
        | Call::CreateVertexBufferForInstances { num_vertices, data32_per_vertex, .. } => {
            size(num_vertices).saturating_mul(size(data32_per_vertex)).saturating_mul(4)
        }
        Call::CreateIndexBuffer { num_indices, .. } => size(num_indices) * 2,
        // Two colour buffers, and depth with stencil.
        Call::ConfigureBackBuffer { width, height, .. } => {
            size(width).saturating_mul(size(height)).saturating_mul(12)
        }
        _ => return None,
    })
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

/// Why a draw stands out from the same draw of an earlier frame.
fn reason(
    now: &DrawReport,
    then: &DrawReport,
    earlier: u32,
    why: Option<&String>,
) -> Option<String> {
    let (call, target) = (now.call, u64::from(now.target.0) * u64::from(now.target.1));
    let least = LEAST.0.max(target * LEAST.1 / 1000);
    let it_kept = format!("in frame {earlier} it kept {}", count(then.kept));
    if now.invalid_triangles > 0 && then.invalid_triangles == 0 {
        let invalid = count(now.invalid_triangles);
        return Some(format!(
            "draw {call} has {invalid} triangles with NaN or infinite positions, in frame {earlier} it had none"
        ));
    }
    if now.kept == 0 && then.kept >= least {
        let why = why.map_or("", String::as_str);
        return Some(format!("draw {call} keeps 0 pixels, {it_kept}; it {why}"));
    }
    if now.changed == 0 && then.changed >= least {
        let (kept, changed) = (count(now.kept), count(then.changed));
        return Some(format!(
            "draw {call} changes none of the {kept} pixels that it keeps, in frame {earlier} it changed {changed}"
        ));
    }
    let far = |more: u64, fewer: u64| more >= fewer.saturating_mul(RATIO) && more >= 10 * least;
    (far(then.kept, now.kept) || far(now.kept, then.kept) && then.kept > 0)
        .then(|| format!("draw {call} keeps {} pixels, {it_kept}", count(now.kept)))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts and milliseconds"
)]
fn outlying_frames(scan: &mut FrameScan) {
    // Until something is drawn the program still loads.
    let loads = scan.frames.iter().take_while(|row| row.draws == 0).count();
    for (at, row) in scan.frames.iter().enumerate().skip(loads + 1) {
        let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(scan.frames.len());
        let around = scan.frames.get(around).unwrap_or_default();
        let others = || around.iter().filter(|other| other.frame != row.frame);
        for (what, value, least, ratio) in MEASURES {
            let mut values: Vec<f64> = others().map(value).collect();
            values.sort_by(f64::total_cmp);
            let Some(usual) = values.get(values.len() / 2).copied() else { continue };
            let value = value(row);
            let (more, less) = (value.max(usual), value.min(usual));
            // A picture may stand still.
            let counts = what != "changed pixels" || value > usual;
            if counts && more - less >= least && more >= less * ratio {
                let [value, others] = [value, usual].map(|number| count(number.round() as u64));
                let than = if more > usual { "more" } else { "fewer" };
                let reason =
                    format!("{value} {what}, {than} than the {others} of the frames around");
                scan.outliers.push(Outlier::new(row.frame, None, None, reason));
            }
        }
        let before = at.checked_sub(1).and_then(|at| scan.frames.get(at));
        if let Some(before) = before
            && row.bytes > before.bytes + GROWTH.0
            && row.bytes > before.bytes / 4 * (4 + GROWTH.1)
        {
            let (now, then) = (row.bytes >> 20, before.bytes >> 20);
            let reason = format!("memory grows from {then} to {now} MiB");
            scan.outliers.push(Outlier::new(row.frame, None, None, reason));
        }
    }
}

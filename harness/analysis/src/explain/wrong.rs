//! Whose pixels are wrong: the draws that the differing pixels of a frame belong to, and the passes that they come through.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use molehill_replay::image::{Cluster, Image, clusters};
use serde::Serialize;

use super::TOLERANCE;
use super::remaining::Remaining;
use super::scene::{Scene, compared};
use crate::error::Result;
use crate::expected::Expected;
use crate::inspector::Inspector;
use crate::number::{count, text};
use crate::passes::Pass;
use crate::state_items::area_text;

/// Most clusters and draws of a text.
const LISTED: usize = 5;
/// The draws of a pass change next to nothing if that is less than one in so many of the wrong pixels.
const IDLE: u64 = 100;

/// The pixels of a frame that aren't as expected.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WrongFrame {
    pub frame: u32,
    /// The largest difference of a channel that counts as equal.
    pub tolerance: u8,
    #[serde(flatten)]
    pub remaining: Remaining,
    /// The places of the wrong pixels, the largest first.
    pub clusters: Vec<Cluster>,
    /// The draws and clears that wrong pixels belong to, in the order of their calls.
    pub draws: Vec<WrongDraw>,
    /// The passes that wrong pixels come through, and those whose result differs, in their order.
    pub passes: Vec<WrongPass>,
    /// Each wrong pixel of the stage, with the call that last changed it; `None` if no call of the frame did.
    #[serde(skip)]
    pub places: Vec<((u32, u32), Option<usize>)>,
}

/// The wrong pixels that belong to a draw or a clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WrongDraw {
    pub call: usize,
    /// The number of its pass in the frame; 0 for a call before the frame.
    pub pass: u32,
    /// Wrong pixels that the call changed last.
    pub wrong: u64,
    /// Other wrong pixels in which its fragments are rejected or change nothing: the draw may be missing there.
    pub missed: u64,
    /// Bounds on the stage of the pixels that it changed last.
    pub bounds: Option<[u32; 4]>,
}

/// A pass that wrong pixels come through.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WrongPass {
    /// Its number in the frame, from 1.
    pub pass: u32,
    pub targets: Vec<String>,
    pub calls: (usize, usize),
    /// The earlier passes of the frame whose result its draws read.
    pub reads: Vec<u32>,
    /// Wrong pixels of its own draws, or of draws that read its result.
    pub wrong: u64,
    /// Pixels that its draws change, all together.
    pub changed: u64,
    /// Pixels of its result that differ from the same pass of the expected capture, if one is expected.
    pub differing: Option<u64>,
}

impl Inspector {
    /// Finds the draws that the wrong pixels of a frame belong to. Errors: those of the replays, and
    /// [`InspectError::Unsupported`](crate::InspectError::Unsupported) for a picture of another size than the stage.
    pub fn wrong_pixels(&mut self, frame: u32, expected: &mut Expected) -> Result<WrongFrame> {
        let should = expected.picture(frame)?;
        let (scene, picture, before) = Scene::compared(self, frame, &should)?;
        let passes = self.passes(frame)?;
        let draws = draws(&scene, &passes);
        let mut wrong_passes = self.wrong_passes(&scene, &passes, &draws);
        if let Some((other, number)) = expected.capture(frame) {
            self.differing_passes(&passes, &mut wrong_passes, (other, number))?;
        }
        wrong_passes.retain(|pass| pass.wrong > 0 || pass.differing.is_some_and(|it| it > 0));
        let call = |record: Option<usize>| record.and_then(|record| scene.number(record));
        let mut calls: BTreeMap<Option<usize>, Option<usize>> = BTreeMap::new();
        let places = scene
            .wrong
            .places
            .iter()
            .map(|(at, record)| (*at, *calls.entry(*record).or_insert_with(|| call(*record))));
        Ok(WrongFrame {
            frame,
            tolerance: TOLERANCE,
            remaining: (&before).into(),
            clusters: clusters(&picture, &should, TOLERANCE),
            places: places.collect(),
            draws,
            passes: wrong_passes,
        })
    }

    /// Returns the passes of a frame with the wrong pixels that come through them.
    fn wrong_passes(&self, scene: &Scene, passes: &[Pass], draws: &[WrongDraw]) -> Vec<WrongPass> {
        let capture = self.capture();
        let mut found: Vec<WrongPass> = passes
            .iter()
            .map(|pass| {
                let targets = pass.targets.iter().map(|face| capture.face_title(*face));
                let own = draws.iter().filter(|draw| draw.pass == pass.number);
                WrongPass {
                    pass: pass.number,
                    targets: targets.collect(),
                    calls: (pass.calls.start, pass.calls.end.saturating_sub(1)),
                    wrong: own.map(|draw| draw.wrong).sum(),
                    ..WrongPass::default()
                }
            })
            .collect();
        // Later passes first: the wrong pixels of a draw belong to the passes that it reads, too.
        for draw in scene.draws.iter().rev() {
            let Some(call) = scene.number(draw.record) else { continue };
            let Some(at) = passes.iter().position(|pass| pass.calls.contains(&call)) else {
                continue;
            };
            let changed = scene.wrong.changed.get(&draw.record).copied().unwrap_or(0);
            let Some(WrongPass { targets, wrong: of_pass, changed: all, .. }) = found.get_mut(at)
            else {
                continue;
            };
            *all += changed;
            let own = |of: &BTreeMap<usize, u64>| of.get(&draw.record).copied().unwrap_or(0);
            let own = own(&scene.wrong.owned).max(own(&scene.wrong.missed));
            let passed = if targets.is_empty() { own } else { *of_pass };
            let mut sources = BTreeSet::new();
            for texture in &draw.textures {
                let drawn = |pass: &Pass| pass.targets.iter().any(|face| face.texture == *texture);
                let before = passes.get(..at).unwrap_or_default();
                sources.extend(before.iter().rposition(drawn));
            }
            for source in sources {
                let number = found.get_mut(source).map(|pass| {
                    pass.wrong = pass.wrong.max(passed).min(scene.wrong.places.len() as u64);
                    pass.pass
                });
                let Some(WrongPass { reads, .. }) = found.get_mut(at) else { continue };
                reads.extend(number.filter(|number| !reads.contains(number)));
            }
        }
        found.iter_mut().for_each(|pass| pass.reads.sort_unstable());
        found
    }

    /// Compares the results of the passes with those of the frame of another capture, if it has as many.
    fn differing_passes(
        &mut self,
        passes: &[Pass],
        found: &mut [WrongPass],
        (other, number): (&mut Inspector, u32),
    ) -> Result<()> {
        let others = other.passes(number)?;
        if others.len() != passes.len() {
            return Ok(());
        }
        for ((pass, same), found) in passes.iter().zip(&others).zip(found) {
            let last = |pass: &Pass| pass.draws.last().copied().unwrap_or(pass.calls.start);
            let pictures = self.picture(last(pass))?.zip(other.picture(last(same))?);
            found.differing = pictures.map(|(is, should)| compared(&is, &should).differing);
        }
        Ok(())
    }
}

/// Returns the draws and clears with wrong pixels, in the order of their calls.
fn draws(scene: &Scene, passes: &[Pass]) -> Vec<WrongDraw> {
    let mut bounds: BTreeMap<usize, [u32; 4]> = BTreeMap::new();
    for ((x, y), record) in &scene.wrong.places {
        let Some(record) = record else { continue };
        let [left, top, right, bottom] = bounds.entry(*record).or_insert([*x, *y, *x + 1, *y + 1]);
        (*left, *top) = ((*left).min(*x), (*top).min(*y));
        (*right, *bottom) = ((*right).max(*x + 1), (*bottom).max(*y + 1));
    }
    let wrong = &scene.wrong;
    let records: BTreeSet<usize> = wrong.owned.keys().chain(wrong.missed.keys()).copied().collect();
    let draw = |record: usize| {
        let call = scene.number(record)?;
        let pass = passes.iter().find(|pass| pass.calls.contains(&call));
        Some(WrongDraw {
            call,
            pass: pass.map_or(0, |pass| pass.number),
            wrong: wrong.owned.get(&record).copied().unwrap_or(0),
            missed: wrong.missed.get(&record).copied().unwrap_or(0),
            bounds: bounds.get(&record).copied(),
        })
    };
    records.into_iter().filter_map(draw).collect()
}

impl WrongFrame {
    /// Returns the wrong pixels of a draw or a clear.
    pub fn draw(&self, call: usize) -> Option<WrongDraw> {
        self.draws.iter().find(|draw| draw.call == call).copied()
    }

    /// Returns the first pass whose result differs from that of the expected capture.
    pub fn first_pass(&self) -> Option<&WrongPass> {
        self.passes.iter().find(|pass| pass.differing.is_some_and(|pixels| pixels > 0))
    }

    /// Returns the first pass into a texture that wrong pixels come through, and whose draws change next to nothing.
    fn first_idle_pass(&self) -> Option<&WrongPass> {
        let idle = |pass: &&WrongPass| !pass.targets.is_empty() && pass.changed * IDLE < pass.wrong;
        self.passes.iter().find(idle)
    }

    /// Returns the wrong pixels of a call as a picture over the stage: transparent elsewhere.
    pub fn mask(&self, call: usize, (width, height): (u32, u32), color: [u8; 4]) -> Image {
        let mut mask = Image::filled(width, height, [0; 4]);
        for ((x, y), _) in self.places.iter().filter(|(_, owner)| *owner == Some(call)) {
            mask.overwrite(*y as usize * width as usize + *x as usize, &color);
        }
        mask
    }
}

impl fmt::Display for WrongDraw {
    /// Formats `44,660 wrong pixels in (0, 0, 8×4), changes nothing at 30 wrong pixels`, as the end of a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrongDraw { wrong, missed, bounds, .. } = *self;
        let mut parts = Vec::new();
        if wrong > 0 {
            let place = bounds.map(|bounds| format!(" in {}", area_text(bounds.map(i64::from))));
            parts.push(format!("{} wrong pixels{}", count(wrong), place.unwrap_or_default()));
        }
        if missed > 0 {
            parts.push(format!("changes nothing at {} wrong pixels", count(missed)));
        }
        f.write_str(&parts.join(", "))
    }
}

impl fmt::Display for WrongPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrongPass { pass, targets, calls: (first, last), reads, wrong, changed, differing } =
            self;
        let target = if targets.is_empty() { "back buffer".to_owned() } else { targets.join(", ") };
        write!(f, "pass {pass}, {target}, calls {first}-{last}: {} wrong pixels", count(*wrong))?;
        f.write_str(if targets.is_empty() { "" } else { " come from its result" })?;
        write!(f, ", its draws change {} pixels", count(*changed))?;
        if !reads.is_empty() {
            write!(f, "; it reads the result of pass {}", text(reads))?;
        }
        match differing {
            None => Ok(()),
            Some(0) => f.write_str("; its result is as expected"),
            Some(pixels) => write!(f, "; {} pixels of its result differ", count(*pixels)),
        }
    }
}

impl fmt::Display for WrongFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrongFrame { frame, tolerance, remaining, .. } = self;
        let verdict = if remaining.only_edges { " is equal but for antialiased edges" } else { "" };
        let (pixels, reasons) = (remaining.pixels(), remaining.reasons());
        writeln!(
            f,
            "frame {frame}{verdict}: {pixels} from the expected picture by more than {tolerance}{reasons}"
        )?;
        for cluster in self.clusters.iter().take(LISTED) {
            let ((x, y), area) = (cluster.at, area_text(cluster.bounds.map(i64::from)));
            writeln!(f, "   {} in {area}, most at {x},{y}", count(cluster.pixels))?;
        }
        if let more @ 1.. = self.clusters.len().saturating_sub(LISTED) {
            writeln!(f, "   and {more} more places")?;
        }
        let mut draws: Vec<&WrongDraw> = self.draws.iter().collect();
        draws.sort_by_key(|draw| std::cmp::Reverse((draw.wrong, draw.missed)));
        for draw in draws.iter().take(LISTED) {
            writeln!(f, "   call {}: {draw}", draw.call)?;
        }
        // A frame with one pass needs no list of passes.
        let chain =
            self.passes.len() > 1 || self.passes.iter().any(|pass| !pass.targets.is_empty());
        for pass in self.passes.iter().filter(|_| chain) {
            writeln!(f, "   {pass}")?;
        }
        if let Some(first) = self.first_pass() {
            return writeln!(f, "   pass {} is the first whose result differs", first.pass);
        }
        self.first_idle_pass().map_or(Ok(()), |first| {
            writeln!(f, "   pass {} is the first whose draws change next to nothing", first.pass)
        })
    }
}

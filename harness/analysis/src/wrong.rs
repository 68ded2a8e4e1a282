//! The differing pixels of a frame, with the draws that last changed them and the passes that contribute to them.

use std::fmt;

use molehill_replay::image::{Cluster, ImageComparison, ROUNDING, RgbaImage};
use serde::Serialize;

use crate::number::{count, text};
use crate::state_items::area_text;

/// Maximum channel difference that counts as equal, because renderers round and filter differently.
pub const TOLERANCE: u8 = ROUNDING;
/// Maximum number of listed regions and draws in the text.
const LISTED: usize = 5;
/// A pass is idle if its draws change less than one pixel per this many wrong pixels.
const IDLE: u64 = 100;

/// The difference between an image and the expected image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RemainingDifference {
    /// Number of pixels that differ by more than the tolerance.
    pub differing: u64,
    /// Number of differing pixels on edges, explained by antialiasing or a shift by one pixel.
    pub edges: u64,
    /// Number of differing pixels, except pixels counted in `edges`, whose differences are small enough for rounding
    /// and filtering.
    pub rounding: u64,
    /// True if edges and rounding explain all differing pixels.
    pub only_edges: bool,
}

impl From<&ImageComparison> for RemainingDifference {
    fn from(comparison: &ImageComparison) -> Self {
        RemainingDifference {
            differing: comparison.differing,
            edges: comparison.moved + comparison.blended,
            rounding: comparison.rounded,
            only_edges: comparison.is_equal_but_for_edges(),
        }
    }
}

impl RemainingDifference {
    /// Returns the end of a sentence about the explained pixels: `, 30 of them at antialiased edges`.
    pub fn reasons(&self) -> String {
        let RemainingDifference { differing, edges, rounding, .. } = *self;
        let parts = [(edges, "at antialiased edges"), (rounding, "by rounding")];
        let part = |(number, why)| match number {
            0 => String::new(),
            number if number == differing => format!(", all {why}"),
            number => format!(", {} of them {why}", count(number)),
        };
        parts.into_iter().map(part).collect()
    }

    /// Returns the number of differing pixels as text: `120 pixels differ`.
    pub fn pixels(&self) -> String {
        let words = if self.differing == 1 { "pixel differs" } else { "pixels differ" };
        format!("{} {words}", count(self.differing))
    }
}

impl fmt::Display for RemainingDifference {
    /// Formats the difference as `120 pixels differ, 30 of them at antialiased edges`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.pixels(), self.reasons())
    }
}

/// The pixels of a frame that differ from the expected image.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WrongFrame {
    pub frame: u32,
    /// Maximum channel difference that counts as equal.
    pub tolerance: u8,
    #[serde(flatten)]
    pub remaining: RemainingDifference,
    /// The regions of wrong pixels, largest first.
    pub clusters: Vec<Cluster>,
    /// The draws and clears that last changed wrong pixels, ordered by call.
    pub draws: Vec<WrongDraw>,
    /// The passes that contribute to wrong pixels, and the passes whose result differs, in order.
    pub passes: Vec<WrongPass>,
    /// The position of each wrong pixel, and the last call that changed the pixel; `None` if no call of the frame
    /// changed the pixel.
    #[serde(skip)]
    pub places: Vec<((u32, u32), Option<usize>)>,
}

/// The wrong pixels of a draw or clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WrongDraw {
    pub call: usize,
    /// The 1-based index of the pass in the frame; 0 for a call before the frame.
    pub pass: u32,
    /// Number of wrong pixels that this call changed last.
    pub wrong: u64,
    /// Number of wrong pixels in which the draw may be missing, because its fragments change nothing.
    pub missed: u64,
    /// Bounds on the stage of the wrong pixels that this call changed last.
    pub bounds: Option<[u32; 4]>,
}

/// A pass that contributes to wrong pixels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WrongPass {
    /// The 1-based index of the pass in the frame.
    pub pass: u32,
    pub targets: Vec<String>,
    pub calls: (usize, usize),
    /// The earlier passes of the frame whose results this pass reads.
    pub reads: Vec<u32>,
    /// Number of wrong pixels of the pass's draws, and of draws that read the pass's result.
    pub wrong: u64,
    /// Number of pixels that the pass's draws change.
    pub changed: u64,
    /// Number of pixels that differ from the same pass of the expected capture, if there is one.
    pub differing: Option<u64>,
}

impl WrongFrame {
    /// Returns the wrong pixels of a draw or clear.
    pub fn draw(&self, call: usize) -> Option<WrongDraw> {
        self.draws.iter().find(|draw| draw.call == call).copied()
    }

    /// Returns the first pass whose result differs from the expected capture.
    pub fn first_pass(&self) -> Option<&WrongPass> {
        self.passes.iter().find(|pass| pass.differing.is_some_and(|pixels| pixels > 0))
    }

    /// Returns the first pass into a texture that contributes to wrong pixels and changes almost no pixels itself.
    fn first_idle_pass(&self) -> Option<&WrongPass> {
        let idle = |pass: &&WrongPass| !pass.targets.is_empty() && pass.changed * IDLE < pass.wrong;
        self.passes.iter().find(idle)
    }

    /// Returns a mask of a call's wrong pixels as an image of the stage, transparent elsewhere.
    pub fn mask(&self, call: usize, (width, height): (u32, u32), color: [u8; 4]) -> RgbaImage {
        let mut mask = RgbaImage::filled(width, height, [0; 4]);
        for ((x, y), _) in self.places.iter().filter(|(_, owner)| *owner == Some(call)) {
            mask.overwrite(*y as usize * width as usize + *x as usize, &color);
        }
        mask
    }
}

impl fmt::Display for WrongDraw {
    /// Formats the end of a line: `44,660 wrong pixels in (0, 0, 8×4), changes nothing at 30 wrong pixels`.
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
            "frame {frame}{verdict}: {pixels} from the expected image by more than {tolerance}{reasons}"
        )?;
        for cluster in self.clusters.iter().take(LISTED) {
            let ((x, y), area) = (cluster.at, area_text(cluster.bounds.map(i64::from)));
            writeln!(f, "   {} in {area}, largest difference at {x},{y}", count(cluster.pixels))?;
        }
        if let more @ 1.. = self.clusters.len().saturating_sub(LISTED) {
            writeln!(f, "   and {more} more regions")?;
        }
        let mut draws: Vec<&WrongDraw> = self.draws.iter().collect();
        draws.sort_by_key(|draw| std::cmp::Reverse((draw.wrong, draw.missed)));
        for draw in draws.iter().take(LISTED) {
            writeln!(f, "   call {}: {draw}", draw.call)?;
        }
        // A frame with a single pass needs no list of passes.
        let chain =
            self.passes.len() > 1 || self.passes.iter().any(|pass| !pass.targets.is_empty());
        for pass in self.passes.iter().filter(|_| chain) {
            writeln!(f, "   {pass}")?;
        }
        if let Some(first) = self.first_pass() {
            return writeln!(f, "   pass {} is the first pass whose result differs", first.pass);
        }
        self.first_idle_pass().map_or(Ok(()), |first| {
            writeln!(
                f,
                "   pass {} is the first pass whose draws change hardly any pixel",
                first.pass
            )
        })
    }
}

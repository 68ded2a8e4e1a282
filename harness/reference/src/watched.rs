//! The record of a draw: its counts, its fragments and its mesh.

use context3d::agal::interp::AgalTraceStep;
use context3d::packets::MAX_COLOR_OUTPUTS;

use super::number::length;

/// The outcome of a fragment: a pixel in which a triangle covers at least one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentOutcome {
    /// At least one sample passes all tests, and is written.
    Kept,
    /// The pixel is outside the scissor rectangle.
    Scissor,
    /// No sample passes, and the first covered one fails the stencil test.
    Stencil,
    /// No sample passes, and the first covered one fails the depth test.
    Depth,
    /// The program discards the fragment (`kil`).
    Killed,
    /// The fragment's triangle is culled.
    Culled,
}

impl FragmentOutcome {
    /// Every outcome with its name.
    pub const NAMES: [(FragmentOutcome, &'static str); 6] = [
        (FragmentOutcome::Kept, "kept"),
        (FragmentOutcome::Scissor, "scissor"),
        (FragmentOutcome::Stencil, "stencil"),
        (FragmentOutcome::Depth, "depth"),
        (FragmentOutcome::Killed, "kil"),
        (FragmentOutcome::Culled, "culled"),
    ];

    /// Returns the outcome's name in reports.
    pub fn name(self) -> &'static str {
        let row = FragmentOutcome::NAMES.iter().find(|(outcome, _)| *outcome == self);
        row.map_or("", |(_, name)| name)
    }
}

/// The fragments of a draw by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragmentCounts {
    /// Fragments whose program ran. A quad whose fragments all fail the depth or stencil test may be skipped.
    pub shaded: u64,
    /// Fragments that changed the colour.
    pub colored: u64,
    /// Fragments that passed with a NaN in a result by the rules of IEEE 754, and those that also have a NaN by
    /// Direct3D 9's rules [agal.float.rules].
    pub nan: [u64; 2],
    pub(super) outcomes: [u64; FragmentOutcome::NAMES.len()],
}

impl FragmentCounts {
    /// Returns the number of fragments with an outcome.
    pub fn of(&self, outcome: FragmentOutcome) -> u64 {
        self.outcomes.get(outcome as usize).copied().unwrap_or(0)
    }

    /// Adds the counts of another draw.
    pub fn add(&mut self, other: &FragmentCounts) {
        self.shaded += other.shaded;
        self.colored += other.colored;
        let sums = self.outcomes.iter_mut().chain(&mut self.nan);
        for (sum, more) in sums.zip(other.outcomes.into_iter().chain(other.nan)) {
            *sum += more;
        }
    }
}

/// The triangles of a draw by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Triangles {
    /// All triangles of all instances.
    pub all: u64,
    /// Rasterized triangles: not culled, with an area, and with bounds on the target; some may cover no sample.
    pub drawn: u64,
    /// Triangles outside the clip volume, or with a position that is not finite.
    pub off_screen: u64,
    /// Triangles of `off_screen` with a position that is not finite.
    pub invalid: u64,
    /// Triangles of `off_screen` whose three positions are finite and have w ≤ 0.
    pub behind: u64,
    /// Triangles culled by their facing.
    pub culled: u64,
    /// Triangles without an area, or with no pixel on the target.
    pub empty: u64,
}

/// A value of a depth and stencil buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthStencilValue {
    /// Depth, 0 to 1, in steps of 1 / (2²⁴ − 1).
    pub depth: f64,
    /// The 8-bit stencil value.
    pub stencil: u8,
}

impl From<u32> for DepthStencilValue {
    fn from(stored: u32) -> Self {
        let [stencil, ..] = stored.to_le_bytes();
        let depth = real_depth(stored >> 8);
        DepthStencilValue { depth, stencil }
    }
}

pub(super) fn real_depth(depth: u32) -> f64 {
    f64::from(depth) / f64::from((1u32 << 24) - 1)
}

/// The content of a pixel: its colours by output (the mean of its samples), and the depth and stencil of its first
/// covered sample.
pub type PixelContent = ([Option<[f32; 4]>; MAX_COLOR_OUTPUTS], Option<DepthStencilValue>);

/// A fragment of the watched pixel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fragment {
    /// 0-based index of the triangle in the draw, counted through all instances.
    pub triangle: u32,
    /// True if the triangle is front-facing: clockwise on the screen.
    pub front: bool,
    /// The outcome; always set in [`WatchRecord::fragments`].
    pub outcome: Option<FragmentOutcome>,
    /// Bit masks of the covered samples, and of those that passed.
    pub samples: (u16, u16),
    /// Depth of the first covered sample, 0 to 1, or the depth that the program writes; 0 if the program didn't run.
    pub depth: f64,
    /// The program's results by colour output; `None` for outputs that the program doesn't write, or if it didn't run.
    pub colors: [Option<[f32; 4]>; MAX_COLOR_OUTPUTS],
    /// The pixel's content before the fragment; empty if the program didn't run.
    pub before: PixelContent,
    /// The pixel's content after the fragment; empty if the program didn't run.
    pub after: PixelContent,
    /// The fragment program's varyings by register; empty if the program didn't run.
    pub varyings: Vec<(u16, [f32; 4])>,
    /// The vertices of the fragment's triangle.
    pub vertices: [DrawVertex; 3],
}

/// A vertex of a draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawVertex {
    /// The vertex's value in the index buffer.
    pub index: u16,
    /// The 0-based index of the instance.
    pub instance: u32,
    /// The attributes that the vertex program reads, by register.
    pub attributes: Vec<(u16, [f32; 4])>,
    /// Position in clip space, visible for z from 0 to w.
    pub position: [f32; 4],
    /// The varyings that the vertex program writes, by register.
    pub varyings: Vec<(u16, [f32; 4])>,
}

/// A band of rows of the target. Pixels are listed row by row, with the target's width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PixelRows {
    /// The target row at which the band starts.
    pub top: u32,
    /// Runs of the fragment program by pixel, at most 65535.
    pub shaded: Vec<u16>,
    /// By pixel: true if any fragment changed colour, depth or stencil.
    pub changed: Vec<bool>,
    /// By pixel, or empty if no fragment failed: [`PixelRows::DEPTH`] if a fragment failed the depth test,
    /// [`PixelRows::STENCIL`] if one failed the stencil test, [`PixelRows::OTHER`] if one was culled,
    /// discarded, or outside the scissor rectangle.
    pub failed: Vec<u8>,
}

impl PixelRows {
    /// The bit of a failed depth test.
    pub const DEPTH: u8 = 1;
    /// The bit of a failed stencil test.
    pub const STENCIL: u8 = 2;
    /// The bit of a fragment that was culled, discarded, or outside the scissor rectangle.
    pub const OTHER: u8 = 4;
}

impl WatchRecord {
    /// Returns the number of changed pixels, and their bounds: left, top, right and bottom, the last two exclusive.
    pub fn changed(&self) -> (u64, Option<[u32; 4]>) {
        let (mut count, mut bounds) = (0, None);
        let width = length(self.size.0).max(1);
        for rows in &self.rows {
            let lines = rows.changed.chunks(width);
            let lines = (rows.top..).zip(lines);
            for (y, line) in lines.filter(|(_, line)| line.contains(&true)) {
                for (x, _) in (0..).zip(line).filter(|(_, changed)| **changed) {
                    count += 1;
                    let [left, top, right, bottom] = bounds.unwrap_or([x, y, x, y]);
                    bounds = Some([left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1)]);
                }
            }
        }
        (count, bounds)
    }
}

/// The record of one draw.
#[derive(Clone, Debug, Default)]
pub struct WatchRecord {
    /// The number of fragments by outcome.
    pub counts: FragmentCounts,
    /// The number of triangles by outcome.
    pub triangles: Triangles,
    /// Number of runs of the vertex program. A shared vertex is shaded once per batch of some thousand triangles.
    pub vertex_runs: u64,
    /// The first vertex whose position is not finite.
    pub invalid: Option<DrawVertex>,
    /// The program's first step whose result is infinity or NaN by the rules of IEEE 754, for a fragment in
    /// [`FragmentCounts::nan`], and the fragment's lane.
    pub nan: Option<(AgalTraceStep, usize)>,
    /// Width and height of the target in pixels.
    pub size: (u32, u32),
    /// The bands in which the fragment program ran or a fragment was rejected, from the top.
    pub rows: Vec<PixelRows>,
    /// Fragments of the watched pixel in the order of the draw; at most [`MAX_FRAGMENTS`](super::watch::MAX_FRAGMENTS).
    pub fragments: Vec<Fragment>,
    /// The steps of [`Watch::steps`](super::watch::Watch::steps), and the fragment's lane in its quad, 0 to 3.
    pub steps: (Vec<AgalTraceStep>, usize),
    /// With [`Watch::mesh`](super::watch::Watch::mesh): the vertices, at most [`MAX_MESH`](super::watch::MAX_MESH).
    /// Batches that exceed the limit are omitted, with their triangles.
    pub vertices: Vec<DrawVertex>,
    /// With [`Watch::mesh`](super::watch::Watch::mesh): triangles, as indices into `vertices`.
    pub mesh: Vec<[u32; 3]>,
}

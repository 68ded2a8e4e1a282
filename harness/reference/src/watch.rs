//! Records draws: counts of their triangles and fragments by outcome, the fragments of one pixel, the steps of its
//! program, and the mesh. Draws that are not watched run code compiled without any of this.

use context3d::agal::LinkedPair;
use context3d::agal::interp::{Agal, Observer, TraceStep};
use context3d::keys::{IndexBufferKey, ProgramKey, VertexBufferKey};
use context3d::packets::MAX_COLOR_OUTPUTS;

use super::ReferenceBackend;
use super::batch::{BAND_ROWS, Scratch};
use super::number::{self, length};
use super::surface::Surface;
use super::vertex::{VertexId, Vertices};

/// Largest number of fragments of the watched pixel in a draw's [`Watched::fragments`].
pub const MAX_FRAGMENTS: usize = 4096;
/// Largest number of vertices in [`Watched::vertices`].
pub const MAX_MESH: usize = 1 << 20;

/// What to record of each draw besides the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Every fragment of this pixel of the target: x, y from the top left.
    pub pixel: Option<(u32, u32)>,
    /// The steps of the fragment program for one of those fragments, by its index in the draw.
    pub steps: Option<usize>,
    pub mesh: bool,
    /// Draws only the band of rows with the pixel, to be faster. The rest of the target isn't drawn.
    pub crop: bool,
}

/// The outcome of a fragment: a pixel in which a triangle covers at least one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At least one of its samples passes all tests.
    Kept,
    /// The pixel is outside the scissor rectangle.
    Scissor,
    Stencil,
    Depth,
    /// The program discards it (`kil`).
    Killed,
    Culled,
}

impl Outcome {
    pub const NAMES: [(Outcome, &'static str); 6] = [
        (Outcome::Kept, "kept"),
        (Outcome::Scissor, "scissor"),
        (Outcome::Stencil, "stencil"),
        (Outcome::Depth, "depth"),
        (Outcome::Killed, "kil"),
        (Outcome::Culled, "culled"),
    ];

    pub fn name(self) -> &'static str {
        let row = Outcome::NAMES.iter().find(|(outcome, _)| *outcome == self);
        row.map_or("", |(_, name)| name)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Fragments whose program ran. A quad whose fragments all fail the depth or stencil test may be skipped.
    pub shaded: u64,
    /// Fragments that changed the colour.
    pub colored: u64,
    /// Kept fragments with a NaN in a result by the rules of IEEE 754, and those of them that also have one by Direct3D
    /// 9's [agal.float.rules].
    pub nan: [u64; 2],
    outcomes: [u64; Outcome::NAMES.len()],
}

impl Counts {
    pub fn of(&self, outcome: Outcome) -> u64 {
        self.outcomes.get(outcome as usize).copied().unwrap_or(0)
    }

    pub fn add(&mut self, other: &Counts) {
        self.shaded += other.shaded;
        self.colored += other.colored;
        let sums = self.outcomes.iter_mut().chain(&mut self.nan);
        for (sum, more) in sums.zip(other.outcomes.into_iter().chain(other.nan)) {
            *sum += more;
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Triangles {
    pub all: u64,
    /// Rasterized: not culled, with an area, and with bounds on the target. They may still cover no sample.
    pub drawn: u64,
    /// Outside the clip volume, or with a position that is not finite.
    pub off_screen: u64,
    /// Those of `off_screen` with a position that is not finite.
    pub invalid: u64,
    /// Those of `off_screen` whose three positions are finite and have w ≤ 0.
    pub behind: u64,
    pub culled: u64,
    /// Without an area, or with no pixel on the target.
    pub empty: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthStencil {
    /// Depth, 0 to 1, in steps of 1 / (2²⁴ − 1).
    pub depth: f64,
    pub stencil: u8,
}

impl From<u32> for DepthStencil {
    fn from(stored: u32) -> Self {
        let [stencil, ..] = stored.to_le_bytes();
        let depth = real_depth(stored >> 8);
        DepthStencil { depth, stencil }
    }
}

pub(super) fn real_depth(depth: u32) -> f64 {
    f64::from(depth) / f64::from((1u32 << 24) - 1)
}

/// The content of a pixel: its colours by output (the mean of its samples), and the depth and stencil of its first
/// covered sample.
pub type Content = ([Option<[f32; 4]>; MAX_COLOR_OUTPUTS], Option<DepthStencil>);

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fragment {
    /// Index of its triangle in the draw, counted from 0 through all instances.
    pub triangle: u32,
    /// Whether its triangle is front-facing: clockwise on the screen.
    pub front: bool,
    /// The outcome; always set in [`Watched::fragments`].
    pub outcome: Option<Outcome>,
    /// Bit masks of the covered samples, and of those that passed.
    pub samples: (u16, u16),
    /// Depth of its first covered sample, 0 to 1, or the depth that the program writes; 0 if the program didn't run.
    pub depth: f64,
    /// The program's results by colour output; `None` for outputs it doesn't write, and if it didn't run.
    pub colors: [Option<[f32; 4]>; MAX_COLOR_OUTPUTS],
    /// The pixel's content before the fragment; empty if the program didn't run.
    pub before: Content,
    /// The pixel's content after the fragment; empty if the program didn't run.
    pub after: Content,
    /// The varyings of its program by register; empty if it didn't run.
    pub varyings: Vec<(u16, [f32; 4])>,
    pub vertices: [Vertex; 3],
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Its value in the index buffer.
    pub index: u16,
    /// Its instance, from 0.
    pub instance: u32,
    pub attributes: Vec<(u16, [f32; 4])>,
    /// Position in clip space, visible for z from 0 to w.
    pub position: [f32; 4],
    pub varyings: Vec<(u16, [f32; 4])>,
}

/// A band of rows of the target. Pixels are listed row by row, with the target's width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub top: u32,
    /// How often the fragment program ran, by pixel; at most 65535.
    pub shaded: Vec<u16>,
    /// Whether any fragment changed colour, depth or stencil, by pixel.
    pub changed: Vec<bool>,
    /// By pixel: [`Rows::DEPTH`] if a fragment failed the depth test, [`Rows::STENCIL`] if one failed the stencil test.
    /// Empty if none did.
    pub failed: Vec<u8>,
}

impl Rows {
    pub const DEPTH: u8 = 1;
    pub const STENCIL: u8 = 2;
}

impl Watched {
    /// The number of changed pixels, and their bounds: left, top, right and bottom, the last two exclusive.
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

#[derive(Clone, Debug, Default)]
pub struct Watched {
    pub counts: Counts,
    pub triangles: Triangles,
    /// Runs of the vertex program. A vertex that triangles share runs once per batch of some thousand triangles.
    pub vertex_runs: u64,
    /// The first vertex whose position is not finite.
    pub invalid: Option<Vertex>,
    /// The first step, for a fragment in [`Counts::nan`], that gives an infinity or NaN by the rules of IEEE 754, and the
    /// lane.
    pub nan: Option<(TraceStep, usize)>,
    pub size: (u32, u32),
    /// The bands in which the fragment program ran or a test failed, from the top.
    pub rows: Vec<Rows>,
    /// Fragments of the watched pixel in the order of the draw; at most [`MAX_FRAGMENTS`].
    pub fragments: Vec<Fragment>,
    /// The steps asked for by [`Watch::steps`], and the fragment's lane in its quad, 0 to 3.
    pub steps: (Vec<TraceStep>, usize),
    /// With [`Watch::mesh`]: the vertices, at most [`MAX_MESH`]. Batches that don't fit are left out, with triangles.
    pub vertices: Vec<Vertex>,
    /// With [`Watch::mesh`]: triangles, as indices into `vertices`.
    pub mesh: Vec<[u32; 3]>,
}

/// Observes the fragments of a band. Implemented by [`BandProbe`], and by `()` for draws that are not watched.
pub(super) trait Probe: Send + Sized {
    /// False compiles all observation away.
    const ON: bool;
    type Draw;

    fn triangles(_draw: &mut Self::Draw, _more: &Triangles) {}

    /// Called after each batch, while its vertices are available.
    fn batch(_: &mut Self::Draw, _: &mut [Self], _: &Vertices<'_>, _: &Scratch) {}

    fn wants(&self, _pixel: (i32, i32)) -> bool {
        false
    }

    fn wants_rows(&self, _rows: std::ops::Range<i32>) -> bool {
        true
    }

    /// Whether the steps of the program's run for the quad at this position are recorded.
    fn wants_steps(&self, _place: (i32, i32)) -> bool {
        false
    }

    /// Counts a fragment. `shaded`: whether it changed its pixel, and the colour, if its program ran.
    fn count(&mut self, _pixel: (i32, i32), _outcome: Outcome, _shaded: Option<[bool; 2]>) {}

    /// Counts a kept fragment with a NaN in a result, and returns the place for its first step. `both`: by Direct3D 9's
    /// rules, too.
    fn count_nan(&mut self, _both: bool) -> Option<&mut Option<(TraceStep, usize)>> {
        None
    }

    /// Records a fragment, with the indices of its triangle's vertices in the batch.
    fn record(&mut self, _fragment: Fragment, _vertices: [u32; 3]) {}

    /// The observer for the next run of the program.
    fn steps(&mut self) -> Steps<'_>;
}

pub(super) struct Steps<'a>(Option<&'a mut Vec<TraceStep>>);

impl Observer<Agal> for Steps<'_> {
    fn step(&mut self, step: &TraceStep) {
        if let Some(steps) = &mut self.0 {
            steps.push(*step);
        }
    }
}

impl Probe for () {
    const ON: bool = false;
    type Draw = ();

    fn steps(&mut self) -> Steps<'_> {
        Steps(None)
    }
}

pub(super) struct BandProbe {
    watch: Watch,
    top: i32,
    width: usize,
    pixels: usize,
    counts: Counts,
    /// Its lists are empty until a pixel is shaded.
    rows: Rows,
    /// Recorded fragments of the current batch, with the indices of their vertices in it.
    fragments: Vec<(Fragment, [u32; 3])>,
    recorded: usize,
    steps: Vec<TraceStep>,
    nan: Option<(TraceStep, usize)>,
}

impl BandProbe {
    pub(super) fn all(watch: Watch, surface: &Surface) -> Vec<BandProbe> {
        let width = length(surface.width);
        let bands = (0..surface.height).step_by(BAND_ROWS);
        let band = |top: u32| BandProbe {
            watch,
            top: number::pixel(top),
            width,
            pixels: width * length(surface.height - top).min(BAND_ROWS),
            counts: Counts::default(),
            rows: Rows { top, ..Rows::default() },
            fragments: Vec::new(),
            recorded: 0,
            steps: Vec::new(),
            nan: None,
        };
        bands.map(band).collect()
    }

    pub(super) fn finish(watched: &mut Watched, probes: Vec<BandProbe>) {
        let lane = |(x, y): (u32, u32)| length(x & 1 | (y & 1) << 1);
        for probe in probes {
            watched.counts.add(&probe.counts);
            watched.nan = watched.nan.or(probe.nan);
            if !(probe.rows.shaded.is_empty() && probe.rows.failed.is_empty()) {
                watched.rows.push(probe.rows);
            }
            if !probe.steps.is_empty() {
                watched.steps = (probe.steps, probe.watch.pixel.map_or(0, lane));
            }
        }
    }

    fn focus(&self) -> Option<(i32, i32)> {
        let (x, y) = self.watch.pixel?;
        Some((number::pixel(x), number::pixel(y)))
    }
}

impl Probe for BandProbe {
    const ON: bool = true;
    type Draw = Watched;

    fn triangles(draw: &mut Watched, more: &Triangles) {
        let all = &mut draw.triangles;
        all.all += more.all;
        all.drawn += more.drawn;
        all.off_screen += more.off_screen;
        all.invalid += more.invalid;
        all.behind += more.behind;
        all.culled += more.culled;
        all.empty += more.empty;
    }

    fn batch(draw: &mut Watched, probes: &mut [Self], vertices: &Vertices<'_>, scratch: &Scratch) {
        let vertex = |slot: u32| vertex(vertices, scratch, slot);
        for probe in &mut *probes {
            for (mut fragment, slots) in probe.fragments.drain(..) {
                fragment.vertices = slots.map(vertex);
                draw.fragments.push(fragment);
            }
        }
        draw.vertex_runs += scratch.ids.len() as u64;
        let slots = 0..u32::try_from(scratch.ids.len()).unwrap_or(0);
        if draw.invalid.is_none() && draw.triangles.invalid > 0 {
            let position = |slot: &u32| scratch.shaded.position(*slot);
            let invalid =
                |slot: &u32| position(slot).is_some_and(|at| !at.iter().all(|v| v.is_finite()));
            draw.invalid = slots.clone().find(invalid).map(vertex);
        }
        let mesh = probes.first().is_some_and(|probe| probe.watch.mesh);
        if !mesh || draw.vertices.len() + scratch.ids.len() > MAX_MESH {
            return;
        }
        let base = u32::try_from(draw.vertices.len()).unwrap_or(u32::MAX);
        draw.vertices.extend(slots.map(vertex));
        let corners = scratch.corners.iter();
        draw.mesh.extend(corners.map(|corners| corners.map(|slot| base.saturating_add(slot))));
    }

    fn wants(&self, pixel: (i32, i32)) -> bool {
        self.focus() == Some(pixel)
    }

    fn wants_rows(&self, rows: std::ops::Range<i32>) -> bool {
        let focus = self.focus().filter(|_| self.watch.crop);
        focus.is_none_or(|(_, y)| rows.contains(&y))
    }

    fn wants_steps(&self, (left, top): (i32, i32)) -> bool {
        let here = self.focus().map(|(x, y)| (x & !1, y & !1)) == Some((left, top));
        here && self.watch.steps == Some(self.recorded)
    }

    fn count(&mut self, (x, y): (i32, i32), outcome: Outcome, shaded: Option<[bool; 2]>) {
        if let Some(count) = self.counts.outcomes.get_mut(outcome as usize) {
            *count += 1;
        }
        let row = usize::try_from(y - self.top).unwrap_or(usize::MAX);
        let place = row.saturating_mul(self.width);
        let place = place.saturating_add(usize::try_from(x).unwrap_or(0));
        let failed = match outcome {
            Outcome::Depth => Rows::DEPTH,
            Outcome::Stencil => Rows::STENCIL,
            Outcome::Kept | Outcome::Scissor | Outcome::Killed | Outcome::Culled => 0,
        };
        if failed != 0 {
            self.rows.failed.resize(self.pixels, 0);
            if let Some(bits) = self.rows.failed.get_mut(place) {
                *bits |= failed;
            }
        }
        let Some([changed, colored]) = shaded else { return };
        self.counts.shaded += 1;
        self.counts.colored += u64::from(colored);
        if self.rows.shaded.is_empty() {
            self.rows.shaded = vec![0; self.pixels];
            self.rows.changed = vec![false; self.pixels];
        }
        if let Some(count) = self.rows.shaded.get_mut(place) {
            *count = count.saturating_add(1);
        }
        if let Some(place) = self.rows.changed.get_mut(place) {
            *place |= changed;
        }
    }

    fn count_nan(&mut self, both: bool) -> Option<&mut Option<(TraceStep, usize)>> {
        let [all, kept] = &mut self.counts.nan;
        (*all, *kept) = (*all + 1, *kept + u64::from(both));
        Some(&mut self.nan)
    }

    fn record(&mut self, fragment: Fragment, vertices: [u32; 3]) {
        if self.recorded < MAX_FRAGMENTS {
            self.fragments.push((fragment, vertices));
        }
        self.recorded += 1;
    }

    fn steps(&mut self) -> Steps<'_> {
        self.steps.clear();
        Steps(Some(&mut self.steps))
    }
}

fn vertex(vertices: &Vertices<'_>, scratch: &Scratch, slot: u32) -> Vertex {
    let id = scratch.ids.get(length(slot)).copied();
    let id = id.unwrap_or(VertexId { index: 0, instance: 0 });
    Vertex {
        index: id.index,
        instance: id.instance,
        attributes: vertices.attributes(id),
        position: scratch.shaded.position(slot).unwrap_or_default(),
        varyings: vertices.varyings(&scratch.shaded, slot),
    }
}

impl ReferenceBackend {
    /// Records every draw from now on, or none. Doesn't change the picture, except with [`Watch::crop`].
    pub fn watch(&mut self, watch: Option<Watch>) {
        self.watch = watch;
        self.watched = None;
    }

    pub fn take_watched(&mut self) -> Option<Watched> {
        self.watched.take()
    }

    /// Depth and stencil of the current target: width, height, and the first sample of each pixel, row by row from the
    /// top. `None` if the target has neither, or can't be allocated.
    pub fn depth_stencil(&mut self) -> Option<(u32, u32, Vec<DepthStencil>)> {
        let mut found = None;
        let read = self.on_target(|_, surface| {
            let samples = surface.pattern.len().max(1);
            if let Some(buffer) = &surface.depth_stencil {
                let first = buffer.iter().step_by(samples);
                let values = first.map(|stored| DepthStencil::from(*stored)).collect();
                found = Some((surface.width, surface.height, values));
            }
            Ok(())
        });
        found.filter(|_| read.is_ok())
    }

    pub fn program(&self, program: ProgramKey) -> Option<&LinkedPair> {
        Some(&self.store.programs.get(program)?.pair)
    }

    pub fn vertex_buffer(&self, buffer: VertexBufferKey) -> Option<&[u8]> {
        self.store.vertex_buffers.get(buffer).map(|buffer| &**buffer)
    }

    /// The bytes of an index buffer: 16 bits an index, little endian.
    pub fn index_buffer(&self, buffer: IndexBufferKey) -> Option<&[u8]> {
        self.store.index_buffers.get(buffer).map(|buffer| &**buffer)
    }
}

//! Records draws: counts of their triangles and fragments by outcome, the fragments of one pixel, the steps of its
//! program, and the mesh. Draws that are not recorded run a separately compiled version of the code.

use context3d::agal::LinkedPair;
use context3d::agal::interp::{AgalLanguage, AgalTraceStep, RunObserver};
use context3d::keys::{IndexBufferKey, ProgramKey, VertexBufferKey};

use super::ReferenceBackend;
use super::batch::{BAND_ROWS, BatchScratch};
use super::number::{self, length};
use super::surface::SurfaceBuffers;
use super::vertex::{VertexId, Vertices};
pub(super) use super::watched::real_depth;

pub use super::watched::{
    DepthStencilValue, DrawVertex, Fragment, FragmentCounts, FragmentOutcome, PixelContent,
    PixelRows, Triangles, WatchRecord,
};

/// Largest number of fragments of the watched pixel in a draw's [`WatchRecord::fragments`].
pub const MAX_FRAGMENTS: usize = 4096;
/// Largest number of vertices in [`WatchRecord::vertices`].
pub const MAX_MESH: usize = 1 << 20;

/// The data to record for each draw, in addition to counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Records every fragment of this pixel of the target: x, y from the top left.
    pub pixel: Option<(u32, u32)>,
    /// Records the steps of the fragment program for a fragment of `pixel`, given by the fragment's index in the draw.
    pub steps: Option<usize>,
    /// Records the vertices and triangles after the vertex program.
    pub mesh: bool,
    /// Draws only the band of rows with the pixel, which is faster, and not the rest of the target.
    pub crop: bool,
}

/// Observes the fragments of a band. Implemented by [`BandProbe`], and by `()` for draws that are not watched.
pub(super) trait FragmentWatch: Send + Sized {
    /// True if draws are observed. If false, the observation code is compiled away.
    const ON: bool;
    type Draw;

    fn triangles(_draw: &mut Self::Draw, _more: &Triangles) {}

    /// Called after each batch, while its vertices are available.
    fn batch(_: &mut Self::Draw, _: &mut [Self], _: &Vertices<'_>, _: &BatchScratch) {}

    fn wants(&self, _pixel: (i32, i32)) -> bool {
        false
    }

    fn wants_rows(&self, _rows: std::ops::Range<i32>) -> bool {
        true
    }

    /// Returns whether to record the program's steps for the quad at this position.
    fn wants_steps(&self, _place: (i32, i32)) -> bool {
        false
    }

    /// Counts a fragment. If its shader ran, `shaded` contains two flags: the pixel changed, and its colour changed.
    fn count(&mut self, _pixel: (i32, i32), _outcome: FragmentOutcome, _shaded: Option<[bool; 2]>) {
    }

    /// Counts a fragment that passed with a NaN in a result. Returns the field for the step with the first NaN. `both`
    /// is true if the result is NaN by IEEE 754's rules and by Direct3D 9's rules.
    fn count_nan(&mut self, _both: bool) -> Option<&mut Option<(AgalTraceStep, usize)>> {
        None
    }

    /// Records a fragment, with the indices of its triangle's vertices in the batch.
    fn record(&mut self, _fragment: Fragment, _vertices: [u32; 3]) {}

    /// Returns the observer for the next run of the program.
    fn steps(&mut self) -> WatchSteps<'_>;
}

pub(super) struct WatchSteps<'a>(Option<&'a mut Vec<AgalTraceStep>>);

impl RunObserver<AgalLanguage> for WatchSteps<'_> {
    fn step(&mut self, step: &AgalTraceStep) {
        if let Some(steps) = &mut self.0 {
            steps.push(*step);
        }
    }
}

impl FragmentWatch for () {
    const ON: bool = false;
    type Draw = ();

    fn steps(&mut self) -> WatchSteps<'_> {
        WatchSteps(None)
    }
}

pub(super) struct BandProbe {
    watch: Watch,
    top: i32,
    width: usize,
    pixels: usize,
    counts: FragmentCounts,
    /// The pixel rows of this band of the image. The lists in `rows` are empty if no pixel was shaded.
    rows: PixelRows,
    /// Recorded fragments of the current batch, with their vertices' indices in the batch.
    fragments: Vec<(Fragment, [u32; 3])>,
    recorded: usize,
    steps: Vec<AgalTraceStep>,
    nan: Option<(AgalTraceStep, usize)>,
}

impl BandProbe {
    pub(super) fn all(watch: Watch, surface: &SurfaceBuffers) -> Vec<BandProbe> {
        let width = length(surface.width);
        let bands = (0..surface.height).step_by(BAND_ROWS);
        let band = |top: u32| BandProbe {
            watch,
            top: number::pixel(top),
            width,
            pixels: width * length(surface.height - top).min(BAND_ROWS),
            counts: FragmentCounts::default(),
            rows: PixelRows { top, ..PixelRows::default() },
            fragments: Vec::new(),
            recorded: 0,
            steps: Vec::new(),
            nan: None,
        };
        bands.map(band).collect()
    }

    pub(super) fn finish(watched: &mut WatchRecord, probes: Vec<BandProbe>) {
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

impl FragmentWatch for BandProbe {
    const ON: bool = true;
    type Draw = WatchRecord;

    fn triangles(draw: &mut WatchRecord, more: &Triangles) {
        let all = &mut draw.triangles;
        all.all += more.all;
        all.drawn += more.drawn;
        all.off_screen += more.off_screen;
        all.invalid += more.invalid;
        all.behind += more.behind;
        all.culled += more.culled;
        all.empty += more.empty;
    }

    fn batch(
        draw: &mut WatchRecord,
        probes: &mut [Self],
        vertices: &Vertices<'_>,
        scratch: &BatchScratch,
    ) {
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

    fn count(&mut self, (x, y): (i32, i32), outcome: FragmentOutcome, shaded: Option<[bool; 2]>) {
        if let Some(count) = self.counts.outcomes.get_mut(outcome as usize) {
            *count += 1;
        }
        let row = usize::try_from(y - self.top).unwrap_or(usize::MAX);
        let place = row.saturating_mul(self.width);
        let place = place.saturating_add(usize::try_from(x).unwrap_or(0));
        let failed = match outcome {
            FragmentOutcome::Depth => PixelRows::DEPTH,
            FragmentOutcome::Stencil => PixelRows::STENCIL,
            FragmentOutcome::Scissor | FragmentOutcome::Killed | FragmentOutcome::Culled => {
                PixelRows::OTHER
            }
            FragmentOutcome::Kept => 0,
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

    fn count_nan(&mut self, both: bool) -> Option<&mut Option<(AgalTraceStep, usize)>> {
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

    fn steps(&mut self) -> WatchSteps<'_> {
        self.steps.clear();
        WatchSteps(Some(&mut self.steps))
    }
}

fn vertex(vertices: &Vertices<'_>, scratch: &BatchScratch, slot: u32) -> DrawVertex {
    let id = scratch.ids.get(length(slot)).copied();
    let id = id.unwrap_or(VertexId { index: 0, instance: 0 });
    DrawVertex {
        index: id.index,
        instance: id.instance,
        attributes: vertices.attributes(id),
        position: scratch.shaded.position(slot).unwrap_or_default(),
        varyings: vertices.varyings(&scratch.shaded, slot),
    }
}

impl ReferenceBackend {
    /// Sets the data to record for later draws; `None` stops. Only [`Watch::crop`] changes the image.
    pub fn watch(&mut self, watch: Option<Watch>) {
        self.watch = watch;
        self.watched = None;
    }

    /// Removes and returns the record of the last draw.
    pub fn take_watched(&mut self) -> Option<WatchRecord> {
        self.watched.take()
    }

    /// Returns depth and stencil of the current target: width, height, and the first sample of each pixel, row by row
    /// from the top. Returns `None` without a depth and stencil buffer, or if the target can't be allocated.
    pub fn depth_stencil(&mut self) -> Option<(u32, u32, Vec<DepthStencilValue>)> {
        let mut found = None;
        let read = self.on_target(|_, surface| {
            let samples = surface.pattern.len().max(1);
            if let Some(buffer) = &surface.depth_stencil {
                let first = buffer.iter().step_by(samples);
                let values = first.map(|stored| DepthStencilValue::from(*stored)).collect();
                found = Some((surface.width, surface.height, values));
            }
            Ok(())
        });
        found.filter(|_| read.is_ok())
    }

    /// Returns the program with this key.
    pub fn program(&self, program: ProgramKey) -> Option<&LinkedPair> {
        Some(&self.store.programs.get(program)?.pair)
    }

    /// Returns the bytes of a vertex buffer.
    pub fn vertex_buffer(&self, buffer: VertexBufferKey) -> Option<&[u8]> {
        self.store.vertex_buffers.get(buffer).map(|buffer| &**buffer)
    }

    /// Returns the bytes of an index buffer: 16 bits per index, little endian.
    pub fn index_buffer(&self, buffer: IndexBufferKey) -> Option<&[u8]> {
        self.store.index_buffers.get(buffer).map(|buffer| &**buffer)
    }
}

//! Draws: vertices are shaded and triangles set up in batches; then bands of the target are drawn, each by one thread
//! in the order of the triangles. The picture therefore does not depend on the number of threads.

use context3d::agal::interp::State;
use context3d::backend::BackendError;
use context3d::enums::{FillMode, TriangleFace};
use context3d::packets::{Draw, Raster};

use super::clip::clip;
use super::fragment::{Band, Fragments, Shape, bands};
use super::number::{length, pixel};
use super::parallel::each;
use super::raster::{Window, draw_line, fill, overlap, window};
use super::store::{Store, missing};
use super::surface::Surface;
use super::triangle::{Triangle, Viewport, triangles};
use super::vertex::{Shaded, VertexId, Vertices};

/// Triangles per batch; bounds the memory of a draw.
const BATCH: usize = 4096;
/// Rows per band; even.
const BAND_ROWS: usize = 16;
/// Vertices that a thread shades at once.
const VERTEX_GROUP: usize = 64;
/// Number of executed tokens that justifies waking another thread: some twenty microseconds of work.
const WORTH_A_THREAD: usize = 4_000;
/// Most vertices of one draw, all instances together. Flash has no limit on instances, so a program may ask for endless
/// work.
const MAX_VERTICES: u64 = 1 << 28;

/// Memory that draws reuse.
pub(super) struct Scratch {
    /// By index: the batch of the last use, and the vertex's position in it.
    slots: Vec<(u32, u32)>,
    batch: u32,
    ids: Vec<VertexId>,
    shaded: Vec<Shaded>,
    /// Indices into `shaded`.
    corners: Vec<[u32; 3]>,
    triangles: Vec<Triangle>,
    /// By band: the triangles that may touch it.
    bins: Vec<Vec<u32>>,
}

impl Scratch {
    pub(super) fn new() -> Self {
        Scratch {
            slots: vec![(0, 0); 1 << 16],
            batch: 0,
            ids: Vec::new(),
            shaded: Vec::new(),
            corners: Vec::new(),
            triangles: Vec::new(),
            bins: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.forget_slots();
        self.ids.clear();
        self.corners.clear();
        self.triangles.clear();
        self.bins.iter_mut().for_each(Vec::clear);
    }

    fn forget_slots(&mut self) {
        self.batch = self.batch.wrapping_add(1);
        if self.batch == 0 {
            self.slots.fill((0, 0));
            self.batch = 1;
        }
    }

    /// The vertex's position in the batch.
    fn slot(&mut self, id: VertexId) -> u32 {
        let next = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        match self.slots.get_mut(usize::from(id.index)) {
            Some((batch, slot)) if *batch == self.batch => *slot,
            Some(slot) => {
                *slot = (self.batch, next);
                self.ids.push(id);
                next
            }
            None => next, // there is a slot for every index
        }
    }
}

/// Draws triangles.
///
/// # Errors
/// [`BackendError::Driver`] for missing objects, or too much work.
pub(super) fn draw(
    store: &Store,
    scratch: &mut Scratch,
    surface: &mut Surface,
    draw: &Draw,
    threads: usize,
) -> Result<(), BackendError> {
    let program = store.programs.get(draw.program);
    let program = program.ok_or_else(|| missing("program"))?;
    let viewport = Viewport::new(surface.width, surface.height);
    let whole = [0, 0, pixel(surface.width), pixel(surface.height)];
    let scissor = draw.raster.scissor.as_ref();
    let job = Job {
        vertices: Vertices::new(store, program, draw)?,
        fragments: Fragments::new(store, program, draw, surface)?,
        indices: indices(store, draw)?,
        raster: &draw.raster,
        viewport,
        window: scissor.map_or(whole, |scissor| overlap(window(scissor), whole)),
        tokens: program.tokens,
        threads,
    };
    job.run(scratch, surface, draw.instances);
    Ok(())
}

/// The indices as bytes.
fn indices<'a>(store: &'a Store, draw: &Draw) -> Result<&'a [[u8; 2]], BackendError> {
    let buffer = store.index_buffers.get(draw.index_buffer);
    let buffer = buffer.ok_or_else(|| missing("index buffer"))?;
    let (first, count) = (length(draw.first_index), length(draw.index_count));
    let end = first.checked_add(count);
    let indices = end.and_then(|end| buffer.as_chunks::<2>().0.get(first..end));
    let indices = indices.ok_or_else(|| missing("range of indices"))?;
    let vertices = u64::from(draw.index_count) * u64::from(draw.instances);
    if vertices > MAX_VERTICES {
        return Err(BackendError::Driver(format!(
            "a draw of {vertices} vertices; the reference renderer draws {MAX_VERTICES} at once"
        )));
    }
    Ok(indices)
}

struct Job<'a> {
    vertices: Vertices<'a>,
    fragments: Fragments<'a>,
    indices: &'a [[u8; 2]],
    raster: &'a Raster,
    viewport: Viewport,
    window: Window,
    /// Of the vertex and the fragment program.
    tokens: (usize, usize),
    threads: usize,
}

impl Job<'_> {
    fn run(&self, scratch: &mut Scratch, surface: &mut Surface, instances: u32) {
        if self.raster.cull == TriangleFace::FrontAndBack {
            return;
        }
        scratch.clear();
        for instance in 0..instances {
            scratch.forget_slots();
            let id = |index: &[u8; 2]| VertexId {
                index: u16::from_le_bytes(*index),
                instance,
            };
            for [a, b, c] in self.indices.as_chunks::<3>().0 {
                if scratch.corners.len() == BATCH {
                    self.finish(scratch, surface);
                }
                let corners = [a, b, c].map(|index| scratch.slot(id(index)));
                scratch.corners.push(corners);
            }
        }
        self.finish(scratch, surface);
    }

    /// Draws a batch.
    fn finish(&self, scratch: &mut Scratch, surface: &mut Surface) {
        self.shade(scratch);
        let covered = self.set_up(scratch);
        self.rasterise(scratch, surface, covered);
        scratch.clear();
    }

    fn workers(&self, runs: usize) -> usize {
        (runs / WORTH_A_THREAD).clamp(1, self.threads.max(1))
    }

    fn shade(&self, scratch: &mut Scratch) {
        let count = scratch.ids.len();
        if scratch.shaded.len() < count {
            scratch.shaded.resize(count, Shaded::ZERO);
        }
        let groups = scratch.ids.chunks(VERTEX_GROUP);
        let work = groups.zip(scratch.shaded.chunks_mut(VERTEX_GROUP));
        let workers = self.workers(count.saturating_mul(self.tokens.0) / 4);
        let state = || self.vertices.state();
        each(workers, work, state, |state, (ids, shaded)| {
            self.vertices.shade(state, ids, shaded);
        });
    }

    /// Clips and projects, and sorts triangles into bands. Returns an estimate of the number of covered pixels.
    fn set_up(&self, scratch: &mut Scratch) -> usize {
        let Scratch {
            shaded,
            corners,
            triangles: ready,
            bins,
            ..
        } = scratch;
        let [_, _, _, height] = [0, 0, 0, self.viewport.size.1];
        let count = usize::try_from(height).unwrap_or(0).div_ceil(BAND_ROWS);
        if bins.len() < count {
            bins.resize_with(count, Vec::new);
        }
        let wanted = |front: bool| match self.raster.cull {
            TriangleFace::None => true,
            TriangleFace::Back => front,
            TriangleFace::Front => !front,
            TriangleFace::FrontAndBack => false,
        };
        let mut covered = 0usize;
        for vertices in corners.iter() {
            let position = |slot: u32| shaded.get(length(slot)).map(|shaded| shaded.position);
            let [a, b, c] = vertices.map(position);
            let (Some(a), Some(b), Some(c)) = (a, b, c) else {
                continue;
            };
            let Some(polygon) = clip([a, b, c], self.viewport.guard()) else {
                continue;
            };
            triangles(&polygon, &self.viewport, *vertices, wanted, |triangle| {
                let [left, top, right, bottom] = overlap(triangle.bounds, self.window);
                if left >= right || top >= bottom {
                    return;
                }
                let area = i64::from(right - left) * i64::from(bottom - top) / 2;
                covered = covered.saturating_add(usize::try_from(area).unwrap_or(0) + 4);
                let number = u32::try_from(ready.len()).unwrap_or(u32::MAX);
                ready.push(triangle);
                let band = |row: i32| usize::try_from(row).unwrap_or(0) / BAND_ROWS;
                let touched = bins.get_mut(band(top)..=band(bottom - 1));
                for bin in touched.unwrap_or_default() {
                    bin.push(number);
                }
            });
        }
        covered
    }

    fn rasterise(&self, scratch: &Scratch, surface: &mut Surface, covered: usize) {
        if scratch.triangles.is_empty() {
            return;
        }
        let work = bands(surface, BAND_ROWS).zip(&scratch.bins);
        let work = work.filter(|(_, bin)| !bin.is_empty());
        let workers = self.workers(covered.saturating_mul(self.tokens.1 + 8) / 4);
        let state = || self.fragments.state();
        each(workers, work, state, |state, (mut band, bin)| {
            for number in bin {
                if let Some(triangle) = scratch.triangles.get(length(*number)) {
                    self.draw_triangle(state, &mut band, triangle, &scratch.shaded);
                }
            }
        });
    }

    fn draw_triangle(
        &self,
        state: &mut State,
        band: &mut Band<'_>,
        triangle: &Triangle,
        shaded: &[Shaded],
    ) {
        let window = overlap(self.window, [0, band.top, i32::MAX, band.bottom]);
        let pattern = self.fragments.pattern();
        let mut quad = |line, place, coverage| {
            let shape = Shape { triangle, line };
            self.fragments
                .quad(state, band, (shape, shaded), place, coverage);
        };
        match self.raster.fill {
            FillMode::Solid => fill(triangle, pattern, window, |place, coverage| {
                quad(None, place, coverage);
            }),
            FillMode::Wireframe => {
                for line in triangle.lines.iter().flatten() {
                    draw_line(line, pattern.len(), window, |place, coverage| {
                        quad(Some(line), place, coverage);
                    });
                }
            }
        }
    }
}

//! Draws: vertices are shaded and triangles set up in batches. Then one thread rasterizes each band of rows, in the
//! order of the triangles, so the image does not depend on the number of threads.

use context3d::agal::float::FloatRules;
use context3d::agal::interp::CompiledProgram;
use context3d::backend::BackendError;
use context3d::enums::{FillMode, TriangleFace};
use context3d::packets::{Draw, Raster};

use super::batch::{BAND_ROWS, BatchScratch};
use super::clip::clip;
use super::fragment::{FragmentBand, FragmentRegisters, Fragments, Shape, bands};
use super::number::length;
use super::parallel::each;
use super::raster::{PixelRectangle, draw_line, fill, overlap, window};
use super::store::{RasterStore, missing};
use super::surface::SurfaceBuffers;
use super::triangle::{Triangle, Viewport, triangles};
use super::vertex::{VertexId, Vertices};
use super::watch::{BandProbe, FragmentWatch, Triangles, Watch, WatchRecord};

/// Triangles per batch; bounds the memory of a draw.
const BATCH: usize = 4096;
/// Vertices that a thread shades at once.
const VERTEX_GROUP: usize = 64;
/// Estimated cost in tokens above which another thread is used: about fifty microseconds, at about 50 ns per executed
/// token, including its share of fetches, interpolation and blending.
const WORTH_A_THREAD: usize = 1_000;
/// Maximum number of vertices of a draw, including all instances. Flash doesn't limit instances, so a program could
/// request endless work.
const MAX_VERTICES: u64 = 1 << 28;

pub(super) fn draw(
    store: &RasterStore,
    scratch: &mut BatchScratch,
    surface: &mut SurfaceBuffers,
    draw: &Draw,
    threads: usize,
) -> Result<(), BackendError> {
    let job = DrawJob::new(store, surface, draw, threads)?;
    job.run::<()>(scratch, surface, draw.instances, (&mut (), &mut []));
    Ok(())
}

/// Like [`draw`], but also returns a record of the draw.
pub(super) fn draw_watched(
    store: &RasterStore,
    scratch: &mut BatchScratch,
    surface: &mut SurfaceBuffers,
    draw: &Draw,
    (threads, watch): (usize, Watch),
) -> Result<WatchRecord, BackendError> {
    let mut job = DrawJob::new(store, surface, draw, threads)?;
    // Fragments outside the scissor rectangle are recorded too.
    job.window = job.viewport.window();
    if let Some(program) = store.programs.get(draw.state.program) {
        let compiled = CompiledProgram::new(program.pair.fragment());
        job.fragments.ieee = Some(compiled.with_float_rules(FloatRules::Ieee));
    }
    let mut watched =
        WatchRecord { size: (surface.width, surface.height), ..WatchRecord::default() };
    let mut probes = BandProbe::all(watch, surface);
    let watching = (&mut watched, probes.as_mut_slice());
    job.run::<BandProbe>(scratch, surface, draw.instances, watching);
    BandProbe::finish(&mut watched, probes);
    Ok(watched)
}

impl<'a> DrawJob<'a> {
    fn new(
        store: &'a RasterStore,
        surface: &SurfaceBuffers,
        draw: &'a Draw,
        threads: usize,
    ) -> Result<DrawJob<'a>, BackendError> {
        let program = store.programs.get(draw.state.program);
        let program = program.ok_or_else(|| missing("program"))?;
        let viewport = Viewport::new(surface.width, surface.height);
        let whole = viewport.window();
        let scissor = draw.scissor.as_ref();
        let scissor = scissor.map_or(whole, |scissor| overlap(window(scissor), whole));
        Ok(DrawJob {
            vertices: Vertices::new(store, program, draw)?,
            fragments: Fragments::new(store, program, draw, surface)?,
            indices: indices(store, draw)?,
            raster: &draw.state.raster,
            viewport,
            window: scissor,
            scissor,
            tokens: program.tokens,
            threads,
        })
    }
}

fn indices<'a>(store: &'a RasterStore, draw: &Draw) -> Result<&'a [[u8; 2]], BackendError> {
    let buffer = store.index_buffers.get(draw.index_buffer);
    let buffer = buffer.ok_or_else(|| missing("index buffer"))?;
    let (first, count) = (length(draw.first_index), length(draw.index_count));
    let end = first.checked_add(count);
    let indices = end.and_then(|end| buffer.as_chunks::<2>().0.get(first..end));
    let indices = indices.ok_or_else(|| missing("range of indices"))?;
    let vertices = u64::from(draw.index_count) * u64::from(draw.instances);
    if vertices > MAX_VERTICES {
        return Err(BackendError::Driver(format!(
            "a draw of {vertices} vertices; the reference renderer supports at most {MAX_VERTICES}"
        )));
    }
    Ok(indices)
}

struct DrawJob<'a> {
    vertices: Vertices<'a>,
    fragments: Fragments<'a>,
    indices: &'a [[u8; 2]],
    raster: &'a Raster,
    viewport: Viewport,
    /// The pixels to rasterize. `scissor` contains the pixels that may be drawn to.
    window: PixelRectangle,
    scissor: PixelRectangle,
    /// Number of tokens of the vertex program and of the fragment program.
    tokens: (usize, usize),
    threads: usize,
}

impl DrawJob<'_> {
    fn run<P: FragmentWatch>(
        &self,
        scratch: &mut BatchScratch,
        surface: &mut SurfaceBuffers,
        instances: u32,
        (draw, probes): (&mut P::Draw, &mut [P]),
    ) {
        let mut number = 0;
        if self.raster.cull == TriangleFace::FrontAndBack && !P::ON {
            return;
        }
        scratch.clear();
        for instance in 0..instances {
            scratch.forget_slots();
            let id = |index: &[u8; 2]| VertexId { index: u16::from_le_bytes(*index), instance };
            for [a, b, c] in self.indices.as_chunks::<3>().0 {
                if scratch.corners.len() == BATCH {
                    self.finish(scratch, surface, (&mut *draw, &mut *probes), &mut number);
                }
                let corners = [a, b, c].map(|index| scratch.slot(id(index)));
                scratch.corners.push(corners);
            }
        }
        self.finish(scratch, surface, (draw, probes), &mut number);
    }

    /// Draws the batch in `scratch`. Advances `number`, the index of the batch's first triangle in the draw.
    fn finish<P: FragmentWatch>(
        &self,
        scratch: &mut BatchScratch,
        surface: &mut SurfaceBuffers,
        (draw, probes): (&mut P::Draw, &mut [P]),
        number: &mut u32,
    ) {
        self.shade(scratch);
        let (covered, counted) = self.set_up::<P>(scratch, number);
        self.rasterise(scratch, surface, covered, probes);
        if P::ON {
            P::triangles(draw, &counted);
            P::batch(draw, probes, &self.vertices, scratch);
        }
        scratch.clear();
    }

    fn workers(&self, runs: usize) -> usize {
        (runs / WORTH_A_THREAD).clamp(1, self.threads.max(1))
    }

    fn shade(&self, scratch: &mut BatchScratch) {
        let count = scratch.ids.len();
        let groups = scratch.ids.chunks(VERTEX_GROUP);
        let shaded = scratch.shaded.room(count).chunks_mut(VERTEX_GROUP);
        let a_vertex = self.vertices.work(self.tokens.0);
        let workers = self.workers(count.saturating_mul(a_vertex) / 4);
        let state = || self.vertices.state();
        each(workers, groups.zip(shaded), state, |state, (ids, shaded)| {
            self.vertices.shade(state, ids, shaded)
        });
    }

    /// Clips and projects triangles, and sorts them into bands. Returns an estimate of the covered pixels, and
    /// the counts of triangles for a watched draw.
    fn set_up<P: FragmentWatch>(
        &self,
        scratch: &mut BatchScratch,
        number: &mut u32,
    ) -> (usize, Triangles) {
        let BatchScratch { shaded, corners, triangles: ready, bins, .. } = scratch;
        let count = usize::try_from(self.viewport.size.1).unwrap_or(0).div_ceil(BAND_ROWS);
        if bins.len() < count {
            bins.resize_with(count, Vec::new);
        }
        let mut counted = Triangles::default();
        let faces = |front: bool| match self.raster.cull {
            TriangleFace::None => true,
            TriangleFace::Back => front,
            TriangleFace::Front => !front,
            TriangleFace::FrontAndBack => false,
        };
        let mut covered = 0usize;
        for vertices in corners.iter() {
            let [a, b, c] = vertices.map(|slot| shaded.position(slot));
            let (Some(a), Some(b), Some(c)) = (a, b, c) else {
                continue;
            };
            *number = number.wrapping_add(1);
            counted.all += u64::from(P::ON);
            let Some(polygon) = clip([a, b, c], self.viewport.guard()) else {
                if P::ON {
                    counted.off_screen += 1;
                    let finite = [a, b, c].iter().flatten().all(|value| value.is_finite());
                    counted.invalid += u64::from(!finite);
                    counted.behind +=
                        u64::from(finite && [a, b, c].iter().all(|[.., w]| *w <= 0.0));
                }
                continue;
            };
            let (before, mut culled) = (ready.len(), false);
            let wanted = |front: bool| P::ON || faces(front);
            triangles(&polygon, &self.viewport, *vertices, wanted, |mut triangle| {
                if P::ON {
                    triangle.number = number.wrapping_sub(1);
                    triangle.culled = !faces(triangle.front);
                    culled |= triangle.culled;
                }
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
            if P::ON {
                let fate = match (culled, ready.len() > before) {
                    (true, _) => &mut counted.culled,
                    (false, true) => &mut counted.drawn,
                    (false, false) => &mut counted.empty,
                };
                *fate += 1;
            }
        }
        (covered, counted)
    }

    fn rasterise<P: FragmentWatch>(
        &self,
        scratch: &BatchScratch,
        surface: &mut SurfaceBuffers,
        covered: usize,
        probes: &mut [P],
    ) {
        if scratch.triangles.is_empty() {
            return;
        }
        let watching = probes.iter_mut().map(Some);
        let watching = watching.chain(std::iter::repeat_with(|| None));
        let work = bands(surface, BAND_ROWS).zip(&scratch.bins).zip(watching);
        let work = work.filter(|((band, bin), probe)| {
            let rows = band.top..band.bottom;
            !bin.is_empty() && probe.as_ref().is_none_or(|probe| probe.wants_rows(rows))
        });
        let workers = self.workers(covered.saturating_mul(self.tokens.1 + 8) / 4);
        each(
            workers,
            work,
            || self.fragments.registers(),
            |registers, ((mut band, bin), mut probe)| {
                for number in bin {
                    if let Some(triangle) = scratch.triangles.get(length(*number)) {
                        self.fragments.enter(registers, triangle, &scratch.shaded);
                        self.draw_triangle(registers, &mut band, triangle, probe.as_deref_mut());
                    }
                }
            },
        );
    }

    fn draw_triangle<P: FragmentWatch>(
        &self,
        registers: &mut FragmentRegisters,
        band: &mut FragmentBand<'_>,
        triangle: &Triangle,
        mut probe: Option<&mut P>,
    ) {
        let window = overlap(self.window, [0, band.top, i32::MAX, band.bottom]);
        let pattern = self.fragments.pattern();
        let mut quad = |line, place, mut coverage| {
            let shape = Shape { triangle, line };
            let probe = probe.as_deref_mut();
            if let Some(probe) = probe.filter(|_| P::ON) {
                let drawn = self.fragments.watch_edges(
                    probe,
                    (triangle, place),
                    self.scissor,
                    &mut coverage,
                );
                if drawn {
                    self.fragments.quad(registers, band, shape, (place, coverage), probe);
                }
                return;
            }
            self.fragments.quad(registers, band, shape, (place, coverage), &mut ());
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

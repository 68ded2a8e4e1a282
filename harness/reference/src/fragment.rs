//! Quads of fragments: interpolation, depth and stencil test, the fragment program, and its output.

mod probe;

use context3d::agal::interp::lanes::{each, map};
use context3d::agal::interp::{AgalState, CompiledProgram, LANES, LaneRegister, LaneValues};
use context3d::agal::register::RegisterFile;
use context3d::backend::BackendError;
use context3d::packets::{Draw, MAX_COLOR_OUTPUTS};

use super::number;
use super::output::{Blend, DepthStencilState};
use super::raster::SampleCoverage;
use super::sampler::Units;
use super::store::{ConstantFile, RasterProgram, RasterStore};
use super::surface::SurfaceBuffers;
use super::texel::{Rgb565, Rgba8, RgbaHalf, TexelFloats, TexelVariants, map_texels, with_texels};
use super::triangle::{LinearPlane, ScanLine, Triangle};
use super::vertex::{MAX_VARYINGS, ShadedVertices};
use super::watch::FragmentWatch;

/// Offset to the right and up from a pixel's centre at which varyings are interpolated, as a fraction of the target's
/// size: 1/20,000 pixel for 512 pixels. If a texel's edge lies exactly on a pixel's centre, Flash Player uses the texel
/// to the right and above (capture `sampler`).
const TIE: f64 = 1.0e-7;

pub(super) struct Fragments<'a> {
    compiled: &'a CompiledProgram,
    /// The program compiled with IEEE 754 float rules, for watched draws.
    pub(super) ieee: Option<CompiledProgram>,
    constants: &'a ConstantFile,
    units: Units<'a>,
    varyings: &'a [u16],
    /// The colour outputs that the draw writes to the target.
    outputs: [bool; MAX_COLOR_OUTPUTS],
    /// Bit n: the program writes colour output n.
    written: u8,
    depth_output: bool,
    /// True if the program discards fragments or writes depth: it must then run before the depth test.
    decides: bool,
    /// The depth and stencil tests of back and front faces; `None` if all fragments pass and nothing is written.
    depth_stencil: [Option<DepthStencilState>; 2],
    blend: Blend,
    pattern: &'static [(i64, i64)],
    width: usize,
    tie: (f64, f64),
}

pub(super) struct FragmentBand<'a> {
    /// The band's first row: an even number, so that no quad spans two bands.
    pub(super) top: i32,
    pub(super) bottom: i32,
    color: [Option<BandRows<'a>>; MAX_COLOR_OUTPUTS],
    depth_stencil: Option<&'a mut [u32]>,
}

type BandRows<'a> = TexelVariants<&'a mut [Rgba8], &'a mut [Rgb565], &'a mut [RgbaHalf]>;

pub(super) fn bands(
    surface: &mut SurfaceBuffers,
    rows: usize,
) -> impl Iterator<Item = FragmentBand<'_>> {
    let row = number::length(surface.width).saturating_mul(surface.pattern.len());
    let size = row.saturating_mul(rows).max(1);
    let mut color = surface.color.each_mut().map(|texels| {
        texels.as_mut().map(|texels| map_texels!(texels, texels => texels.chunks_mut(size)))
    });
    let mut depth_stencil = surface.depth_stencil.as_mut().map(|buffer| buffer.chunks_mut(size));
    let height = number::pixel(surface.height);
    (0..height).step_by(rows.max(1)).map(move |top| FragmentBand {
        top,
        bottom: top.saturating_add(i32::try_from(rows).unwrap_or(i32::MAX)).min(height),
        color: color
            .each_mut()
            .map(|texels| Some(map_texels!(texels.as_mut()?, texels => texels.next()?))),
        depth_stencil: depth_stencil.as_mut().and_then(Iterator::next),
    })
}

impl<'a> Fragments<'a> {
    pub(super) fn new(
        store: &'a RasterStore,
        program: &'a RasterProgram,
        draw: &Draw,
        surface: &SurfaceBuffers,
    ) -> Result<Self, BackendError> {
        let depth_stencil = [false, true].map(|front| {
            let test = DepthStencilState::new(&draw.state.raster, front);
            (surface.depth_stencil.is_some() && !test.is_idle()).then_some(test)
        });
        let blend = Blend::new(&draw.state.raster);
        let mut outputs = [false; MAX_COLOR_OUTPUTS];
        for (output, (wanted, texels)) in outputs.iter_mut().zip(&surface.color).enumerate() {
            *wanted =
                draw.state.outputs >> output & 1 != 0 && texels.is_some() && !blend.is_closed();
        }
        Ok(Fragments {
            compiled: &program.fragment,
            ieee: None,
            constants: &store.fragment_constants,
            units: Units::new(store, &program.samplers, &draw.textures)?,
            varyings: &program.varyings,
            outputs,
            written: program.color_outputs,
            depth_output: program.depth_output,
            decides: program.depth_output || program.fragment.discards(),
            depth_stencil,
            blend,
            pattern: surface.pattern,
            width: number::length(surface.width),
            tie: (TIE * f64::from(surface.width), TIE * f64::from(surface.height)),
        })
    }

    pub(super) fn registers(&self) -> FragmentRegisters {
        FragmentRegisters {
            state: self.compiled.state(),
            slopes: [[Slope::default(); 4]; MAX_VARYINGS],
        }
    }

    pub(super) fn pattern(&self) -> &'static [(i64, i64)] {
        self.pattern
    }

    pub(super) fn enter(
        &self,
        registers: &mut FragmentRegisters,
        triangle: &Triangle,
        vertices: &ShadedVertices,
    ) {
        let [a, b, c] = triangle.vertices.map(|vertex| vertices.varyings(vertex));
        let values = a.iter().zip(b).zip(c).take(self.varyings.len());
        for (slopes, ((a, b), c)) in registers.slopes.iter_mut().zip(values) {
            let components = a.iter().zip(b).zip(c);
            for (slope, ((a, b), c)) in slopes.iter_mut().zip(components) {
                let [a, b, c] = [*a, *b, *c].map(f64::from);
                *slope = Slope { from: a, to_b: b - a, to_c: c - a };
            }
        }
    }

    /// Draws the covered samples of a quad of the triangle passed to [`Fragments::enter`]. The quad's upper left pixel
    /// has even coordinates.
    pub(super) fn quad<P: FragmentWatch>(
        &self,
        registers: &mut FragmentRegisters,
        band: &mut FragmentBand<'_>,
        shape: Shape<'_>,
        (corner, mut coverage): ((i32, i32), SampleCoverage),
        probe: &mut P,
    ) {
        let [back, front] = &self.depth_stencil;
        let test = if shape.triangle.front { front } else { back };
        let quad = PixelQuad { shape, corner, coverage, places: self.places(band, corner) };
        // Test depth and stencil before the program runs, if the program can't affect the result.
        let early = !P::ON && !self.decides;
        if let Some(test) = test {
            if early {
                coverage = self.test(test, band, &quad, None);
            } else if test.fails_silently()
                && !self.depth_output
                && !(P::ON && (0..LANES).any(|lane| probe.wants(quad.pixel(lane))))
                && self.passing(test, band, &quad) == NONE
            {
                self.watch_rejected(probe, test, band, &quad);
                return;
            }
        }
        if early && (coverage == NONE || self.outputs == [false; MAX_COLOR_OUTPUTS]) {
            return;
        }
        self.interpolate(registers, &quad);
        let state = &mut registers.state;
        if P::ON && probe.wants_steps(corner) {
            self.compiled.run_with(state, self.constants, &self.units, &mut probe.steps());
        } else {
            self.compiled.run(state, self.constants, &self.units);
        }
        let covered = |lane| P::ON && quad.samples(lane) != 0;
        let before = each(|lane| covered(lane).then(|| self.look(band, &quad, lane)));
        let alive = state.alive();
        for (coverage, alive) in coverage.iter_mut().zip(alive) {
            *coverage *= u16::from(alive);
        }
        if let Some(test) = test.as_ref().filter(|_| !early) {
            let quad = PixelQuad { coverage, ..quad };
            let output =
                self.depth_output.then(|| state.register(RegisterFile::DepthOutput, 0).0[0]);
            coverage = self.test(test, band, &quad, output);
        }
        self.write(state, band, quad.places, coverage);
        for (lane, before) in before.into_iter().enumerate() {
            if let Some(before) = before {
                let test = test.as_ref().filter(|_| alive.get(lane) == Some(&true));
                let seen = (before, coverage.get(lane).copied().unwrap_or(0), test);
                self.watch_tested(probe, state, band, &quad, lane, seen);
            }
        }
        if P::ON {
            self.watch_nan(probe, state, coverage);
        }
    }

    fn places(&self, band: &FragmentBand<'_>, (x, y): (i32, i32)) -> [usize; LANES] {
        let row = usize::try_from(y - band.top).unwrap_or(0);
        let column = usize::try_from(x).unwrap_or(0);
        let samples = self.pattern.len();
        let (upper, below) =
            ((row * self.width + column) * samples, ((row + 1) * self.width + column) * samples);
        [upper, upper + samples, below, below + samples]
    }

    fn passing(
        &self,
        test: &DepthStencilState,
        band: &FragmentBand<'_>,
        quad: &PixelQuad<'_>,
    ) -> SampleCoverage {
        let mut passing = quad.coverage;
        if let Some(buffer) = &band.depth_stencil {
            self.each_sample(test, quad, None, |place, depth, lane, bit| {
                let stored = buffer.get(place);
                if !stored.is_some_and(|stored| test.test(*stored, depth).1) {
                    passing[lane] &= !bit;
                }
            });
        }
        passing
    }

    /// Tests and updates depth and stencil of the covered samples, and returns those that pass. `output` contains the
    /// depths that the program wrote.
    fn test(
        &self,
        test: &DepthStencilState,
        band: &mut FragmentBand<'_>,
        quad: &PixelQuad<'_>,
        output: Option<LaneValues>,
    ) -> SampleCoverage {
        let mut passing = NONE;
        if let Some(buffer) = &mut band.depth_stencil {
            self.each_sample(test, quad, output, |place, depth, lane, bit| {
                let Some(stored) = buffer.get_mut(place) else {
                    return;
                };
                let (now, passes) = test.test(*stored, depth);
                *stored = now;
                passing[lane] |= if passes { bit } else { 0 };
            });
        }
        passing
    }

    /// Calls `visit` for every covered sample of a quad: its index in the band, its depth if the test needs it, its
    /// lane, and its bit in the coverage.
    fn each_sample(
        &self,
        test: &DepthStencilState,
        quad: &PixelQuad<'_>,
        output: Option<LaneValues>,
        mut visit: impl FnMut(usize, u32, usize, u16),
    ) {
        for (sample, position) in self.pattern.iter().enumerate() {
            let depths = match output {
                _ if !test.needs_depth() => [0; LANES],
                Some(output) => map(output, |depth| number::depth(f64::from(depth))),
                None => quad.depths(*position),
            };
            for (lane, depth) in depths.into_iter().enumerate() {
                let bit = 1 << sample;
                if quad.coverage[lane] & bit != 0 {
                    visit(quad.places[lane] + sample, depth, lane, bit);
                }
            }
        }
    }

    /// Interpolates varyings at the centres of all four pixels, including those that aren't covered.
    fn interpolate(&self, registers: &mut FragmentRegisters, quad: &PixelQuad<'_>) {
        let [wa, wb, wc] = quad.weights(self.tie);
        let whole = each(|lane| 1.0 / (wa[lane] + wb[lane] + wc[lane]));
        let b = each(|lane| wb[lane] * whole[lane]);
        let c = each(|lane| wc[lane] * whole[lane]);
        for (number, slopes) in self.varyings.iter().zip(&registers.slopes) {
            let value = map(*slopes, |slope| each(|lane| slope.at(b[lane], c[lane])));
            registers.state.set_lanes(RegisterFile::Varying, *number, &LaneRegister(value));
        }
    }

    fn write(
        &self,
        state: &AgalState,
        band: &mut FragmentBand<'_>,
        places: [usize; LANES],
        passing: SampleCoverage,
    ) {
        if passing == NONE {
            return;
        }
        for (output, (wanted, rows)) in (0u16..).zip(self.outputs.iter().zip(&mut band.color)) {
            if !wanted {
                continue;
            }
            let colors = state.register(RegisterFile::Output, output);
            if let Some(rows) = rows {
                with_texels!(rows, rows => self.blend(colors, rows, places, passing));
            }
        }
    }

    fn blend<T: TexelFloats>(
        &self,
        colors: &LaneRegister,
        rows: &mut [T],
        places: [usize; LANES],
        passing: SampleCoverage,
    ) {
        // Reuse the last result: most samples of a pixel are equal.
        let mut last = None;
        for sample in 0..self.pattern.len() {
            if passing.iter().all(|passing| passing >> sample & 1 == 0) {
                continue;
            }
            let texel = |place: usize| rows.get(place + sample).copied().unwrap_or_default();
            let texels = map(places, texel);
            let blended = match last {
                Some((before, blended)) if before == texels => blended,
                _ => self.blend.over(colors, texels),
            };
            last = Some((texels, blended));
            for lane in 0..LANES {
                if passing[lane] >> sample & 1 != 0
                    && let Some(texel) = rows.get_mut(places[lane] + sample)
                {
                    *texel = blended[lane];
                }
            }
        }
    }
}

const NONE: SampleCoverage = [0; LANES];

pub(super) struct FragmentRegisters {
    state: AgalState,
    /// The slopes of the varyings, in the order of [`RasterProgram::varyings`].
    slopes: [[Slope; 4]; MAX_VARYINGS],
}

/// A component of a varying: the value at the first vertex, and the differences to the other two vertices.
#[derive(Clone, Copy, Default)]
struct Slope {
    from: f64,
    to_b: f64,
    to_c: f64,
}

impl Slope {
    /// Interpolates with the given weights of the second and third vertex; exact if all three values are equal.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the register is a float; what is too large becomes infinite"
    )]
    fn at(self, b: f64, c: f64) -> f32 {
        (self.from + (self.to_b * b + self.to_c * c)) as f32
    }
}

/// Returns the coordinates of one of the four pixels of the quad at this position.
fn lane_pixel((left, top): (i32, i32), lane: usize) -> (i32, i32) {
    (left + i32::from(lane & 1 != 0), top + i32::from(lane & 2 != 0))
}

#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    pub(super) triangle: &'a Triangle,
    pub(super) line: Option<&'a ScanLine>,
}

struct PixelQuad<'a> {
    shape: Shape<'a>,
    corner: (i32, i32),
    coverage: SampleCoverage,
    places: [usize; LANES],
}

impl PixelQuad<'_> {
    fn pixel(&self, lane: usize) -> (i32, i32) {
        lane_pixel(self.corner, lane)
    }

    fn samples(&self, lane: usize) -> u16 {
        self.coverage.get(lane).copied().unwrap_or(0)
    }

    /// Returns the weight of each vertex at an offset to the right and up from each pixel's centre.
    fn weights(&self, (right, up): (f64, f64)) -> [[f64; LANES]; 3] {
        if let Some(line) = self.shape.line {
            let weights = each(|lane| line.weights(self.pixel(lane)));
            return [0, 1, 2].map(|vertex: usize| map(weights, |weights| weights[vertex]));
        }
        let (columns, rows) = self.grid((128, 128));
        let ([x0, x1], [y0, y1]) = (columns, rows);
        let (columns, rows) = ([x0 + right, x1 + right], [y0 - up, y1 - up]);
        let [a, b, c] = &self.shape.triangle.weights;
        let at = |weight: &LinearPlane| weight.on_grid(columns, rows);
        [at(a), at(b), at(c)]
    }

    /// Returns the depth at `position` within each pixel of the quad. A line has one depth per pixel.
    fn depths(&self, position: (i64, i64)) -> [u32; LANES] {
        let depths = match self.shape.line {
            Some(line) => each(|lane| line.depth(self.pixel(lane))),
            None => {
                let (columns, rows) = self.grid(position);
                self.shape.triangle.depth.on_grid(columns, rows)
            }
        };
        map(depths, number::depth)
    }

    /// Returns the x coordinates of the quad's two columns and the y coordinates of its two rows, relative to the
    /// triangle's origin. `(x, y)` is the position within each pixel, in 1/256 pixels.
    fn grid(&self, (x, y): (i64, i64)) -> ([f64; 2], [f64; 2]) {
        let ((column, row), (left, top)) = (self.corner, self.shape.triangle.origin);
        let places = |first: i32, part: i64| {
            let part = number::real(part) / 256.0;
            [f64::from(first) + part, f64::from(first + 1) + part]
        };
        (places(column - left, x), places(row - top, y))
    }
}

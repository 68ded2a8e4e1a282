//! Quads of fragments: interpolation, depth and stencil test, the fragment program, and its output.

mod probe;

use context3d::agal::interp::{Kernel, LANES, Register, State};
use context3d::backend::BackendError;
use context3d::packets::{Draw, MAX_COLOR_OUTPUTS};

use super::number;
use super::output::{Blend, DepthStencil};
use super::sampler::Units;
use super::store::{Bank, Program, Store};
use super::surface::Surface;
use super::texel::{Rgb565, Rgba8, RgbaHalf, Texel, Texels};
use super::triangle::{Line, Triangle};
use super::vertex::Shaded;
use super::watch::Probe;

/// Offset of varyings to the right and up from a pixel's centre, as a fraction of the target's size: about a
/// twenty-thousandth of a pixel on a target of 512. If a texel's edge is exactly on a pixel's centre, Flash Player uses
/// the texel to the right and above (capture sampler).
const TIE: f64 = 1.0e-7;

/// Bit mask of the covered samples, for each pixel of a quad.
pub(super) type Coverage = [u16; LANES];

/// The fragment state of a draw, shared by all threads.
pub(super) struct Fragments<'a> {
    kernel: &'a Kernel,
    constants: &'a Bank,
    units: Units<'a>,
    varyings: &'a [u16],
    /// The program's colour outputs that are bound.
    outputs: [bool; MAX_COLOR_OUTPUTS],
    /// Bit n: the program writes colour output n.
    written: u8,
    depth_output: bool,
    /// The tests of back faces and of front faces; `None` if the target has neither depth nor stencil.
    depth_stencil: Option<[DepthStencil; 2]>,
    blend: Blend,
    pattern: &'static [(i64, i64)],
    width: usize,
    tie: (f64, f64),
}

/// Some rows of all buffers of a surface.
pub(super) struct Band<'a> {
    /// The first row. Even, so that no quad spans two bands.
    pub(super) top: i32,
    /// One past the last row.
    pub(super) bottom: i32,
    color: [Option<Rows<'a>>; MAX_COLOR_OUTPUTS],
    depth_stencil: Option<&'a mut [u32]>,
}

/// Texels of some rows.
enum Rows<'a> {
    Rgba8(&'a mut [Rgba8]),
    Rgb565(&'a mut [Rgb565]),
    RgbaHalf(&'a mut [RgbaHalf]),
}

/// Splits a surface into bands of `rows` rows.
pub(super) fn bands(surface: &mut Surface, rows: usize) -> impl Iterator<Item = Band<'_>> {
    let row = number::length(surface.width).saturating_mul(surface.pattern.len());
    let size = row.saturating_mul(rows).max(1);
    let mut color = surface.color.each_mut().map(|texels| {
        texels.as_mut().map(|texels| match texels {
            Texels::Rgba8(texels) => Pieces::Rgba8(texels.chunks_mut(size)),
            Texels::Rgb565(texels) => Pieces::Rgb565(texels.chunks_mut(size)),
            Texels::RgbaHalf(texels) => Pieces::RgbaHalf(texels.chunks_mut(size)),
        })
    });
    let mut depth_stencil = surface
        .depth_stencil
        .as_mut()
        .map(|buffer| buffer.chunks_mut(size));
    let height = number::pixel(surface.height);
    (0..height).step_by(rows.max(1)).map(move |top| Band {
        top,
        bottom: top
            .saturating_add(i32::try_from(rows).unwrap_or(i32::MAX))
            .min(height),
        color: color
            .each_mut()
            .map(|pieces| pieces.as_mut().and_then(Pieces::next)),
        depth_stencil: depth_stencil.as_mut().and_then(Iterator::next),
    })
}

enum Pieces<'a> {
    Rgba8(std::slice::ChunksMut<'a, Rgba8>),
    Rgb565(std::slice::ChunksMut<'a, Rgb565>),
    RgbaHalf(std::slice::ChunksMut<'a, RgbaHalf>),
}

impl<'a> Pieces<'a> {
    fn next(&mut self) -> Option<Rows<'a>> {
        match self {
            Pieces::Rgba8(pieces) => pieces.next().map(Rows::Rgba8),
            Pieces::Rgb565(pieces) => pieces.next().map(Rows::Rgb565),
            Pieces::RgbaHalf(pieces) => pieces.next().map(Rows::RgbaHalf),
        }
    }
}

impl<'a> Fragments<'a> {
    /// # Errors
    /// [`BackendError::Driver`] for a missing texture.
    pub(super) fn new(
        store: &'a Store,
        program: &'a Program,
        draw: &Draw,
        surface: &Surface,
    ) -> Result<Self, BackendError> {
        let faces = [false, true].map(|front| DepthStencil::new(&draw.raster, front));
        let written = |output: usize| {
            let bit = u32::try_from(output).unwrap_or(u32::MAX);
            program.color_outputs.checked_shr(bit).unwrap_or(0) & 1 != 0
        };
        let blend = Blend::new(&draw.raster);
        let mut outputs = [false; MAX_COLOR_OUTPUTS];
        for (output, (wanted, texels)) in outputs.iter_mut().zip(&surface.color).enumerate() {
            *wanted = written(output) && texels.is_some() && !blend.is_closed();
        }
        Ok(Fragments {
            kernel: &program.fragment,
            constants: &store.fragment_constants,
            units: Units::new(store, &program.samplers, &draw.textures)?,
            varyings: &program.varyings,
            outputs,
            written: program.color_outputs,
            depth_output: program.depth_output,
            depth_stencil: surface.depth_stencil.is_some().then_some(faces),
            blend,
            pattern: surface.pattern,
            width: number::length(surface.width),
            tie: (
                TIE * f64::from(surface.width),
                TIE * f64::from(surface.height),
            ),
        })
    }

    /// Registers for [`Fragments::quad`].
    pub(super) fn state(&self) -> State {
        self.kernel.state()
    }

    /// Sample positions in a pixel.
    pub(super) fn pattern(&self) -> &'static [(i64, i64)] {
        self.pattern
    }

    /// Draws the covered samples of the quad whose upper left pixel is at these even coordinates.
    pub(super) fn quad<P: Probe>(
        &self,
        state: &mut State,
        band: &mut Band<'_>,
        (shape, vertices): (Shape<'_>, &Shaded),
        ((left, top), coverage): ((i32, i32), Coverage),
        probe: &mut P,
    ) {
        let [back, front] = match &self.depth_stencil {
            Some([back, front]) => [Some(back), Some(front)],
            None => [None, None],
        };
        let test = if shape.triangle.front { front } else { back };
        let quad = Quad {
            shape,
            left,
            top,
            coverage,
        };
        if let Some(test) = test
            && test.fails_silently()
            && !self.depth_output
            && !(P::ON && (0..LANES).any(|lane| probe.wants(quad.pixel(lane))))
            && !self.any_passes(test, band, &quad)
        {
            self.watch_rejected(probe, test, band, &quad);
            return;
        }
        self.interpolate(state, &quad, vertices);
        if P::ON && probe.wants_steps((left, top)) {
            self.kernel
                .run_with(state, self.constants, &self.units, &mut probe.steps());
        } else {
            self.kernel.run(state, self.constants, &self.units);
        }
        for (lane, alive) in state.alive().into_iter().enumerate() {
            let mut passing = quad.samples(lane);
            if passing == 0 || !alive && !P::ON {
                continue;
            }
            let pixel = self.place(band, quad.pixel(lane));
            let before = P::ON.then(|| self.look(band, &quad, (lane, pixel)));
            if !alive {
                passing = 0;
            } else if let Some(test) = test {
                let output = self.depth_output.then(|| state.depth(lane));
                passing = self.test(test, band, &quad, (lane, pixel), output);
            }
            self.write(state, band, (lane, pixel), passing);
            if let Some(before) = before {
                let seen = (before, passing, test.filter(|_| alive));
                self.watch_tested(probe, state, band, &quad, (lane, pixel), seen);
            }
        }
    }

    /// Index of a pixel's first sample in a band's buffers.
    fn place(&self, band: &Band<'_>, (x, y): (i32, i32)) -> usize {
        let row = usize::try_from(y - band.top).unwrap_or(0);
        let column = usize::try_from(x).unwrap_or(0);
        (row * self.width + column) * self.pattern.len()
    }

    /// Whether any covered sample of the quad would pass.
    fn any_passes(&self, test: &DepthStencil, band: &Band<'_>, quad: &Quad<'_>) -> bool {
        let Some(buffer) = &band.depth_stencil else {
            return true;
        };
        (0..LANES).any(|lane| {
            let first = self.place(band, quad.pixel(lane));
            quad.covered(lane, self.pattern).any(|(sample, place)| {
                let stored = buffer.get(first + sample);
                let depth = quad.depth(lane, place);
                stored.is_some_and(|stored| test.test(*stored, depth).1)
            })
        })
    }

    /// Tests depth and stencil of a pixel's samples; returns those that pass.
    fn test(
        &self,
        test: &DepthStencil,
        band: &mut Band<'_>,
        quad: &Quad<'_>,
        (lane, first): (usize, usize),
        output: Option<f32>,
    ) -> u16 {
        let mut passing = 0;
        let Some(buffer) = &mut band.depth_stencil else {
            return passing;
        };
        for (sample, place) in quad.covered(lane, self.pattern) {
            let Some(stored) = buffer.get_mut(first + sample) else {
                continue;
            };
            let depth = match output {
                Some(depth) => number::depth(f64::from(depth)),
                None => quad.depth(lane, place),
            };
            let (now, passes) = test.test(*stored, depth);
            *stored = now;
            passing |= u16::from(passes) << sample;
        }
        passing
    }

    /// Interpolates varyings at the centres of all four pixels, including uncovered ones.
    fn interpolate(&self, state: &mut State, quad: &Quad<'_>, vertices: &Shaded) {
        let corners = quad.shape.triangle.vertices;
        let [a, b, c] = corners.map(|vertex| vertices.varyings(vertex));
        let (right, up) = self.tie;
        let mut shares = [[0.0; 2]; LANES];
        for (lane, shares) in shares.iter_mut().enumerate() {
            let [wa, wb, wc] = quad.weights(lane, (right, up));
            let whole = 1.0 / (wa + wb + wc);
            *shares = [wb * whole, wc * whole];
        }
        let values = a.iter().zip(b).zip(c);
        for (number, ((a, b), c)) in self.varyings.iter().zip(values) {
            let ab = difference(a, b);
            let ac = difference(a, c);
            let mut value = Register::default();
            let components = a.iter().zip(ab).zip(ac);
            for (lanes, ((a, ab), ac)) in value.0.iter_mut().zip(components) {
                *lanes = shares.map(|[b, c]| along(*a, ab * b + ac * c));
            }
            state.set_varying_lanes(*number, &value);
        }
    }

    fn write(
        &self,
        state: &State,
        band: &mut Band<'_>,
        (lane, pixel): (usize, usize),
        passing: u16,
    ) {
        if passing == 0 {
            return;
        }
        for (output, (wanted, rows)) in (0u16..).zip(self.outputs.iter().zip(&mut band.color)) {
            if !wanted {
                continue;
            }
            let color = state.color(output, lane);
            match rows {
                Some(Rows::Rgba8(rows)) => self.blend(color, rows, pixel, passing),
                Some(Rows::Rgb565(rows)) => self.blend(color, rows, pixel, passing),
                Some(Rows::RgbaHalf(rows)) => self.blend(color, rows, pixel, passing),
                None => {}
            }
        }
    }

    fn blend<T: Texel>(&self, color: [f32; 4], rows: &mut [T], pixel: usize, passing: u16) {
        let samples = rows.iter_mut().skip(pixel).take(self.pattern.len());
        for (sample, texel) in samples.enumerate() {
            if passing >> sample & 1 != 0 {
                *texel = self.blend.over(color, *texel);
            }
        }
    }
}

/// The coordinates of one of the four pixels of the quad at this position.
fn lane_pixel((left, top): (i32, i32), lane: usize) -> (i32, i32) {
    (
        left + i32::from(lane & 1 != 0),
        top + i32::from(lane & 2 != 0),
    )
}

/// The primitive: a triangle, or a line of its wireframe.
#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    pub(super) triangle: &'a Triangle,
    pub(super) line: Option<&'a Line>,
}

/// The quad being drawn: two by two pixels of a primitive.
struct Quad<'a> {
    shape: Shape<'a>,
    left: i32,
    top: i32,
    coverage: Coverage,
}

impl Quad<'_> {
    fn pixel(&self, lane: usize) -> (i32, i32) {
        lane_pixel((self.left, self.top), lane)
    }

    fn samples(&self, lane: usize) -> u16 {
        self.coverage.get(lane).copied().unwrap_or(0)
    }

    /// The covered samples of a pixel: index and position.
    fn covered(
        &self,
        lane: usize,
        pattern: &'static [(i64, i64)],
    ) -> impl Iterator<Item = (usize, (i64, i64))> + use<> {
        let covered = self.samples(lane);
        let places = pattern.iter().copied().enumerate();
        places.filter(move |(sample, _)| covered >> sample & 1 != 0)
    }

    /// A position in a pixel, relative to the origin of the triangle's planes.
    fn offset_of(&self, lane: usize, (x, y): (i64, i64)) -> (f64, f64) {
        let (column, row) = self.pixel(lane);
        let (left, top) = self.shape.triangle.origin;
        let place = |pixel: i32, origin: i32, part: i64| {
            f64::from(pixel - origin) + number::real(part) / 256.0
        };
        (place(column, left, x), place(row, top, y))
    }

    /// The weight of each vertex at an offset to the right and up from a pixel's centre.
    fn weights(&self, lane: usize, (right, up): (f64, f64)) -> [f64; 3] {
        if let Some(line) = self.shape.line {
            return line.weights(self.pixel(lane));
        }
        let (x, y) = self.offset_of(lane, (128, 128));
        let planes = self.shape.triangle.weights.each_ref();
        planes.map(|weight| weight.at(x + right, y - up))
    }

    /// The depth at a position in a pixel; a line has one depth per pixel.
    fn depth(&self, lane: usize, place: (i64, i64)) -> u32 {
        if let Some(line) = self.shape.line {
            return number::depth(line.depth(self.pixel(lane)));
        }
        let (x, y) = self.offset_of(lane, place);
        number::depth(self.shape.triangle.depth.at(x, y))
    }
}

fn difference(from: &[f32; 4], to: &[f32; 4]) -> [f64; 4] {
    let ([fx, fy, fz, fw], [tx, ty, tz, tw]) = (from.map(f64::from), to.map(f64::from));
    [tx - fx, ty - fy, tz - fz, tw - fw]
}

/// Exactly `from` if all vertices have the same value.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the register is a float; what is too large becomes infinite"
)]
fn along(from: f32, change: f64) -> f32 {
    (f64::from(from) + change) as f32
}

//! Reports fragments to a [`Probe`]. The compiler removes this code for the probe `()`.

use context3d::agal::interp::{Agal, LANES, Observer, State, TraceStep};
use context3d::agal::operand::Component;
use context3d::agal::register::RegisterFile;
use context3d::packets::MAX_COLOR_OUTPUTS;

use super::{Band, Coverage, Fragments, Quad, lane_pixel};
use crate::number;
use crate::output::DepthStencil;
use crate::raster::Window;
use crate::texel::{ByTexel, Rgb565, Rgba8, RgbaHalf, Texel, map_texels, resolved, with_texels};
use crate::triangle::Triangle;
use crate::watch::{Content, Fragment, Outcome, Probe, real_depth};

impl Fragments<'_> {
    /// Reports the pixels of a quad that are culled or outside the scissor rectangle, and removes them from its
    /// coverage. Returns false if no pixel is left.
    pub(in super::super) fn watch_edges<P: Probe>(
        &self,
        probe: &mut P,
        (triangle, (left, top)): (&Triangle, (i32, i32)),
        [first, above, last, below]: Window,
        coverage: &mut Coverage,
    ) -> bool {
        for (lane, covered) in coverage.iter_mut().enumerate().filter(|(_, c)| **c != 0) {
            let pixel = lane_pixel((left, top), lane);
            let (x, y) = pixel;
            let inside = (first..last).contains(&x) && (above..below).contains(&y);
            let outcome = match (triangle.culled, inside) {
                (true, _) => Outcome::Culled,
                (false, false) => Outcome::Scissor,
                (false, true) => continue,
            };
            probe.count(pixel, outcome, None);
            if probe.wants(pixel) {
                let fragment = Fragment {
                    triangle: triangle.number,
                    front: triangle.front,
                    outcome: Some(outcome),
                    samples: (*covered, 0),
                    ..Fragment::default()
                };
                probe.record(fragment, triangle.vertices);
            }
            *covered = 0;
        }
        *coverage != [0; LANES]
    }

    /// Counts the pixels of a quad that fails the depth or stencil test without being shaded.
    pub(super) fn watch_rejected<P: Probe>(
        &self,
        probe: &mut P,
        test: &DepthStencil,
        band: &Band<'_>,
        quad: &Quad<'_>,
    ) {
        for lane in (0..LANES).filter(|lane| P::ON && quad.samples(*lane) != 0) {
            let stored = self.stored(band, quad, lane);
            probe.count(quad.pixel(lane), rejection(test, stored), None);
        }
    }

    /// Returns the buffer's depth and stencil at a pixel's first covered sample.
    fn stored(&self, band: &Band<'_>, quad: &Quad<'_>, lane: usize) -> Option<u32> {
        let place = quad.places.get(lane)? + self.first_covered(quad, lane)?;
        band.depth_stencil.as_ref()?.get(place).copied()
    }

    fn first_covered(&self, quad: &Quad<'_>, lane: usize) -> Option<usize> {
        let covered = quad.samples(lane);
        (0..self.pattern.len()).find(|sample| covered >> sample & 1 != 0)
    }

    /// Returns a pixel's resolved colours, with depth and stencil of its first covered sample.
    pub(super) fn look(&self, band: &Band<'_>, quad: &Quad<'_>, lane: usize) -> Look {
        let first = quad.places.get(lane).copied().unwrap_or(usize::MAX);
        let samples = first..first.saturating_add(self.pattern.len());
        let mut colors = [None; MAX_COLOR_OUTPUTS];
        for (color, rows) in colors.iter_mut().zip(&band.color) {
            let Some(rows) = rows else { continue };
            let look =
                map_texels!(rows, it => resolved(it.get(samples.clone()).unwrap_or_default()));
            *color = Some(look);
        }
        (colors, self.stored(band, quad, lane))
    }

    /// Counts a shaded pixel after its tests, and records it if it is the watched pixel. `before` is the pixel's
    /// content before the draw, `passing` the samples that passed, `test` the depth and stencil test if it ran.
    pub(super) fn watch_tested<P: Probe>(
        &self,
        probe: &mut P,
        state: &State,
        band: &Band<'_>,
        quad: &Quad<'_>,
        lane: usize,
        (before, passing, test): (Look, u16, Option<&DepthStencil>),
    ) {
        let alive = state.alive().get(lane).copied().unwrap_or(false);
        let outcome = match (alive, passing, test) {
            (false, ..) => Outcome::Killed,
            (true, 0, Some(test)) => rejection(test, before.1),
            (true, ..) => Outcome::Kept,
        };
        let pixel = quad.pixel(lane);
        let now = self.look(band, quad, lane);
        probe.count(pixel, outcome, Some([now != before, now.0 != before.0]));
        if !probe.wants(pixel) {
            return;
        }
        let triangle = quad.shape.triangle;
        let position = self.first_covered(quad, lane);
        let position = position.and_then(|sample| self.pattern.get(sample));
        let depth = position.and_then(|position| quad.depths(*position).get(lane).copied());
        let depth = depth.unwrap_or(0);
        let load = |texel: Color| with_texels!(texel, texel => texel.load());
        let content = |(colors, stored): Look| -> Content {
            (colors.map(|color| color.map(load)), stored.map(Into::into))
        };
        let mut colors = [None; MAX_COLOR_OUTPUTS];
        for (number, color) in (0u16..).zip(&mut colors) {
            *color = (self.written >> number & 1 != 0).then(|| state.color(number, lane));
        }
        let fragment = Fragment {
            triangle: triangle.number,
            front: triangle.front,
            outcome: Some(outcome),
            samples: (quad.samples(lane), passing),
            depth: real_depth(if self.depth_output {
                number::depth(f64::from(state.depth(lane)))
            } else {
                depth
            }),
            colors,
            before: content(before),
            after: content(now),
            varyings: self.varyings.iter().map(|n| (*n, state.varying(*n, lane))).collect(),
            ..Fragment::default()
        };
        probe.record(fragment, triangle.vertices);
    }
}

impl Fragments<'_> {
    /// Counts fragments that passed but have a NaN in a result by IEEE 754's rules. Runs the program again.
    pub(super) fn watch_nan<P: Probe>(&self, probe: &mut P, state: &mut State, passed: Coverage) {
        let Some(ieee) = &self.ieee else { return };
        let before = self.nan(state);
        ieee.run(state, self.constants, &self.units);
        let nan = self.nan(state);
        for lane in (0..LANES).filter(|lane| passed[*lane] != 0 && nan[*lane]) {
            if let Some(first @ None) = probe.count_nan(before[lane]) {
                let mut search = FirstNotFinite { lane, found: None };
                ieee.run_with(state, self.constants, &self.units, &mut search);
                *first = search.found.map(|step| (step, lane));
            }
        }
    }

    /// Returns for each lane whether a component of a drawn colour, or the depth, is NaN.
    fn nan(&self, state: &State) -> [bool; LANES] {
        let mut found = [false; LANES];
        let mut search = |lanes: [f32; LANES]| {
            found.iter_mut().zip(lanes).for_each(|(found, value)| *found |= value.is_nan());
        };
        for (number, _) in (0u16..).zip(self.outputs).filter(|(_, drawn)| *drawn) {
            let color = state.register(RegisterFile::Output, number);
            let drawn = color.0.into_iter().zip(self.blend.mask()).filter(|(_, drawn)| *drawn);
            drawn.for_each(|(lanes, _)| search(lanes));
        }
        if self.depth_output {
            search(state.register(RegisterFile::DepthOutput, 0).0[0]);
        }
        found
    }
}

/// A program observer that finds the first step whose result in a lane is infinity or NaN.
struct FirstNotFinite {
    lane: usize,
    found: Option<TraceStep>,
}

impl Observer<Agal> for FirstNotFinite {
    const OPERANDS: bool = false;

    fn step(&mut self, step: &TraceStep) {
        let written = step.written.filter(|_| self.found.is_none() && step.active[self.lane]);
        let finite = written.is_none_or(|written| {
            let all = Component::ALL.into_iter().zip(written.value.lane(self.lane));
            let mut set = all.filter(|(component, _)| written.mask.contains(*component));
            set.all(|(_, value)| value.is_finite())
        });
        self.found = self.found.or((!finite).then_some(*step));
    }
}

/// A pixel's resolved colours by output, and the stored depth and stencil of a sample.
pub(super) type Look = ([Option<Color>; MAX_COLOR_OUTPUTS], Option<u32>);

type Color = ByTexel<Rgba8, Rgb565, RgbaHalf>;

/// Returns whether a rejected fragment failed the stencil test or the depth test.
fn rejection(test: &DepthStencil, stored: Option<u32>) -> Outcome {
    let stencil_passes = stored.is_some_and(|stored| test.stencil_passes(stored));
    if stencil_passes { Outcome::Depth } else { Outcome::Stencil }
}

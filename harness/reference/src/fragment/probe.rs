//! Reports fragments to a [`FragmentWatch`]. With the probe `()`, which watches nothing, the compiler removes the
//! reports.

use context3d::agal::interp::{AgalLanguage, AgalState, AgalTraceStep, LANES, RunObserver};
use context3d::agal::operand::Component;
use context3d::agal::register::RegisterFile;
use context3d::packets::MAX_COLOR_OUTPUTS;

use super::{FragmentBand, Fragments, PixelQuad, SampleCoverage, lane_pixel};
use crate::number;
use crate::output::DepthStencilState;
use crate::raster::PixelRectangle;
use crate::texel::{
    Rgb565, Rgba8, RgbaHalf, TexelFloats, TexelVariants, map_texels, resolved, with_texels,
};
use crate::triangle::Triangle;
use crate::watch::{Fragment, FragmentOutcome, FragmentWatch, PixelContent, real_depth};

impl Fragments<'_> {
    /// Reports the pixels of a quad that are culled or outside the scissor rectangle, and removes them from its
    /// coverage. Returns false if no pixel of the quad is left in the coverage.
    pub(in super::super) fn watch_edges<P: FragmentWatch>(
        &self,
        probe: &mut P,
        (triangle, (left, top)): (&Triangle, (i32, i32)),
        [first, above, last, below]: PixelRectangle,
        coverage: &mut SampleCoverage,
    ) -> bool {
        for (lane, covered) in coverage.iter_mut().enumerate().filter(|(_, c)| **c != 0) {
            let pixel = lane_pixel((left, top), lane);
            let (x, y) = pixel;
            let inside = (first..last).contains(&x) && (above..below).contains(&y);
            let outcome = match (triangle.culled, inside) {
                (true, _) => FragmentOutcome::Culled,
                (false, false) => FragmentOutcome::Scissor,
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
    pub(super) fn watch_rejected<P: FragmentWatch>(
        &self,
        probe: &mut P,
        test: &DepthStencilState,
        band: &FragmentBand<'_>,
        quad: &PixelQuad<'_>,
    ) {
        for lane in (0..LANES).filter(|lane| P::ON && quad.samples(*lane) != 0) {
            let stored = self.stored(band, quad, lane);
            probe.count(quad.pixel(lane), rejection(test, stored), None);
        }
    }

    /// Returns the buffer's depth and stencil at a pixel's first covered sample.
    fn stored(&self, band: &FragmentBand<'_>, quad: &PixelQuad<'_>, lane: usize) -> Option<u32> {
        let place = quad.places.get(lane)? + self.first_covered(quad, lane)?;
        band.depth_stencil.as_ref()?.get(place).copied()
    }

    fn first_covered(&self, quad: &PixelQuad<'_>, lane: usize) -> Option<usize> {
        let covered = quad.samples(lane);
        (0..self.pattern.len()).find(|sample| covered >> sample & 1 != 0)
    }

    /// Returns a pixel's resolved colours, with depth and stencil of its first covered sample.
    pub(super) fn look(
        &self,
        band: &FragmentBand<'_>,
        quad: &PixelQuad<'_>,
        lane: usize,
    ) -> PixelLook {
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
    pub(super) fn watch_tested<P: FragmentWatch>(
        &self,
        probe: &mut P,
        state: &AgalState,
        band: &FragmentBand<'_>,
        quad: &PixelQuad<'_>,
        lane: usize,
        (before, passing, test): (PixelLook, u16, Option<&DepthStencilState>),
    ) {
        let alive = state.alive().get(lane).copied().unwrap_or(false);
        let outcome = match (alive, passing, test) {
            (false, ..) => FragmentOutcome::Killed,
            (true, 0, Some(test)) => rejection(test, before.1),
            (true, ..) => FragmentOutcome::Kept,
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
        let load = |texel: ProbeColor| with_texels!(texel, texel => texel.load());
        let content = |(colors, stored): PixelLook| -> PixelContent {
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
    /// Counts fragments that passed but have a NaN in a result by IEEE 754's rules. For this count, the fragment
    /// program runs a second time by IEEE 754's rules.
    pub(super) fn watch_nan<P: FragmentWatch>(
        &self,
        probe: &mut P,
        state: &mut AgalState,
        passed: SampleCoverage,
    ) {
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
    fn nan(&self, state: &AgalState) -> [bool; LANES] {
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
    found: Option<AgalTraceStep>,
}

impl RunObserver<AgalLanguage> for FirstNotFinite {
    const OPERANDS: bool = false;

    fn step(&mut self, step: &AgalTraceStep) {
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
pub(super) type PixelLook = ([Option<ProbeColor>; MAX_COLOR_OUTPUTS], Option<u32>);

type ProbeColor = TexelVariants<Rgba8, Rgb565, RgbaHalf>;

/// Returns whether a rejected fragment failed the stencil test or the depth test.
fn rejection(test: &DepthStencilState, stored: Option<u32>) -> FragmentOutcome {
    let stencil_passes = stored.is_some_and(|stored| test.stencil_passes(stored));
    if stencil_passes { FragmentOutcome::Depth } else { FragmentOutcome::Stencil }
}

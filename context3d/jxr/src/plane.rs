//! The samples of one channel.

use std::num::Wrapping;

use super::transform::{CoefficientSample, filter_2, filter_2x2, filter_4, filter_4x4, inverse};

/// A channel's samples, rows from the top. Width and height are whole macroblocks.
///
/// The memory of a block that is not transformed yet contains its coefficients: sixteen values in transform order, four
/// per row.
#[derive(Clone, Debug)]
pub(super) struct JxrPlane {
    samples: Vec<i32>,
    width: usize,
    height: usize,
}

/// The samples that an overlap stage filters: every sample, or the first sample of every block.
#[derive(Clone, Copy, Debug)]
pub(super) struct OverlapGrid {
    /// First column and row, in units of the grid.
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Samples per grid unit: 4 or 1.
    pub(super) step: usize,
}

impl JxrPlane {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { samples: vec![0; width * height], width, height }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// Returns the samples of a row; empty outside the plane.
    pub(super) fn row(&self, y: usize) -> &[i32] {
        let start = y * self.width;
        self.samples.get(start..start + self.width).unwrap_or(&[])
    }

    /// Returns the samples of a row; empty outside the plane.
    pub(super) fn row_mut(&mut self, y: usize) -> &mut [i32] {
        let start = y * self.width;
        self.samples.get_mut(start..start + self.width).unwrap_or(&mut [])
    }

    /// Stores the sixteen values of the block whose first sample is at (`x`, `y`).
    #[inline(always)]
    pub(super) fn put_block(&mut self, x: usize, y: usize, block: &[i32; 16]) {
        let start = y * self.width + x;
        let rows = self.samples.get_mut(start..).unwrap_or(&mut []).chunks_mut(self.width.max(1));
        for (to, from) in rows.zip(block.as_chunks::<4>().0) {
            if let Some(to) = to.first_chunk_mut::<4>() {
                *to = *from;
            }
        }
    }

    pub(super) fn inverse_all(&mut self) {
        let width = self.width;
        for band in self.samples.chunks_exact_mut((width * 4).max(1)) {
            let (r0, rest) = band.split_at_mut(width);
            let (r1, rest) = rest.split_at_mut(width);
            let (r2, r3) = rest.split_at_mut(width);
            let rows = r0.as_chunks_mut::<4>().0.iter_mut().zip(r1.as_chunks_mut::<4>().0);
            let more = r2.as_chunks_mut::<4>().0.iter_mut().zip(r3.as_chunks_mut::<4>().0);
            for ((r0, r1), (r2, r3)) in rows.zip(more) {
                let mut block = [0; 16];
                let parts = block.as_chunks_mut::<4>().0;
                for (part, row) in parts.iter_mut().zip([&*r0, &*r1, &*r2, &*r3]) {
                    *part = *row;
                }
                let block = inverse(&block);
                for (row, part) in [r0, r1, r2, r3].into_iter().zip(block.as_chunks::<4>().0) {
                    *row = *part;
                }
            }
        }
    }

    /// Returns a sample of a grid; zero outside the plane.
    #[inline(always)]
    fn at(&self, grid: &OverlapGrid, x: usize, y: usize) -> CoefficientSample {
        let at = (grid.y + y) * grid.step * self.width + (grid.x + x) * grid.step;
        Wrapping(self.samples.get(at).copied().unwrap_or(0))
    }

    #[inline(always)]
    fn set(&mut self, grid: &OverlapGrid, x: usize, y: usize, sample: CoefficientSample) {
        let at = (grid.y + y) * grid.step * self.width + (grid.x + x) * grid.step;
        if let Some(to) = self.samples.get_mut(at) {
            *to = sample.0;
        }
    }

    /// Applies `filter` to the samples at `places` of a grid, and stores the results there.
    #[inline(always)]
    fn filter<const N: usize>(
        &mut self,
        grid: &OverlapGrid,
        places: [(usize, usize); N],
        filter: impl FnOnce([CoefficientSample; N]) -> [CoefficientSample; N],
    ) {
        let samples = filter(places.map(|(x, y)| self.at(grid, x, y)));
        for ((x, y), sample) in places.into_iter().zip(samples) {
            self.set(grid, x, y, sample);
        }
    }

    /// Applies the overlap filters to an area whose blocks are four grid units wide and high.
    pub(super) fn overlap_4(&mut self, grid: &OverlapGrid) {
        let OverlapGrid { width, height, .. } = *grid;
        let (right, bottom) = (width.saturating_sub(2), height.saturating_sub(2));
        for y in [0, bottom] {
            for x in [0, right] {
                let corner = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
                self.filter(grid, corner, filter_4);
            }
        }
        for y in (2..bottom).step_by(4) {
            for x in [0, 1, right, right + 1] {
                self.filter(grid, [0, 1, 2, 3].map(|n| (x, y + n)), filter_4);
            }
        }
        for x in (2..right).step_by(4) {
            for y in [0, 1, bottom, bottom + 1] {
                self.filter(grid, [0, 1, 2, 3].map(|n| (x + n, y)), filter_4);
            }
        }
        for y in (2..bottom).step_by(4) {
            if grid.step == 1 {
                self.overlap_row(grid, y);
                continue;
            }
            for x in (2..right).step_by(4) {
                let mut window = [[Wrapping(0); 4]; 4];
                for (dy, row) in window.iter_mut().enumerate() {
                    for (dx, sample) in row.iter_mut().enumerate() {
                        *sample = self.at(grid, x + dx, y + dy);
                    }
                }
                filter_4x4(&mut window);
                for (dy, row) in window.iter().enumerate() {
                    for (dx, sample) in row.iter().enumerate() {
                        self.set(grid, x + dx, y + dy, *sample);
                    }
                }
            }
        }
    }

    /// Filters four rows, starting at `y`, in the squares where four blocks meet.
    fn overlap_row(&mut self, grid: &OverlapGrid, y: usize) {
        let inner = grid.width.saturating_sub(4);
        let start = (grid.y + y) * self.width + grid.x + 2;
        let mut rows = self
            .samples
            .get_mut(start..)
            .unwrap_or(&mut [])
            .chunks_mut(self.width.max(1))
            .map(|row| row.get_mut(..inner).unwrap_or(&mut []).as_chunks_mut::<4>().0);
        let (Some(r0), Some(r1), Some(r2), Some(r3)) =
            (rows.next(), rows.next(), rows.next(), rows.next())
        else {
            return;
        };
        for ((r0, r1), (r2, r3)) in r0.iter_mut().zip(r1).zip(r2.iter_mut().zip(r3)) {
            let mut window = [&r0, &r1, &r2, &r3].map(|row| row.map(Wrapping));
            filter_4x4(&mut window);
            for (row, samples) in [r0, r1, r2, r3].into_iter().zip(window) {
                *row = samples.map(|sample| sample.0);
            }
        }
    }

    /// Applies the overlap filters to the DCs of subsampled chroma: macroblocks are two grid units wide, and two or
    /// four high.
    pub(super) fn overlap_2(&mut self, grid: &OverlapGrid) {
        let OverlapGrid { width, height, .. } = *grid;
        let (right, bottom) = (width.saturating_sub(1), height.saturating_sub(1));
        // The difference between a corner sample and the adjacent sample stays unchanged.
        let corners =
            [0, bottom].map(|y| [(0, 1.min(right), y), (right, right.saturating_sub(1), y)]);
        for (x, beside, y) in corners.into_iter().flatten() {
            let difference = self.at(grid, x, y) - self.at(grid, beside, y);
            self.set(grid, x, y, difference);
        }
        for y in (1..bottom).step_by(2) {
            for x in [0, right] {
                self.filter(grid, [(x, y), (x, y + 1)], filter_2);
            }
            for x in (1..right).step_by(2) {
                let places = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
                self.filter(grid, places, filter_2x2);
            }
        }
        for x in (1..right).step_by(2) {
            for y in [0, bottom] {
                self.filter(grid, [(x, y), (x + 1, y)], filter_2);
            }
        }
        for (x, beside, y) in corners.into_iter().flatten() {
            let sum = self.at(grid, x, y) + self.at(grid, beside, y);
            self.set(grid, x, y, sum);
        }
    }
}

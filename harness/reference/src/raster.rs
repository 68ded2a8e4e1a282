//! The rasterizer: coverage of triangles and lines.

use context3d::agal::interp::LANES;

use super::number::pixel;
use super::triangle::{EdgeFunction, ScanLine, Triangle};

/// Bit mask of the covered samples, for each pixel of a quad.
pub(super) type SampleCoverage = [u16; LANES];

/// A rectangle of pixels: left, top, right and bottom, the last two exclusive.
pub(super) type PixelRectangle = [i32; 4];

/// Returns the intersection of two windows. The result is empty if right <= left or bottom <= top.
pub(super) fn overlap(
    [al, at, ar, ab]: PixelRectangle,
    [bl, bt, br, bb]: PixelRectangle,
) -> PixelRectangle {
    [al.max(bl), at.max(bt), ar.min(br), ab.min(bb)]
}

pub(super) fn window(scissor: &context3d::packets::Scissor) -> PixelRectangle {
    [
        pixel(scissor.x),
        pixel(scissor.y),
        pixel(scissor.x.saturating_add(scissor.width)),
        pixel(scissor.y.saturating_add(scissor.height)),
    ]
}

fn fixed(pixel: i32) -> i64 {
    i64::from(pixel) * 256
}

/// Calls a function for each quad in the window that the triangle at least partly covers, with the upper left pixel
/// (even coordinates) and the coverage.
pub(super) fn fill(
    triangle: &Triangle,
    pattern: &[(i64, i64)],
    window: PixelRectangle,
    mut quad: impl FnMut((i32, i32), SampleCoverage),
) {
    let window = overlap(triangle.bounds, window);
    let [left, top, right, bottom] = window;
    if left >= right {
        return;
    }
    // The smallest change of an edge function between a quad's corner and one of its samples.
    let least =
        triangle.edges.each_ref().map(|edge| edge.x.min(0) * fixed(2) + edge.y.min(0) * fixed(2));
    let all = all_samples(pattern.len());
    let mut y = top & !1;
    while y < bottom {
        let (first, last) = span(&triangle.edges, (left, right), y);
        let whole_rows = y >= top && y + 2 <= bottom;
        let mut x = first & !1;
        while x < last {
            let edges = triangle.edges.each_ref();
            let corners = edges.map(|edge| edge.at(fixed(x), fixed(y)));
            let whole = whole_rows && x >= left && x + 2 <= right;
            let inside = corners.iter().zip(least).all(|(at, least)| at + least >= 0);
            let coverage = if whole && inside {
                [all; LANES]
            } else {
                covered(edges, corners, pattern, (x, y), window)
            };
            if coverage != [0; LANES] {
                quad((x, y), coverage);
            }
            x += 2;
        }
        y += 2;
    }
}

/// Returns the range of pixels in two rows that may have samples inside all edges: first, and one past the last.
fn span(edges: &[EdgeFunction; 3], (mut first, mut last): (i32, i32), y: i32) -> (i32, i32) {
    for edge in edges {
        // `best` is the row boundary with the largest value of the edge function in the rows `y` and `y + 1`.
        let best = if edge.y > 0 { fixed(y + 2) } else { fixed(y) };
        let rest = edge.y * best + edge.at_origin;
        // Positions beyond 32 bits are outside the window.
        let place = |value: i64| i32::try_from(value.div_euclid(256)).unwrap_or(0);
        if edge.x > 0 {
            let least = (-rest).div_euclid(edge.x);
            if least >= fixed(last) {
                return (last, last);
            }
            if least > fixed(first) {
                first = place(least);
            }
        } else if edge.x < 0 {
            let most = rest.div_euclid(-edge.x);
            if most < fixed(first) {
                return (first, first);
            }
            if most < fixed(last) {
                last = last.min(place(most) + 1);
            }
        } else if rest < 0 {
            return (first, first);
        }
    }
    (first, last)
}

fn all_samples(count: usize) -> u16 {
    u16::try_from((1u32 << count.min(16)) - 1).unwrap_or(u16::MAX)
}

/// Returns the samples of a quad inside all edges and the window, given the edge functions at the quad's upper left
/// corner.
fn covered(
    [a, b, c]: [&EdgeFunction; 3],
    [at_a, at_b, at_c]: [i64; 3],
    pattern: &[(i64, i64)],
    (x, y): (i32, i32),
    [left, top, right, bottom]: PixelRectangle,
) -> SampleCoverage {
    let mut coverage = [0; LANES];
    for (lane, covered) in coverage.iter_mut().enumerate() {
        let (beside, below) = (lane & 1 != 0, lane & 2 != 0);
        let (column, row) = (x + i32::from(beside), y + i32::from(below));
        if column < left || column >= right || row < top || row >= bottom {
            continue;
        }
        let (dx, dy) = (i64::from(beside) * 256, i64::from(below) * 256);
        for (sample, (sx, sy)) in pattern.iter().enumerate() {
            let (dx, dy) = (dx + sx, dy + sy);
            let value = |edge: &EdgeFunction, corner: i64| corner + edge.x * dx + edge.y * dy;
            // The bitwise OR is negative if any of the three edge functions is negative.
            let outside = value(a, at_a) | value(b, at_b) | value(c, at_c);
            *covered |= u16::from(outside >= 0) << sample;
        }
    }
    coverage
}

/// Calls a function for each pixel of a line in the window, with all samples covered. Wireframe lines are a pixel wide:
/// one pixel per row or column along the longer axis, excluding the end, which belongs to the next line.
pub(super) fn draw_line(
    line: &ScanLine,
    samples: usize,
    [left, top, right, bottom]: PixelRectangle,
    mut quad: impl FnMut((i32, i32), SampleCoverage),
) {
    let ((x0, y0), (x1, y1)) = (line.from, line.to);
    let steep = line.is_steep();
    // Coordinates along and across the line.
    let ((a0, c0), (a1, c1)) = if steep { ((y0, x0), (y1, x1)) } else { ((x0, y0), (x1, y1)) };
    let (along, across) =
        if steep { ((top, bottom), (left, right)) } else { ((left, right), (top, bottom)) };
    let length = a1 - a0;
    if length == 0 {
        return;
    }
    // The pixels whose centre is at or after the line's start and before its end.
    let at_or_behind = |place: i64| (place + 127).div_euclid(256);
    let behind = |place: i64| (place + 128).div_euclid(256);
    let (first, last) =
        if length > 0 { (at_or_behind(a0), at_or_behind(a1)) } else { (behind(a1), behind(a0)) };
    let all = all_samples(samples);
    let (first, last) = (first.max(along.0.into()), last.min(along.1.into()));
    for pixel in first..last {
        let centre = pixel * 256 + 128;
        let place = c0 + ((c1 - c0) * (centre - a0)).div_euclid(length);
        let (Ok(pixel), Ok(other)) = (i32::try_from(pixel), i32::try_from(place.div_euclid(256)))
        else {
            continue;
        };
        if other < across.0 || other >= across.1 {
            continue;
        }
        let (x, y) = if steep { (other, pixel) } else { (pixel, other) };
        let mut coverage = [0; LANES];
        for (lane, covered) in coverage.iter_mut().enumerate() {
            let here = (lane & 1 != 0) == (x & 1 != 0) && (lane & 2 != 0) == (y & 1 != 0);
            *covered = if here { all } else { 0 };
        }
        quad((x & !1, y & !1), coverage);
    }
}

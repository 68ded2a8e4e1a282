//! The inverse transform of 4×4 blocks, and the overlap filters across their edges (T.832 9.9).
//!
//! LP and HP use the same steps: the transform of 16 coefficients to 16 samples, and the filters across edges. All
//! arithmetic is integer lifting; overflow, which only occurs in damaged data, wraps as in every implementation.
//!
//! Coefficients are in *transform order*, in which the transform works, not in raster order.

use std::num::Wrapping;

pub(super) type CoefficientSample = Wrapping<i32>;

/// For each raster position, the index in transform order of its sample after the transform.
const SAMPLE_ORDER: [u8; 16] = [0, 1, 5, 4, 2, 3, 7, 6, 10, 11, 15, 14, 8, 9, 13, 12];

/// Applies the two-by-two Hadamard transform; `up` rounds up.
#[inline(always)]
fn hadamard([a, b, c, d]: [CoefficientSample; 4], up: bool) -> [CoefficientSample; 4] {
    let a = a + d;
    let b = b - c;
    let t = (a - b + Wrapping(i32::from(up))) >> 1;
    let (c, d) = (t - d, t - c);
    [a - d, b + c, c, d]
}

/// Rotates two samples by pi/8, for the overlap filters.
#[inline(always)]
fn rotate_filter(a: &mut CoefficientSample, b: &mut CoefficientSample) {
    *a -= (*b + Wrapping(1)) >> 1;
    *b += (*a + Wrapping(1)) >> 1;
}

/// Rotates two samples by pi/8, for the transform.
#[inline(always)]
fn rotate(a: &mut CoefficientSample, b: &mut CoefficientSample) {
    *a -= (*b * Wrapping(3) + Wrapping(4)) >> 3;
    *b += (*a * Wrapping(3) + Wrapping(4)) >> 3;
}

/// Transforms the coefficients of odd frequency in one direction.
#[inline(always)]
fn odd([mut a, mut b, mut c, mut d]: [CoefficientSample; 4]) -> [CoefficientSample; 4] {
    b += d;
    a -= c;
    d -= b >> 1;
    c += (a + Wrapping(1)) >> 1;
    rotate(&mut a, &mut b);
    rotate(&mut c, &mut d);
    c -= (b + Wrapping(1)) >> 1;
    d = ((a + Wrapping(1)) >> 1) - d;
    b += c;
    a -= d;
    [a, b, c, d]
}

/// Transforms the coefficients of odd frequency in both directions, with the roundings of the first two steps.
#[inline(always)]
fn odd_odd(
    [mut a, mut b, mut c, mut d]: [CoefficientSample; 4],
    first: i32,
    second: i32,
) -> [CoefficientSample; 4] {
    d += a;
    c -= b;
    let (half_d, half_c) = (d >> 1, c >> 1);
    a -= half_d;
    b += half_c;
    a -= (b * Wrapping(3) + Wrapping(first)) >> 3;
    b += (a * Wrapping(3) + Wrapping(second)) >> 2;
    a -= (b * Wrapping(3) + Wrapping(4)) >> 3;
    b -= half_c;
    a += half_d;
    c += b;
    d -= a;
    [a, b, c, d]
}

/// Applies the inverse transform to a block in transform order. Returns samples in raster order.
#[inline(always)]
pub(super) fn inverse(block: &[i32; 16]) -> [i32; 16] {
    let [p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15] =
        block.map(Wrapping);
    let [p0, p1, p2, p3] = hadamard([p0, p1, p2, p3], true);
    let [p5, p4, p7, p6] = odd([p5, p4, p7, p6]);
    let [p10, p8, p11, p9] = odd([p10, p8, p11, p9]);
    let [p15, p14, p13, p12] = odd_odd([p15, p14, p13, p12], 3, 3);
    let (p14, p13) = (-p14, -p13);
    let [p0, p4, p8, p12] = hadamard([p0, p4, p8, p12], false);
    let [p1, p5, p9, p13] = hadamard([p1, p5, p9, p13], false);
    let [p2, p6, p10, p14] = hadamard([p2, p6, p10, p14], false);
    let [p3, p7, p11, p15] = hadamard([p3, p7, p11, p15], false);
    let all = [p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15];
    SAMPLE_ORDER.map(|at| all[usize::from(at & 15)].0)
}

/// Applies the inverse transform to the DCs of subsampled chroma, in raster order: 2×2, or 2×4 in 4:2:2.
pub(super) fn inverse_chroma(low: &mut [i32; 16], rows: usize) {
    let mut p = low.map(Wrapping);
    if rows == 4 {
        p[0] -= (p[4] + Wrapping(1)) >> 1;
        p[4] += p[0];
    }
    for half in p.as_chunks_mut::<4>().0.iter_mut().take(rows / 2) {
        *half = hadamard(*half, false);
    }
    *low = p.map(|sample| sample.0);
}

/// Scales a corner sample and the opposite corner sample.
#[inline(always)]
fn scale(a: &mut CoefficientSample, d: &mut CoefficientSample) {
    *a += *d;
    *d = (*a >> 1) - *d;
    *a += (*d * Wrapping(3)) >> 3;
    *d += (*a * Wrapping(3)) >> 4;
    *d += *a >> 7;
    *d -= *a >> 10;
}

/// Applies the remaining steps of the overlap filters' scaling Hadamard transform.
#[inline(always)]
fn scaled_hadamard([mut a, mut b, c, mut d]: [CoefficientSample; 4]) -> [CoefficientSample; 4] {
    b -= c;
    a += (d * Wrapping(3) + Wrapping(4)) >> 3;
    d -= b >> 1;
    let c = ((a - b) >> 1) - c;
    [a - c, b + d, d, c]
}

/// Filters the 4×4 samples where four blocks meet.
pub(super) fn filter_4x4(w: &mut [[CoefficientSample; 4]; 4]) {
    // The groups of samples mirrored around the corner: inner, left and right, above and below, outer. The samples of
    // each group are in the order top left, top right, bottom left, bottom right.
    let [[o0, v0, v1, o1], [h0, i0, i1, h1], [h2, i2, i3, h3], [o2, v2, v3, o3]] = *w;
    let [i0, mut i1, mut i2, mut i3] = hadamard([i0, i1, i2, i3], false);
    let [h0, mut h1, mut h2, mut h3] = hadamard([h0, h1, h2, h3], false);
    let [v0, mut v1, mut v2, mut v3] = hadamard([v0, v1, v2, v3], false);
    let [o0, mut o1, mut o2, mut o3] = hadamard([o0, o1, o2, o3], false);
    [i3, h3, v3, o3] = odd_odd([i3, h3, v3, o3], 6, 2);
    rotate_filter(&mut v2, &mut o2);
    rotate_filter(&mut i2, &mut h2);
    rotate_filter(&mut h1, &mut o1);
    rotate_filter(&mut i1, &mut v1);
    let finish = |mut a, b, c, mut d| {
        scale(&mut a, &mut d);
        scaled_hadamard([a, b, c, d])
    };
    let [i0, i1, i2, i3] = finish(i0, i1, i2, i3);
    let [h0, h1, h2, h3] = finish(h0, h1, h2, h3);
    let [v0, v1, v2, v3] = finish(v0, v1, v2, v3);
    let [o0, o1, o2, o3] = finish(o0, o1, o2, o3);
    *w = [[o0, v0, v1, o1], [h0, i0, i1, h1], [h2, i2, i3, h3], [o2, v2, v3, o3]];
}

/// Filters four samples across an edge, or the four samples of a corner.
pub(super) fn filter_4(
    [mut a, mut b, mut c, mut d]: [CoefficientSample; 4],
) -> [CoefficientSample; 4] {
    let edge = |a: &mut CoefficientSample, d: &mut CoefficientSample| {
        scale(a, d);
        *a += (*d * Wrapping(3) + Wrapping(4)) >> 3;
        *d -= *a >> 1;
        *a += *d;
        *d = -*d;
    };
    a += d;
    b += c;
    d -= (a + Wrapping(1)) >> 1;
    c -= (b + Wrapping(1)) >> 1;
    edge(&mut a, &mut d);
    edge(&mut b, &mut c);
    rotate_filter(&mut c, &mut d);
    d += (a + Wrapping(1)) >> 1;
    c += (b + Wrapping(1)) >> 1;
    [a - d, b - c, c, d]
}

#[inline(always)]
fn rotate_chroma(a: &mut CoefficientSample, b: &mut CoefficientSample) {
    *b += (*a + Wrapping(2)) >> 2;
    *a += (*b + Wrapping(1)) >> 1;
    *a += *b >> 5;
    *a += *b >> 9;
    *a += *b >> 13;
    *b += (*a + Wrapping(2)) >> 2;
}

pub(super) fn filter_2([mut a, mut b]: [CoefficientSample; 2]) -> [CoefficientSample; 2] {
    rotate_chroma(&mut a, &mut b);
    [a, b]
}

/// Filters the 2×2 DCs of subsampled chroma where four macroblocks meet.
pub(super) fn filter_2x2(
    [mut a, mut b, mut c, mut d]: [CoefficientSample; 4],
) -> [CoefficientSample; 4] {
    a += d;
    b += c;
    d -= (a + Wrapping(1)) >> 1;
    c -= (b + Wrapping(1)) >> 1;
    rotate_chroma(&mut a, &mut b);
    d += (a + Wrapping(1)) >> 1;
    c += (b + Wrapping(1)) >> 1;
    [a - d, b - c, c, d]
}

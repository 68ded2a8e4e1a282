//! A small software rasterizer for the mesh panel: depth test, flat shading and edges.

use molehill_replay::image::Image;

/// A point of the mesh: x to the right, y up, z towards the eye, in a box from -1 to 1.
pub(crate) type Point = [f32; 3];

/// Rotates a point around the vertical axis, then around the horizontal one, by angles in radians.
pub(crate) fn rotate(point: Point, [around, over]: [f32; 2]) -> Point {
    let [x, y, z] = point;
    let (sin, cos) = around.sin_cos();
    let (x, z) = (x * cos + z * sin, z * cos - x * sin);
    let (sin, cos) = over.sin_cos();
    [x, y * cos - z * sin, y * sin + z * cos]
}

/// Centres the points and scales them to the box, keeping proportions. Points that are not finite don't count.
pub(crate) fn fit(points: &mut [Point]) {
    let finite = |point: &&Point| point.iter().all(|value| value.is_finite());
    let (mut low, mut high) = ([f32::MAX; 3], [f32::MIN; 3]);
    for point in points.iter().filter(finite) {
        for ((low, high), value) in low.iter_mut().zip(&mut high).zip(point) {
            *low = low.min(*value);
            *high = high.max(*value);
        }
    }
    let size = low.iter().zip(high).map(|(low, high)| high - low).fold(1e-12, f32::max);
    for point in points {
        for ((value, low), high) in point.iter_mut().zip(low).zip(high) {
            *value = (*value - f32::midpoint(low, high)) / size * 2.0;
        }
    }
}

/// A square colour buffer and depth buffer; larger depth is nearer.
struct Target {
    side: usize,
    rgba: Vec<u8>,
    depth: Vec<f32>,
}

/// Draws triangles into a square picture of `side` pixels, from 16 to 2048. Skips triangles with a missing point or one
/// that is not finite.
pub(crate) fn draw(
    points: &[Point],
    triangles: &[[u32; 3]],
    side: u32,
    [red, green, blue]: [u8; 3],
) -> Image {
    let side = side.clamp(16, 2048);
    let pixels = side as usize * side as usize;
    let mut target =
        Target { side: side as usize, rgba: vec![0; pixels * 4], depth: vec![f32::MIN; pixels] };
    #[expect(clippy::cast_precision_loss, reason = "at most 2048")]
    let (half, scale) = (side as f32 / 2.0, side as f32 / 2.0 * 0.72);
    let corner = |index: u32| {
        let [x, y, z] = *points.get(index as usize)?;
        let all = [half + x * scale, half - y * scale, z];
        all.iter().all(|value| value.is_finite()).then_some(all)
    };
    for triangle in triangles {
        let [Some(a), Some(b), Some(c)] = triangle.map(corner) else {
            continue;
        };
        let light = light(a, b, c, scale);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a byte"
        )]
        let color = [red, green, blue].map(|channel| (f32::from(channel) * light) as u8);
        target.triangle([a, b, c], color, color.map(|channel| channel / 2));
    }
    let empty = || Image::filled(side, side, [0; 4]);
    Image::from_rgba(side, side, target.rgba).unwrap_or_else(empty)
}

/// Brightness of a face: 1 if it faces the eye, 0.3 if it is seen edge-on.
fn light(a: Point, b: Point, c: Point, scale: f32) -> f32 {
    let side = |p: Point| [(p[0] - a[0]) / scale, (p[1] - a[1]) / scale, p[2] - a[2]];
    let ([ux, uy, uz], [vx, vy, vz]) = (side(b), side(c));
    let [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    let length = (x * x + y * y + z * z).sqrt();
    if length > 0.0 { 0.3 + 0.7 * z.abs() / length } else { 0.3 }
}

impl Target {
    fn triangle(&mut self, [a, b, c]: [Point; 3], face: [u8; 3], edge: [u8; 3]) {
        let cross = |p: Point, q: Point, x: f32, y: f32| {
            (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
        };
        let area = cross(a, b, c[0], c[1]);
        let length = |p: Point, q: Point| (q[0] - p[0]).hypot(q[1] - p[1]).max(1e-6);
        let lengths = [length(b, c), length(c, a), length(a, b)];
        let bounds = |axis: usize| {
            let values = [a, b, c].map(|point| point.get(axis).copied().unwrap_or(0.0));
            let low = values.iter().copied().fold(f32::MAX, f32::min);
            let high = values.iter().copied().fold(f32::MIN, f32::max);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to the picture"
            )]
            #[expect(clippy::cast_precision_loss, reason = "at most 2048")]
            let clamp = |value: f32| value.clamp(0.0, self.side as f32 - 1.0) as usize;
            clamp(low.floor())..=clamp(high.ceil())
        };
        if area.abs() < 1e-6 {
            return;
        }
        let (columns, rows) = (bounds(0), bounds(1));
        for row in rows {
            for column in columns.clone() {
                #[expect(clippy::cast_precision_loss, reason = "at most 2048")]
                let (x, y) = (column as f32 + 0.5, row as f32 + 0.5);
                let edges = [cross(b, c, x, y), cross(c, a, x, y), cross(a, b, x, y)]
                    .map(|edge| edge * area.signum());
                if edges.iter().any(|edge| *edge < 0.0) {
                    continue;
                }
                let [wa, wb, wc] = edges.map(|edge| edge / area.abs());
                let depth = wa * a[2] + wb * b[2] + wc * c[2];
                let at = row * self.side + column;
                let Some(nearest) = self.depth.get_mut(at).filter(|nearest| depth > **nearest)
                else {
                    continue;
                };
                *nearest = depth;
                let near_edge = edges.iter().zip(lengths).any(|(edge, length)| edge / length < 0.8);
                let [red, green, blue] = if near_edge { edge } else { face };
                if let Some(pixel) = self.rgba.get_mut(at * 4..at * 4 + 4) {
                    pixel.copy_from_slice(&[red, green, blue, 255]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{draw, fit, rotate};

    #[test]
    fn the_nearer_face_is_seen() {
        let points = [
            [-1.0, -1.0, 0.0],
            [1.0, -1.0, 0.0],
            [0.0, 1.0, 0.0],
            [-1.0, -1.0, 0.5],
            [1.0, -1.0, 0.5],
            [0.0, 1.0, 0.5],
        ];
        let front = draw(&points[3..], &[[0, 1, 2]], 64, [200, 0, 0]);
        let both = draw(&points, &[[3, 4, 5], [0, 1, 2]], 64, [200, 0, 0]);
        assert_eq!(front, both);
        assert_eq!(front.pixel(32, 32), Some([200, 0, 0, 255]));
        assert_eq!(front.pixel(0, 0), Some([0; 4]));
        // Edge-on, at most a line is left of it.
        let side = points.map(|point| rotate(point, [std::f32::consts::FRAC_PI_2, 0.0]));
        let seen = draw(&side[3..], &[[0, 1, 2]], 64, [200, 0, 0]);
        assert!(seen.rgba().as_chunks::<4>().0.iter().filter(|pixel| pixel[3] > 0).count() < 64);
    }

    #[test]
    fn points_are_fitted_and_nan_does_no_harm() {
        let mut points = [[10.0, 0.0, 0.0], [14.0, 2.0, 0.0], [f32::NAN, 0.0, 0.0]];
        fit(&mut points);
        assert_eq!(points[0], [-1.0, -0.5, 0.0]);
        assert_eq!(points[1], [1.0, 0.5, 0.0]);
        draw(&points, &[[0, 1, 2], [0, 1, 9]], 32, [255; 3]);
    }
}

//! An image of a tessellated patch: wireframe and control points.

use hs50::hull::Hull;
use hs50::interp::HullRegister;
use hs50::names::{Domain, OutputPrimitive};

use super::HullVertex;

const BACKGROUND: [u8; 4] = [24, 26, 32, 255];
const WIRE: [f32; 3] = [120.0, 200.0, 255.0];
const DOT_COLOR: [f32; 3] = [255.0, 170.0, 60.0];
/// The fraction of the image's size that the patch fills.
const FILLED: f32 = 0.86;
/// Half the width of lines, and the radius of control points, in pixels of a 512×512 image.
const LINE: f32 = 0.8;
const DOT: f32 = 5.0;

type PicturePoint = [f32; 2];

/// Draws the tessellated primitives and the control points, seen from slightly above. The result is RGBA, rows from top
/// to bottom, `size` pixels wide and high.
pub fn draw(
    hull: &Hull,
    control_points: &[Vec<HullRegister>],
    vertices: &[HullVertex],
    size: u32,
) -> Vec<u8> {
    let points: Vec<[f32; 3]> = control_points.iter().map(|point| position(point)).collect();
    let corners: Vec<PicturePoint> = points.iter().map(|point| projected(*point)).collect();
    let ends: Vec<PicturePoint> = vertices
        .iter()
        .map(|vertex| projected(blend(hull.domain, &points, vertex.position)))
        .collect();
    let fit = Fit::new(corners.iter().chain(&ends), size);
    let mut canvas = PictureCanvas::new(size);
    let scale = canvas.scale;
    let step = match (hull.primitive, hull.domain) {
        (OutputPrimitive::Point, _) => 1,
        (_, Domain::Isoline) => 2,
        _ => 3,
    };
    for primitive in ends.chunks_exact(step) {
        for (number, from) in primitive.iter().enumerate() {
            let to = primitive.get((number + 1) % step).unwrap_or(from);
            let width = if step == 1 { 2.0 * LINE } else { LINE };
            canvas.line(fit.pixel(*from), fit.pixel(*to), width * scale, WIRE);
        }
    }
    for corner in &corners {
        let pixel = fit.pixel(*corner);
        canvas.line(pixel, pixel, DOT * scale, DOT_COLOR);
    }
    canvas.pixels.concat()
}

/// Returns the first register as a position; NaN, infinities and values of at least 1e6 become 0.
fn position(point: &[HullRegister]) -> [f32; 3] {
    let [x, y, z, _] = point.first().copied().unwrap_or_default().map(f32::from_bits);
    [x, y, z].map(|value| if value.abs() < 1e6 { value } else { 0.0 })
}

fn projected([x, y, z]: [f32; 3]) -> PicturePoint {
    [x + 0.25 * y, 0.75 * y + 0.6 * z]
}

/// Returns the position on the patch: barycentric in a triangle of three points, otherwise on a Bézier surface of a
/// grid of points.
fn blend(domain: Domain, points: &[[f32; 3]], [u, v, w]: [f32; 3]) -> [f32; 3] {
    let columns = (1..=points.len()).find(|n| n * n >= points.len()).unwrap_or(1);
    let rows = points.len().div_ceil(columns);
    let weight = |n: usize| match (domain, points.len()) {
        (_, 3) if domain != Domain::Isoline => [u, v, w].get(n).copied().unwrap_or(0.0),
        (_, 2) => [1.0 - u, u].get(n).copied().unwrap_or(0.0),
        _ => bernstein(columns, n % columns, u) * bernstein(rows, n / columns, v),
    };
    // With too few points for a surface, the domain itself is shown.
    if points.len() < 2 {
        return [2.0 * u - 1.0, 2.0 * v - 1.0, 0.0];
    }
    let mut sum = [0.0; 3];
    for (n, point) in points.iter().enumerate() {
        for (slot, value) in sum.iter_mut().zip(point) {
            *slot += weight(n) * value;
        }
    }
    sum
}

/// Returns the Bernstein weight of point `n` of `count` on a Bézier curve at parameter `at`.
fn bernstein(count: usize, n: usize, at: f32) -> f32 {
    let degree = count.saturating_sub(1);
    let mut weight = 1.0;
    for step in 0..n {
        #[expect(clippy::cast_precision_loss, reason = "at most 32")]
        let share = (degree - step) as f32 / (step + 1) as f32;
        weight *= share * at;
    }
    (n..degree).fold(weight, |weight, _| weight * (1.0 - at))
}

/// The transformation that fits all points into the image.
struct Fit {
    middle: PicturePoint,
    scale: f32,
    size: f32,
}

impl Fit {
    fn new<'a>(points: impl Iterator<Item = &'a PicturePoint>, size: u32) -> Fit {
        let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
        for point in points {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let extent = (high[0] - low[0]).max(high[1] - low[1]).max(1e-3);
        let size = f32::from(u16::try_from(size).unwrap_or(u16::MAX));
        let middle = [0, 1].map(|axis: usize| 0.5 * (low[axis] + high[axis]));
        Fit { middle, scale: FILLED * size / extent, size }
    }

    /// Converts a point to pixels, whose y points down.
    fn pixel(&self, [x, y]: PicturePoint) -> PicturePoint {
        [
            0.5 * self.size + (x - self.middle[0]) * self.scale,
            0.5 * self.size - (y - self.middle[1]) * self.scale,
        ]
    }
}

struct PictureCanvas {
    size: u32,
    scale: f32,
    pixels: Vec<[u8; 4]>,
}

impl PictureCanvas {
    fn new(size: u32) -> PictureCanvas {
        let side = size as usize;
        let scale = f32::from(u16::try_from(size).unwrap_or(512)) / 512.0;
        PictureCanvas { size, scale: scale.max(0.5), pixels: vec![BACKGROUND; side * side] }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "clamped to the picture"
    )]
    fn line(&mut self, from: PicturePoint, to: PicturePoint, width: f32, color: [f32; 3]) {
        let last = (self.size - 1) as f32;
        let bounds = [0, 1].map(|axis: usize| {
            let (low, high) = (from[axis].min(to[axis]), from[axis].max(to[axis]));
            [low - width - 1.0, high + width + 1.0].map(|end| end.clamp(0.0, last) as u32)
        });
        let [[left, right], [top, bottom]] = bounds;
        let along = [to[0] - from[0], to[1] - from[1]];
        let length = along[0] * along[0] + along[1] * along[1];
        for y in top..=bottom {
            for x in left..=right {
                let here = [x as f32 + 0.5 - from[0], y as f32 + 0.5 - from[1]];
                let share = if length > 0.0 {
                    ((here[0] * along[0] + here[1] * along[1]) / length).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let off = [here[0] - share * along[0], here[1] - share * along[1]];
                let cover = (width + 0.5 - off[0].hypot(off[1])).clamp(0.0, 1.0);
                if let Some(pixel) = self.pixels.get_mut((y * self.size + x) as usize) {
                    for (slot, color) in pixel.iter_mut().zip(color) {
                        let old = f32::from(*slot);
                        *slot = (old + cover * (color - old)).clamp(0.0, 255.0) as u8;
                    }
                }
            }
        }
    }
}

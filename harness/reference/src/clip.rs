//! Clipping in homogeneous coordinates: against the near and far planes, and against a guard band far outside the
//! target, so that screen coordinates stay exact in fixed point. The rasterizer clips at the target's edges.

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClipCorner {
    pub(super) position: [f64; 4],
    /// Barycentric coordinates in the original triangle.
    pub(super) weights: [f64; 3],
    /// True if the edge from this corner to the next one is part of an edge of the triangle.
    pub(super) edge: bool,
}

const EMPTY: ClipCorner = ClipCorner { position: [0.0; 4], weights: [0.0; 3], edge: false };

/// Largest number of corners of a triangle clipped by seven planes.
const MAX_CORNERS: usize = 3 + 7;

/// Smallest w; vertices nearer to the camera are clipped, because they have no screen position.
const MIN_W: f64 = 1e-30;

#[derive(Clone, Copy, Debug)]
pub(super) struct Polygon {
    corners: [ClipCorner; MAX_CORNERS],
    count: usize,
}

impl Polygon {
    pub(super) fn triangle(positions: [[f32; 4]; 3]) -> Self {
        let mut polygon = Polygon { corners: [EMPTY; MAX_CORNERS], count: 0 };
        let weights = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for (position, weights) in positions.into_iter().zip(weights) {
            polygon.push(ClipCorner { position: position.map(f64::from), weights, edge: true });
        }
        polygon
    }

    pub(super) fn corners(&self) -> &[ClipCorner] {
        self.corners.get(..self.count).unwrap_or(&[])
    }

    fn push(&mut self, corner: ClipCorner) {
        if let Some(slot) = self.corners.get_mut(self.count) {
            *slot = corner;
            self.count += 1;
        }
    }

    /// Clips the polygon to the half-space where `distance`, a linear function of the position, is not negative.
    fn cut(&mut self, distance: impl Fn(&[f64; 4]) -> f64) {
        let inside = |corner: &ClipCorner| distance(&corner.position) >= 0.0;
        if self.corners().iter().all(inside) {
            return;
        }
        let whole = *self;
        self.count = 0;
        let next = whole.corners().iter().cycle().skip(1);
        for (from, to) in whole.corners().iter().zip(next) {
            let (a, b) = (distance(&from.position), distance(&to.position));
            match (a >= 0.0, b >= 0.0) {
                (true, true) => self.push(*from),
                (true, false) => {
                    self.push(*from);
                    // The next edge of the polygon lies on the clip plane.
                    self.push(between(to, from, b, a, false));
                }
                (false, true) => self.push(between(from, to, a, b, from.edge)),
                (false, false) => {}
            }
        }
    }
}

/// Returns the intersection of an edge with the plane: `outside` is at the negative distance `a`, `inside` at `b`. An
/// edge shared by two triangles is always clipped from the same end, so that both triangles get the same corner.
fn between(outside: &ClipCorner, inside: &ClipCorner, a: f64, b: f64, edge: bool) -> ClipCorner {
    let t = a / (a - b);
    let mix = |a: f64, b: f64| a + (b - a) * t;
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (outside.position, inside.position);
    let ([a0, a1, a2], [b0, b1, b2]) = (outside.weights, inside.weights);
    ClipCorner {
        position: [mix(ax, bx), mix(ay, by), mix(az, bz), mix(aw, bw)],
        weights: [mix(a0, b0), mix(a1, b1), mix(a2, b2)],
        edge,
    }
}

/// Returns the part of a triangle between the near and the far plane, or `None` if no part is visible. `guard` is the
/// ratio of the guard band's width and height to the target's.
pub(super) fn clip(positions: [[f32; 4]; 3], guard: [f64; 2]) -> Option<Polygon> {
    if !positions.as_flattened().iter().all(|value| value.is_finite()) {
        return None; // a position is not finite
    }
    let outside: [fn(&[f32; 4]) -> bool; 6] = [
        |[x, _, _, w]| *x < -*w,
        |[x, _, _, w]| x > w,
        |[_, y, _, w]| *y < -*w,
        |[_, y, _, w]| y > w,
        |[_, _, z, _]| *z < 0.0,
        |[_, _, z, w]| z > w,
    ];
    if outside.iter().any(|outside| positions.iter().all(outside)) {
        return None;
    }
    let mut polygon = Polygon::triangle(positions);
    let [across, down] = guard;
    polygon.cut(|[_, _, z, _]| *z);
    polygon.cut(|[_, _, z, w]| w - z);
    polygon.cut(|[_, _, _, w]| w - MIN_W);
    polygon.cut(|[x, _, _, w]| w * across - x);
    polygon.cut(|[x, _, _, w]| w * across + x);
    polygon.cut(|[_, y, _, w]| w * down - y);
    polygon.cut(|[_, y, _, w]| w * down + y);
    (polygon.count >= 3).then_some(polygon)
}

#[cfg(test)]
#[path = "../tests/unit/clip.rs"]
mod tests;

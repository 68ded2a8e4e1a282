//! Triangles on the screen: snapped to a grid of 1/256 pixel as in Direct3D 10 and later, with integer edge functions,
//! and planes for interpolated values.

use super::clip::{ClipCorner, Polygon};
use super::number::{fixed, real};

/// Half of the range of screen coordinates, in pixels. With 8 fraction bits, coordinates have 25 bits, so that edge
/// functions stay below 2^52.
const REACH: f64 = 131_072.0;

#[derive(Clone, Copy, Debug)]
pub(super) struct Viewport {
    width: f64,
    height: f64,
    pub(super) size: (i32, i32),
}

impl Viewport {
    pub(super) fn new(width: u32, height: u32) -> Self {
        Viewport {
            width: f64::from(width.max(1)),
            height: f64::from(height.max(1)),
            size: (super::number::pixel(width), super::number::pixel(height)),
        }
    }

    /// Returns the window with all pixels of the viewport: left, top, right and bottom, the last two exclusive.
    pub(super) fn window(&self) -> [i32; 4] {
        [0, 0, self.size.0, self.size.1]
    }

    /// Returns the ratio of the guard band's size to the target's.
    pub(super) fn guard(&self) -> [f64; 2] {
        // Half of the coordinate range is reserved for the offset of the target's centre.
        [REACH / self.width, REACH / self.height]
    }
}

/// An edge function: a linear function of a sample's position in fixed point, not negative inside the triangle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EdgeFunction {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) at_origin: i64,
}

impl EdgeFunction {
    pub(super) fn at(&self, x: i64, y: i64) -> i64 {
        self.x * x + self.y * y + self.at_origin
    }
}

/// A linear function of the position in pixels, relative to the triangle's origin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LinearPlane {
    x: f64,
    y: f64,
    at_origin: f64,
}

impl LinearPlane {
    pub(super) fn at(&self, x: f64, y: f64) -> f64 {
        self.at_origin + self.x * x + self.y * y
    }

    /// Returns the plane's values at two columns and two rows, row by row.
    pub(super) fn on_grid(&self, [left, right]: [f64; 2], [top, bottom]: [f64; 2]) -> [f64; 4] {
        let at = |x, y| self.at(x, y);
        [at(left, top), at(right, top), at(left, bottom), at(right, bottom)]
    }

    fn add(&mut self, other: &LinearPlane, factor: f64) {
        self.x += other.x * factor;
        self.y += other.y * factor;
        self.at_origin += other.at_origin * factor;
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ScanLine {
    pub(super) from: (i64, i64),
    pub(super) to: (i64, i64),
    pub(super) ends: [LineEnd; 2],
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineEnd {
    weights: [f64; 3],
    depth: f64,
}

impl ScanLine {
    fn new(from: &ProjectedVertex, to: &ProjectedVertex) -> Self {
        let end = |corner: &ProjectedVertex| LineEnd {
            weights: corner.weights.map(|weight| weight * corner.over_w),
            depth: corner.depth,
        };
        ScanLine { from: (from.x, from.y), to: (to.x, to.y), ends: [end(from), end(to)] }
    }

    pub(super) fn is_steep(&self) -> bool {
        (self.to.1 - self.from.1).abs() > (self.to.0 - self.from.0).abs()
    }

    /// Returns the position of a pixel's centre along the longer axis, as a fraction of the line's length.
    fn part(&self, (x, y): (i32, i32)) -> f64 {
        let (pixel, from, to) =
            if self.is_steep() { (y, self.from.1, self.to.1) } else { (x, self.from.0, self.to.0) };
        real(i64::from(pixel) * 256 + 128 - from) / real(to - from)
    }

    /// Returns [`Triangle::weights`] at a pixel, interpolated along the line. The planes of a thin triangle are steep,
    /// and would give wrong values at pixel centres next to the line.
    pub(super) fn weights(&self, pixel: (i32, i32)) -> [f64; 3] {
        let part = self.part(pixel);
        let [from, to] = &self.ends;
        let mut weights = from.weights;
        for (weight, to) in weights.iter_mut().zip(to.weights) {
            *weight += (to - *weight) * part;
        }
        weights
    }

    pub(super) fn depth(&self, pixel: (i32, i32)) -> f64 {
        let [from, to] = &self.ends;
        from.depth + (to.depth - from.depth) * self.part(pixel)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    /// Edges, clockwise on the screen. A sample is inside if no edge function is negative; the functions include the
    /// top-left rule.
    pub(super) edges: [EdgeFunction; 3],
    /// Pixels that the triangle may cover: left, top, right and bottom, the last two exclusive.
    pub(super) bounds: [i32; 4],
    /// Origin of the planes, in pixels.
    pub(super) origin: (i32, i32),
    /// Planes of each original vertex's weight divided by w.
    pub(super) weights: [LinearPlane; 3],
    pub(super) depth: LinearPlane,
    /// Indices of the triangle's vertices in the batch.
    pub(super) vertices: [u32; 3],
    pub(super) front: bool,
    /// True if the triangle is culled; such triangles are set up only for a probe.
    pub(super) culled: bool,
    /// Index of the original triangle in the draw.
    pub(super) number: u32,
    /// The edges of the original triangle, for wireframes; `None` for edges that clipping added.
    pub(super) lines: [Option<ScanLine>; 3],
}

#[derive(Clone, Copy)]
struct ProjectedVertex {
    x: i64,
    y: i64,
    /// The position in pixels before snapping.
    exact: (f64, f64),
    depth: f64,
    over_w: f64,
    weights: [f64; 3],
    edge: bool,
}

fn project(corner: &ClipCorner, viewport: &Viewport) -> ProjectedVertex {
    let [x, y, z, w] = corner.position;
    let over_w = 1.0 / w;
    let exact =
        ((x * over_w * 0.5 + 0.5) * viewport.width, (0.5 - y * over_w * 0.5) * viewport.height);
    ProjectedVertex {
        x: fixed(exact.0),
        y: fixed(exact.1),
        exact,
        depth: z * over_w,
        over_w,
        weights: corner.weights,
        edge: corner.edge,
    }
}

/// Splits a polygon into triangles, and calls a function for those that have an area and are not culled.
pub(super) fn triangles(
    polygon: &Polygon,
    viewport: &Viewport,
    vertices: [u32; 3],
    wanted: impl Fn(bool) -> bool,
    mut each: impl FnMut(Triangle),
) {
    let [first, rest @ ..] = polygon.corners() else {
        return;
    };
    let a = project(first, viewport);
    let last = rest.len().saturating_sub(2);
    for (place, pair) in rest.windows(2).enumerate() {
        let [b, c] = pair else { continue };
        let (b, c) = (project(b, viewport), project(c, viewport));
        // Wireframes don't show the diagonals between the triangles of a clipped polygon.
        let shown = [a.edge && place == 0, b.edge, c.edge && place == last];
        if let Some(triangle) = triangle([a, b, c], shown, vertices)
            && wanted(triangle.front)
        {
            each(triangle);
        }
    }
}

/// Returns twice the area, positive if the corners are clockwise on the screen.
fn area(a: &ProjectedVertex, b: &ProjectedVertex, c: &ProjectedVertex) -> i64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

fn triangle(
    corners: [ProjectedVertex; 3],
    shown: [bool; 3],
    vertices: [u32; 3],
) -> Option<Triangle> {
    let [a, b, c] = corners;
    let doubled = area(&a, &b, &c);
    if doubled == 0 {
        return None;
    }
    let side = |from: &ProjectedVertex, to: &ProjectedVertex, shown: bool| {
        shown.then(|| ScanLine::new(from, to))
    };
    let [ab, bc, ca] = shown;
    let lines = [side(&a, &b, ab), side(&b, &c, bc), side(&c, &a, ca)];
    let front = doubled > 0;
    let (b, c) = if front { (b, c) } else { (c, b) };
    let doubled = doubled.abs();

    let (left, right) = (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
    let (top, bottom) = (a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y));
    let pixel = |fixed: i64| i32::try_from(fixed.div_euclid(256)).unwrap_or(0);
    let origin = (pixel(left), pixel(top));

    let places = places([&a, &b, &c], doubled);
    let mut weights = [LinearPlane::default(); 3];
    let mut depth = LinearPlane::default();
    // The weight of a corner is proportional to the distance from the opposite edge.
    let [pa, pb, pc] = places;
    for (corner, across) in [(&a, [pb, pc, pa]), (&b, [pc, pa, pb]), (&c, [pa, pb, pc])] {
        let share = share(across, origin);
        depth.add(&share, corner.depth);
        for (plane, weight) in weights.iter_mut().zip(corner.weights) {
            plane.add(&share, weight * corner.over_w);
        }
    }
    let edges = [edge(&a, &b), edge(&b, &c), edge(&c, &a)];
    Some(Triangle {
        edges: edges.map(inclusive),
        bounds: [origin.0, origin.1, pixel(right) + 1, pixel(bottom) + 1],
        origin,
        weights,
        depth,
        vertices,
        front,
        culled: false,
        number: 0,
        lines,
    })
}

fn edge(from: &ProjectedVertex, to: &ProjectedVertex) -> EdgeFunction {
    let (x, y) = (from.y - to.y, to.x - from.x);
    EdgeFunction { x, y, at_origin: -(x * from.x + y * from.y) }
}

/// Applies the top-left rule: samples on an edge are inside only for top and left edges.
fn inclusive(edge: EdgeFunction) -> EdgeFunction {
    let (down, right) = (-edge.x, edge.y);
    let top_left = down < 0 || (down == 0 && right > 0);
    EdgeFunction { at_origin: edge.at_origin - i64::from(!top_left), ..edge }
}

/// Returns the triangle's exact corners for the interpolation planes, as in images of Flash Player (capture `texture`).
/// Returns the snapped corners if snapping more than doubled the area of a small triangle, to avoid extrapolation.
fn places(corners: [&ProjectedVertex; 3], doubled: i64) -> [(f64, f64); 3] {
    let exact = corners.map(|corner| corner.exact);
    let snapped = real(doubled) / 65536.0;
    if twice_the_area(exact) >= snapped * 0.5 {
        exact
    } else {
        corners.map(|corner| (real(corner.x) / 256.0, real(corner.y) / 256.0))
    }
}

fn twice_the_area([(ax, ay), (bx, by), (cx, cy)]: [(f64, f64); 3]) -> f64 {
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

/// Returns the barycentric plane of the last position: 1 at that position, and 0 on the line through the other two.
fn share(places: [(f64, f64); 3], (left, top): (i32, i32)) -> LinearPlane {
    let [(fx, fy), (tx, ty), _] = places;
    let area = twice_the_area(places);
    let (x, y) = ((fy - ty) / area, (tx - fx) / area);
    LinearPlane { x, y, at_origin: x * (f64::from(left) - fx) + y * (f64::from(top) - fy) }
}

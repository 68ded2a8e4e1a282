//! Generates the scene's geometry: a torus knot, the floor, the backdrop and the sparks.

use super::math::{Vec3, add, cross, normalize, scale, sub};

/// Vertices as 32-bit values, interleaved, and the triangles between them.
pub(super) struct Mesh {
    /// Number of 32-bit values per vertex.
    pub(super) stride: u8,
    pub(super) vertices: Vec<f32>,
    /// The triangles' vertex indices, clockwise seen from outside: Stage3D's front faces.
    pub(super) indices: Vec<u16>,
}

const KNOT_SEGMENTS: u16 = 168;
const KNOT_SIDES: u16 = 16;
const KNOT_TUBE: f64 = 0.34;
const FLOOR_HALF: f32 = 9.0;
const FLOOR_TILES: f32 = 12.0;
const SPARK_SIZE: f32 = 0.11;

/// Returns a point on the centre line of the (2, 3) torus knot, for `turn` from 0 to 1.
fn knot_center(turn: f64) -> Vec3 {
    let angle = turn * std::f64::consts::TAU;
    let (s2, c2) = (2.0 * angle).sin_cos();
    let (s3, c3) = (3.0 * angle).sin_cos();
    let radius = 1.15 + 0.5 * c3;
    [radius * c2, 0.62 * s3, radius * s2]
}

/// Creates the knot. A vertex has a position, a normal and texture coordinates.
pub(super) fn knot() -> Mesh {
    let mut vertices = Vec::new();
    for segment in 0..=KNOT_SEGMENTS {
        let turn = f64::from(segment) / f64::from(KNOT_SEGMENTS);
        let center = knot_center(turn);
        let tangent = normalize(sub(knot_center(turn + 1e-4), knot_center(turn - 1e-4)));
        let side = normalize(cross(tangent, center));
        let up = cross(side, tangent);
        for around in 0..=KNOT_SIDES {
            let v = f64::from(around) / f64::from(KNOT_SIDES);
            let (s, c) = (v * std::f64::consts::TAU).sin_cos();
            let normal = add(scale(side, c), scale(up, s));
            let position = add(center, scale(normal, KNOT_TUBE));
            vertices.extend(position.iter().chain(&normal).map(|value| single(*value)));
            vertices.extend([single(turn * 24.0), single(v * 3.0)]);
        }
    }
    let mut indices = Vec::new();
    let row = KNOT_SIDES + 1;
    for segment in 0..KNOT_SEGMENTS {
        for around in 0..KNOT_SIDES {
            let a = segment * row + around;
            let (b, c, d) = (a + 1, a + row, a + row + 1);
            indices.extend([a, c, b, b, c, d]);
        }
    }
    Mesh { stride: 8, vertices, indices }
}

/// Creates the plane y = 0, seen from above. A vertex has a position and texture coordinates.
pub(super) fn floor() -> Mesh {
    let corners = [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)];
    let vertex = |(x, z): (f32, f32)| {
        [x * FLOOR_HALF, 0.0, z * FLOOR_HALF, x * FLOOR_TILES, z * FLOOR_TILES]
    };
    Mesh {
        stride: 5,
        vertices: corners.into_iter().flat_map(vertex).collect(),
        indices: vec![0, 1, 2, 0, 2, 3],
    }
}

/// Creates the backdrop. A vertex has a position in clip space and a colour.
pub(super) fn backdrop(top: [f32; 3], bottom: [f32; 3]) -> Mesh {
    let corner = |x: f32, y: f32, color: [f32; 3]| [x, y, color[0], color[1], color[2]];
    let corners = [
        corner(-1.0, 1.0, top),
        corner(1.0, 1.0, top),
        corner(1.0, -1.0, bottom),
        corner(-1.0, -1.0, bottom),
    ];
    Mesh { stride: 5, vertices: corners.concat(), indices: vec![0, 1, 2, 0, 2, 3] }
}

/// Creates the sparks. A vertex has a corner (-1..1), a corner in view space, and the spark's index, which selects the
/// constant with the spark's position.
pub(super) fn sparks(count: u8) -> Mesh {
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for spark in 0..count {
        for (x, y) in [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
            vertices.extend([x, y, x * SPARK_SIZE, y * SPARK_SIZE, f32::from(spark)]);
        }
        indices.extend([0, 1, 2, 0, 2, 3].map(|corner| u16::from(spark) * 4 + corner));
    }
    Mesh { stride: 5, vertices, indices }
}

#[allow(clippy::cast_possible_truncation, reason = "Stage3D's vertex data is 32-bit floats")]
pub(super) fn single(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knot_turns_its_front_outwards() {
        let knot = knot();
        let vertex =
            |index: u16| &knot.vertices[usize::from(index) * usize::from(knot.stride)..][..6];
        let point = |index| -> (Vec3, Vec3) {
            let v: Vec<f64> = vertex(index).iter().map(|value| f64::from(*value)).collect();
            ([v[0], v[1], v[2]], [v[3], v[4], v[5]])
        };
        for triangle in knot.indices.chunks_exact(3) {
            let ((a, normal), (b, _), (c, _)) =
                (point(triangle[0]), point(triangle[1]), point(triangle[2]));
            // In left-handed space, the cross product of a face that is clockwise from outside points outwards.
            let face = cross(sub(b, a), sub(c, a));
            assert!(super::super::math::dot(face, normal) > 0.0, "{triangle:?}");
        }
    }
}

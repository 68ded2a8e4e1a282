//! Linear algebra for the scene. Matrices are column-major like `Matrix3D.rawData` and multiply column vectors; clip
//! space is Direct3D's (z from 0 to w), as in AGAL.

/// A point or direction.
pub(super) type Vec3 = [f64; 3];
/// A column-major 4×4 matrix.
pub(super) type Mat4 = [f64; 16];

pub(super) fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn scale(a: Vec3, by: f64) -> Vec3 {
    a.map(|component| component * by)
}

pub(super) fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn normalize(a: Vec3) -> Vec3 {
    scale(a, 1.0 / dot(a, a).sqrt())
}

/// Returns the product `a` · `b`, which applies `b` first.
pub(super) fn mul(a: &Mat4, b: &Mat4) -> Mat4 {
    std::array::from_fn(|at| (0..4).map(|k| a[k * 4 + at % 4] * b[at / 4 * 4 + k]).sum())
}

pub(super) fn translation(by: Vec3) -> Mat4 {
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, by[0], by[1], by[2], 1.0]
}

pub(super) fn scaling(by: Vec3) -> Mat4 {
    [by[0], 0.0, 0.0, 0.0, 0.0, by[1], 0.0, 0.0, 0.0, 0.0, by[2], 0.0, 0.0, 0.0, 0.0, 1.0]
}

pub(super) fn rotation_x(angle: f64) -> Mat4 {
    let (s, c) = angle.sin_cos();
    [1.0, 0.0, 0.0, 0.0, 0.0, c, s, 0.0, 0.0, -s, c, 0.0, 0.0, 0.0, 0.0, 1.0]
}

pub(super) fn rotation_y(angle: f64) -> Mat4 {
    let (s, c) = angle.sin_cos();
    [c, 0.0, -s, 0.0, 0.0, 1.0, 0.0, 0.0, s, 0.0, c, 0.0, 0.0, 0.0, 0.0, 1.0]
}

/// Returns the view matrix of a left-handed camera that looks along +z.
pub(super) fn look_at(eye: Vec3, target: Vec3) -> Mat4 {
    let forward = normalize(sub(target, eye));
    let right = normalize(cross([0.0, 1.0, 0.0], forward));
    let up = cross(forward, right);
    let [x, y, z] = [right, up, forward].map(|axis| -dot(axis, eye));
    [
        right[0], up[0], forward[0], 0.0, right[1], up[1], forward[1], 0.0, right[2], up[2],
        forward[2], 0.0, x, y, z, 1.0,
    ]
}

/// Returns a left-handed perspective projection with depth from 0 at `near` to 1 at `far`.
pub(super) fn perspective(vertical_angle: f64, aspect: f64, near: f64, far: f64) -> Mat4 {
    let y = 1.0 / (vertical_angle / 2.0).tan();
    let depth = far / (far - near);
    [
        y / aspect,
        0.0,
        0.0,
        0.0,
        0.0,
        y,
        0.0,
        0.0,
        0.0,
        0.0,
        depth,
        1.0,
        0.0,
        0.0,
        -near * depth,
        0.0,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transform(m: &Mat4, p: Vec3) -> [f64; 4] {
        std::array::from_fn(|row| {
            m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row]
        })
    }

    #[test]
    fn the_target_is_in_the_middle_and_depth_runs_from_0_to_1() {
        let view = look_at([3.0, 2.0, -5.0], [0.0, 1.0, 0.0]);
        let both = mul(&perspective(1.0, 1.5, 0.5, 40.0), &view);
        let [x, y, z, w] = transform(&both, [0.0, 1.0, 0.0]);
        assert!(x.abs() < 1e-12 && y.abs() < 1e-12 && z > 0.0 && z < w);
        let projection = perspective(1.0, 1.5, 0.5, 40.0);
        assert!(transform(&projection, [0.0, 0.0, 0.5])[2].abs() < 1e-12);
        let [_, _, z, w] = transform(&projection, [0.0, 0.0, 40.0]);
        assert!((z / w - 1.0).abs() < 1e-12);
    }
}

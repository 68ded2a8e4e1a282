//! Cube maps: the face that a direction hits, the position on the face, and the inverse. The order of faces is that of
//! Stage3D, OpenGL and Direct3D: +X, -X, +Y, -Y, +Z, -Z [context3d.cube.sides].
//!
//! Coordinates on a face are Direct3D's, with rows from the top: s grows to the right and t downwards, seen from
//! inside, with +X to the right, +Y up and +Z ahead. OpenGL's rule is the same if rows are counted in memory order.
//!
//! | face | | s grows with | t grows with |
//! |---|---|---|---|
//! | 0 | +X | -z | -y |
//! | 1 | -X | z | -y |
//! | 2 | +Y | x | z |
//! | 3 | -Y | x | -z |
//! | 4 | +Z | x | -y |
//! | 5 | -Z | -x | -y |
//!
//! ```
//! use agal_core::cube::{face_of, project, unproject};
//!
//! let direction = [4.0, 1.0, -2.0];
//! let face = face_of(direction);
//! assert_eq!((face, project(face, direction)), (0, [0.5, -0.25]));
//! assert_eq!(unproject(face, [0.5, -0.25]), [1.0, 0.25, -0.5]);
//! ```

/// The number of faces of a cube map.
pub const FACES: u8 = 6;

/// Returns the face that a direction hits, 0 to 5: that of the component with the largest magnitude. The length of the
/// direction is ignored. Among equal components, x comes before y and y before z; OpenGL ES 3.0 (section 3.8.10)
/// leaves the order open.
pub fn face_of([x, y, z]: [f32; 3]) -> u8 {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if ax >= ay && ax >= az {
        u8::from(x < 0.0)
    } else if ay >= az {
        2 + u8::from(y < 0.0)
    } else {
        4 + u8::from(z < 0.0)
    }
}

/// Returns the position at which a direction intersects the plane of a face: s and t, from -1 to 1 on the face. A
/// direction parallel to the plane gives infinities or NaN.
pub fn project(face: u8, [x, y, z]: [f32; 3]) -> [f32; 2] {
    let (s, t, major) = match face {
        0 => (-z, -y, x),
        1 => (z, -y, x),
        2 => (x, z, y),
        3 => (x, -z, y),
        4 => (x, -y, z),
        _ => (-x, -y, z),
    };
    [s / major.abs(), t / major.abs()]
}

/// Returns the direction of a position on a face's plane; the component of the face's axis is 1 or -1. The inverse of
/// [`project`].
pub fn unproject(face: u8, [s, t]: [f32; 2]) -> [f32; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

use super::*;

const GUARD: [f64; 2] = [16.0, 16.0];

#[test]
fn what_is_inside_stays() {
    let triangle = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0], [0.0, 9.0, 0.5, 1.0]];
    let polygon = clip(triangle, GUARD).unwrap();
    assert_eq!(polygon.corners(), Polygon::triangle(triangle).corners());
}

#[test]
fn the_near_plane_cuts_a_corner_off() {
    let triangle = [[0.0, 0.0, -1.0, 1.0], [1.0, 0.0, 1.0, 2.0], [0.0, 1.0, 1.0, 2.0]];
    let polygon = clip(triangle, GUARD).unwrap();
    let corners = polygon.corners();
    assert_eq!(corners.len(), 4);
    for corner in corners {
        let [_, _, z, w] = corner.position;
        assert!((0.0..=w).contains(&z));
        assert_eq!(corner.weights.iter().sum::<f64>(), 1.0);
    }
    let cut: Vec<_> = corners.iter().filter(|corner| !corner.edge).collect();
    assert_eq!(cut.len(), 1, "one edge is the plane's");
    assert_eq!(corners[0].position, [0.5, 0.0, 0.0, 1.5]);
}

#[test]
fn a_triangle_through_the_eye_leaves_what_is_before_it() {
    let triangle = [[0.0, 0.0, 1.0, 1.0], [5.0, 0.0, -9.0, -9.0], [-5.0, 3.0, -9.0, -9.0]];
    let polygon = clip(triangle, GUARD).unwrap();
    for corner in polygon.corners() {
        let [x, y, z, w] = corner.position;
        assert!(w >= MIN_W && z >= 0.0 && z <= w);
        assert!(x.abs() <= w * 16.0 * (1.0 + 1e-12) && y.abs() <= w * 16.0 * (1.0 + 1e-12));
    }
}

#[test]
fn nothing_is_left_of_what_cant_be_seen() {
    let at = |x: f32, z: f32, w: f32| [[x, 0.0, z, w], [x, 1.0, z, w], [x + 0.1, 0.0, z, w]];
    for triangle in [
        at(2.0, 0.5, 1.0),
        at(0.0, -0.1, 1.0),
        at(0.0, 1.1, 1.0),
        at(0.0, 0.0, -1.0),
        at(f32::NAN, 0.5, 1.0),
        at(f32::INFINITY, 0.5, 1.0),
    ] {
        assert!(clip(triangle, GUARD).is_none(), "{triangle:?}");
    }
    // All vertices are at the camera position: clipping must end, with an empty result or one that covers no pixel.
    let _ = clip(at(0.0, 0.0, 0.0), GUARD);
}

#[test]
fn the_guard_band_holds() {
    let triangle = [[-1e30, -1e30, 0.5, 1.0], [1e30, -1e30, 0.5, 1.0], [0.0, 1e30, 0.5, 1.0]];
    let polygon = clip(triangle, GUARD).unwrap();
    for corner in polygon.corners() {
        let [x, y, _, w] = corner.position;
        assert!(x.abs() <= w * 16.1 && y.abs() <= w * 16.1);
    }
}

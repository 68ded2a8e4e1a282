//! Tests the conversion of meshes to egui shapes.

use super::*;
use molehill_reference::watch::DrawVertex;

fn rendered(points: &[MeshPoint], triangles: &[[u32; 3]], angle: f32) -> egui::Mesh {
    let vertex = |[x, y, z]: &MeshPoint| DrawVertex {
        attributes: vec![(0, [*x, *y, *z, 1.0])],
        ..DrawVertex::default()
    };
    let vertices = points.iter().map(vertex).collect();
    let mesh = Arc::new(Mesh { vertices, triangles: triangles.to_vec() });
    let rect = Rect::from_min_size(Pos2::ZERO, Vec2::splat(64.0));
    render(&MeshPicture { mesh, after: false, angles: [angle, 0.0], rect, dark: true }, 1.0)
}

#[test]
fn the_nearer_face_is_drawn_last() {
    let points = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    let all = [points, points.map(|[x, y, _]| [x, y, 0.5])].concat();
    let both = rendered(&all, &[[3, 4, 5], [0, 1, 2]], 0.0);
    assert_eq!(both, rendered(&all, &[[0, 1, 2], [3, 4, 5]], 0.0));
    // Each triangle has an outline and a filled area. If a triangle is seen edge-on, only its outline remains.
    assert_eq!(both.vertices.len(), 12);
    let side = rendered(&points, &[[0, 1, 2]], std::f32::consts::FRAC_PI_2);
    assert_eq!(side.vertices.len(), 3);
}

#[test]
fn points_are_fitted_and_nan_does_no_harm() {
    let mut points = [[10.0, 0.0, 0.0], [14.0, 2.0, 0.0], [f32::NAN, 0.0, 0.0]];
    fit(&mut points);
    assert_eq!(points[0], [-1.0, -0.5, 0.0]);
    assert_eq!(points[1], [1.0, 0.5, 0.0]);
    assert!(rendered(&points, &[[0, 1, 2], [0, 1, 9]], 0.0).is_empty());
}

#[test]
fn vertices_that_are_not_numbers_are_counted_and_marked() {
    let vertex = |x: f32, w: f32| DrawVertex {
        attributes: vec![(0, [x, x * x, 0.0, 1.0])],
        position: [x, 0.0, 0.0, w],
        ..DrawVertex::default()
    };
    let mut vertices =
        vec![vertex(0.0, 1.0), vertex(1.0, -1.0), vertex(2.0, 1.0), vertex(3.0, 1.0)];
    vertices[3].position[0] = f32::NAN;
    vertices[3].index = 7;
    let mesh = Arc::new(Mesh { vertices, triangles: vec![[0, 1, 2], [1, 2, 3]] });
    let hidden = HiddenVertices::of(&mesh);
    assert_eq!((hidden.broken, hidden.behind, hidden.triangles, hidden.first), (1, 1, 1, Some(7)));
    let rect = Rect::from_min_size(Pos2::ZERO, Vec2::splat(64.0));
    let shown =
        render(&MeshPicture { mesh, after: false, angles: [0.0; 2], rect, dark: true }, 0.1);
    let red = shown.vertices.iter().filter(|vertex| vertex.color.r() / 2 > vertex.color.b());
    assert_eq!(red.count(), 6, "an edge and a face of one triangle");
}

//! Wireframes.

use crate::calls::Calls as _;
use crate::case::{Cases, Feature};
use crate::cases::drawing::{cells, color, pick};
use crate::scene_builder::{PASS, Quad, VARYING};
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    let tolerance = Tolerance {
        channel: 1,
        moved: 220,
        outliers: 40,
        reason: "Direct3D and OpenGL choose the pixels of lines by different rules",
    };
    for (name, corners) in [("large", [2.5, 2.5, 29.5, 29.5]), ("flat", [2.5, 12.5, 29.5, 17.5])] {
        let name = format!("api.fill_mode.wireframe.{name}");
        const SOURCE: &str = "context3d.md section 6, setFillMode";
        cases
            .within(tolerance)
            .scene(name, SOURCE, move |s| {
                s.set_fill_mode("wireframe")?;
                s.program(PASS, VARYING)?;
                s.quads(&[Quad::flat(corners, 0.5, color([255, 204, 0, 255]))])?;
                s.set_fill_mode("solid")
            })
            .needs(Feature::Wireframe);
    }
    sliver(cases);
    const SOURCE: &str = "context3d.md section 6, setFillMode and setStencilActions";
    cases
        .within(tolerance)
        .scene("api.fill_mode.wireframe.stencil_by_face", SOURCE, |s| {
            s.stencil("front", "never", ["keep"; 3])?;
            s.stencil("back", "always", ["keep"; 3])?;
            s.set_fill_mode("wireframe")?;
            s.program(PASS, VARYING)?;
            s.quads(&[
                Quad::flat([2.5, 2.5, 29.5, 13.5], 0.5, color([255, 204, 0, 255])),
                Quad::flat([2.5, 18.5, 29.5, 29.5], 0.5, color([0, 204, 255, 255])).behind(),
            ])?;
            s.set_fill_mode("solid")?;
            s.stencil("frontAndBack", "always", ["keep"; 3])
        })
        .needs(Feature::Wireframe);
    cases
        .scene("api.fill_mode.solid_again", "context3d.md section 6, setFillMode", |s| {
            s.set_fill_mode("wireframe")?;
            s.set_fill_mode("solid")?;
            s.program(PASS, VARYING)?;
            s.quads(&cells(|_, _| 0.5, |column, row| pick(column * 3 + row)))
        })
        .needs(Feature::Wireframe);
}

/// The wireframe of a triangle too thin for interpolating from its area.
fn sliver(cases: &mut Cases) {
    let tolerance = Tolerance {
        channel: 14,
        moved: 48,
        outliers: 8,
        reason: "Direct3D and OpenGL choose the pixels of lines by different rules, and any of the three may come last",
    };
    cases
        .within(tolerance)
        .scene("api.fill_mode.wireframe.sliver", "context3d.md section 6, setFillMode", |s| {
            s.program("mov op, va0\nmov v0, va1", VARYING)?;
            // Red to green on one side; the third corner, a little bluer, is a hundredth of a pixel from its
            // middle.
            let floats = [
                [-0.9, -0.31, 0.5, 1.0, 0.0, 0.0, 1.0],
                [0.9, 0.33, 0.5, 0.0, 1.0, 0.0, 1.0],
                [0.0, 0.0106, 0.5, 0.5, 0.5, 0.04, 1.0],
            ];
            let (vertices, indices) =
                (s.vertices(floats.as_flattened(), 7)?, s.indices(&[0, 1, 2])?);
            s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
            s.set_vertex_buffer_at(1, vertices, 3, "float4")?;
            s.set_fill_mode("wireframe")?;
            s.draw_triangles(indices, 0, -1)?;
            s.set_fill_mode("solid")
        })
        .needs(Feature::Wireframe);
}

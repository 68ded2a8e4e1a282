//! Instanced drawing.

use context3d::Profile;

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::drawing::{corners, pick};
use crate::scene_builder::{PASS, Quad, VARYING};

pub(super) fn add(cases: &mut Cases) {
    const SOURCE: &str = "[context3d.draw.instanced] [context3d.draw.per_instance]";
    for per_element in [1i32, 2, 3, 5] {
        for count in [0i32, 1, 2, 7, 8] {
            cases
                .scene(format!("api.instancing.every_{per_element}.of_{count}"), SOURCE, move |s| {
                    s.program_of(3, "add vt0, va0, va2\nmov op, vt0\nmov v0, va3", VARYING)?;
                    let (vertices, indices) =
                        s.mesh(&[Quad::flat(corners(0, 0), 0.5, [0.0; 4])])?;
                    s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
                    let places: Vec<f32> = (0..8u8)
                        .flat_map(|n| [f32::from(n) * 0.25, -f32::from(n) * 0.25, 0.0, 0.0])
                        .collect();
                    let places = s.instances(&places, 4, 1)?;
                    let colors: Vec<f32> = (0..8u16).flat_map(|n| pick(n + 1)).collect();
                    let colors = s.instances(&colors, 4, per_element)?;
                    s.set_vertex_buffer_at(2, places, 0, "float4")?;
                    s.set_vertex_buffer_at(3, colors, 0, "float4")?;
                    s.draw_triangles_instanced(indices, count, 0, -1)?;
                    s.set_vertex_buffer_at(2, None, 0, "float4")?;
                    s.set_vertex_buffer_at(3, None, 0, "float4")?;
                    s.program(PASS, VARYING)?;
                    s.quads(&[Quad::flat(corners(0, 7), 0.5, pick(5))])
                })
                .profile(Profile::StandardExtended);
        }
    }
    for (word, program) in [
        ("constants", "mov vt1, vc[iid.x]\nadd vt0, va0, vt1\nmov op, vt0\nmov v0, vc[iid.x+8]"),
        ("arithmetic", "mul vt1, vc16, iid.x\nadd vt0, va0, vt1\nmov op, vt0\nmov v0, vc[iid.x+8]"),
    ] {
        let name = format!("api.instancing.iid.{word}");
        let source = "[agal.iid.x] [agal.indirect.instance_id]";
        cases
            .scene(name, source, move |s| {
                s.program_of(3, program, VARYING)?;
                for n in 0..8u8 {
                    let at = f64::from(n) * 0.25;
                    s.constants("vertex", n.into(), &[[at, -at, 0.0, 0.0]])?;
                    s.constants("vertex", i32::from(n) + 8, &[pick(n.into()).map(f64::from)])?;
                }
                s.constants("vertex", 16, &[[0.25, -0.25, 0.0, 0.0]])?;
                let (vertices, indices) = s.mesh(&[Quad::flat(corners(0, 0), 0.5, [0.0; 4])])?;
                s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
                s.draw_triangles_instanced(indices, 8, 0, -1)
            })
            .profile(Profile::StandardExtended);
    }
}

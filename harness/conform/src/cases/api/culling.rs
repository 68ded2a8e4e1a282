//! Culling.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::cases::drawing::{cells, into_texture, pick, show};
use crate::expected;
use crate::scene_builder::{Done, PASS, Quad, SceneBuilder, VARYING};

pub(super) fn add(cases: &mut Cases) {
    const SOURCE: &str = "context3d.md section 2, front face; section 6, setCulling";
    fn draw(s: &mut SceneBuilder, face: &str) -> Done {
        s.set_culling(face)?;
        s.program(PASS, VARYING)?;
        let quads = cells(|_, _| 0.5, |column, _| pick(column)).into_iter().enumerate();
        let quads: Vec<Quad> =
            quads.map(|(n, quad)| if n % 3 == 0 { quad.behind() } else { quad }).collect();
        s.quads(&quads)
    }
    for face in expected::names("TriangleFace") {
        cases.scene(format!("api.culling.{face}"), SOURCE, move |s| draw(s, face));
        cases.scene(format!("rtt.culling.{face}"), SOURCE, move |s| {
            let texture = into_texture(s)?;
            draw(s, face)?;
            s.set_culling("none")?;
            show(s, texture)
        });
        // A negative w doesn't flip any visible face; mirrored coordinates do.
        cases.scene(format!("api.culling.mirrored.{face}"), SOURCE, move |s| {
            s.set_culling(face)?;
            s.program("mul op, va0, vc0\nmov v0, va1", VARYING)?;
            s.constants("vertex", 0, &[[-1.0, 1.0, 1.0, 1.0]])?;
            let quads = cells(|_, _| 0.5, |column, _| pick(column)).into_iter().enumerate();
            let quads: Vec<Quad> =
                quads.map(|(n, quad)| if n % 3 == 0 { quad.behind() } else { quad }).collect();
            s.quads(&quads)
        });
    }
}

//! Clipping.

use crate::case::Cases;
use crate::cases::drawing::{pick, row};
use crate::scene_builder::{FULL, PASS, Quad, VARYING};
use crate::tolerance::Tolerance;

/// Only z in 0..w is visible (context3d.md section 2).
pub(super) fn add(cases: &mut Cases) {
    for (word, depths) in [
        ("near", [-1.0, -0.5, -0.25, -0.0625, 0.0, 0.0625, 0.25, 0.5]),
        ("far", [0.5, 0.75, 0.9375, 1.0, 1.0625, 1.25, 2.0, 8.0]),
    ] {
        cases.scene(format!("api.clip.{word}"), "context3d.md section 2, clip space", move |s| {
            s.program(PASS, VARYING)?;
            let rows: Vec<Quad> =
                depths.iter().zip(0..).map(|(z, n)| row(n, *z, pick(n))).collect();
            s.quads(&rows)
        });
    }
    for (word, from, to) in
        [("through_near", -1.0, 1.0), ("through_far", 0.0, 2.0), ("through_both", -1.0, 2.0)]
    {
        let tolerance = Tolerance::edges(2, 32, "a cut edge may lie a pixel further");
        let name = format!("api.clip.{word}");
        const SOURCE: &str = "context3d.md section 2, clip space";
        cases.within(tolerance).scene(name, SOURCE, move |s| {
            s.program(
                "mov vt0, va0\nmov vt0.z, va1.x\nmov op, vt0\nmov v0, va1",
                "mov oc, v0.yzww",
            )?;
            let value = |z: f32| [z, 0.4, 0.8, 1.0];
            s.quads(&[Quad {
                corners: FULL,
                z: 0.0,
                values: [value(from), value(to), value(from), value(to)],
                back: false,
            }])
        });
    }
}

//! Clears.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::cases::drawing::{cells, color, pick};
use crate::scene_builder::{PASS, Quad, VARYING};

const CLEAR: &str = "context3d.md section 5, clear";

fn colors(cases: &mut Cases) {
    // "Values outside 0..1 are clamped silently"; 0.3 is 76 or 77.
    for (word, color) in [
        ("third", [0.3, 0.6, 0.9, 0.3]),
        ("half", [0.5, 0.5, 0.5, 0.5]),
        ("transparent", [1.0, 0.5, 0.0, 0.0]),
        ("above", [2.0, 1e9, f64::INFINITY, 7.0]),
        ("below", [-1.0, -0.001, f64::NEG_INFINITY, -3.0]),
        ("small", [0.001, 0.002, 0.0039, 0.004]),
        ("mixed", [0.0, 1.0, 0.25, 0.75]),
    ] {
        cases.scene(format!("api.clear.color.{word}"), CLEAR, move |s| s.clear(color));
    }
}

fn masks(cases: &mut Cases) {
    for mask in 0..8u32 {
        for high in [0u32, 0xFFFF_FFF8] {
            let word = if high == 0 { "alone" } else { "with_other_bits" };
            cases.scene(format!("api.clear.mask_{mask}.{word}"), CLEAR, move |s| {
                s.program(PASS, VARYING)?;
                // Fills each buffer first.
                s.set_depth_test(true, "always")?;
                s.stencil("frontAndBack", "always", ["set", "keep", "keep"])?;
                s.set_stencil_reference_value(3, 255, 255)?;
                s.quads(&[Quad::flat([0.0, 0.0, 16.0, 32.0], 0.25, color([255, 0, 0, 255]))])?;
                s.clear_to([0.2, 0.4, 0.6, 1.0], 0.75, 3, mask | high)?;
                // Draws where depth has the cleared value.
                s.stencil("frontAndBack", "always", ["keep"; 3])?;
                s.set_depth_test(false, "less")?;
                s.quads(&[Quad::flat([4.0, 4.0, 28.0, 10.0], 0.5, color([0, 255, 0, 255]))])?;
                // Draws where the stencil has the cleared value.
                s.set_depth_test(false, "always")?;
                s.stencil("frontAndBack", "equal", ["keep"; 3])?;
                s.quads(&[Quad::flat([4.0, 20.0, 28.0, 26.0], 0.5, color([0, 0, 255, 255]))])?;
                s.stencil("frontAndBack", "always", ["keep"; 3])
            });
        }
    }
    masks_ignored(cases);
}

fn masks_ignored(cases: &mut Cases) {
    for (word, depth_mask, write) in [("depth_mask", false, 255), ("stencil_write_mask", true, 0)] {
        cases.scene(format!("api.clear.ignores.{word}"), CLEAR, move |s| {
            s.program(PASS, VARYING)?;
            s.set_depth_test(depth_mask, "always")?;
            s.set_stencil_reference_value(9, 255, write)?;
            s.clear_to([0.0, 0.0, 0.0, 1.0], 0.5, 9, 7)?;
            s.set_depth_test(false, "less")?;
            s.stencil("frontAndBack", "equal", ["keep"; 3])?;
            s.quads(&cells(|column, _| f32::from(column) / 8.0, |column, _| pick(column)))?;
            s.stencil("frontAndBack", "always", ["keep"; 3])
        });
    }
}

pub(super) fn add(cases: &mut Cases) {
    colors(cases);
    masks(cases);
}

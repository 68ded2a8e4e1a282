//! Combinations of conditionals, derivatives and discards.

use context3d::Profile;

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::drawing::cells;
use crate::scene_builder::{FULL, PASS, Quad, VARYING};
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    conditionals(cases);
    kills(cases);
}

/// Derivatives and conditionals over a whole picture.
fn conditionals(cases: &mut Cases) {
    for (word, code) in [
        (
            "nested",
            "mov ft0, v0\nifg v0.x, v0.y\nifl v0.x, v0.z\nmov ft0, fc0\nels\nmov ft0, fc1\neif\nels\nmov ft0, fc2\neif\nmov oc, ft0",
        ),
        (
            "derivative",
            "ddx ft0, v0\nddy ft1, v0\nadd ft0, ft0, ft1\nmul ft0, ft0, fc2\nabs ft0, ft0\nmov oc, ft0",
        ),
        (
            "equal",
            "mov ft0, fc0\nsub ft1, v0, fc1\nsge ft1, ft1, fc3.x\nife ft1.x, ft1.y\nmov ft0, fc1\neif\nmov oc, ft0",
        ),
    ] {
        let tolerance =
            Tolerance::edges(4, 80, "a line where two numbers are equal may lie a pixel further");
        cases
            .within(tolerance)
            .scene(format!("agal.flow.{word}"), "agal.md sections 4.1 and 4.2", move |s| {
                s.program_of(2, PASS, code)?;
                s.constants(
                    "fragment",
                    0,
                    &[
                        [1.0, 0.4, 0.2, 1.0],
                        [0.5, 0.6, 0.4, 1.0],
                        [8.0, 8.0, 8.0, 8.0],
                        [0.0, 0.0, 0.0, 0.0],
                    ],
                )?;
                s.quads(&[Quad::of(
                    FULL,
                    [
                        [0.0, 0.0, 0.5, 1.0],
                        [1.0, 0.0, 0.9, 1.0],
                        [0.0, 1.0, 0.3, 1.0],
                        [1.0, 1.0, 0.7, 1.0],
                    ],
                )])
            })
            .profile(Profile::Standard);
    }
}

fn kills(cases: &mut Cases) {
    cases
        .within(Tolerance::edges(1, 40, "a line where a number is 0 may lie a pixel further"))
        .scene("agal.flow.kil", "agal.md section 4", |s| {
            s.program(PASS, "sub ft0, v0.x, fc0.x\nkil ft0.x\nmov oc, v0")?;
            s.constants("fragment", 0, &[[0.45, 0.0, 0.0, 0.0]])?;
            s.set_depth_test(true, "less")?;
            s.quads(&cells(
                |_, _| 0.5,
                |column, row| [f32::from(column) / 7.0, f32::from(row) / 7.0, 0.5, 1.0],
            ))?;
            // A discarded pixel writes no depth.
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat([0.0, 8.0, 32.0, 16.0], 0.7, [0.0, 1.0, 0.0, 1.0])])
        });
}

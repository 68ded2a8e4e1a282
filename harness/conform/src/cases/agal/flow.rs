//! Discards.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::drawing::cells;
use crate::scene_builder::{PASS, Quad, VARYING};
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    cases
        .within(Tolerance::edges(1, 40, "a line where a number is 0 may lie a pixel further"))
        .scene("agal.flow.kil", "[agal.kil.1]", |s| {
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

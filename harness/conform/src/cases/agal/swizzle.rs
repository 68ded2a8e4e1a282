//! Every swizzle.

use crate::case::Cases;
use crate::drawing::{CELLS, corners};
use crate::scene_builder::{PASS, Quad, VARYING};

/// Every swizzle of one source, four to a picture by the first selector.
pub(super) fn add(cases: &mut Cases) {
    let letters = ['x', 'y', 'z', 'w'];
    for first in letters {
        for second in letters {
            let name = format!("agal.swizzle.{first}{second}");
            cases.scene(name, "[agal.source.swizzle]", move |s| {
                let rest = letters
                    .iter()
                    .flat_map(|third| letters.iter().map(move |fourth| (third, fourth)));
                for ((third, fourth), cell) in rest.zip(0u16..) {
                    for (vertex, part) in [(true, 0), (false, 4)] {
                        let swizzle: String =
                            [first, second, *third, *fourth].into_iter().collect();
                        match vertex {
                            true => {
                                s.program(&format!("mov op, va0\nmov v0, va1.{swizzle}"), VARYING)?
                            }
                            false => s.program(PASS, &format!("mov oc, v0.{swizzle}"))?,
                        };
                        let corners = corners(cell % CELLS, cell / CELLS + part);
                        s.quads(&[Quad::flat(corners, 0.5, [0.2, 0.4, 0.6, 0.8])])?;
                    }
                }
                Ok(())
            });
        }
    }
}

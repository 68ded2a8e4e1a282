//! Ranges of indices.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::cases::vertex::row;
use crate::drawing::{corners, pick};
use crate::scene_builder::Quad;

pub(super) fn add(cases: &mut Cases) {
    const SOURCE: &str = "[context3d.draw.range] [context3d.draw.all]";
    for (first, triangles) in [
        (0, -1),
        (0, 0),
        (0, 1),
        (0, 15),
        (3, -1),
        (3, 4),
        (6, 2),
        (12, 7),
        (45, 1),
        (45, -1),
        (48, -1),
        (1, 2),
        (2, -1),
        (47, -1),
    ] {
        let count = if triangles < 0 { "all".to_owned() } else { triangles.to_string() };
        cases.scene(format!("api.draw.range.from_{first}.{count}"), SOURCE, move |s| {
            let (_, indices) = row(s)?;
            s.draw_triangles(indices, first, triangles)?;
            s.quads(&[Quad::flat(corners(0, 7), 0.5, pick(5))])
        });
    }
    for draws in [1u16, 2, 10, 100, 500] {
        cases.scene(format!("api.draw.count.{draws}"), SOURCE, move |s| {
            let (_, indices) = row(s)?;
            s.set_blend_factors("one", "one")?;
            for n in 0..draws {
                s.draw_triangles(indices, i32::from(n % 8) * 6, 2)?;
            }
            s.set_blend_factors("one", "zero")
        });
    }
}

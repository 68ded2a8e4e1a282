//! Scissor rectangles.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::cases::drawing::{cells, color, into_texture, pick, show};
use crate::scene_builder::{Done, FULL, PASS, Quad, SceneBuilder, VARYING};

/// Rectangles in a target of 32×32: inside, across each edge, empty, with fractions, outside.
const SCISSORS: [(&str, [f64; 4]); 18] = [
    ("all", [0.0, 0.0, 32.0, 32.0]),
    ("middle", [8.0, 4.0, 12.0, 20.0]),
    ("pixel", [5.0, 9.0, 1.0, 1.0]),
    ("left_column", [0.0, 0.0, 1.0, 32.0]),
    ("last_row", [0.0, 31.0, 32.0, 1.0]),
    ("over_left", [-5.0, 3.0, 10.0, 10.0]),
    ("over_top", [3.0, -5.0, 10.0, 10.0]),
    ("over_right", [27.0, 3.0, 10.0, 10.0]),
    ("over_bottom", [3.0, 27.0, 10.0, 10.0]),
    ("over_all", [-100.0, -100.0, 1000.0, 1000.0]),
    ("no_width", [8.0, 8.0, 0.0, 10.0]),
    ("no_height", [8.0, 8.0, 10.0, 0.0]),
    ("fractions", [4.6, 7.4, 9.9, 12.1]),
    ("negative_fractions", [-0.5, -0.9, 10.7, 10.2]),
    ("right_of_it", [32.0, 0.0, 8.0, 8.0]),
    ("above_it", [0.0, -8.0, 8.0, 8.0]),
    ("huge", [1e9, 1e9, 1e9, 1e9]),
    ("largest", [0.0, 0.0, 1e18, 1e18]),
];

pub(super) fn add(cases: &mut Cases) {
    const SOURCE: &str = "context3d.md section 6, setScissorRectangle; capture scissor_rectangle";
    fn draw(s: &mut SceneBuilder, rectangle: [f64; 4]) -> Done {
        s.program(PASS, VARYING)?;
        s.set_scissor_rectangle(Some(rectangle))?;
        s.quads(&cells(|_, _| 0.5, |column, row| pick(column + row)))?;
        s.set_scissor_rectangle(None)
    }
    for (name, rectangle) in SCISSORS {
        cases.scene(format!("api.scissor.{name}"), SOURCE, move |s| {
            draw(s, rectangle)?;
            // Draws something in all cases.
            s.quads(&[Quad::flat([30.0, 14.0, 32.0, 18.0], 0.5, color([255, 0, 0, 255]))])
        });
        cases.scene(format!("rtt.scissor.{name}"), SOURCE, move |s| {
            let texture = into_texture(s)?;
            draw(s, rectangle)?;
            show(s, texture)
        });
        cases.scene(format!("api.scissor.clear.{name}"), SOURCE, move |s| {
            s.set_scissor_rectangle(Some(rectangle))?;
            s.clear([0.2, 0.4, 0.6, 0.8])?;
            s.set_scissor_rectangle(None)?;
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat([6.0, 6.0, 26.0, 26.0], 0.5, color([255, 102, 0, 255]))])
        });
    }
    cases.scene("api.scissor.kept_across_targets", SOURCE, |s| {
        s.program(PASS, VARYING)?;
        s.set_scissor_rectangle(Some([4.0, 8.0, 9.0, 10.0]))?;
        let texture = into_texture(s)?;
        s.quads(&[Quad::flat(FULL, 0.5, color([0, 255, 0, 255]))])?;
        s.set_scissor_rectangle(None)?;
        show(s, texture)?;
        s.set_scissor_rectangle(Some([16.0, 2.0, 3.0, 3.0]))?;
        s.program(PASS, VARYING)?;
        s.set_texture_at(0, None)?;
        s.quads(&[Quad::flat(FULL, 0.5, color([255, 0, 0, 255]))])?;
        s.set_scissor_rectangle(None)
    });
}

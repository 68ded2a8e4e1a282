//! Rectangle textures as targets.

use crate::case::Cases;
use crate::cases::drawing::{color, show};
use crate::scene_builder::{PASS, Quad, VARYING};
use crate::tolerance::Tolerance;

const SOURCE: &str = "context3d.md section 7";

pub(super) fn add(cases: &mut Cases) {
    for (width, height) in [(3u32, 5u32), (31, 17), (33, 64)] {
        let name = format!("rtt.rectangle.{width}x{height}");
        cases.within(Tolerance::edges(1, 70, "texels lie between pixels")).scene(
            name,
            SOURCE,
            move |s| {
                let texture = s.rectangle(width.cast_signed(), height.cast_signed(), "bgra")?;
                s.target(texture, (width, height), true, 0)?;
                s.clear([0.2, 0.4, 0.6, 1.0])?;
                s.program(PASS, VARYING)?;
                s.quads(&[Quad::flat([0.0, 0.0, 2.0, 3.0], 0.5, color([255, 102, 0, 255]))])?;
                show(s, texture)
            },
        );
    }
}

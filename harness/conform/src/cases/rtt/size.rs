//! Sizes of targets.

use crate::case::Cases;
use crate::cases::drawing::{color, show};
use crate::scene_builder::{PASS, Quad, VARYING};

const SOURCE: &str = "context3d.md section 7";

pub(super) fn add(cases: &mut Cases) {
    for (width, height) in [(1u32, 1u32), (1, 16), (16, 1), (2, 2), (8, 32), (64, 16), (128, 128)] {
        cases.scene(format!("rtt.size.{width}x{height}"), SOURCE, move |s| {
            let texture = s.texture(width.cast_signed(), height.cast_signed(), "bgra")?;
            s.target(texture, (width, height), true, 0)?;
            s.clear([0.2, 0.4, 0.6, 1.0])?;
            s.program(PASS, VARYING)?;
            #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
            let (right, bottom) = (width as f32, height as f32);
            s.quads(&[Quad::flat(
                [0.0, 0.0, (right / 2.0).ceil(), (bottom / 2.0).ceil()],
                0.5,
                color([255, 102, 0, 255]),
            )])?;
            show(s, texture)
        });
    }
}

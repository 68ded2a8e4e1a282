//! Sizes of the back buffer.

use crate::case::Cases;
use crate::cases::drawing::{corners, pick};
use crate::scene_builder::{PASS, Quad, VARYING};

const SOURCE: &str = "context3d.md section 5, configureBackBuffer";

pub(super) fn add(cases: &mut Cases) {
    for (width, height) in [(32u32, 32u32), (50, 37), (33, 64), (100, 32), (128, 96)] {
        let name = format!("api.back_buffer.{width}x{height}");
        cases.scene(name, SOURCE, move |s| {
            s.configure(width, height, 0, true)?;
            s.clear([0.2, 0.4, 0.6, 1.0])?;
            s.program(PASS, VARYING)?;
            s.quads(&[
                Quad::flat(corners(0, 0), 0.5, pick(3)),
                Quad::flat([20.0, 9.0, 31.0, 30.0], 0.5, pick(5)),
            ])
        });
        let name = format!("api.back_buffer.from_32x32_to_{width}x{height}");
        cases.scene(name, SOURCE, move |s| {
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat(corners(1, 1), 0.5, pick(3))])?;
            s.present()?;
            s.configure(width, height, 0, true)?;
            s.clear([0.6, 0.4, 0.2, 1.0])?;
            s.quads(&[Quad::flat(corners(1, 1), 0.5, pick(5))])
        });
    }
}

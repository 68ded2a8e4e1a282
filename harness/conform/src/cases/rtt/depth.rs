//! Depth buffers of texture targets.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::cases::drawing::{CELLS, color, column, into_texture, pick, show};
use crate::scene_builder::{FULL, PASS, Quad, SIDE, VARYING};

const SOURCE: &str = "context3d.md section 7";

pub(super) fn add(cases: &mut Cases) {
    // "The depth/stencil buffer is private to the target setup"; "cleared by force at the first draw if they were not".
    cases.scene("rtt.depth.private", SOURCE, |s| {
        s.program(PASS, VARYING)?;
        s.set_depth_test(true, "less")?;
        s.quads(&[column(2, 0.3, color([255, 0, 0, 255]))])?;
        let texture = into_texture(s)?;
        s.quads(&[Quad::flat(FULL, 0.6, color([0, 255, 0, 255]))])?;
        s.to_back_buffer()?;
        s.quads(&[Quad::flat([0.0, 8.0, 32.0, 16.0], 0.5, color([0, 0, 255, 255]))])?;
        s.set_depth_test(false, "always")?;
        s.program(PASS, "tex oc, v0, fs0 <2d,nearest,clamp,mipnone>")?;
        s.set_texture_at(0, texture)?;
        s.quads(&[Quad::textured([0.0, 24.0, 32.0, 32.0], [0.0, 0.0, 1.0, 1.0])])
    });
    cases.scene("rtt.depth.without_clear", SOURCE, |s| {
        let side = SIDE.cast_signed();
        let texture = s.texture(side, side, "bgra")?;
        s.upload(texture, vec![40; (SIDE * SIDE * 4) as usize], 0)?;
        s.target(texture, (SIDE, SIDE), true, 0)?;
        s.program(PASS, VARYING)?;
        s.set_depth_test(true, "less")?;
        for n in 0..CELLS {
            s.quads(&[column(n, f32::from(n) / 8.0, pick(n))])?;
        }
        s.set_depth_test(false, "always")?;
        show(s, texture)
    });
}

//! Mip levels of rendered textures.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::cases::drawing::color;
use crate::scene_builder::{PASS, Quad, VARYING};
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    // "Mip levels of the target are generated automatically when the texture was created with mips in use".
    for (side, tolerance) in [
        (8u32, Tolerance::channel(3, "levels are made by the driver, each rounded")),
        (32, Tolerance::channel(5, "levels are made by the driver, each rounded")),
    ] {
        for level in 1..side.ilog2() {
            let name = format!("rtt.mips.{side}.level_{level}");
            cases.within(tolerance).scene(name, "context3d.md section 7", move |s| {
                let texture = s.texture(side.cast_signed(), side.cast_signed(), "bgra")?;
                s.target(texture, (side, side), false, 0)?;
                s.clear([0.2, 0.4, 0.6, 1.0])?;
                s.program(PASS, VARYING)?;
                #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
                let side = side as f32;
                s.quads(&[
                    Quad::flat([0.0, 0.0, side / 2.0, side / 2.0], 0.5, color([255, 51, 0, 255])),
                    Quad::flat(
                        [side / 2.0, side / 4.0, side, side],
                        0.5,
                        color([0, 255, 153, 102]),
                    ),
                ])?;
                s.to_back_buffer()?;
                s.clear([0.0; 4])?;
                s.program(
                    PASS,
                    &format!("tex oc, v0, fs0 <2d,nearest,clamp,mipnearest,{level}.25>"),
                )?;
                s.set_texture_at(0, texture)?;
                // One texel per pixel at level 0: only the bias selects the level.
                s.quads(&[Quad::textured([0.0, 0.0, side, side], [0.0, 0.0, 1.0, 1.0])])
            });
        }
    }
}

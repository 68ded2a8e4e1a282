//! Half-float values that no byte can represent.

use context3d::Profile;

use crate::calls::Calls as _;
use crate::case::{Cases, Feature};
use crate::scene_builder::{FULL, PASS, Quad, SIDE, VARYING};
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    for (word, value) in [("above_1", 4.0f32), ("below_0", -0.75), ("small", 0.001)] {
        cases
            .within(Tolerance::channel(2, "half floats have eleven bits"))
            .scene(format!("rtt.half_float.{word}"), "textures-and-atf.md section 1", move |s| {
                let side = SIDE.cast_signed();
                let texture = s.texture(side, side, "rgbaHalfFloat")?;
                s.target(texture, (SIDE, SIDE), false, 0)?;
                s.clear([0.0; 4])?;
                s.program(PASS, VARYING)?;
                s.quads(&[Quad::flat(FULL, 0.5, [value, value * 0.5, value * 0.25, 1.0])])?;
                s.to_back_buffer()?;
                s.clear([0.0; 4])?;
                s.program(
                    PASS,
                    "tex ft0, v0, fs0 <2d,nearest,clamp,mipnone>\nmul ft0, ft0, fc0.x\nabs oc, ft0",
                )?;
                s.constants("fragment", 0, &[[f64::from(0.8 / value), 0.0, 0.0, 0.0]])?;
                s.set_texture_at(0, texture)?;
                s.quads(&[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])])
            })
            .profile(Profile::StandardConstrained)
            .needs(Feature::HalfFloatTargets);
    }
}

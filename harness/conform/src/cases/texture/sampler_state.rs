//! Precedence of sampler state.

use context3d::enums::TextureFormat;

use super::{SAMPLERS, texel, textured};
use crate::calls::Calls as _;
use crate::case::Cases;
use crate::scene_builder::{Done, FULL, PASS, Quad, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;

/// The last setting of a sampler wins (context3d.md section 6, "Precedence = time order").
pub(super) fn add(cases: &mut Cases) {
    let tolerance = Tolerance::edges(4, 64, "a texel's edge may lie a pixel further");
    const REPEAT: &str = "tex oc, v0, fs0 <2d,nearest,repeat,mipnone>";
    const IGNORE: &str = "tex oc, v0, fs0 <2d,linear,clamp,mipnone,ignoresampler>";
    type Steps = fn(&mut SceneBuilder) -> Done;
    let orders: [(&str, Steps); 8] = [
        ("state_after_program", |s| {
            s.program(PASS, REPEAT)?;
            s.set_sampler_state_at(0, "clamp", "linear", "mipnone")
        }),
        ("program_after_state", |s| {
            s.set_sampler_state_at(0, "clamp", "linear", "mipnone")?;
            s.program(PASS, REPEAT).map(drop)
        }),
        ("program_set_again", |s| {
            let program = s.program(PASS, REPEAT)?;
            s.set_sampler_state_at(0, "clamp", "linear", "mipnone")?;
            s.set_program(program)
        }),
        ("ignored_flags_keep_state", |s| {
            s.set_sampler_state_at(0, "repeat_u_clamp_v", "nearest", "mipnone")?;
            s.program(PASS, IGNORE).map(drop)
        }),
        ("ignored_flags_keep_the_last_program", |s| {
            s.program(PASS, REPEAT)?;
            s.program(PASS, IGNORE).map(drop)
        }),
        ("ignored_flags_keep_the_default", |s| s.program(PASS, IGNORE).map(drop)),
        ("anisotropic_after_program", |s| {
            s.program(PASS, REPEAT)?;
            s.set_sampler_state_at(0, "repeat", "anisotropic16x", "mipnone")
        }),
        ("another_unit", |s| {
            s.program(PASS, REPEAT)?;
            s.set_sampler_state_at(1, "clamp", "linear", "mipnone")
        }),
    ];
    for (name, steps) in orders {
        // Drivers place the probes by rules of their own; the nearest texels differ by more.
        let tolerance = if name.starts_with("anisotropic") {
            Tolerance::channel(40, "where a driver takes anisotropic probes is its own")
        } else {
            tolerance
        };
        let name = format!("texture.sampler_state.{name}");
        cases.within(tolerance).scene(name, SAMPLERS, move |s| {
            let texture = textured(s, TextureFormat::Bgra, (4, 4), texel)?;
            s.set_texture_at(0, texture)?;
            steps(s)?;
            s.quads(&[Quad::textured(FULL, [-0.6, -0.7, 1.9, 1.6])])?;
            s.set_texture_at(0, None)?;
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat([0.0, 0.0, 1.0, 1.0], 0.5, [1.0; 4])])
        });
    }
}

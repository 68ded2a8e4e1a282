//! Sampler registers.

use context3d::Profile;
use context3d::enums::TextureFormat;

use super::{SAMPLERS, smooth_texel, texel, textured};
use crate::calls::Calls as _;
use crate::case::Cases;
use crate::scene_builder::{FULL, PASS, Quad};
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    for unit in 0..16i32 {
        let case = cases.scene(format!("texture.unit.{unit}"), "profiles.md, shader limits", move |s| {
            let other = textured(s, TextureFormat::Bgra, (2, 2), texel)?;
            let texture = textured(s, TextureFormat::Bgra, (8, 8), texel)?;
            let version = if unit < 8 { 1 } else { 2 };
            let around = (unit + 1) % if unit < 8 { 8 } else { 16 };
            s.program_of(
                version,
                PASS,
                &format!("tex ft0, v0, fs{unit} <2d,nearest,clamp,mipnone>\ntex ft1, v0, fs{around} <2d,nearest,clamp,mipnone>\n\
                    mul ft1, ft1, fc0\nadd oc, ft0, ft1"),
            )?;
            s.constants("fragment", 0, &[[0.0; 4]])?;
            s.set_texture_at(unit, texture)?;
            s.set_texture_at(around, other)?;
            s.quads(&[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])])
        });
        case.profile(if unit < 8 { Profile::Baseline } else { Profile::Standard });
    }
    cases.within(Tolerance::channel(2, "a sum of rounded numbers")).scene("texture.unit.all_eight", "profiles.md, shader limits", |s| {
        let reads: String = (1..8).map(|n| format!("tex ft1, v0, fs{n} <2d,nearest,clamp,mipnone>\nmul ft1, ft1, fc0\nadd ft0, ft0, ft1\n")).collect();
        s.program(PASS, &format!("tex ft0, v0, fs0 <2d,nearest,clamp,mipnone>\nmul ft0, ft0, fc0\n{reads}mov oc, ft0"))?;
        s.constants("fragment", 0, &[[0.125; 4]])?;
        for unit in 0..8u8 {
            let side = 1 << (unit % 4);
            let texture = textured(s, TextureFormat::Bgra, (side, side), texel)?;
            s.set_texture_at(unit.into(), texture)?;
        }
        s.quads(&[Quad::textured(FULL, [0.0, 0.0, 1.0, 1.0])])
    });
    cases.within(Tolerance::channel(3, "weights of a linear filter")).scene("texture.unit.one_texture_twice", SAMPLERS, |s| {
        let texture = textured(s, TextureFormat::Bgra, (8, 8), smooth_texel)?;
        s.program(PASS, "tex ft0, v0, fs0 <2d,linear,repeat,mipnone>\ntex ft1, v0.yx, fs3 <2d,linear,repeat,mipnone>\n\
            mul ft0, ft0, ft1\nmov oc, ft0")?;
        s.set_texture_at(0, texture)?;
        s.set_texture_at(3, texture)?;
        s.quads(&[Quad::textured(FULL, [0.0, 0.0, 2.0, 1.0])])
    });
}

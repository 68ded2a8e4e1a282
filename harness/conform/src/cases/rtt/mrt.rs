//! Several colour outputs at once.

use context3d::Profile;

use crate::calls::Calls as _;
use crate::case::{Cases, Feature};
use crate::drawing::{color, into_texture};
use crate::scene_builder::{Done, FULL, PASS, Quad, SIDE, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;
use molehill_capture::objects::TextureId;
use molehill_replay::record::RecordError;

const SOURCE: &str = "[context3d.output.set] [context3d.output.unbound] [context3d.clear.outputs]";

/// Formats of targets: profile, and tolerance for rounding.
const FORMATS: [(&str, Profile, Tolerance); 4] = [
    ("bgra", Profile::Baseline, Tolerance::ROUNDING),
    (
        "bgrPacked565",
        Profile::Baseline,
        Tolerance::channel(9, "five bits may be rounded either way"),
    ),
    (
        "bgraPacked4444",
        Profile::Baseline,
        Tolerance::channel(18, "four bits may be rounded either way"),
    ),
    ("rgbaHalfFloat", Profile::StandardConstrained, Tolerance::ROUNDING),
];

fn targets(s: &mut SceneBuilder, count: u8, format: &str) -> Result<Vec<TextureId>, RecordError> {
    let side = SIDE.cast_signed();
    let textures =
        (0..count).map(|_| s.texture(side, side, format)).collect::<Result<Vec<_>, _>>()?;
    for (texture, output) in textures.iter().zip(0..) {
        s.set_render_to_texture(*texture, true, 0, 0, output)?;
    }
    Ok(textures)
}

/// Shows several textures as quarters of the picture.
pub(super) fn show_all(s: &mut SceneBuilder, textures: &[TextureId]) -> Done {
    s.to_back_buffer()?;
    s.clear([0.0; 4])?;
    s.program(PASS, "tex oc, v0, fs0 <2d,nearest,clamp,mipnone>")?;
    for (texture, index) in textures.iter().zip(0u8..) {
        let (x, y) = (f32::from(index % 2) * 16.0, f32::from(index / 2) * 16.0);
        s.set_texture_at(0, *texture)?;
        // The upper left quarter, one texel per pixel.
        s.quads(&[Quad::textured([x, y, x + 16.0, y + 16.0], [0.0, 0.0, 0.5, 0.5])])?;
    }
    s.set_texture_at(0, None)
}

fn outputs(count: u8) -> String {
    (0..count).map(|n| format!("add ft{n}, v0, fc{n}\nmov fo{n}, ft{n}\n")).collect()
}

pub(super) fn add(cases: &mut Cases) {
    for count in 1..=4u8 {
        for (format, _, tolerance) in FORMATS {
            let name = format!("rtt.mrt.{count}.{format}");
            let case = cases.within(tolerance).scene(name, SOURCE, move |s| {
                let textures = targets(s, count, format)?;
                s.clear([0.2, 0.4, 0.6, 1.0])?;
                s.program_of(2, PASS, &outputs(count))?;
                for n in 0..count {
                    s.constants(
                        "fragment",
                        n.into(),
                        &[[f64::from(n) / 5.0, f64::from(3 - n) / 5.0, 0.2, 1.0]],
                    )?;
                }
                s.quads(&[Quad::flat([4.0, 4.0, 12.0, 20.0], 0.5, [0.2, 0.0, 0.2, 0.0])])?;
                show_all(s, &textures)
            });
            case.profile(Profile::Standard);
            if format == "rgbaHalfFloat" {
                case.needs(Feature::HalfFloatTargets);
            }
        }
        blended(cases, count);
        cases
            .scene(format!("rtt.mrt.{count}.clear"), SOURCE, move |s| {
                let textures = targets(s, count, "bgra")?;
                s.clear([0.6, 0.2, 0.4, 0.8])?;
                show_all(s, &textures)
            })
            .profile(Profile::Standard);
    }
    unbound(cases);
}

fn unbound(cases: &mut Cases) {
    // "setRenderToBackBuffer and present unbind all slots".
    cases
        .scene("rtt.mrt.unbound_by_back_buffer", SOURCE, |s| {
            let textures = targets(s, 2, "bgra")?;
            s.clear([0.2, 0.2, 0.2, 1.0])?;
            s.to_back_buffer()?;
            let alone = into_texture(s)?;
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat(FULL, 0.5, color([255, 0, 0, 255]))])?;
            show_all(
                s,
                &[
                    alone,
                    textures.first().copied().unwrap_or(alone),
                    textures.get(1).copied().unwrap_or(alone),
                ],
            )
        })
        .profile(Profile::Standard);
}

fn blended(cases: &mut Cases, count: u8) {
    cases
        .within(Tolerance::channel(2, "rounded before and after"))
        .scene(format!("rtt.mrt.{count}.blended"), SOURCE, move |s| {
            let textures = targets(s, count, "bgra")?;
            s.clear([0.2, 0.4, 0.6, 0.4])?;
            s.program_of(2, PASS, &outputs(count))?;
            for n in 0..count {
                s.constants(
                    "fragment",
                    n.into(),
                    &[[f64::from(n) / 5.0, 0.6, 0.2, f64::from(n) / 4.0]],
                )?;
            }
            s.set_blend_factors("sourceAlpha", "oneMinusSourceAlpha")?;
            s.color_mask([true, true, false, true])?;
            s.quads(&[Quad::flat([4.0, 4.0, 12.0, 20.0], 0.5, [0.2, 0.0, 0.2, 0.0])])?;
            s.color_mask([true; 4])?;
            s.set_blend_factors("one", "zero")?;
            show_all(s, &textures)
        })
        .profile(Profile::Standard);
}

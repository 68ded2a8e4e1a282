//! The nearest of two levels: exactly between them, just below and just above, for all sources of sampler state.

use super::SAMPLERS;
use crate::calls::Calls as _;
use crate::case::Cases;
use crate::scene_builder::{FULL, PASS, Quad, SIDE};
use crate::tolerance::Tolerance;
use molehill_replay::image::Image;

const TEXELS: u32 = 8;
/// Red of the upper and the lower level, far apart for cases with one correct level; the other channels are 0.
const APART: [u8; 2] = [60, 180];
/// Close together, for cases where either level is allowed.
const NEAR: [u8; 2] = [120, 130];

/// At exactly half a level, Direct3D rounds up and OpenGL down (context3d.md section 6).
const EITHER: Tolerance = Tolerance::channel(
    5,
    "half way is a tie that Direct3D and OpenGL break differently: both levels will do, no other",
);

pub(super) fn add(cases: &mut Cases) {
    let flags = "nearest,repeat,mipnearest";
    // The program's sampler options, and whether `setSamplerStateAt` overrides them.
    for (by, options, set) in [
        ("program", flags, false),
        ("state", "linear,clamp,mipnone", true),
        ("both", flags, true),
        ("state_alone", "ignoresampler", true),
    ] {
        for upper in 0..TEXELS.ilog2() {
            for (side, bias, reds, expected, tolerance) in [
                ("under", "0.375", APART, APART[0], Tolerance::ROUNDING),
                ("at", "0.5", NEAR, 125, EITHER),
                ("over", "0.625", APART, APART[1], Tolerance::ROUNDING),
            ] {
                let pattern = move |level: u32| {
                    let red = level
                        .checked_sub(upper)
                        .and_then(|lower| reds.get(usize::try_from(lower).ok()?));
                    [0, 0, red.copied().unwrap_or(0), 255]
                };
                let name = format!("texture.mip.half.{upper}.{side}.by_{by}");
                let case = cases.within(tolerance).scene(name, SAMPLERS, move |s| {
                    let texture = s.texture(8, 8, "bgra")?;
                    for level in 0..=TEXELS.ilog2() {
                        let texels = (TEXELS >> level).pow(2);
                        s.upload(texture, pattern(level).repeat(texels as usize), level)?;
                    }
                    s.program(PASS, &format!("tex oc, v0, fs0 <2d,{options},{bias}>"))?;
                    if set {
                        s.set_sampler_state_at(0, "repeat", "nearest", "mipnearest")?;
                    }
                    s.set_texture_at(0, texture)?;
                    // The level of detail is that of the upper level plus the bias.
                    #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
                    let span = ((SIDE / TEXELS) << upper) as f32;
                    s.quads(&[Quad::textured(FULL, [0.0, 0.0, span, span])])
                });
                case.expects_pictures(move || {
                    vec![Image::filled(SIDE, SIDE, [expected, 0, 0, 255])]
                });
            }
        }
    }
}

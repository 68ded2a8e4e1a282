//! The level that is read, and levels that are uploaded in parts.

use context3d::enums::{MipFilter, TextureFilter, TextureFormat};

use super::{FORMATS, SAMPLERS, halves, sampled, smooth_texel, texels, textured, tolerance_of};
use crate::calls::Calls as _;
use crate::case::Cases;
use crate::scene_builder::{FULL, Quad, SIDE};
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    levels(cases);
    levels_by_hand(cases);
}

fn levels(cases: &mut Cases) {
    for side in [8u32, 64] {
        for level in 0..=side.ilog2() {
            for mip in ["mipnearest", "miplinear"] {
                let name = format!("texture.mip.{side}.level_{level}.{mip}");
                cases.within(Tolerance::channel(3, "levels of detail have few bits")).scene(
                    name,
                    SAMPLERS,
                    move |s| {
                        let texture =
                            textured(s, TextureFormat::Bgra, (side, side), |_, _, level| {
                                let byte = |step: u32| {
                                    u8::try_from((level * step + 20) % 256).unwrap_or(0)
                                };
                                [byte(35), byte(20), byte(5), 255]
                            })?;
                        #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
                        let scale = (SIDE as f32 / side as f32) * (1u32 << level) as f32;
                        // A third of a level more: drivers round differently near the switch to another nearest level.
                        let scale = if mip == "mipnearest" { scale * 1.25 } else { scale };
                        sampled(
                            s,
                            texture,
                            &format!("2d,nearest,repeat,{mip}"),
                            &[Quad::textured(FULL, [0.0, 0.0, scale, scale])],
                        )
                    },
                );
            }
        }
    }
}

fn levels_by_hand(cases: &mut Cases) {
    for streaming in 1..=3i32 {
        let name = format!("texture.mip.streaming.{streaming}");
        const SOURCE: &str = "textures-and-atf.md section 1, streamingLevels";
        cases.within(tolerance_of(TextureFilter::Linear, MipFilter::Linear)).scene(
            name,
            SOURCE,
            move |s| {
                let texture = s.create_texture(16, 16, "bgra", false, streaming)?;
                for level in streaming.unsigned_abs()..=4 {
                    let size = (16 >> level).max(1);
                    s.upload(
                        texture,
                        texels(TextureFormat::Bgra, (size, size), level, smooth_texel),
                        level,
                    )?;
                }
                sampled(s, texture, "2d,linear,repeat,miplinear", &halves())
            },
        );
    }
    cases.within(tolerance_of(TextureFilter::Linear, MipFilter::Linear)).scene(
        "texture.mip.uploaded_backwards",
        FORMATS,
        |s| {
            let texture = s.texture(16, 8, "bgra")?;
            for level in (0..=4u32).rev() {
                let size = ((16 >> level).max(1), (8 >> level).max(1));
                s.upload(texture, texels(TextureFormat::Bgra, size, level, smooth_texel), level)?;
            }
            sampled(s, texture, "2d,linear,repeat,miplinear", &halves())
        },
    );
    cases.within(tolerance_of(TextureFilter::Linear, MipFilter::Linear)).scene(
        "texture.mip.level_replaced",
        FORMATS,
        |s| {
            let texture = textured(s, TextureFormat::Bgra, (16, 16), smooth_texel)?;
            sampled(s, texture, "2d,linear,repeat,miplinear", &halves())?;
            s.upload(texture, vec![200; 8 * 8 * 4], 1)?;
            s.quads(&halves())
        },
    );
}

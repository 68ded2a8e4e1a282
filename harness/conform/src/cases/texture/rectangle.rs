//! Rectangle textures.

use context3d::enums::{FlashName, TextureFormat};

use super::{FORMATS, profile, sampled, smooth_texel, texels};
use crate::case::Cases;
use crate::scene_builder::{FULL, Quad};
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    for (width, height) in [(1u32, 1u32), (3, 5), (7, 2), (31, 33), (100, 3)] {
        for filter in ["nearest", "linear"] {
            for format in [
                TextureFormat::Bgra,
                TextureFormat::BgrPacked565,
                TextureFormat::BgraPacked4444,
                TextureFormat::RgbaHalfFloat,
            ] {
                let tolerance = match filter {
                    "nearest" => Tolerance::edges(1, 400, "a texel's edge may lie a pixel further"),
                    _ => Tolerance::channel(6, "weights of a linear filter may have eight bits"),
                };
                let name = format!("texture.rectangle.{width}x{height}.{}.{filter}", format.name());
                let case = cases.within(tolerance).scene(name, FORMATS, move |s| {
                    let texture =
                        s.rectangle(width.cast_signed(), height.cast_signed(), format.name())?;
                    s.upload_rectangle(texture, texels(format, (width, height), 0, smooth_texel))?;
                    sampled(
                        s,
                        texture,
                        &format!("2d,{filter},clamp,mipnone"),
                        &[Quad::textured(FULL, [-0.05, -0.05, 1.05, 1.05])],
                    )
                });
                case.profile(profile(format));
            }
        }
    }
}

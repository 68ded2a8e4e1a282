//! Bias of the level of detail.

use context3d::enums::{MipFilter, TextureFilter, TextureFormat};

use super::{sampled, smooth_texel, textured, tolerance_of};
use crate::case::Cases;
use crate::scene_builder::{FULL, Quad};
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    for filter in ["nearest", "linear"] {
        for mip in ["mipnone", "mipnearest", "miplinear"] {
            for (word, bias) in [
                ("minus_16", "-16"),
                ("minus_2", "-2"),
                ("minus_half", "-0.5"),
                ("plus_eighth", "0.125"),
                ("plus_1", "1"),
                ("plus_2", "2"),
                ("plus_15", "15"),
            ] {
                let tolerance = match mip {
                    "mipnone" => tolerance_of(TextureFilter::Linear, MipFilter::None),
                    _ => Tolerance {
                        channel: 12,
                        moved: 64,
                        outliers: 0,
                        reason: "levels of detail have few bits, and a texel's edge may lie a pixel further",
                    },
                };
                let name = format!("texture.bias.{filter}.{mip}.{word}");
                const SOURCE: &str = "agal.md section 2.3, LOD bias";
                cases.within(tolerance).scene(name, SOURCE, move |s| {
                    let texture = textured(s, TextureFormat::Bgra, (32, 32), smooth_texel)?;
                    let options = format!("2d,{filter},repeat,{mip},{bias}");
                    // A scale of 2^1.15 keeps every bias away from the middle between two levels.
                    sampled(
                        s,
                        texture,
                        &options,
                        &[Quad::textured(FULL, [0.01, 0.02, 2.229, 2.239])],
                    )
                });
            }
        }
    }
}

//! Wrap modes.

use context3d::enums::TextureFormat;

use super::{SAMPLERS, sampled, texel, textured};
use crate::case::Cases;
use crate::expected;
use crate::scene_builder::{FULL, Quad};
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    super::filter::every_mode(cases, "wrap", "state");
    // Hard edges show the effect of wrapping on the last texel.
    for wrap in expected::names("WrapMode") {
        for filter in ["nearest", "linear"] {
            for (width, height) in [(2u32, 2u32), (1, 4), (4, 1), (1, 1)] {
                let tolerance = match filter {
                    "nearest" => Tolerance::edges(1, 64, "a texel's edge may lie a pixel further"),
                    _ => Tolerance::channel(4, "weights of a linear filter may have eight bits"),
                };
                let name = format!("texture.wrap.small.{width}x{height}.{wrap}.{filter}");
                cases.within(tolerance).scene(name, SAMPLERS, move |s| {
                    let texture = textured(s, TextureFormat::Bgra, (width, height), texel)?;
                    let options = format!("2d,{filter},{wrap},mipnone");
                    sampled(s, texture, &options, &[Quad::textured(FULL, [-1.3, -0.8, 2.2, 2.7])])
                });
            }
        }
    }
}

//! Filters.

use context3d::enums::{FlashName, MipFilter, TextureFilter, TextureFormat, WrapMode};

use super::{SAMPLERS, halves, sampled, smooth_texel, textured, tolerance_of};
use crate::calls::Calls as _;
use crate::case::Cases;
use crate::scene_builder::PASS;

pub(super) fn add(cases: &mut Cases) {
    every_mode(cases, "filter", "program");
}

/// Every filter with every wrap mode, set by the program or by sampler state.
pub(super) fn every_mode(cases: &mut Cases, area: &str, by: &'static str) {
    for (wrap, wrap_name) in WrapMode::NAMES {
        for (filter, filter_name) in TextureFilter::NAMES {
            for (mip, mip_name) in MipFilter::NAMES {
                let name = format!("texture.{area}.{filter_name}.{mip_name}.{wrap_name}.by_{by}");
                let tolerance = tolerance_of(*filter, *mip);
                cases.within(tolerance).scene(name, SAMPLERS, move |s| {
                    let texture = textured(s, TextureFormat::Bgra, (16, 16), smooth_texel)?;
                    if by == "program" {
                        let options = format!("2d,{filter_name},{wrap_name},{mip_name}");
                        return sampled(s, texture, &options, &halves());
                    }
                    s.program(PASS, "tex oc, v0, fs0 <2d,ignoresampler>")?;
                    s.set_sampler_state_at(0, wrap.name(), filter_name, mip_name)?;
                    s.set_texture_at(0, texture)?;
                    s.quads(&halves())
                });
            }
        }
    }
}

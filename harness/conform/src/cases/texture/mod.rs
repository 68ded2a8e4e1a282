//! Textures: formats, filters, wrapping, mip levels, bias, cubes, rectangles, uploads, sampler state.

mod atf;
mod cube;
mod upload;

use context3d::Profile;
use context3d::enums::TextureFormat;

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::scene_builder::{Done, PASS, Quad, SceneBuilder};
use molehill_capture::objects::TextureId;

/// The AGAL option for a format.
fn read_mode(format: TextureFormat) -> &'static str {
    match format {
        TextureFormat::Compressed => ",dxt1",
        TextureFormat::CompressedAlpha => ",dxt5",
        _ => "",
    }
}

fn profile(format: TextureFormat) -> Profile {
    match format {
        TextureFormat::RgbaHalfFloat => Profile::StandardConstrained,
        _ => Profile::Baseline,
    }
}

/// Draws with a program with these sampler options.
fn sampled(s: &mut SceneBuilder, texture: TextureId, options: &str, quads: &[Quad]) -> Done {
    s.program(PASS, &format!("tex oc, v0, fs0 <{options}>"))?;
    s.set_texture_at(0, texture)?;
    s.quads(quads)
}

pub(super) fn add(cases: &mut Cases) {
    atf::add(cases);
    cube::add(cases);
    upload::add(cases);
}

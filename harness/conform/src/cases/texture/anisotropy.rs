//! The level that an anisotropic filter reads.

use context3d::enums::{FlashName, TextureFilter, TextureFormat};

use super::{SAMPLERS, sampled, textured};
use crate::case::Cases;
use crate::scene_builder::{FULL, Quad, SIDE};

/// Each level has its own colour.
fn by_level(_: u32, _: u32, level: u32) -> [u8; 4] {
    let byte = |factor: u32| u8::try_from((level + 1) * factor % 256).unwrap_or(0);
    [byte(90), byte(55), byte(200), 255]
}

/// One texel per pixel horizontally and eight vertically, and the reverse: the level read shows the filter's
/// anisotropy.
pub(super) fn add(cases: &mut Cases) {
    let side = SIDE * 8;
    let filters = TextureFilter::NAMES.iter();
    for (_, filter) in filters.filter(|(filter, _)| *filter != TextureFilter::Nearest) {
        for (name, corner) in [("across", [0.125, 1.0]), ("down", [1.0, 0.125])] {
            cases.scene(format!("texture.anisotropy.{filter}.{name}"), SAMPLERS, move |s| {
                let texture = textured(s, TextureFormat::Bgra, (side, side), by_level)?;
                let options = format!("2d,{filter},repeat,mipnearest");
                let [u, v] = corner;
                sampled(s, texture, &options, &[Quad::textured(FULL, [0.0, 0.0, u, v])])
            });
        }
    }
}

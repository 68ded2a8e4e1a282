//! Rendering to textures.

mod content;
pub(super) mod cube;
mod mip_faces;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    cube::add(cases);
    mip_faces::add(cases);
    content::add(cases);
}

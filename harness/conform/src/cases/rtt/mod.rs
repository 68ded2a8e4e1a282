//! Rendering to textures.

mod content;
pub(super) mod cube;
mod mip_faces;
mod mrt;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    cube::add(cases);
    mrt::add(cases);
    mip_faces::add(cases);
    content::add(cases);
}

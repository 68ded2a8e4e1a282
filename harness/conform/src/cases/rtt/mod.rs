//! Rendering to textures.

mod content;
pub(super) mod cube;
mod format;
mod half_float;
mod mip_faces;
mod mrt;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    format::add(cases);
    half_float::add(cases);
    cube::add(cases);
    mrt::add(cases);
    mip_faces::add(cases);
    content::add(cases);
}

//! Rendering to textures.

mod content;
pub(super) mod cube;
mod depth;
mod format;
mod gradient;
mod half_float;
mod mip_faces;
mod mips;
mod mrt;
mod rectangle;
mod size;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    format::add(cases);
    gradient::add(cases);
    half_float::add(cases);
    size::add(cases);
    rectangle::add(cases);
    cube::add(cases);
    mrt::add(cases);
    mips::add(cases);
    mip_faces::add(cases);
    content::add(cases);
    depth::add(cases);
}

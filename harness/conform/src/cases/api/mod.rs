//! Calls of `Context3D`, drawn to the back buffer. The file of `api.x` also makes `rtt.x`, the same calls with a
//! texture as target.

mod blend;
mod color_mask;
pub(super) mod constants;
mod depth;
mod draw;
mod draw_to_bitmap_data;
mod enums;
mod error;
mod instancing;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    error::add(cases);
    enums::add(cases);
    blend::add(cases);
    depth::add(cases);
    color_mask::add(cases);
    constants::add(cases);
    draw::add(cases);
    instancing::add(cases);
    draw_to_bitmap_data::add(cases);
}

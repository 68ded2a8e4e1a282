//! Calls of `Context3D`, drawn to the back buffer. The file of `api.x` also makes `rtt.x`, the same calls with a
//! texture as target.

mod antialias;
mod back_buffer;
mod blend;
mod clear;
mod clip;
mod color_mask;
pub(super) mod constants;
mod culling;
mod defaults;
mod depth;
mod draw;
mod draw_to_bitmap_data;
mod enums;
mod error;
mod fill_mode;
mod frames;
mod instancing;
mod scissor;
mod state;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    error::add(cases);
    enums::add(cases);
    blend::add(cases);
    defaults::add(cases);
    depth::add(cases);
    clip::add(cases);
    culling::add(cases);
    scissor::add(cases);
    color_mask::add(cases);
    fill_mode::add(cases);
    antialias::add(cases);
    constants::add(cases);
    draw::add(cases);
    instancing::add(cases);
    draw_to_bitmap_data::add(cases);
    clear::add(cases);
    state::add(cases);
    back_buffer::add(cases);
    frames::add(cases);
}

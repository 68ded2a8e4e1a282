//! Direct3D 11 hull shaders on the driver's tessellation.

mod grid;
mod program;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    grid::add(cases);
    program::add(cases);
}

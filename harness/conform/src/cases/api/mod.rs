//! Calls of `Context3D`, drawn to the back buffer. The file of `api.x` also makes `rtt.x`, the same calls with a
//! texture as target.

mod constants;
mod enums;
mod error;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    error::add(cases);
    enums::add(cases);
    constants::add(cases);
}

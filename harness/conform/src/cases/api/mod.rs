//! Cases for enumerations, errors, and every constant register of `Context3D`. Other cases of `Context3D` are rows of
//! scripts.

mod constants;
mod enums;
mod error;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    error::add(cases);
    enums::add(cases);
    constants::add(cases);
}

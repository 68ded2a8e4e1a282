//! Cases for enumerations, errors, and every constant register of `Context3D`.

mod constants;
mod enums;
mod error;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    error::add(cases);
    enums::add(cases);
    constants::add(cases);
}

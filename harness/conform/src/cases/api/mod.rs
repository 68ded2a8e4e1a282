//! Cases for calls of `Context3D`: enumerations, errors, and every constant register. Other cases are rows of scripts.

mod constants;
mod enums;
mod error;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    error::add(cases);
    enums::add(cases);
    constants::add(cases);
}

//! Cases for the results and the errors of AGAL programs.

mod error;
mod op;
mod random;
mod version;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    op::add(cases);
    random::add(cases);
    error::add(cases);
    version::add(cases);
}

//! Programs: results and errors.

mod error;
mod flow;
mod indirect;
mod op;
mod random;
mod swizzle;
mod version;

use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    op::add(cases);
    random::add(cases);
    swizzle::add(cases);
    flow::add(cases);
    indirect::add(cases);
    error::add(cases);
    version::add(cases);
}

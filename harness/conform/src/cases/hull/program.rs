//! Complete hull shaders: compares the driver's control points and patch constants with the interpreter's.

use crate::case::{Body, Case, Cases};
use crate::hull::HullCase;

/// Random hull shaders; `molehill hs50 fuzz` runs more.
const SHADERS: u64 = 8;

pub(super) fn add(cases: &mut Cases) {
    for seed in 0..SHADERS {
        cases.add(Case::new(
            format!("hull.program.random.{seed}"),
            "hs-5-0.md, 3 to 5",
            Body::Hull(HullCase::Random(seed)),
        ));
    }
}

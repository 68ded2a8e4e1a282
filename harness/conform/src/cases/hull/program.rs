//! Complete hull shaders: compares the driver's control points and patch constants with the interpreter's.

use crate::case::{Body, Case, Cases};
use crate::hull::HullCase;

/// Random hull shaders; `molehill hs50 fuzz` runs more.
const SHADERS: u64 = 8;

pub(super) fn add(cases: &mut Cases) {
    for seed in 0..SHADERS {
        cases.add(Case::new(
            format!("hull.program.random.{seed}"),
            "[hs50.run.order] [hs50.gl.shape] [hs50.gl.words]",
            Body::Hull(HullCase::Random(seed)),
        ));
    }
}

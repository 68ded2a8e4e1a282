//! Strategies for arbitrary sequences of calls.

use arbitrary::{Arbitrary, Unstructured};
use context3d::{ContextOptions, Profile};
use molehill_testing::{CallStep, STEP_BYTES};
use proptest::prelude::*;

pub(crate) const PROFILES: [Profile; 7] = [
    Profile::BaselineConstrained,
    Profile::Baseline,
    Profile::BaselineExtended,
    Profile::StandardConstrained,
    Profile::Standard,
    Profile::StandardExtended,
    Profile::Enhanced,
];

pub(crate) fn options() -> impl Strategy<Value = ContextOptions> {
    let versions = prop::sample::select(vec![13u32, 29, 30, 50]);
    let profiles = prop::sample::select(PROFILES.to_vec());
    (profiles, versions).prop_map(|(profile, swf_version)| ContextOptions { profile, swf_version })
}

pub(crate) fn steps(most: usize) -> impl Strategy<Value = Vec<CallStep>> {
    let bytes = prop::collection::vec(any::<u8>(), STEP_BYTES);
    let step = bytes.prop_map(|bytes| {
        let step = CallStep::arbitrary(&mut Unstructured::new(&bytes));
        step.expect("bytes that run out are no error")
    });
    prop::collection::vec(step, 1..most)
}

//! Hardware limits of `baselineConstrained`, tested with the AGAL programs of Flash games.

use agal::{AgalVersion, Profile, Rules, validate};
use d3d9::from_agal::{Model, program_native_limits, translate};

use crate::samples::programs;

/// Programs of Flash games that exceed the limits of `baselineConstrained`: error and message. No shared capture was
/// recorded with the profile `baselineConstrained`.
const NEED_MORE: [(&str, u16, &str); 5] = [
    ("00e0413f955e.fsh.agal", 3716, "75"),
    ("099dde7f513a.fsh.agal", 3716, "431"),
    ("2ae1b2431451.fsh.agal", 3716, "192"),
    ("46c165e2fbf2.fsh.agal", 3716, "73"),
    ("81caf5e0a6f0.fsh.agal", 3716, "75"),
];

/// Tests that all programs of Flash games are within the limits, except for [`NEED_MORE`].
pub(crate) fn shared_programs_are_counted() {
    let mut refused = Vec::new();
    for (name, program) in programs() {
        if program.version() != AgalVersion::V1 {
            continue;
        }
        let stage = program.stage();
        let valid = |profile| {
            let rules = Rules { profile };
            validate(program.clone(), stage, &rules)
        };
        let baseline = valid(Profile::Baseline).unwrap();
        assert_eq!(program_native_limits(&baseline), Ok(()));
        // Error 3661: the profile has one temporary less than the others.
        let Ok(constrained) = valid(Profile::BaselineConstrained) else {
            continue;
        };
        match program_native_limits(&constrained) {
            Ok(()) => assert!(translate(&constrained, Model::V20).is_ok(), "{name}"),
            Err(error) => {
                let number = error.number();
                let found = error.message().split("Detected ").nth(1).unwrap();
                let (found, _) = found.split_once(' ').unwrap();
                refused.push((name, number, found.to_owned()));
            }
        }
    }
    refused.sort();
    let known = NEED_MORE.map(|(name, number, found)| (name.to_owned(), number, found.to_owned()));
    assert_eq!(refused, known);
}

//! Damaged files: a rejected file leaves the texture unchanged. (The tests of `atf` read such files.)

use std::sync::LazyLock;

use molehill_testing::atf_files::{AtfSample, samples};
use molehill_testing::fuzzing::atf_upload;
use proptest::prelude::*;
use proptest::sample::Index;

/// Small files of every version, format, size and encoding.
static GOOD: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let shapes = [(false, (4, 3)), (true, (3, 3)), (false, (6, 6))];
    let files = shapes.map(|(cube, log)| samples(cube, log, 2));
    files.concat().iter().map(AtfSample::bytes).collect()
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_change_nothing(
        which in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 0..6),
        cut in prop::option::weighted(0.2, any::<Index>()),
    ) {
        let mut bytes = which.get(&GOOD).clone();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        atf_upload(&bytes);
    }
}

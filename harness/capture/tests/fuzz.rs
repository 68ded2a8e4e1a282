//! Runs the fuzz target's body on a bounded number of inputs; `fuzz/` runs it without a bound.

#[path = "../fuzz/body.rs"]
mod body;

use proptest::prelude::*;

/// A valid file of the current version. Damaged copies of the file test most of the reader.
const GOOD: &[u8] = include_bytes!("versions/binary-1.s3d");

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_body_holds(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        body::run(&bytes);
    }

    #[test]
    fn the_body_holds_near_good_files(
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut file = GOOD.to_vec();
        let at = at.index(file.len());
        let end = file.len().min(at + bytes.len());
        file.splice(at..end, bytes);
        let cut = cut.index(2 * file.len());
        file.truncate(cut);
        body::run(&file);
    }
}

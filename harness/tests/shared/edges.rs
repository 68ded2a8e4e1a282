//! Compares edges with those that Flash Player drew with a known sample count: the reference renderer uses the same
//! count.

use std::path::Path;

use molehill_conform::capture_case::CaptureCase;
use molehill_conform::case::{Case, CaseBody};
use molehill_conform::device::ConformDevice;
use molehill_conform::{Runner, RunnerSettings, Verdict};

const CAPTURES: [&str; 2] = ["blend", "rotating_cube"];

/// Compares all pixels with a tolerance of two units. With the requested sample count, some pixels differ more.
pub(crate) fn edges_are_met(shared: &Path) {
    for name in CAPTURES {
        let mut case = CaptureCase::read(&shared.join(name)).expect("a case");
        assert!(case.samples.is_some(), "{name}");
        let picture = case.expected.as_mut().expect("a picture");
        assert_eq!(picture.tolerance, 2, "{name}");
        picture.max_outliers = 0;
        let mut runner =
            Runner::new(RunnerSettings::new(ConformDevice::Reference)).expect("a renderer");
        for (samples, met) in [(case.samples, true), (None, false)] {
            case.samples = samples;
            let body = CaseBody::Capture(Box::new(case.clone()));
            let outcome = runner.run(&Case::new(name.to_owned(), "", body));
            assert_eq!(outcome.verdict == Verdict::Pass, met, "{name}: {:?}", outcome.reasons);
        }
    }
}

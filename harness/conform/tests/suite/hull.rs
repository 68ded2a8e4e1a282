//! Tests the cases of hull shaders: with tessellation, they pass with an image of the grids; without it, they are not
//! supported.

use molehill_conform::case::Case;
use molehill_conform::device::ConformDevice;
use molehill_conform::{Runner, RunnerSettings, Verdict, cases};

fn hull_cases() -> Vec<Case> {
    let all = cases::all().into_iter();
    all.filter(|case| case.area() == "hull").collect()
}

#[test]
fn they_pass_where_there_is_tessellation() {
    for device in [ConformDevice::Gl, ConformDevice::Gles] {
        let mut runner = match Runner::new(RunnerSettings::new(device)) {
            Ok(runner) => runner,
            Err(error) => {
                let required = std::env::var_os("MOLEHILL_REQUIRE_TOOLS").is_some();
                assert!(!required, "{}: {error}", device.name());
                println!("skipped: {}: {error}", device.name());
                continue;
            }
        };
        for case in hull_cases() {
            let outcome = runner.run(&case);
            let (name, reasons) = (&outcome.name, outcome.reasons.join("; "));
            match outcome.verdict {
                Verdict::Pass => {}
                Verdict::MissingFeature => {
                    assert!(reasons.contains("tessellation"), "{name}: {reasons}")
                }
                _ => panic!("{}, {name}: {reasons}", device.name()),
            }
            let pictures = outcome.attachments.pictures.len();
            let expected = outcome.verdict == Verdict::Pass && name.starts_with("hull.grid");
            assert_eq!(pictures, usize::from(expected), "{name}");
        }
    }
}

#[test]
fn a_device_without_tessellation_says_so() {
    let mut runner = Runner::new(RunnerSettings::new(ConformDevice::Reference)).unwrap();
    for case in hull_cases().iter().take(2) {
        let outcome = runner.run(case);
        assert_eq!(outcome.verdict, Verdict::MissingFeature);
        assert_eq!(outcome.reasons, ["tessellation"]);
    }
}

//! Tests of the test cases in `scripts/*.txt`.

use molehill_conform::case::CaseBody;
use molehill_conform::device::ConformDevice;
use molehill_conform::{Runner, RunnerSettings, Verdict, cases};

/// A script row fails if it can't be parsed, makes another call than its name states, or expects another error.
#[test]
fn every_call_has_its_result_above_the_device() {
    let mut runner = Runner::new(RunnerSettings::new(ConformDevice::Null)).unwrap();
    let all = cases::all();
    // Run the limits of one profile only, because each profile has tens of thousands of calls.
    let calls = all.iter().filter(|case| {
        matches!(case.body, CaseBody::Calls(_))
            && (case.area() != "limits" || case.name.starts_with("limits.standard."))
    });
    let outcomes: Vec<_> = calls.map(|case| runner.run(case)).collect();
    assert!(outcomes.len() > 850, "{}", outcomes.len());
    for outcome in outcomes {
        assert_eq!(outcome.verdict, Verdict::Pass, "{}: {:?}", outcome.name, outcome.reasons);
    }
}

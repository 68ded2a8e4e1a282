//! Writes JUnit XML for CI systems.

use std::collections::BTreeMap;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::results::ConformResults;
use crate::verdict::{CaseOutcome, Verdict};

/// Returns the JUnit report, with a test suite for each area of test cases.
pub fn junit(results: &ConformResults) -> String {
    let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
    for outcome in &results.outcomes {
        let suite = suites.entry(outcome.area()).or_insert_with(|| TestSuite::new(outcome.area()));
        suite.extra.insert("hostname".into(), results.head.driver.as_str().into());
        suite.set_time(suite.time.unwrap_or_default().saturating_add(time(outcome)));
        suite.add_test_case(case(outcome));
    }
    let mut report = Report::new("molehill conform");
    report.add_test_suites(suites.into_values());
    report.to_string().unwrap_or_else(|error| format!("<!-- {error} -->"))
}

fn time(outcome: &CaseOutcome) -> Duration {
    Duration::try_from_secs_f64(outcome.seconds).unwrap_or_default()
}

fn case(outcome: &CaseOutcome) -> TestCase {
    let (class, name) = outcome.name.rsplit_once('.').unwrap_or(("", &outcome.name));
    let mut status = status(outcome.verdict);
    if outcome.verdict != Verdict::Pass {
        let (verdict, reasons) = (outcome.verdict.name(), outcome.reasons.join("; "));
        status.set_message(format!("{verdict}: {reasons}"));
    }
    let mut case = TestCase::new(name, status);
    case.set_classname(class).set_time(time(outcome));
    case.add_property(("source", outcome.source.as_str()));
    let evidence = outcome.evidence.as_ref().map(ToString::to_string);
    case.properties.extend(evidence.map(|text| ("evidence", text.as_str()).into()));
    case
}

fn status(verdict: Verdict) -> TestCaseStatus {
    let failed = TestCaseStatus::non_success;
    match verdict {
        Verdict::Fail | Verdict::MissingFeature | Verdict::NotTested | Verdict::UnexpectedPass => {
            failed(NonSuccessKind::Failure)
        }
        Verdict::Crash | Verdict::Timeout => failed(NonSuccessKind::Error),
        Verdict::NotSupported
        | Verdict::AllowedUntested
        | Verdict::KnownFailure
        | Verdict::Flaky => TestCaseStatus::skipped(),
        Verdict::Pass => TestCaseStatus::success(),
    }
}

//! Test cases that fail in every possible way, to test the runner.

use super::case::{CallExpectation, Case, Cases};

/// An environment variable with a path. If the file doesn't exist, the case `self.flaky` creates it and panics.
pub const FLAKY: &str = "MOLEHILL_SELF_TEST_FLAKY";

/// Returns a test case for each verdict that is possible without a device.
pub fn cases() -> Vec<Case> {
    let mut cases = Cases::default();
    let source = "the runner's tests";
    let mut add = |name: &str, expected: CallExpectation, recipe: fn()| {
        let case = cases.calls(format!("self.{name}"), source, expected, move |s| {
            recipe();
            s.clear([0.0; 4])
        });
        case.on_null_backend();
    };
    add("abort", CallExpectation::Allowed, || std::process::abort());
    add("exit", CallExpectation::Allowed, || std::process::exit(7));
    add("fail", CallExpectation::Skips(3600), || ());
    add("hang", CallExpectation::Allowed, || {
        loop {
            std::thread::park();
        }
    });
    add("known", CallExpectation::Skips(3600), || ());
    #[expect(clippy::panic, reason = "that is what the case is about")]
    add("panic", CallExpectation::Allowed, || panic!("as it should"));
    #[expect(clippy::panic, reason = "that is what the case is about")]
    add("flaky", CallExpectation::Allowed, || {
        if std::env::var_os(FLAKY).is_some_and(|path| std::fs::File::create_new(path).is_ok()) {
            panic!("the first time")
        }
    });
    for number in 0..20 {
        add(&format!("pass.{number:02}"), CallExpectation::Allowed, || ());
    }
    add("unexpected", CallExpectation::Allowed, || ());
    cases.finish()
}

/// The known failures of the runner's own test cases, in the format of `--known-failures`.
pub const KNOWN: &str = r#"[
    {"cases": "self.known", "failure": "the checked call was never reached", "reason": "that is what the case is about"},
    {"cases": "self.unexpected", "failure": "the checked call was never reached", "reason": "that is what the case is about"}
]"#;

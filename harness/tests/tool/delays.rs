//! Runs the tests that mostly wait at the same time, because the test harness has only as many threads as the machine
//! has cores.

use std::thread::{Builder, scope};

use crate::{cli, conform};

type Test = (&'static str, fn());

const TESTS: &[Test] = &[
    ("off_a_terminal_a_line_now_and_then", cli::output::off_a_terminal_a_line_now_and_then),
    (
        "a_child_does_not_outlive_its_parent",
        conform::processes::a_child_does_not_outlive_its_parent,
    ),
    #[cfg(unix)]
    ("a_command_has_a_time_limit", cli::minimize::a_command_has_a_time_limit),
    #[cfg(target_os = "linux")]
    (
        "an_interrupted_run_keeps_what_it_has_and_leaves_no_process",
        conform::interrupted::an_interrupted_run_keeps_what_it_has_and_leaves_no_process,
    ),
];

/// A failing test is named by its thread.
#[test]
fn tests_that_wait() {
    scope(|scope| {
        for (name, test) in TESTS {
            let thread = Builder::new().name((*name).to_owned());
            thread.spawn_scoped(scope, test).unwrap();
        }
    });
}

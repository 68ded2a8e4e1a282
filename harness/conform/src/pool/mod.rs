//! Runs test cases in child processes, so that a crash or a hang affects only one case.

mod child;
mod worker;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use child::{Child, ChildFailure, StartError};
pub use worker::serve;

use super::attachments;
use super::case::Case;
use super::fault::ConformFault;
use super::suite_options::{SuiteError, SuiteOptions};
use super::verdict::{CaseOutcome, Verdict};

/// The number of cases after which a child process is replaced, because drivers may leak memory.
const CASES_PER_CHILD: usize = 400;

/// The default time limit for a child process to open its device.
pub const START: Duration = Duration::from_secs(60);
/// The default memory limit of a child process in bytes.
pub const MEMORY: u64 = 4 << 30;

#[derive(Clone, Debug)]
pub struct CasePool {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub options: SuiteOptions,
    pub jobs: usize,
    pub timeout: Duration,
    /// The time limit for a child process to start, by default [`START`].
    pub start: Duration,
    /// The memory limit of a child process in bytes, by default [`MEMORY`]. The memory limit applies only on Linux.
    pub memory: u64,
}

struct PoolState<'a> {
    cases: &'a [Case],
    next: AtomicUsize,
    stop: AtomicBool,
}

impl CasePool {
    pub fn driver(&self) -> Result<String, SuiteError> {
        let child = Child::start(self).map_err(|error| match error {
            StartError::Spawn(reason) => SuiteError(reason),
            StartError::NoAnswer(ChildFailure::Timeout(log) | ChildFailure::Died(_, log)) => {
                let reason = log.lines().last().unwrap_or("the child process can't be started");
                SuiteError(reason.trim_start_matches("molehill: ").to_owned())
            }
        })?;
        Ok(child.driver().to_owned())
    }

    /// Runs test cases, and calls `done` with each outcome on this thread; an error of `done` ends the run. A case
    /// without an outcome counts as a crash. If a child fails to start, the case for which it was started fails.
    pub fn run<E: From<SuiteError>>(
        &self,
        cases: &[Case],
        mut done: impl FnMut(CaseOutcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let shared = PoolState { cases, next: AtomicUsize::new(0), stop: AtomicBool::new(false) };
        let jobs = self.jobs.clamp(1, cases.len().max(1));
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..jobs {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || self.work(shared, &sender));
            }
            drop(sender);
            let (mut result, mut left) = (Ok(()), BTreeMap::new());
            left.extend(cases.iter().map(|case| (&case.name, case)));
            // The loop ends when every worker thread has dropped its sender.
            for message in receiver {
                if result.is_ok() {
                    result = message.map_err(E::from).and_then(|outcome| {
                        left.remove(&outcome.name);
                        done(outcome)
                    });
                    shared.stop.store(result.is_err(), Ordering::Relaxed);
                }
            }
            result?;
            let reasons = || vec!["no process returned an outcome".to_owned()];
            left.values().try_for_each(|case| done(case.outcome(Verdict::Crash, reasons())))
        })
    }

    /// Runs test cases on one thread until none remain.
    fn work(&self, shared: &PoolState<'_>, sender: &Sender<Result<CaseOutcome, SuiteError>>) {
        let mut child: Option<Child> = None;
        loop {
            let next = shared.next.fetch_add(1, Ordering::Relaxed);
            let Some(case) =
                shared.cases.get(next).filter(|_| !shared.stop.load(Ordering::Relaxed))
            else {
                return;
            };
            if child.as_ref().is_some_and(|child| child.cases_run() >= CASES_PER_CHILD) {
                child = None;
            }
            let begin = Instant::now();
            let fresh = match child.take() {
                Some(child) => Ok(child),
                None => Child::start(self),
            };
            let message = match fresh {
                Ok(mut fresh) => {
                    let (outcome, alive) = self.ask(&mut fresh, case);
                    child = alive.then_some(fresh);
                    Ok(outcome)
                }
                Err(StartError::Spawn(reason)) => Err(SuiteError(reason)),
                Err(StartError::NoAnswer(error)) => {
                    let late = format!(
                        "no child process for the case started within {} s",
                        self.start.as_secs_f64()
                    );
                    Ok(without_answer(case, begin, error, late, "starting: "))
                }
            };
            if next == 0 && self.options.fault == Some(ConformFault::LostOutcome) {
                continue;
            }
            if sender.send(message).is_err() {
                return;
            }
        }
    }

    /// Runs a test case in a child process. Returns the outcome, and whether the child process can run further cases.
    fn ask(&self, child: &mut Child, case: &Case) -> (CaseOutcome, bool) {
        let begin = Instant::now();
        let error = match child.run(&case.name, self) {
            Ok(outcome) if outcome.name == case.name => return (outcome.checked(), true),
            Ok(CaseOutcome { name, .. }) => ChildFailure::Died(
                format!("the process returned the result of another case, {name}"),
                String::new(),
            ),
            Err(error) => error,
        };
        let late = format!("no result within {} s", self.timeout.as_secs_f64());
        (without_answer(case, begin, error, late, ""), false)
    }
}

/// Returns the outcome of a case without a result: a timeout (`late`), or a death with the reason `dying`.
fn without_answer(
    case: &Case,
    begin: Instant,
    error: ChildFailure,
    late: String,
    dying: &str,
) -> CaseOutcome {
    let (verdict, reason, log) = match error {
        ChildFailure::Timeout(log) => (Verdict::Timeout, late, log),
        ChildFailure::Died(how, log) => (Verdict::Crash, format!("{dying}{how}"), log),
    };
    CaseOutcome {
        seconds: begin.elapsed().as_secs_f64(),
        attachments: attachments::texts([("Last output of the process", log)]),
        ..case.outcome(verdict, vec![reason])
    }
}

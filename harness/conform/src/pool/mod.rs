//! Runs cases in child processes, so that one which takes its process down, or never ends, costs nothing but itself.

mod child;
mod worker;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use child::{Answer, Child};
pub use worker::{Requests, serve};

use super::attachments::Attachments;
use super::case::Case;
use super::verdict::{Outcome, Verdict};

/// Cases after which a child is replaced, so that what a driver doesn't free doesn't pile up.
const CASES_OF_CHILD: usize = 400;

/// How to run.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The program that serves cases.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Children at a time.
    pub jobs: usize,
    /// How long a case may take.
    pub timeout: Duration,
}

/// Why nothing can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolError(pub String);

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PoolError {}

/// What the threads share.
struct Shared<'a> {
    cases: &'a [Case],
    next: AtomicUsize,
    stop: AtomicBool,
}

impl Pool {
    /// Asks a child for the driver's name of itself.
    ///
    /// # Errors
    /// There is no device, or no child.
    pub fn driver(&self) -> Result<String, PoolError> {
        Child::start(self).map(|child| child.driver().to_owned())
    }

    /// Runs cases. `done` is told each outcome as it comes, on this thread; the order is the children's. When it gives
    /// an error, the run ends with it.
    ///
    /// # Errors
    /// No child can be started, and those of `done`.
    pub fn run<E: From<PoolError>>(
        &self,
        cases: &[Case],
        mut done: impl FnMut(Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let shared = Shared {
            cases,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        };
        let jobs = self.jobs.clamp(1, cases.len().max(1));
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..jobs {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || self.work(shared, &sender));
            }
            drop(sender);
            let mut result = Ok(());
            // Goes on until every thread has dropped its sender.
            for message in receiver {
                if result.is_ok() {
                    result = message.map_err(E::from).and_then(&mut done);
                    shared.stop.store(result.is_err(), Ordering::Relaxed);
                }
            }
            result
        })
    }

    /// One thread: takes the next case until there is none.
    fn work(&self, shared: &Shared<'_>, sender: &Sender<Result<Outcome, PoolError>>) {
        let mut child: Option<Child> = None;
        loop {
            let next = shared.next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = shared
                .cases
                .get(next)
                .filter(|_| !shared.stop.load(Ordering::Relaxed))
            else {
                return;
            };
            if child
                .as_ref()
                .is_some_and(|child| child.served() >= CASES_OF_CHILD)
            {
                child = None;
            }
            let fresh = match child.take() {
                Some(child) => Ok(child),
                None => Child::start(self),
            };
            let message = fresh.map(|mut fresh| {
                let (outcome, alive) = self.ask(&mut fresh, case);
                child = alive.then_some(fresh);
                outcome
            });
            if sender.send(message).is_err() {
                return;
            }
        }
    }

    /// Has a child run a case; also says whether the child is still good for another.
    fn ask(&self, child: &mut Child, case: &Case) -> (Outcome, bool) {
        let begin = Instant::now();
        let gone = |verdict, reason: String, log: String| Outcome {
            name: case.name.clone(),
            kind: case.body.kind().to_owned(),
            profile: case.setup.profile.name().to_owned(),
            source: case.source.clone(),
            verdict,
            reasons: vec![reason],
            seconds: begin.elapsed().as_secs_f64(),
            hash: None,
            capture: None,
            attachments: {
                let mut attachments = Attachments::default();
                if !log.is_empty() {
                    let name = "Last output of the process".to_owned();
                    attachments.texts.insert(name, log.into());
                }
                attachments
            },
        };
        match child.ask(&case.name, self.timeout) {
            Answer::Outcome(outcome) if outcome.name == case.name => (*outcome, true),
            Answer::Outcome(outcome) => {
                let reason = format!("the process answered for {}", outcome.name);
                (gone(Verdict::Crash, reason, String::new()), false)
            }
            Answer::Silence(log) => {
                let reason = format!("no answer in {} s", self.timeout.as_secs_f64());
                (gone(Verdict::Timeout, reason, log), false)
            }
            Answer::Death(how, log) => (gone(Verdict::Crash, how, log), false),
        }
    }
}

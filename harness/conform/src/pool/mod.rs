//! Runs cases in child processes, so that a crash or a hang affects only its case.

mod child;
mod worker;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use child::{Child, Ended, StartError};
pub use worker::serve;

use super::attachments::Attachments;
use super::case::Case;
use super::suite_options::SuiteOptions;
use super::verdict::{Outcome, Verdict};

/// Cases after which a child is replaced, to bound a driver's leaks.
const CASES_OF_CHILD: usize = 400;

/// Usual time for a child to open its device.
pub const START: Duration = Duration::from_secs(60);
/// Usual limit of a child's memory in bytes.
pub const MEMORY: u64 = 4 << 30;

/// Options of a pool.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The program of a child.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// What a child reads first.
    pub options: SuiteOptions,
    /// Number of children.
    pub jobs: usize,
    /// Time limit of a case.
    pub timeout: Duration,
    /// Time limit of a child's start: usually [`START`].
    pub start: Duration,
    /// Limit of a child's memory in bytes, where the system tells how much it has (Linux): usually [`MEMORY`].
    pub memory: u64,
}

/// Why no case can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolError(pub String);

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PoolError {}

/// State shared by the threads.
struct Shared<'a> {
    cases: &'a [Case],
    next: AtomicUsize,
    stop: AtomicBool,
}

impl Pool {
    /// The driver's name, from a child.
    ///
    /// # Errors
    /// The device can't be opened, or no child can be started.
    pub fn driver(&self) -> Result<String, PoolError> {
        let child = Child::start(self).map_err(|error| match error {
            StartError::Spawn(reason) => PoolError(reason),
            StartError::Ended(Ended::Timeout(log) | Ended::Died(_, log)) => {
                let reason = log.lines().last();
                let reason = reason.unwrap_or("a child process does not start");
                PoolError(reason.trim_start_matches("molehill: ").to_owned())
            }
        })?;
        Ok(child.driver().to_owned())
    }

    /// Runs cases. Calls `done` with each outcome on this thread, in the order of completion. An error of `done` ends
    /// the run. A child that does not start in time, or dies, is the verdict of the case that it was started for.
    ///
    /// # Errors
    /// No process can be created, or `done` failed.
    pub fn run<E: From<PoolError>>(
        &self,
        cases: &[Case],
        mut done: impl FnMut(Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let shared = Shared { cases, next: AtomicUsize::new(0), stop: AtomicBool::new(false) };
        let jobs = self.jobs.clamp(1, cases.len().max(1));
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..jobs {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || self.work(shared, &sender));
            }
            drop(sender);
            let mut result = Ok(());
            // Ends when every thread has dropped its sender.
            for message in receiver {
                if result.is_ok() {
                    result = message.map_err(E::from).and_then(&mut done);
                    shared.stop.store(result.is_err(), Ordering::Relaxed);
                }
            }
            result
        })
    }

    /// One thread: runs cases until none is left.
    fn work(&self, shared: &Shared<'_>, sender: &Sender<Result<Outcome, PoolError>>) {
        let mut child: Option<Child> = None;
        loop {
            let next = shared.next.fetch_add(1, Ordering::Relaxed);
            let Some(case) =
                shared.cases.get(next).filter(|_| !shared.stop.load(Ordering::Relaxed))
            else {
                return;
            };
            if child.as_ref().is_some_and(|child| child.cases_run() >= CASES_OF_CHILD) {
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
                Err(StartError::Spawn(reason)) => Err(PoolError(reason)),
                Err(StartError::Ended(Ended::Timeout(log))) => {
                    let reason =
                        format!("no process for it started in {} s", self.start.as_secs_f64());
                    Ok(without_answer(case, begin, Verdict::Timeout, reason, log))
                }
                Err(StartError::Ended(Ended::Died(how, log))) => {
                    let reason = format!("starting: {how}");
                    Ok(without_answer(case, begin, Verdict::Crash, reason, log))
                }
            };
            if sender.send(message).is_err() {
                return;
            }
        }
    }

    /// Runs a case in a child; returns also whether the child can be used again.
    fn ask(&self, child: &mut Child, case: &Case) -> (Outcome, bool) {
        let begin = Instant::now();
        let gone = |verdict, reason, log| without_answer(case, begin, verdict, reason, log);
        match child.run(&case.name, self) {
            Ok(outcome) if outcome.name == case.name => (outcome, true),
            Ok(outcome) => {
                let reason = format!("the process answered for {}", outcome.name);
                (gone(Verdict::Crash, reason, String::new()), false)
            }
            Err(Ended::Timeout(log)) => {
                let reason = format!("no answer in {} s", self.timeout.as_secs_f64());
                (gone(Verdict::Timeout, reason, log), false)
            }
            Err(Ended::Died(how, log)) => (gone(Verdict::Crash, how, log), false),
        }
    }
}

/// The outcome of a case whose process gave no answer.
fn without_answer(
    case: &Case,
    begin: Instant,
    verdict: Verdict,
    reason: String,
    log: String,
) -> Outcome {
    let mut attachments = Attachments::default();
    if !log.is_empty() {
        let name = "Last output of the process".to_owned();
        attachments.texts.insert(name, log.into());
    }
    Outcome {
        name: case.name.clone(),
        kind: case.body.kind().to_owned(),
        profile: case.setup.profile.name().to_owned(),
        source: case.source.clone(),
        verdict,
        reasons: vec![reason],
        seconds: begin.elapsed().as_secs_f64(),
        hash: None,
        capture: None,
        attachments,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::self_test;

    /// A child that answers every case with a pass, after what the case's name says. As the worker does, it ends a
    /// driver's line before its own.
    const CHILD: &str = r#"
        read options; echo; echo '{"ready":"d"}'
        while read name; do
            case "$name" in
                self.abort) kill -ABRT $$;;
                self.exit) exit 7;;
                self.fail) memory=$(head -c 400000000 /dev/zero | tr '\0' m);;
                self.hang) exec sleep 60;;
                self.known) yes warning | head -c 3000000 >&2; yes warning | head -c 3000000;;
                self.unexpected) yes warning | head -c 3000000 >&2; exit 9;;
                self.panic) head -c 3000000 /dev/zero | tr '\0' x;;
            esac
            echo
            echo "{\"name\":\"$name\",\"kind\":\"calls\",\"profile\":\"baseline\",\"verdict\":\"pass\",\"seconds\":0}"
        done
    "#;

    /// Runs cases in a shell, whose `$0` is an empty folder. Returns their verdicts, first reasons and last output.
    fn run(name: &str, begin: &str, start: u64, cases: &[&str]) -> Vec<(Verdict, String, String)> {
        let folder = std::env::temp_dir().join(format!("molehill-{name}-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let pool = Pool {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), (begin.to_owned() + CHILD).into(), folder.clone().into()],
            options: SuiteOptions::new(Device::Null),
            jobs: 1,
            timeout: Duration::from_secs(3),
            start: Duration::from_secs(start),
            memory: 100 << 20,
        };
        assert_eq!(pool.driver().unwrap(), "d");
        let all = self_test::cases();
        let case = |name: &&str| all.iter().find(|case| case.name == *name).unwrap().clone();
        let mut outcomes = Vec::new();
        let ran = pool.run::<PoolError>(&cases.iter().map(case).collect::<Vec<_>>(), |outcome| {
            let reason = outcome.reasons.first().cloned().unwrap_or_default();
            let texts = outcome.attachments.texts.values().map(|text| text.to_string());
            outcomes.push((outcome.verdict, reason, texts.collect()));
            Ok(())
        });
        std::fs::remove_dir_all(folder).unwrap();
        assert_eq!(ran, Ok(()));
        outcomes
    }

    /// The second process hangs before its device is open, the third dies, and the others answer.
    #[test]
    fn a_child_that_does_not_start_costs_one_case() {
        let begin = r#"
            if mkdir "$0/1" 2>/dev/null; then :
            elif mkdir "$0/2" 2>/dev/null; then exec sleep 60
            elif mkdir "$0/3" 2>/dev/null; then exit 9
            fi
        "#;
        let cases = ["self.pass.00", "self.pass.01", "self.pass.02", "self.pass.03"];
        let outcomes = run("start", begin, 1, &cases);
        let verdicts: Vec<Verdict> = outcomes.iter().map(|(verdict, ..)| *verdict).collect();
        assert_eq!(verdicts, [Verdict::Timeout, Verdict::Crash, Verdict::Pass, Verdict::Pass]);
        assert_eq!(outcomes[0].1, "no process for it started in 1 s");
        assert_eq!(outcomes[1].1, "starting: the process died: exit status: 9");
    }

    /// A start may take longer than a case.
    #[test]
    fn what_a_driver_does_in_a_case_costs_only_that_case() {
        let begin = "mkdir \"$0/slow\" 2>/dev/null && sleep 4\n";
        let table = [
            ("self.abort", Verdict::Crash, "the process died: signal: 6 (SIGABRT)", ""),
            ("self.exit", Verdict::Crash, "the process died: exit status: 7", ""),
            ("self.fail", Verdict::Crash, "the process took more than 100 MiB of memory", ""),
            ("self.hang", Verdict::Timeout, "no answer in 3 s", ""),
            ("self.known", Verdict::Pass, "", ""),
            ("self.panic", Verdict::Pass, "", ""),
            ("self.unexpected", Verdict::Crash, "the process died: exit status: 9", "warning"),
            ("self.pass.00", Verdict::Pass, "", ""),
        ];
        let outcomes = run("cases", begin, 30, &table.map(|(case, ..)| case));
        for ((case, verdict, reason, said), outcome) in table.into_iter().zip(outcomes) {
            let (found, why, log) = outcome;
            // The system may add that it dumped a core.
            let same = why.starts_with(reason) && why.is_empty() == reason.is_empty();
            assert!(found == verdict && same, "{case}: {found:?} {why}: {log}");
            assert!(log.contains(said) && log.len() < 10_000, "{case}: {}", log.len());
        }
    }
}

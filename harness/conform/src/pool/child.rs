//! A child process that runs cases: one name per input line, one outcome per output line.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{self, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::Pool;
use crate::verdict::Outcome;

/// Key of the first line, with the driver's name.
pub(super) const READY: &str = "ready";
/// Time to wait for the output of a child that died.
const EXIT_TIME: Duration = Duration::from_millis(200);
/// Bytes of standard error that are kept.
const LOG: usize = 8 << 10;
/// Longest output line.
const MAX_ANSWER: u64 = 64 << 20;

/// Why a child can't be used.
pub(super) enum StartError {
    /// No process can be created.
    Spawn(String),
    /// Its device is not open in time; its output on standard error.
    Timeout(String),
    /// It died; its status, and its output on standard error.
    Died(String, String),
}

/// A child's result for a case.
pub(super) enum Answer {
    /// The case ran.
    Outcome(Box<Outcome>),
    /// It gave no result in time; its output on standard error.
    Timeout(String),
    /// It died; its status, and its output on standard error.
    Crash(String, String),
}

/// A running child. Dropping it kills it.
pub(super) struct Child {
    process: process::Child,
    input: Option<ChildStdin>,
    answers: Receiver<Value>,
    log: Arc<Mutex<Vec<u8>>>,
    driver: String,
    cases_run: usize,
}

impl Child {
    /// Starts a child and waits until its device is open.
    pub(super) fn start(pool: &Pool) -> Result<Child, StartError> {
        let program = pool.program.display();
        let mut process = Command::new(&pool.program)
            .args(&pool.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| StartError::Spawn(format!("{program}: {error}")))?;
        let log = Arc::new(Mutex::new(Vec::new()));
        if let Some(errors) = process.stderr.take() {
            let log = Arc::clone(&log);
            std::thread::spawn(move || listen(errors, &log));
        }
        let (sender, answers) = sync_channel(1);
        if let Some(output) = process.stdout.take() {
            std::thread::spawn(move || {
                let mut output = BufReader::new(output);
                let mut line = Vec::new();
                // Ends with the child, with a line that is too long, or when the receiver is dropped.
                while let Ok(1..) = output.by_ref().take(MAX_ANSWER).read_until(b'\n', &mut line) {
                    let Ok(value) = serde_json::from_slice(&line) else {
                        return;
                    };
                    if sender.send(value).is_err() {
                        return;
                    }
                    line.clear();
                }
            });
        }
        let mut child = Child {
            input: process.stdin.take(),
            process,
            answers,
            log,
            driver: String::new(),
            cases_run: 0,
        };
        let ready = child.answers.recv_timeout(pool.start);
        if let Err(RecvTimeoutError::Timeout) = ready {
            return Err(StartError::Timeout(child.kill()));
        }
        let driver = ready.ok().and_then(|line| Some(line.get(READY)?.as_str()?.to_owned()));
        match driver {
            Some(driver) => {
                child.driver = driver;
                Ok(child)
            }
            None => {
                let (how, log) = child.died();
                Err(StartError::Died(how, log))
            }
        }
    }

    /// The driver's name.
    pub(super) fn driver(&self) -> &str {
        &self.driver
    }

    /// Number of cases that it ran.
    pub(super) fn cases_run(&self) -> usize {
        self.cases_run
    }

    /// Runs a case in the child.
    pub(super) fn run(&mut self, name: &str, timeout: Duration) -> Answer {
        self.cases_run += 1;
        let line = format!("{name}\n");
        let sent = self
            .input
            .as_mut()
            .map(|input| input.write_all(line.as_bytes()).and_then(|()| input.flush()));
        if !matches!(sent, Some(Ok(()))) {
            return self.crash();
        }
        match self.answers.recv_timeout(timeout) {
            Ok(value) => match serde_json::from_value(value) {
                Ok(outcome) => Answer::Outcome(Box::new(outcome)),
                Err(_) => self.crash(),
            },
            Err(RecvTimeoutError::Timeout) => Answer::Timeout(self.kill()),
            Err(RecvTimeoutError::Disconnected) => self.crash(),
        }
    }

    fn crash(&mut self) -> Answer {
        let (how, log) = self.died();
        Answer::Crash(how, log)
    }

    /// How the child died, and its output on standard error.
    fn died(&mut self) -> (String, String) {
        let log = self.kill();
        let how = match self.process.wait() {
            Ok(status) => format!("the process died: {status}"),
            Err(error) => format!("the process died: {error}"),
        };
        (how, log)
    }

    /// Kills the child, and returns its output on standard error.
    fn kill(&mut self) -> String {
        self.input = None;
        // A child that is dying gets time to write its message and exit with its status.
        let mut waited = Duration::ZERO;
        let step = Duration::from_millis(10);
        while waited < EXIT_TIME && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(step);
            waited += step;
        }
        // Fails only if it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
        std::thread::sleep(step);
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Keeps the end of the output.
fn listen(mut errors: impl Read, log: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend_from_slice(buffer.get(..count).unwrap_or_default());
        let excess = log.len().saturating_sub(LOG);
        log.drain(..excess);
    }
}

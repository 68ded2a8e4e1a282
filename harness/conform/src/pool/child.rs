//! A child process that runs cases: one name per input line, one outcome per output line.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{self, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::Pool;
use crate::verdict::Outcome;

/// Key of the first line, with the driver's name.
pub(super) const READY: &str = "ready";
/// Time to wait for the output of a child that died.
const EXIT_TIME: Duration = Duration::from_millis(200);
const LOG: usize = 8 << 10;
const MAX_ANSWER: u64 = 64 << 20;
/// Time between two looks at a child's memory.
const STEP: Duration = Duration::from_millis(100);

pub(super) enum StartError {
    Spawn(String),
    /// It was created, but its device is not open.
    NoAnswer(NoAnswer),
}

pub(super) enum NoAnswer {
    /// It took too long; its output on standard error.
    Timeout(String),
    /// It died, or took too much memory; how, and its output on standard error.
    Died(String, String),
}

pub(super) struct Child {
    process: process::Child,
    input: Option<ChildStdin>,
    answers: Receiver<Map<String, Value>>,
    log: Arc<Mutex<Vec<u8>>>,
    driver: String,
    cases_run: usize,
}

impl Child {
    /// Starts a child and waits until its device is open.
    pub(super) fn start(pool: &Pool) -> Result<Child, StartError> {
        let program = pool.program.display();
        let options = serde_json::to_string(&pool.options);
        let options =
            options.map_err(|error| StartError::Spawn(format!("options of a child: {error}")))?;
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
                // Ends with the child, or when the receiver is dropped. Other lines are a driver's.
                while let Ok(1..) = output.by_ref().take(MAX_ANSWER).read_until(b'\n', &mut line) {
                    if serde_json::from_slice(&line).is_ok_and(|line| sender.send(line).is_err()) {
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
        let line =
            child.request(&options, pool.start, pool.memory).map_err(StartError::NoAnswer)?;
        let driver = line.get(READY).and_then(Value::as_str);
        let driver = driver.ok_or_else(|| StartError::NoAnswer(child.died()))?;
        child.driver = driver.to_owned();
        Ok(child)
    }

    pub(super) fn driver(&self) -> &str {
        &self.driver
    }

    pub(super) fn cases_run(&self) -> usize {
        self.cases_run
    }

    pub(super) fn run(&mut self, name: &str, pool: &Pool) -> Result<Outcome, NoAnswer> {
        self.cases_run += 1;
        let line = self.request(name, pool.timeout, pool.memory)?;
        serde_json::from_value(line.into()).map_err(|_| self.died())
    }

    fn request(
        &mut self,
        line: &str,
        time: Duration,
        memory: u64,
    ) -> Result<Map<String, Value>, NoAnswer> {
        let line = format!("{line}\n");
        let sent = self
            .input
            .as_mut()
            .map(|input| input.write_all(line.as_bytes()).and_then(|()| input.flush()));
        match sent {
            Some(Ok(())) => self.answer(time, memory),
            _ => Err(self.died()),
        }
    }

    fn answer(&mut self, time: Duration, memory: u64) -> Result<Map<String, Value>, NoAnswer> {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.answers.recv_timeout(left.min(STEP)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
                Err(RecvTimeoutError::Timeout) if left <= STEP => {
                    return Err(NoAnswer::Timeout(self.kill()));
                }
                Err(RecvTimeoutError::Timeout) if self.memory() > memory => {
                    let how = format!("the process took more than {} MiB of memory", memory >> 20);
                    return Err(NoAnswer::Died(how, self.kill()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Bytes of memory that the child has; 0 on systems other than Linux.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        kilobytes.unwrap_or(0) << 10
    }

    /// How the child died, and its output on standard error.
    fn died(&mut self) -> NoAnswer {
        let log = self.kill();
        NoAnswer::Died(
            match self.process.wait() {
                Ok(status) => format!("the process died: {status}"),
                Err(error) => format!("the process died: {error}"),
            },
            log,
        )
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

fn listen(mut errors: impl Read, log: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend_from_slice(buffer.get(..count).unwrap_or_default());
        let excess = log.len().saturating_sub(LOG);
        log.drain(..excess);
    }
}

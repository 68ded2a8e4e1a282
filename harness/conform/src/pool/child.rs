//! A child process that runs cases: one name per input line, one outcome per output line.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use molehill_replay::process::Process;
use serde_json::{Map, Value};

use super::Pool;
use crate::verdict::Outcome;

/// Key of the first line, with the driver's name.
pub(super) const READY: &str = "ready";
/// Time to wait for the output of a child that died.
const EXIT_TIME: Duration = Duration::from_millis(200);
const LOG: usize = 8 << 10;
const MAX_ANSWER: usize = 64 << 20;
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

/// An answer of a child, or its number of bytes if they are more than [`MAX_ANSWER`].
type Answer = Result<Map<String, Value>, usize>;

pub(super) struct Child {
    process: Process,
    input: Option<ChildStdin>,
    answers: Receiver<Answer>,
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
        let mut command = Command::new(&pool.program);
        command.args(&pool.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let process = Process::start(command);
        let mut process =
            process.map_err(|error| StartError::Spawn(format!("{program}: {error}")))?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let (input, output, errors) = process.pipes();
        if let Some(errors) = errors {
            let log = Arc::clone(&log);
            std::thread::spawn(move || listen(errors, &log));
        }
        let (sender, answers) = sync_channel(1);
        if let Some(output) = output {
            std::thread::spawn(move || read_answers(BufReader::new(output), &sender));
        }
        let mut child = Child { input, process, answers, log, driver: String::new(), cases_run: 0 };
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
                Ok(Ok(line)) => return Ok(line),
                Ok(Err(bytes)) => {
                    let how =
                        format!("the answer is too large ({bytes} bytes, at most {MAX_ANSWER})");
                    return Err(NoAnswer::Died(how, self.kill()));
                }
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
            match self.process.end() {
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
        let end = Instant::now() + EXIT_TIME;
        let _ = self.process.wait_while(|| Instant::now() < end);
        let _ = self.process.end();
        std::thread::sleep(Duration::from_millis(10));
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&log).into_owned()
    }
}

/// Passes a child's answers on, until the child ends or the receiver is dropped. Other lines are a driver's.
fn read_answers(mut output: impl BufRead, sender: &SyncSender<Answer>) {
    let mut line = Vec::new();
    while let Ok(1..) = output.by_ref().take(MAX_ANSWER as u64).read_until(b'\n', &mut line) {
        let more = match line.last() {
            Some(b'\n') => 0,
            _ => output.skip_until(b'\n').unwrap_or(0),
        };
        let answer = match more {
            0 => serde_json::from_slice(&line).ok().map(Ok),
            _ => line.starts_with(b"{").then_some(Err(line.len() + more)),
        };
        if answer.is_some_and(|answer| sender.send(answer).is_err()) {
            return;
        }
        line.clear();
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

//! A child process that runs test cases. Each input line is a case's name, each output line an outcome.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use molehill_replay::process::Process;
use serde_json::{Map, Value};

use super::CasePool;
use crate::verdict::CaseOutcome;

/// The key of the first output line, whose value is the driver's name.
pub(super) const READY: &str = "ready";
/// The time to wait for the last output of a child process that died.
const EXIT_TIME: Duration = Duration::from_millis(200);
/// The maximum output on standard error that is retained, in bytes.
const MAX_LOG: usize = 8 << 10;
const MAX_REPLY: usize = 64 << 20;
/// The time between two checks of a child's memory.
const MEMORY_INTERVAL: Duration = Duration::from_millis(100);

pub(super) enum StartError {
    Spawn(String),
    /// The child process was created, but couldn't open its device.
    NoAnswer(ChildFailure),
}

pub(super) enum ChildFailure {
    /// The child process exceeded its time limit. The string is the standard error output of the child process.
    Timeout(String),
    /// The child process died, or exceeded its memory limit. The strings are the reason and the log of standard error.
    Died(String, String),
}

/// A line of JSON from a child process, or its length if it is longer than [`MAX_REPLY`].
type ChildReply = Result<Map<String, Value>, usize>;

pub(super) struct Child {
    process: Process,
    input: Option<ChildStdin>,
    replies: Receiver<ChildReply>,
    log: Arc<Mutex<Vec<u8>>>,
    driver: String,
    cases_run: usize,
}

impl Child {
    /// Starts a child process and waits until its device is open.
    pub(super) fn start(pool: &CasePool) -> Result<Child, StartError> {
        let program = pool.program.display();
        let options = serde_json::to_string(&pool.options);
        let options = options.map_err(|error| {
            StartError::Spawn(format!("the options of a child process can't be written: {error}"))
        })?;
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
        let (sender, replies) = sync_channel(1);
        if let Some(output) = output {
            std::thread::spawn(move || read_replies(BufReader::new(output), &sender));
        }
        let mut child = Child { input, process, replies, log, driver: String::new(), cases_run: 0 };
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

    pub(super) fn run(&mut self, name: &str, pool: &CasePool) -> Result<CaseOutcome, ChildFailure> {
        self.cases_run += 1;
        let line = self.request(name, pool.timeout, pool.memory)?;
        serde_json::from_value(line.into()).map_err(|_| self.died())
    }

    fn request(
        &mut self,
        line: &str,
        time: Duration,
        memory: u64,
    ) -> Result<Map<String, Value>, ChildFailure> {
        let line = format!("{line}\n");
        let sent = self
            .input
            .as_mut()
            .map(|input| input.write_all(line.as_bytes()).and_then(|()| input.flush()));
        match sent {
            Some(Ok(())) => self.reply(time, memory),
            _ => Err(self.died()),
        }
    }

    fn reply(&mut self, time: Duration, memory: u64) -> Result<Map<String, Value>, ChildFailure> {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.replies.recv_timeout(left.min(MEMORY_INTERVAL)) {
                Ok(Ok(line)) => return Ok(line),
                Ok(Err(bytes)) => {
                    let how =
                        format!("the result is too large ({bytes} bytes, at most {MAX_REPLY})");
                    return Err(ChildFailure::Died(how, self.kill()));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
                Err(RecvTimeoutError::Timeout) if left <= MEMORY_INTERVAL => {
                    return Err(ChildFailure::Timeout(self.kill()));
                }
                Err(RecvTimeoutError::Timeout) if self.memory() > memory => {
                    let how = format!("the process used more than {} MiB of memory", memory >> 20);
                    return Err(ChildFailure::Died(how, self.kill()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Returns the memory of the child process in bytes. Returns 0 on other systems than Linux.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        kilobytes.unwrap_or(0) << 10
    }

    /// Ends a child process that stopped responding. Returns the exit status and the standard error output.
    fn died(&mut self) -> ChildFailure {
        let log = self.kill();
        ChildFailure::Died(
            match self.process.end() {
                Ok(status) => format!("the process died: {status}"),
                Err(error) => format!("the process died: {error}"),
            },
            log,
        )
    }

    /// Kills the child process. Returns the standard error output of the process.
    fn kill(&mut self) -> String {
        self.input = None;
        // Give a dying process time to write its message and to exit with its status.
        let end = Instant::now() + EXIT_TIME;
        let _ = self.process.wait_while(|| Instant::now() < end);
        let _ = self.process.end();
        std::thread::sleep(Duration::from_millis(10));
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&log).into_owned()
    }
}

/// Sends the replies of a child process to a channel until either ends. Ignores lines that drivers print.
fn read_replies(mut output: impl BufRead, sender: &SyncSender<ChildReply>) {
    let mut line = Vec::new();
    while let Ok(1..) = output.by_ref().take(MAX_REPLY as u64).read_until(b'\n', &mut line) {
        let more = match line.last() {
            Some(b'\n') => 0,
            _ => output.skip_until(b'\n').unwrap_or(0),
        };
        let reply = match more {
            0 => serde_json::from_slice(&line).ok().map(Ok),
            _ => line.starts_with(b"{").then_some(Err(line.len() + more)),
        };
        if reply.is_some_and(|reply| sender.send(reply).is_err()) {
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
        let excess = log.len().saturating_sub(MAX_LOG);
        log.drain(..excess);
    }
}

//! Runs in a pool's child process: executes the test cases that the parent process names.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::abort;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{sleep, spawn};
use std::time::Duration;

use serde_json::json;

use super::child::READY;
use crate::case::Case;
use crate::runner::Runner;
use crate::suite_options::{SuiteError, SuiteOptions};

/// The time for a child process to end after its input has ended. A running parent kills its child before this time.
const END_TIME: Duration = Duration::from_secs(2);

/// Reads lines from the parent process on a thread, so that this process ends with its parent even if a case hangs.
fn listen(input: impl Read + Send + 'static) -> Receiver<io::Result<String>> {
    let (sender, lines) = channel();
    spawn(move || {
        for line in BufReader::new(input).lines() {
            let failed = line.is_err();
            if sender.send(line).is_err() || failed {
                break;
            }
        }
        // Dropping the sender ends a process that isn't running a case.
        drop(sender);
        // Abort, because exit handlers may wait for a hanging driver.
        sleep(END_TIME);
        abort();
    });
    lines
}

/// Reads the suite's options, then runs the test cases that the input names, until the input ends.
pub fn serve(input: impl Read + Send + 'static, output: impl Write) -> Result<(), SuiteError> {
    // Start the thread before the device is opened, because opening a device may hang.
    let mut lines = listen(input).into_iter();
    let failed = |error: &dyn fmt::Display| SuiteError(error.to_string());
    let first = lines.next().transpose().map_err(|error| failed(&error))?.unwrap_or_default();
    let options: SuiteOptions = serde_json::from_str(&first).map_err(|error| failed(&error))?;
    let cases = options.cases()?;
    let runner = Runner::new(options.settings()?);
    let mut runner =
        runner.map_err(|error| SuiteError(format!("no device could be opened: {error}")))?;
    match run(&cases, &mut runner, lines, output) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(failed(&error)),
        _ => Ok(()),
    }
}

fn run(
    cases: &[Case],
    runner: &mut Runner,
    names: impl Iterator<Item = io::Result<String>>,
    mut output: impl Write,
) -> io::Result<()> {
    let by_name: HashMap<&str, &Case> =
        cases.iter().map(|case| (case.name.as_str(), case)).collect();
    let mut answer = |value: serde_json::Value| {
        // Begin with a line break, because a driver may have printed an incomplete line.
        writeln!(output, "\n{value}")?;
        output.flush()
    };
    answer(json!({ READY: runner.driver() }))?;
    for name in names {
        let name = name?;
        let Some(case) = by_name.get(name.as_str()) else {
            let text = format!("case {name:?} does not exist");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        };
        answer(json!(runner.run(case)))?;
    }
    Ok(())
}

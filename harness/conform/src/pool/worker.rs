//! The child's side.

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};
use std::process::abort;
use std::sync::mpsc::{Receiver, channel};
use std::thread::{sleep, spawn};
use std::time::Duration;

use serde_json::json;

use super::child::READY;
use crate::case::Case;
use crate::runner::Runner;

/// How long a child has to end by itself when nobody wants anything any more. A parent that still lives has ended it by
/// then.
const LEAVE: Duration = Duration::from_secs(2);

/// What the parent says, read on a thread of its own: when the parent has died or hung up, the process ends, even in the
/// middle of a case that hangs.
#[derive(Debug)]
pub struct Requests {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: io::Cursor<Vec<u8>>,
}

impl Requests {
    /// Listens from now on, until the process ends.
    pub fn listen(mut input: impl Read + Send + 'static) -> Requests {
        let (sender, chunks) = channel();
        spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                let read = input.read(&mut buffer);
                let over = !matches!(read, Ok(1..));
                let chunk = read.map(|count| buffer.get(..count).unwrap_or_default().to_vec());
                // With nothing to read, a child between two cases ends here.
                if sender.send(chunk).is_err() || over {
                    break;
                }
            }
            // Nothing else can be relied on to end a process whose driver hangs; exit handlers may wait for it.
            sleep(LEAVE);
            abort();
        });
        Requests {
            chunks,
            chunk: io::Cursor::default(),
        }
    }
}

impl Read for Requests {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.chunk.read(buffer)? {
            0 => match self.chunks.recv() {
                Ok(chunk) => {
                    self.chunk = io::Cursor::new(chunk?);
                    self.chunk.read(buffer)
                }
                Err(_) => Ok(0),
            },
            count => Ok(count),
        }
    }
}

/// Runs the cases whose names come in, until there are no more.
///
/// # Errors
/// The pipe's, but that its other end is closed: then nobody wants anything.
pub fn serve(
    cases: &[Case],
    runner: &mut Runner,
    input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let by_name: HashMap<&str, &Case> = cases
        .iter()
        .map(|case| (case.name.as_str(), case))
        .collect();
    let mut answer = |value: serde_json::Value| {
        writeln!(output, "{value}")?;
        output.flush()
    };
    answer(json!({ READY: runner.driver() }))?;
    for name in input.lines() {
        let name = name?;
        let Some(case) = by_name.get(name.as_str()) else {
            let text = format!("there is no case {name:?}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        };
        answer(json!(runner.run(case)))?;
    }
    Ok(())
}

//! `molehill serve`

use std::fs;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

use molehill_analysis::{CaptureLimits, Inspector};
use molehill_queries::serve::{CaptureServer, FileHost, FileVersion};

use super::capture_argument::{file_of, read};
use super::{CommandFailure, CommandStatus};

/// The maximum size of a request message in bytes.
const MAX_MESSAGE: u64 = 64 << 20;

/// Answers queries on standard input: a server of the Model Context Protocol (MCP)
#[derive(clap::Args)]
pub(super) struct Serve {
    /// Default capture, for requests that name none
    #[arg(value_name = "CAPTURE")]
    capture: Option<PathBuf>,
}

struct FileStore;

impl FileHost for FileStore {
    fn open(&mut self, path: &str) -> Result<Inspector, String> {
        let capture = read(Path::new(path), CaptureLimits::default());
        capture.map(Inspector::new).map_err(|CommandFailure(text)| text)
    }

    fn version(&mut self, path: &str) -> io::Result<FileVersion> {
        let file =
            file_of(Path::new(path)).map_err(|CommandFailure(text)| io::Error::other(text))?;
        let file = fs::metadata(file)?;
        Ok((file.len(), file.modified()?))
    }

    fn read(&mut self, path: &str) -> io::Result<Vec<u8>> {
        fs::read(path)
    }
}

impl Serve {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let capture = self.capture.map(|path| path.display().to_string());
        let mut server = CaptureServer::new(FileStore, capture);
        let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
        loop {
            let mut line = Vec::new();
            input.by_ref().take(MAX_MESSAGE).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                return Ok(CommandStatus::Success);
            }
            if line.last() != Some(&b'\n') && line.len() as u64 == MAX_MESSAGE {
                return Err(CommandFailure("a message is longer than 64 MiB".to_owned()));
            }
            let line = String::from_utf8_lossy(&line);
            if let Some(answer) =
                Some(line.trim()).filter(|it| !it.is_empty()).and_then(|it| server.answer(it))
            {
                writeln!(output, "{answer}").and_then(|()| output.flush())?;
            }
        }
    }
}

//! `molehill trim`

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use molehill_analysis::{Capture, FrameSelection};
use molehill_capture::Form;
use molehill_replay::files;
use serde_json::json;

use super::{CaptureArgument, CommandFailure, CommandStatus};

/// Extracts frames into a self-contained capture
#[derive(clap::Args)]
pub(super) struct Trim {
    #[command(flatten)]
    capture: CaptureArgument,
    /// Consecutive frames: 10-20, 3, last or all
    #[arg(short, long, alias = "frame", value_name = "WHICH")]
    frames: FrameSelection,
    /// The capture to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

impl Trim {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let mut inspector = self.capture.inspector(self.frames.end())?;
        let (first, last) = self.frames.span(inspector.capture())?;
        let before = inspector.capture().call_count();
        let trimmed = molehill_analysis::trim(&mut inspector, first, last)?;
        let bytes = write(&self.out, &trimmed.capture)?;
        let (calls, restored) = (trimmed.capture.call_count(), trimmed.restored);
        let answer = json!({
            "calls": calls, "restored": restored, "before": before, "bytes": bytes,
        });
        let rebuilt = format!("the first {restored} rebuild the state");
        let text = || format!("{calls} calls of {before}, {rebuilt}; {bytes} bytes\n");
        self.capture.format.print(&answer, text)
    }
}

/// Writes a capture to a file. Returns the file's size in bytes.
pub(super) fn write(path: &Path, capture: &Capture) -> Result<u64, CommandFailure> {
    let written = files::replace(path, |file| {
        capture.write(BufWriter::new(file), Form::of(path))?.flush()?;
        Ok(file.metadata()?.len())
    });
    written.map_err(CommandFailure::of(path.display()))
}

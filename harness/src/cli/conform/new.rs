//! `molehill conform new`: makes a test case from a capture.

use std::path::{Path, PathBuf};

use molehill_analysis::FrameSelection;
use molehill_capture::{CaptureReader, CaptureRecord};
use molehill_conform::capture_case::CaptureCase;
use molehill_replay::folder::CAPTURE_FILES;

use crate::cli::{CommandFailure, CommandStatus, output};

/// Creates a test case: a folder with a capture, its expected image and a case file
#[derive(clap::Args)]
pub(super) struct NewCommand {
    /// Folder to create
    dir: PathBuf,
    /// Capture to copy
    capture: PathBuf,
    /// PNG of the expected stage
    #[arg(long, value_name = "PNG")]
    expect: PathBuf,
    /// Why the image is right
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Frame of the image [default: last]
    #[arg(short, long, alias = "frames", value_name = "N")]
    frame: Option<FrameSelection>,
    /// Largest difference of a channel
    #[arg(long, value_name = "N", default_value_t = 0)]
    tolerance: u8,
    /// Maximum number of pixels that may differ by more than the tolerance
    #[arg(long, value_name = "N", default_value_t = 0)]
    max_outliers: u64,
}

impl NewCommand {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let NewCommand { dir, capture, expect, reason, frame, tolerance, max_outliers } = &self;
        let at = capture.display();
        let name = CAPTURE_FILES.into_iter().find(|name| {
            let end = name.split_once('.').map_or("", |(_, end)| end);
            capture.to_string_lossy().ends_with(&format!(".{end}"))
        });
        let name = name.ok_or_else(|| {
            CommandFailure(format!("{at}: the name doesn't end like a capture's"))
        })?;
        let last = last_frame(capture)?;
        let frame =
            frame.as_ref().map(FrameSelection::single).transpose().map_err(CommandFailure)?;
        let frame = frame.flatten().unwrap_or(last);
        if frame > last {
            return Err(CommandFailure(format!(
                "{at}: the capture has no frame {frame}; the last is {last}"
            )));
        }
        if dir.exists() {
            return Err(CommandFailure(format!(
                "{}: the folder exists; name a new one",
                dir.display()
            )));
        }
        let text = serde_json::to_string(reason)?;
        let numbers = format!("tolerance = {tolerance}\nmaxOutliers = {max_outliers}\n");
        let frames = format!("expectedFrame = {frame}\n");
        let case = format!("why = {text}\n{frames}{numbers}toleranceReason = {text}\n");
        molehill_replay::image::read_png(expect).map_err(CommandFailure::of(expect.display()))?;
        output::make_folder(dir)?;
        for (from, to) in [(capture, name), (expect, "expected.png")] {
            let bytes = std::fs::read(from).map_err(CommandFailure::of(from.display()))?;
            output::write(&dir.join(to), bytes)?;
        }
        output::write(&dir.join("case.toml"), case)?;
        CaptureCase::read(dir)?;
        let dir = dir.display();
        output::print(&format!(
            "{dir}: frame {frame} of {last}; run it with: molehill check {dir}\n"
        ))?;
        Ok(CommandStatus::Success)
    }
}

/// Reads a whole capture. Returns the number of the capture's last frame.
fn last_frame(capture: &Path) -> Result<u32, CommandFailure> {
    let mut last = None;
    for record in CaptureReader::open(capture).map_err(CommandFailure::of(capture.display()))? {
        if let (_, CaptureRecord::Frame(frame)) =
            record.map_err(CommandFailure::of(capture.display()))?
        {
            last = Some(frame);
        }
    }
    last.ok_or_else(|| CommandFailure(format!("{}: the capture has no frames", capture.display())))
}

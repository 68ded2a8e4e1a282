//! `molehill explain`

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use molehill_analysis::count;
use molehill_queries::explain::{Bounds, SearchProgress, explain};
use molehill_queries::question::DEFAULT_SECONDS;
use serde_json::json;

use super::expected::expected;
use super::{CaptureArgument, CommandFailure, CommandStatus, FrameArgument, ProgressLine, output};

/// Finds the calls that explain why a frame differs from an image
#[derive(clap::Args)]
pub(super) struct ExplainCommand {
    #[command(flatten)]
    capture: CaptureArgument,
    /// Expected image of the frame: a PNG, or a capture's frame with the same number (or CAPTURE@FRAME)
    #[arg(long, value_name = "IMAGE")]
    expect: String,
    #[command(flatten)]
    frame: FrameArgument,
    /// Time limit of the search
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_SECONDS)]
    time_limit: u32,
    /// File for the best change, which --edit reads
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl ExplainCommand {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let mut expected = expected(&self.expect)?;
        let (mut inspector, place) = self.frame.open(&self.capture, Some(&expected))?;
        let expected = expected.picture(place.frame)?;
        let interrupted = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&interrupted);
        ctrlc::set_handler(move || told.store(true, Ordering::Relaxed))?;
        let progress = Mutex::new(ProgressLine::new());
        let time = Duration::from_secs(self.time_limit.into());
        let threads = available_parallelism().map_or(1, usize::from);
        let bounds = Bounds { time, threads };
        let found = explain(&mut inspector, place.frame, &expected, bounds, &|state| {
            let SearchProgress { tried, candidates, best } = state;
            let how_far = || {
                let what =
                    format!("{tried} of {candidates} changes tried, {} pixels differ", count(best));
                (what, tried as u64, Some(candidates as u64))
            };
            progress.lock().unwrap_or_else(PoisonError::into_inner).update(how_far);
            match interrupted.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        progress.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
        let found = found?;
        let best = found.suggestions.first();
        if let (Some(out), Some(best)) = (&self.out, best) {
            let lines: Vec<String> =
                best.edits.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
            output::write(out, lines.join("\n") + "\n")?;
        }
        let is_explained = found.before.differing == 0 || best.is_some();
        let mut answer = json!(found);
        place.mark(&mut answer);
        self.capture.format.print(&answer, || place.line("frame") + &found.to_string())?;
        Ok(match interrupted.load(Ordering::Relaxed) {
            true => CommandStatus::Interrupted,
            false => CommandStatus::of(is_explained),
        })
    }
}

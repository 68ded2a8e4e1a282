//! `molehill explain`

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use molehill_analysis::Selection;
use molehill_analysis::count;
use molehill_analysis::expected::last_frame;
use molehill_analysis::explain::{Bounds, SearchProgress};
use molehill_analysis::question::DEFAULT_SECONDS;

use super::expected::expected;
use super::{CaptureArgument, Failure, Progress, Status, output};

/// Finds the calls that explain why a frame isn't like a picture
#[derive(clap::Args)]
pub(super) struct Explain {
    #[command(flatten)]
    capture: CaptureArgument,
    /// The picture that the frame should have: a PNG, or a capture, with @ and a frame if it is another one
    #[arg(long, value_name = "PICTURE")]
    expect: String,
    /// Frame, by its number in the capture [default: the last complete one]
    #[arg(short, long, alias = "frames", value_name = "N")]
    frame: Option<Selection>,
    /// Time limit of the search
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_SECONDS)]
    time_limit: u32,
    /// File for the best change, which --edit reads
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Explain {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let mut expected = expected(&self.expect)?;
        let named = self.frame.as_ref();
        let mut inspector = self.capture.inspector(named.and_then(Selection::end))?;
        let frame = match named {
            Some(frame) => frame.frame(inspector.capture())?,
            None => last_frame(inspector.capture())?,
        };
        let expected = expected.picture(frame)?;
        let interrupted = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&interrupted);
        ctrlc::set_handler(move || told.store(true, Ordering::Relaxed))?;
        let progress = Mutex::new(Progress::new());
        let time = Duration::from_secs(self.time_limit.into());
        let threads = available_parallelism().map_or(1, usize::from);
        let found = inspector.explain(frame, &expected, Bounds { time, threads }, &|state| {
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
        self.capture.format.print(&found, || found.to_string())?;
        Ok(match interrupted.load(Ordering::Relaxed) {
            true => Status::Interrupted,
            false => Status::of(is_explained),
        })
    }
}

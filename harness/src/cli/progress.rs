//! A bar on the terminal while a replay takes long.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use molehill_capture::Position;
use molehill_replay::Report;

/// A replay that takes less shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// Calls between two looks at the clock.
const CALLS_PER_LOOK: u64 = 64;

/// The bar, once there is one. Standard error only, and only where that is a terminal.
pub(super) struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(super) fn new() -> Self {
        Progress {
            started: Instant::now(),
            bar: None,
        }
    }

    /// Time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Shows how far a replay is.
    pub(super) fn update(&mut self, report: &Report, position: Position) {
        if !report.calls.is_multiple_of(CALLS_PER_LOOK)
            || (self.bar.is_none() && self.elapsed() < PATIENCE)
        {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| new_bar(position.total));
        bar.set_position(position.bytes);
        bar.set_message(format!("{} frames, {} calls", report.frames, report.calls));
    }

    /// Takes the bar away, so that text can follow.
    pub(super) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let template = match total {
        Some(_) => "[{bar:30}] {percent}% of the file, {msg}, {elapsed}",
        None => "{spinner} {msg}, {elapsed}",
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

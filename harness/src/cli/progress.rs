//! Progress of a long run, on standard error: a bar on a terminal, elsewhere an occasional line.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;

/// Shorter runs show no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between updates of the bar.
const REDRAW: Duration = Duration::from_millis(100);
/// Time between lines without a terminal.
const LINES: Duration = Duration::from_secs(10);

/// Progress of a run.
pub(super) struct Done {
    /// Description.
    pub(super) what: String,
    /// Finished part of `total`, if that is known.
    pub(super) done: u64,
    pub(super) total: Option<u64>,
}

/// Shows the progress of one run.
pub(super) struct Progress {
    started: Instant,
    /// Time of the next update.
    due: Instant,
    every: Duration,
    terminal: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Starts now.
    pub(super) fn new() -> Self {
        Progress::shown(io::stderr().is_terminal())
    }

    fn shown(terminal: bool) -> Self {
        let started = Instant::now();
        let (first, every) = match terminal {
            true => (PATIENCE, REDRAW),
            false => (LINES, LINES),
        };
        Progress { started, due: started + first, every, terminal, bar: None }
    }

    /// Time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Updates the display; `how_far` is only called if it is due.
    pub(super) fn update(&mut self, how_far: impl FnOnce() -> Done) {
        let now = Instant::now();
        if now < self.due {
            return;
        }
        self.due = now + self.every;
        let far = how_far();
        let text = far.describe(now - self.started);
        if !self.terminal {
            return output::tell(&text);
        }
        let bar = self.bar.get_or_insert_with(|| {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
        });
        let template = match far.total {
            Some(_) => "[{bar:20}] {wide_msg}",
            None => "{spinner} {wide_msg}",
        };
        if bar.length() != far.total || bar.message().is_empty() {
            far.total.inspect(|total| bar.set_length(*total));
            // The templates are valid.
            let _ = ProgressStyle::with_template(template).map(|style| bar.set_style(style));
        }
        bar.set_position(far.done);
        bar.set_message(text);
    }

    /// Hides the bar while `write` prints lines.
    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Removes the bar, so that text can follow.
    pub(super) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Done {
    /// `12 frames, 25%, 4 s, about 12 s left`
    fn describe(&self, elapsed: Duration) -> String {
        let Done { what, done, total } = self;
        let mut text = what.clone();
        let total = total.filter(|total| (1..=*total).contains(done));
        if let Some(total) = total {
            text += &format!(", {}%", u128::from(*done) * 100 / u128::from(total));
        }
        text += &format!(", {}", spelled(elapsed.as_secs()));
        if let Some(total) = total.filter(|total| done < total) {
            let left = elapsed.as_millis() * u128::from(total - done) / u128::from(*done) / 1000;
            let left = u64::try_from(left).unwrap_or(u64::MAX);
            text += &format!(", about {} left", spelled(left));
        }
        text
    }
}

fn spelled(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told() {
        let line = |done, total, seconds| {
            let what = "12 frames".to_owned();
            Done { what, done, total }.describe(Duration::from_secs(seconds))
        };
        assert_eq!(line(25, Some(100), 4), "12 frames, 25%, 4 s, about 12 s left");
        assert_eq!(line(1, Some(100), 99), "12 frames, 1%, 1 min 39 s, about 2 h 43 min left");
        assert_eq!(line(100, Some(100), 60), "12 frames, 100%, 1 min 0 s");
        assert_eq!(line(5, None, 0), "12 frames, 0 s");
        // A file that grows, or one that was not read.
        assert_eq!(line(5, Some(4), 1), "12 frames, 1 s");
        assert_eq!(line(0, Some(4), 1), "12 frames, 1 s");
        assert_eq!(line(1, Some(u64::MAX), u64::MAX / 1000).matches("left").count(), 1);
    }

    #[test]
    fn a_line_now_and_then() {
        let mut progress = Progress::shown(false);
        let mut updates = 0;
        progress.update(|| panic!("too early"));
        progress.due = progress.started;
        for _ in 0..5 {
            progress.update(|| {
                updates += 1;
                Done { what: "a line of the test".to_owned(), done: 1, total: None }
            });
        }
        assert_eq!(updates, 1);
    }
}

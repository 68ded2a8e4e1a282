//! Shows the progress of a long run on standard error: a bar on a terminal, otherwise a line every ten seconds.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;

/// The interval between lines of progress, if standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

pub(super) struct ProgressLine {
    started: Instant,
    next_update: Instant,
    interval: Duration,
    terminal: bool,
    bar: ProgressBar,
}

impl ProgressLine {
    /// Starts measuring the run time. A run of less than a second shows no bar.
    pub(super) fn new() -> Self {
        let (started, terminal) = (Instant::now(), io::stderr().is_terminal());
        let (first, interval) = if terminal {
            (Duration::from_secs(1), Duration::from_millis(100))
        } else {
            (LINE_INTERVAL, LINE_INTERVAL)
        };
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        ProgressLine { started, next_update: started + first, interval, terminal, bar }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Updates the progress display if its interval has passed. If the interval has passed, calls `how_far`, which
    /// returns a description, the completed amount and, if known, the total.
    pub(super) fn update(&mut self, how_far: impl FnOnce() -> (String, u64, Option<u64>)) {
        let now = Instant::now();
        if now < self.next_update {
            return;
        }
        self.next_update = now + self.interval;
        let (what, done, total) = how_far();
        if self.bar.is_hidden() && self.terminal {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if self.bar.length() != total || self.bar.message().is_empty() {
            total.inspect(|total| self.bar.set_length(*total));
            let template = match total {
                Some(_) => "[{bar:20}] {msg}, {percent}%, {elapsed}, about {eta} left",
                None => "{spinner} {msg}, {elapsed}",
            };
            // Setting the style can't fail, because both templates are valid.
            let _ = ProgressStyle::with_template(template).map(|style| self.bar.set_style(style));
        }
        self.bar.set_position(done);
        if !self.terminal {
            let part = total.filter(|total| (1..=*total).contains(&done));
            let part = part.map(|total| u128::from(done) * 100 / u128::from(total));
            let part = part.map_or(String::new(), |part| format!(", {part}%"));
            output::tell(&format!("{what}{part}, {}", HumanDuration(now - self.started)));
        }
        self.bar.set_message(what);
    }

    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    pub(super) fn finish(&mut self) {
        self.bar.finish_and_clear();
    }
}

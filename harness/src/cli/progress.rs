//! How far a long run is: a bar on a terminal, elsewhere a line now and then. Standard error only.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;

/// A run that takes less shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two pictures of the bar.
const REDRAW: Duration = Duration::from_millis(100);
/// Between two lines where there is no terminal.
const LINES: Duration = Duration::from_secs(10);

/// The progress of one run.
pub(super) struct Progress {
    started: Instant,
    /// When something is to be shown.
    due: Instant,
    every: Duration,
    terminal: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A run that begins now.
    pub(super) fn new() -> Self {
        Progress::shown(io::stderr().is_terminal())
    }

    fn shown(terminal: bool) -> Self {
        let started = Instant::now();
        let (first, every) = match terminal {
            true => (PATIENCE, REDRAW),
            false => (LINES, LINES),
        };
        Progress {
            started,
            due: started + first,
            every,
            terminal,
            bar: None,
        }
    }

    /// Time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The run is so far: `done` of `total`, if that is known, and what has been done in words.
    pub(super) fn update(&mut self, done: u64, total: Option<u64>, what: impl FnOnce() -> String) {
        let now = Instant::now();
        if now < self.due {
            return;
        }
        self.due = now + self.every;
        let text = describe(&what(), done, total, now - self.started);
        if !self.terminal {
            return output::tell(&text);
        }
        let bar = self.bar.get_or_insert_with(|| new_bar(total));
        bar.set_position(done);
        bar.set_message(text);
    }

    /// Does something that writes lines, above the bar if there is one.
    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar away, so that text can follow.
    pub(super) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// `12 frames, 25%, 4 s, about 12 s left`
fn describe(what: &str, done: u64, total: Option<u64>, elapsed: Duration) -> String {
    let mut text = what.to_owned();
    let total = total.filter(|total| (1..=*total).contains(&done));
    if let Some(total) = total {
        text += &format!(", {}%", u128::from(done) * 100 / u128::from(total));
    }
    text += &format!(", {}", spelled(elapsed.as_secs()));
    if let Some(total) = total.filter(|total| done < *total) {
        let left = elapsed.as_millis() * u128::from(total - done) / u128::from(done) / 1000;
        let left = u64::try_from(left).unwrap_or(u64::MAX);
        text += &format!(", about {} left", spelled(left));
    }
    text
}

fn spelled(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

fn new_bar(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let template = match total {
        Some(_) => "[{bar:30}] {wide_msg}",
        None => "{spinner} {wide_msg}",
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told() {
        let told =
            |done, total, seconds| describe("12 frames", done, total, Duration::from_secs(seconds));
        assert_eq!(
            told(25, Some(100), 4),
            "12 frames, 25%, 4 s, about 12 s left"
        );
        assert_eq!(
            told(1, Some(100), 99),
            "12 frames, 1%, 1 min 39 s, about 2 h 43 min left"
        );
        assert_eq!(told(100, Some(100), 60), "12 frames, 100%, 1 min 0 s");
        assert_eq!(told(5, None, 0), "12 frames, 0 s");
        // A file that grows, or of which nothing was read.
        assert_eq!(told(5, Some(4), 1), "12 frames, 1 s");
        assert_eq!(told(0, Some(4), 1), "12 frames, 1 s");
        assert_eq!(
            told(1, Some(u64::MAX), u64::MAX / 1000)
                .matches("left")
                .count(),
            1
        );
    }

    #[test]
    fn a_line_now_and_then() {
        let mut progress = Progress::shown(false);
        let mut told = 0;
        progress.update(1, None, || panic!("too early"));
        progress.due = progress.started;
        for _ in 0..5 {
            progress.update(1, None, || {
                told += 1;
                "a line of the test".to_owned()
            });
        }
        assert_eq!(told, 1);
    }
}

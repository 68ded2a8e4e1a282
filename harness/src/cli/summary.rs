//! Summary of a replay, as text and JSON.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use context3d::ErrorCode;
use serde_json::{Value, json};

use crate::cli::capture::Interruption;

use molehill_capture::Header;
use molehill_replay::image::Comparison;
use molehill_replay::report::{RaisedError, Report};
use molehill_replay::terminal::line as shown;

/// Number of errors that are listed as text.
const LISTED_ERRORS: usize = 20;

/// A comparison of a frame.
pub(super) struct Comparing {
    pub(super) expected: PathBuf,
    pub(super) frame: u32,
    pub(super) comparison: Comparison,
    pub(super) tolerance: u8,
    pub(super) max_outliers: u64,
    pub(super) passes: bool,
    pub(super) difference: Option<PathBuf>,
}

/// Written pictures of one kind, in the order of their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    count: u64,
    first: String,
    last: String,
}

impl Series {
    /// Adds a picture.
    pub(super) fn add(&mut self, name: String) {
        if self.count == 0 {
            self.first.clone_from(&name);
        }
        self.count += 1;
        self.last = name;
    }

    fn text(&self) -> Option<String> {
        let Series { count, first, last } = self;
        match count {
            0 => None,
            1 => Some(first.clone()),
            _ => Some(format!("{count} pictures from {first} to {last}")),
        }
    }
}

/// The summary of a replay.
pub(super) struct Summary<'a> {
    pub(super) capture: &'a str,
    pub(super) header: &'a Header,
    pub(super) report: &'a Report,
    pub(super) driver: Option<&'a str>,
    /// The folder of pictures, and those written to it.
    pub(super) out: Option<&'a Path>,
    pub(super) pictures: &'a [Series],
    /// The frame after which the replay ended, because no later one was requested.
    pub(super) enough: Option<u32>,
    pub(super) comparing: Option<&'a Comparing>,
    pub(super) seconds: f64,
    pub(super) failure: Option<&'a Interruption>,
}

impl Summary<'_> {
    /// Lines of text; the last one names the pictures and the driver.
    pub(super) fn text(&self) -> String {
        let mut text = report_text(self.capture, self.report, "use --errors FILE for all numbers");
        // Writing to a String can't fail.
        let _ = self.comparing.map(|comparing| writeln!(text, "{}", comparing.text()));
        let Report { frames, calls, draws, programs, errors, .. } = self.report;
        let enough = self.enough.map_or(String::new(), |frame| {
            format!(" (ended after frame {frame}, the last one requested)")
        });
        let _ = writeln!(
            text,
            "{frames} frames, {calls} calls, {draws} draws, {programs} programs, {} errors raised, {:.2} s{enough}",
            errors.total, self.seconds
        );
        let _ = writeln!(text, "{}", self.pictures());
        text
    }

    /// The written pictures, their folder and the driver.
    fn pictures(&self) -> String {
        let names: Vec<String> = self.pictures.iter().filter_map(Series::text).collect();
        let written = match self.out {
            None => "no pictures written (use --out DIR)".to_owned(),
            Some(out) if names.is_empty() => format!("no pictures written to {}", out.display()),
            Some(out) => format!("written to {}: {}", out.display(), names.join(", ")),
        };
        match self.driver {
            Some(driver) => format!("{written}; drawn by {driver}"),
            None => format!("{written}; no Context3D was used"),
        }
    }

    /// The summary as JSON, with more details.
    pub(super) fn json(&self) -> Value {
        let mut object = report_json(self.report);
        let rest = json!({
            "capture": self.capture,
            "title": self.header.title,
            "driver": self.driver,
            "folder": self.out.map(|out| out.display().to_string()),
            "pictures": self.pictures.iter().map(|series| series.count).sum::<u64>(),
            "expected": self.comparing.map(Comparing::json),
            "seconds": self.seconds,
            "failure": self.failure,
        });
        if let (Value::Object(object), Value::Object(rest)) = (&mut object, rest) {
            object.extend(rest);
        }
        object
    }
}

impl Comparing {
    fn text(&self) -> String {
        let Comparing { frame, tolerance, max_outliers, comparison, .. } = self;
        let verdict = if self.passes { "as expected" } else { "NOT as expected" };
        let mut text = if comparison.same_size() {
            format!(
                "frame {frame} is {verdict}: {} pixels differ by more than {tolerance} ({max_outliers} allowed), \
                 largest difference {}",
                comparison.differing, comparison.max_delta
            )
        } else {
            let sizes = comparison.describe_sizes();
            format!("frame {frame} is {verdict}: {sizes}")
        };
        match &self.difference {
            Some(path) => {
                let _ = write!(text, "; see {}", path.display());
            }
            None if !self.passes => text += "; use --out DIR for a difference picture",
            None => {}
        }
        text
    }

    fn json(&self) -> Value {
        json!({
            "picture": self.expected.display().to_string(),
            "frame": self.frame,
            "passes": self.passes,
            "differing": self.comparison.differing,
            "maxDelta": self.comparison.max_delta,
            "sameSize": self.comparison.actual_size == self.comparison.expected_size,
            "tolerance": self.tolerance,
            "maxOutliers": self.max_outliers,
            "difference": self.difference.as_ref().map(|path| path.display().to_string()),
        })
    }
}

/// All parts of a report that need attention.
pub(super) fn report_text(capture: &str, report: &Report, hint: &str) -> String {
    let mut text = String::new();
    for raised in report.errors.kept.iter().take(LISTED_ERRORS) {
        let RaisedError { call, error, .. } = raised;
        let message = format!("{call}: {}", shown(&error.to_string()));
        let _ = writeln!(text, "{}", raised.at().located(capture, message));
    }
    let more = report.errors.total.saturating_sub(LISTED_ERRORS as u64);
    if more > 0 {
        let _ = writeln!(text, "… and {more} more errors; {hint}");
    }
    for (code, draws) in &report.skipped {
        let _ = writeln!(
            text,
            "{draws} draws dropped, as Flash does without error checking: #{}: {}",
            code.number(),
            code.template()
        );
    }
    for (what, calls) in &report.unsupported {
        let _ = writeln!(text, "{calls} calls are not supported yet: {}", shown(what));
    }
    if report.failed_uploads > 0 {
        let failed = report.failed_uploads;
        let _ = writeln!(text, "{failed} asynchronous uploads failed (RUST_LOG=info lists them)");
    }
    if report.consequential > 0 {
        let _ = writeln!(
            text,
            "{} calls used objects that could not be created (RUST_LOG=info lists them)",
            report.consequential
        );
    }
    text
}

/// A report as JSON.
pub(super) fn report_json(report: &Report) -> Value {
    let raised = |raised: &RaisedError| {
        json!({
            "line": raised.line,
            "call": raised.call,
            "callNumber": raised.call_number,
            "number": raised.error.number(),
            "class": raised.error.class().name(),
            "message": raised.error.message(),
            "token": raised.error.token(),
        })
    };
    let by_number =
        |counts: &std::collections::BTreeMap<ErrorCode, u64>| -> serde_json::Map<String, Value> {
            let entry =
                |(code, count): (&ErrorCode, &u64)| (code.number().to_string(), (*count).into());
            counts.iter().map(entry).collect()
        };
    json!({
        "frames": report.frames,
        "calls": report.calls,
        "draws": report.draws,
        "programs": report.programs,
        "contexts": report.contexts,
        "errors": {
            "total": report.errors.total,
            "byNumber": by_number(&report.errors.by_code),
            "kept": report.errors.kept.iter().map(raised).collect::<Vec<_>>(),
        },
        "skippedDraws": by_number(&report.skipped),
        "unsupported": report.unsupported,
        "failedUploads": report.failed_uploads,
        "consequentialCalls": report.consequential,
        "disagreements": report.disagreements,
    })
}

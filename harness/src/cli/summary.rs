//! Writes the summary of a replay as text and JSON.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use super::{Interruption, with};

use molehill_analysis::wrong::RemainingDifference;
use molehill_capture::CaptureHeader;
use molehill_conform::capture_case::ImageDifference;
use molehill_queries::info_text::report_text;
use molehill_replay::evidence::ComparisonEvidence;
use molehill_replay::image::{Cluster, ImageComparison};
use molehill_replay::report::ReplayReport;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
/// The result of comparing a frame with the expected image.
pub(super) struct ExpectedFrame {
    #[serde(skip)]
    pub(super) evidence: ComparisonEvidence,
    pub(super) picture: String,
    #[serde(skip)]
    pub(super) capture: PathBuf,
    pub(super) frame: u32,
    pub(super) passes: bool,
    #[serde(skip)]
    pub(super) comparison: ImageComparison,
    #[serde(flatten)]
    pub(super) found: ImageDifference,
    #[serde(rename = "explained")]
    pub(super) remaining: RemainingDifference,
    /// The regions in which the images differ, the largest first.
    pub(super) clusters: Vec<Cluster>,
    pub(super) tolerance: u8,
    pub(super) max_outliers: u64,
    pub(super) difference: Option<PathBuf>,
}

/// Returns a text about the written images of frames or of bitmaps, in the order of their names.
fn series(names: &Vec<String>) -> Option<String> {
    match names.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [first, .., last] => Some(format!("{} images from {first} to {last}", names.len())),
    }
}

pub(super) struct SummaryCommand<'a> {
    pub(super) capture: &'a str,
    pub(super) header: &'a CaptureHeader,
    pub(super) report: &'a ReplayReport,
    pub(super) driver: Option<&'a str>,
    pub(super) renderer: Option<String>,
    pub(super) out: Option<&'a Path>,
    /// The file names of written frame images and bitmaps.
    pub(super) pictures: &'a [Vec<String>],
    /// The last requested frame, if the replay stopped after it.
    pub(super) enough: Option<u32>,
    pub(super) comparing: Option<&'a ExpectedFrame>,
    pub(super) seconds: f64,
    pub(super) failure: Option<&'a Interruption>,
    /// The hashes of frame images, if they were requested.
    pub(super) hashes: Option<Vec<Value>>,
}

impl SummaryCommand<'_> {
    /// Returns the summary as lines of text. The last line names the images and the driver.
    pub(super) fn text(&self) -> String {
        let evidence = self.comparing.map(|comparing| format!("{}\n", comparing.evidence));
        let mut text = evidence.unwrap_or_default();
        text += &report_text(self.capture, self.report, "--errors FILE writes all numbers");
        text.extend(self.comparing.map(|comparing| comparing.text() + "\n"));
        let ReplayReport { frames, calls, draws, programs, errors, .. } = self.report;
        let enough = self.enough.map_or(String::new(), |frame| {
            format!(" (ended after frame {frame}, the last one requested)")
        });
        text + &format!(
            "{frames} frames, {calls} calls, {draws} draws, {programs} programs, {} errors raised, {:.2} s{enough}\n{}\n",
            errors.total,
            self.seconds,
            self.pictures()
        )
    }

    fn pictures(&self) -> String {
        let names: Vec<String> = self.pictures.iter().filter_map(series).collect();
        let written = match self.out {
            None => "no images written (--out DIR writes them)".to_owned(),
            Some(out) if names.is_empty() => format!("no images written to {}", out.display()),
            Some(out) => format!("written to {}: {}", out.display(), names.join(", ")),
        };
        match self.driver {
            Some(driver) => format!("{written}; drawn by {driver}"),
            None => format!("{written}; no Context3D was used"),
        }
    }

    pub(super) fn json(&self) -> Value {
        let object = with(
            json!(self.report),
            [
                ("capture", self.capture.into()),
                ("title", self.header.title.as_str().into()),
                ("driver", self.driver.into()),
                ("renderer", self.renderer.clone().into()),
                ("evidence", json!(self.comparing.map(|comparing| &comparing.evidence))),
                ("folder", self.out.map(|out| out.display().to_string()).into()),
                ("pictures", self.pictures.iter().map(Vec::len).sum::<usize>().into()),
                ("expected", json!(self.comparing)),
                ("seconds", self.seconds.into()),
                ("failure", json!(self.failure)),
            ],
        );
        with(object, self.hashes.clone().map(|hashes| ("hashes", hashes.into())))
    }
}

/// The maximum number of differing regions that the summary lists.
const MAX_REGIONS: usize = 3;

impl ExpectedFrame {
    fn text(&self) -> String {
        let ExpectedFrame { frame, tolerance, max_outliers, comparison, remaining, .. } = self;
        let verdict = match (self.passes, remaining.only_edges) {
            (true, _) => "as expected",
            (false, true) => "equal but for antialiased edges",
            (false, false) => "NOT as expected",
        };
        let mut text = if comparison.same_size() {
            format!(
                "frame {frame} is {verdict}: {} pixels differ by more than {tolerance} ({max_outliers} allowed), \
                 largest difference {}{}",
                comparison.differing,
                comparison.max_delta,
                if self.passes { String::new() } else { remaining.reasons() }
            )
        } else {
            let sizes = comparison.describe_sizes();
            format!("frame {frame} is {verdict}: {sizes}")
        };
        match &self.difference {
            Some(path) => text += &format!("; see {}", path.display()),
            None if !self.passes => text += "; --out DIR writes a difference image",
            None => {}
        }
        if comparison.same_size() && !self.passes && !remaining.only_edges {
            let region = |it: &Cluster| {
                let [left, top, right, bottom] = it.bounds;
                format!("{} in ({left}, {top}, {}×{})", it.pixels, right - left, bottom - top)
            };
            let regions: Vec<String> = self.clusters.iter().take(MAX_REGIONS).map(region).collect();
            let (capture, picture) = (self.capture.display(), &self.picture);
            text += &format!("\nwrong pixels: {}", regions.join(", "));
            if let more @ 1.. = self.clusters.len().saturating_sub(MAX_REGIONS) {
                text += &format!(", and {more} more regions");
            }
            text += &format!(
                "\nto find their draws: molehill draws {capture} --frame {frame} --expect {picture}"
            );
        }
        text
    }
}

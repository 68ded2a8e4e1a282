//! Replays a capture, and compares its images and errors with those of Flash Player.

use std::path::Path;

use context3d::FlashError;
use molehill_capture::CaptureReader;
use molehill_replay::evidence::{Party, ResultTally};
use molehill_replay::image::{
    Hash, ImageComparison, RgbaImage, compare, difference, read_png, write_png,
};
use molehill_replay::report::ReplayReport;
use molehill_replay::{ReplayObserver, ReplayOptions, Replayer, run as replay};

use super::{CaptureCase, ExpectedImage};
use crate::attachments::{self, Attachments};
use crate::device::TestedDevice;
use crate::fault::ConformFault;
use crate::verdict::{CaptureResult, CaseResult};

/// The tolerance per channel when comparing with another player's image, because rasterizers differ.
pub const PEER_TOLERANCE: u8 = 8;
/// The text between the class and the id of an error in Flash's output.
pub(super) const ERROR: &str = ": Error #";

/// The frames of a replay that are compared or hashed.
struct Frames<'a> {
    case: &'a CaptureCase,
    expected: Option<RgbaImage>,
    peer: Option<RgbaImage>,
    hash: Hash,
}

impl Frames<'_> {
    fn is_expected(&self, frame: u32) -> bool {
        self.case.expected.as_ref().is_some_and(|expected| expected.frame == frame)
    }

    fn is_peer(&self, frame: u32) -> bool {
        self.case.peer.as_ref().is_some_and(|peer| peer.frame == frame)
    }

    /// Returns whether a frame's image is hashed. Without `hashFrames`, the compared frames are hashed.
    fn is_hashed(&self, frame: u32) -> bool {
        if self.case.frames.is_empty() {
            self.is_expected(frame) || self.is_peer(frame)
        } else {
            self.case.frames.contains(&frame)
        }
    }
}

impl ReplayObserver for Frames<'_> {
    fn wants_frame(&mut self, frame: u32) -> bool {
        self.is_expected(frame) || self.is_peer(frame) || self.is_hashed(frame)
    }

    fn frame(&mut self, frame: u32, image: &RgbaImage) -> Result<(), String> {
        if self.is_hashed(frame) {
            self.hash.add(image);
        }
        if self.is_expected(frame) {
            self.expected = Some(image.clone());
        }
        if self.is_peer(frame) {
            self.peer = Some(image.clone());
        }
        Ok(())
    }
}

/// Replays a capture and checks its images and errors. If `pictures` is a folder, writes the compared frame and
/// side-by-side differences into it, with `name` in the file names.
pub(crate) fn run(
    case: &CaptureCase,
    name: &str,
    options: ReplayOptions,
    pictures: Option<&Path>,
    tested: TestedDevice,
    fault: Option<ConformFault>,
) -> CaseResult {
    let mut frames = Frames { case, expected: None, peer: None, hash: Hash::default() };
    let (report, fatal) = play(&mut frames, options, tested);
    if fault == Some(ConformFault::LastImage) {
        frames.expected = None;
    }
    let mut found = CaseResult {
        failures: fatal.into_iter().collect(),
        hash: frames.hash.finish(),
        known_failure: case.known_failure.clone(),
        ..CaseResult::default()
    };
    let unsupported = report.unsupported.iter();
    found.failures.extend(
        unsupported.map(|(what, calls)| format!("{what} is not supported yet ({calls} calls)")),
    );
    if fault != Some(ConformFault::RecordedErrors) {
        check_errors(case, &report, &mut found);
    }
    let expected = case.expected.as_ref();
    let mut result = CaptureResult {
        frames: report.frames,
        draws: report.draws,
        skipped_draws: report.skipped_draws(),
        not_presented: report.not_presented,
        errors: report.errors.total,
        tolerance: expected.map(|expected| expected.tolerance),
        max_outliers: expected.map(|expected| expected.max_outliers),
        tolerance_reason: expected.and_then(|expected| expected.reason.clone()),
        expected: None,
        peer: None,
    };
    let before = found.failures.len();
    if let Err(error) = check_pictures(&frames, &mut found, &mut result, pictures, name) {
        found.failures.push(error);
    }
    if expected.is_some() && fault != Some(ConformFault::NoImages) {
        let (missing, differing) = match &result.expected {
            None => (1, 0),
            Some(_) => (0, u64::from(found.failures.len() > before)),
        };
        let images = 1 - missing;
        let tally = ResultTally { images, missing, differing, ..ResultTally::default() };
        found.compared.push((Party::StoredImages, tally));
    }
    found.capture = Some(result);
    found
}

/// Compares the replay's errors with the recorded errors, and with Flash Player's error ids and messages.
fn check_errors(case: &CaptureCase, report: &ReplayReport, found: &mut CaseResult) {
    let (tally, differences) = report.recorded_errors(false);
    found.compared.push((Party::RecordedErrors, tally));
    found.failures.extend(differences);
    // An empty list means that no call raises an error, which counts as one compared result.
    let counted = |is: usize, should: usize, differing: usize| {
        (is.max(should).max(1) as u64, (differing + is.abs_diff(should)) as u64)
    };
    if let Some(numbers) = &case.errors {
        let raised = &report.errors.numbers;
        let differing = numbers.iter().zip(raised).filter(|(is, should)| is != should).count();
        let (errors, differing) = counted(raised.len(), numbers.len(), differing);
        if differing > 0 {
            found.failures.push(format!("errors {raised:?} were raised ({numbers:?} expected)"));
        }
        let tally = ResultTally { errors, differing, ..ResultTally::default() };
        found.compared.push((Party::RecordedErrors, tally));
    }
    if let Some(lines) = &case.texts {
        let raised = || report.errors.kept.iter().map(|raised| text(&raised.error));
        let other = |(line, (long, short)): &(&String, (String, String))| {
            !line.ends_with(long) && !line.ends_with(short)
        };
        let wrong: Vec<_> = lines.iter().zip(raised()).filter(other).collect();
        let (texts, differing) = counted(raised().count(), lines.len(), wrong.len());
        if differing > 0 {
            let first = wrong.first();
            let first = first.map(|(line, (text, _))| format!(": {text:?} ({line:?} expected)"));
            let first = first.unwrap_or_default();
            found.failures.push(format!("the messages of {differing} errors differ{first}"));
        }
        let tally = ResultTally { texts, differing, ..ResultTally::default() };
        found.compared.push((Party::RecordedText, tally));
    }
}

/// Returns the text of an error in a debug player and in a release player, which omits the message.
fn text(error: &FlashError) -> (String, String) {
    let short = format!("{}{ERROR}{}", error.class().name(), error.number());
    (format!("{short}: {}", error.message()), short)
}

fn play(
    frames: &mut Frames<'_>,
    options: ReplayOptions,
    device: TestedDevice,
) -> (ReplayReport, Option<String>) {
    let mut reader = match CaptureReader::open(&frames.case.capture) {
        Ok(reader) => reader,
        Err(error) => return (ReplayReport::default(), Some(error.to_string())),
    };
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, device, options);
    let played = replay(&mut reader, &mut replayer, frames);
    let fatal = played.err().map(|error| error.to_string());
    (replayer.report().clone(), fatal)
}

fn check_pictures(
    frames: &Frames<'_>,
    found: &mut CaseResult,
    result: &mut CaptureResult,
    out: Option<&Path>,
    name: &str,
) -> Result<(), String> {
    let write = |suffix: &str, image: &RgbaImage| {
        let Some(out) = out else { return Ok(()) };
        let path = out.join(format!("{name}{suffix}.png"));
        write_png(&path, image).map_err(|error| format!("{}: {error}", path.display()))
    };
    let read = |path: &Path| read_png(path).map_err(|error| format!("{}: {error}", path.display()));
    if let Some(frame) = frames.expected.as_ref().or(frames.peer.as_ref()) {
        write("", frame)?;
    }
    if let Some(expected) = &frames.case.expected {
        let wanted = read(&expected.path)?;
        match &frames.expected {
            None => found.failures.push(format!("frame {} was never drawn", expected.frame)),
            Some(frame) => {
                let comparison = compare(frame, &wanted, expected.tolerance);
                if !comparison.passes(expected.max_outliers) {
                    found.failures.push(expected.describe(&comparison));
                }
                if comparison.differing > 0 {
                    write(".expected", &difference(frame, &wanted, expected.tolerance))?;
                    found.attachments = Attachments {
                        pictures: attachments::pictures(frame, &wanted, expected.tolerance),
                        ..Attachments::default()
                    };
                }
                result.expected = Some(comparison.into());
            }
        }
    }
    if let (Some(peer), Some(frame)) = (&frames.case.peer, &frames.peer) {
        let other = read(&peer.path)?;
        let comparison = compare(frame, &other, PEER_TOLERANCE);
        if comparison.differing > 0 {
            write(".peer", &difference(frame, &other, PEER_TOLERANCE))?;
        }
        result.peer = Some(comparison.into());
    }
    Ok(())
}

impl ExpectedImage {
    fn describe(&self, comparison: &ImageComparison) -> String {
        if !comparison.same_size() {
            return comparison.describe_sizes();
        }
        let (differing, allowed) = (comparison.differing, self.max_outliers);
        let reason = self.reason.as_deref().map(|reason| format!(": {reason}"));
        format!(
            "{differing} pixels differ ({allowed} allowed{}), the largest difference is {}",
            reason.unwrap_or_default(),
            comparison.max_delta
        )
    }
}

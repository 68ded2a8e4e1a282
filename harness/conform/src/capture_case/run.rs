//! Replays a capture and compares its pictures and errors with Flash Player's.

use std::path::Path;

use context3d::backend::BackendFactory;
use molehill_capture::Reader;
use molehill_replay::image::{Comparison, Hash, Image, compare, difference, read_png, write_png};
use molehill_replay::report::Report;
use molehill_replay::{Observer, Options, Replayer, run as replay};

use super::{CaptureCase, ExpectedPicture};
use crate::attachments::{self, Attachments};
use crate::verdict::{CaptureResult, CaseResult};

/// Largest difference of a channel that is not reported against another player's picture, which comes from another
/// rasteriser.
pub const PEER_TOLERANCE: u8 = 8;

struct Frames<'a> {
    case: &'a CaptureCase,
    expected: Option<Image>,
    peer: Option<Image>,
    hash: Hash,
}

impl Frames<'_> {
    fn is_expected(&self, frame: u32) -> bool {
        let expected = self.case.expected.as_ref();
        expected.is_some_and(|expected| expected.frame == frame)
    }

    fn is_peer(&self, frame: u32) -> bool {
        self.case.peer.as_ref().is_some_and(|peer| peer.frame == frame)
    }

    /// Whether a frame is hashed: the frames in `hashFrames`, or those with pictures if there are none.
    fn is_hashed(&self, frame: u32) -> bool {
        if self.case.frames.is_empty() {
            self.is_expected(frame) || self.is_peer(frame)
        } else {
            self.case.frames.contains(&frame)
        }
    }
}

impl Observer for Frames<'_> {
    fn wants_frame(&mut self, frame: u32) -> bool {
        self.is_expected(frame) || self.is_peer(frame) || self.is_hashed(frame)
    }

    fn frame(&mut self, frame: u32, image: &Image) -> Result<(), String> {
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

/// Replays a capture. Writes its compared frame, and side-by-side differences, to `pictures` under this name.
pub(crate) fn run(
    case: &CaptureCase,
    name: &str,
    options: Options,
    pictures: Option<&Path>,
    factory: impl BackendFactory,
) -> CaseResult {
    let mut frames = Frames { case, expected: None, peer: None, hash: Hash::default() };
    let (report, fatal) = play(&mut frames, options, factory);
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
    if let Some(numbers) = &case.errors
        && *numbers != report.errors.numbers
    {
        let raised = &report.errors.numbers;
        found.failures.push(format!("errors {raised:?} were raised ({numbers:?} expected)"));
    }
    let mut result = CaptureResult {
        frames: report.frames,
        draws: report.draws,
        skipped_draws: report.skipped_draws(),
        not_presented: report.not_presented,
        errors: report.errors.total,
        expected: None,
        peer: None,
    };
    if let Err(error) = check_pictures(&frames, &mut found, &mut result, pictures, name) {
        found.failures.push(error);
    }
    found.capture = Some(result);
    found
}

fn play(
    frames: &mut Frames<'_>,
    options: Options,
    factory: impl BackendFactory,
) -> (Report, Option<String>) {
    let mut reader = match Reader::open(&frames.case.capture) {
        Ok(reader) => reader,
        Err(error) => return (Report::default(), Some(error.to_string())),
    };
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, factory, options);
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
    let write = |suffix: &str, image: &Image| match out
        .map(|out| out.join(format!("{name}{suffix}.png")))
    {
        None => Ok(()),
        Some(path) => {
            write_png(&path, image).map_err(|error| format!("{}: {error}", path.display()))
        }
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

impl ExpectedPicture {
    fn describe(&self, comparison: &Comparison) -> String {
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

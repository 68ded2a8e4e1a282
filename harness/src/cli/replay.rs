//! `molehill replay`

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use context3d::arguments::BitmapPatch;
use serde_json::{Value, json};

use super::capture_argument::file_of;
use super::expected::expected;
use super::picture_folder::{DIFFERENCE, PictureFolder};
use super::summary::{ExpectedFrame, SummaryCommand};
use super::{
    CaptureArgument, CommandFailure, CommandStatus, EndedFrames, Interruption, ProfileArgument,
    ProgressLine, RendererArguments, SharpnessArguments, ToleranceArguments, UntestedArguments,
    output,
};
use molehill_analysis::{FrameExpectation, FrameSelection};
use molehill_capture::{CallLine, count_frames};
use molehill_replay::evidence::{ComparisonEvidence, Party, ResultTally};
use molehill_replay::image::{Hash, RgbaImage, clusters, compare, difference};
use molehill_replay::report::{RaisedError, ReplayReport};
use molehill_replay::{CallOutcome, ReplayObserver, ReplayOptions, Replayer, run as play};

/// The number of calls between updates of the progress display.
const CALLS_PER_UPDATE: u64 = 64;

/// Replays a capture without a window
#[derive(clap::Args)]
pub(super) struct ReplayCommand {
    #[command(flatten)]
    capture: CaptureArgument,
    /// Folder for images; created if needed
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Frames: 3, 10-20, 0,5,9, last or all; after numbers, the replay ends [default: all]
    #[arg(short, long, alias = "frame", value_name = "WHICH")]
    frames: Option<FrameSelection>,
    /// Print a hash of each frame's image instead of the summary
    #[arg(long)]
    hash: bool,
    /// Also write the bitmaps of drawToBitmapData
    #[arg(long, requires = "out")]
    bitmaps: bool,
    /// Expected image of the last frame of --frames: a PNG, or a capture's frame with the same number (or
    /// CAPTURE@FRAME)
    #[arg(long, value_name = "IMAGE")]
    expect: Option<String>,
    #[command(flatten)]
    tolerance: ToleranceArguments,
    /// Write the numbers of the errors that Flash would raise, one per line
    #[arg(long, value_name = "FILE")]
    errors: Option<PathBuf>,
    /// Stop at the first error that Flash would raise
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    profile: ProfileArgument,
    #[command(flatten)]
    renderer: RendererArguments,
    #[command(flatten)]
    sharpness: SharpnessArguments,
}

impl ReplayCommand {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let expected = self.expect.as_deref().map(expected).transpose()?;
        let (name, mut reader) = self.capture.open()?;
        let mut viewer = Viewer::new(&self)?;
        let (profile, scale) = (self.profile.profile, self.sharpness.scale);
        let options = ReplayOptions { strict: self.strict, profile, scale };
        let header = reader.header().clone();
        let mut replayer =
            Replayer::new(&header, self.sharpness.over(self.renderer.factory()), options);

        let played = play(&mut reader, &mut replayer, &mut viewer);
        let elapsed = viewer.progress.elapsed();
        viewer.finish()?;
        let failure = match played {
            Err(error) => Some(Interruption::new(error.at, error.located(&name))),
            Ok(()) => viewer.lacks().map(|it| Interruption::new(None, format!("{name}: {it}"))),
        };
        if failure.is_none() {
            viewer.folder().map_err(CommandFailure)?;
        }
        let compared = expected.map(|expected| self.compare(&mut viewer, expected));
        let compared = compared.transpose()?.flatten();
        let driver = replayer.factory().below.description();
        let summary = SummaryCommand {
            capture: &name,
            header: &header,
            report: replayer.report(),
            driver,
            renderer: driver.map(|_| self.renderer.party().to_string()),
            out: self.out.as_deref(),
            pictures: &viewer.pictures,
            enough: viewer.ended.last.filter(|_| viewer.enough),
            comparing: compared.as_ref(),
            seconds: elapsed.as_secs_f64(),
            failure: failure.as_ref(),
            hashes: viewer.hashes.filter(|_| self.hash),
        };
        if self.capture.format.json || !self.hash {
            self.capture.format.print(&summary.json(), || summary.text())?;
        }
        let status =
            compared.map(|compared| UntestedArguments::default().status(&compared.evidence));
        Interruption::status(failure).map(|whole| status.unwrap_or(whole))
    }

    /// Compares the selected frame's image with the expected image. If the images differ, writes a difference image.
    fn compare(
        &self,
        viewer: &mut Viewer<'_>,
        mut expected: FrameExpectation,
    ) -> Result<Option<ExpectedFrame>, CommandFailure> {
        let Some((frame, image)) = viewer.compared.take() else { return Ok(None) };
        let ToleranceArguments { tolerance, max_outliers } = self.tolerance;
        let expected = &*expected.picture_on(frame, || self.renderer.factory())?;
        let comparison = compare(&image, expected, tolerance);
        let passes = comparison.passes(max_outliers);
        let out = viewer.folder().map_err(CommandFailure)?.filter(|_| !passes);
        let shown = out.map(|out| out.write(DIFFERENCE, &difference(&image, expected, tolerance)));
        let difference = shown.transpose().map_err(CommandFailure)?;
        let (picture, found) = (self.expect.clone().unwrap_or_default(), comparison.into());
        let clusters = if passes { Vec::new() } else { clusters(&image, expected, tolerance) };
        let mut evidence = ComparisonEvidence::new(self.renderer.party());
        let differing = u64::from(!passes);
        evidence.add(
            Party::StoredImages,
            ResultTally { images: 1, differing, ..ResultTally::default() },
        );
        Ok(Some(ExpectedFrame {
            evidence,
            picture,
            frame,
            comparison,
            found,
            remaining: (&comparison).into(),
            clusters,
            capture: self.capture.capture.clone(),
            tolerance,
            max_outliers,
            passes,
            difference,
        }))
    }
}

/// The number of frames in the capture. A thread starts to count the frames when progress is first displayed.
struct FrameCount {
    uncounted: Option<PathBuf>,
    count: Arc<OnceLock<Option<u64>>>,
}

impl FrameCount {
    /// Returns the number of frames up to `end`, or of all frames. Returns `None` until the frames are counted.
    fn get(&mut self, end: Option<u32>) -> Option<u64> {
        if let Some(path) = self.uncounted.take() {
            let count = Arc::clone(&self.count);
            std::thread::spawn(move || count.set(count_frames(&path)));
        }
        let count = (*self.count.get()?)?;
        Some(end.map_or(count, |end| count.min(u64::from(end) + 1)))
    }
}

struct Viewer<'a> {
    arguments: &'a ReplayCommand,
    /// The output folder for images, prepared at the first image, so that a bad capture deletes no older images.
    out: Option<PictureFolder>,
    /// The frames whose images are written or hashed. If `Some`, the replay ends after the last of these frames.
    frames: Option<FrameSelection>,
    /// The hashes of frame images for `--json`. If `None`, each hash is printed immediately.
    hashes: Option<Vec<Value>>,
    compared: Option<(u32, RgbaImage)>,
    errors: String,
    ended: EndedFrames,
    enough: bool,
    /// The file names of written frame images and bitmaps.
    pictures: [Vec<String>; 2],
    progress: ProgressLine,
    total: FrameCount,
}

impl<'a> Viewer<'a> {
    fn new(arguments: &'a ReplayCommand) -> Result<Self, CommandFailure> {
        let uncounted = Some(file_of(&arguments.capture.capture)?);
        arguments.out.as_deref().map(output::make_folder).transpose()?;
        let pictures = arguments.out.is_some() || arguments.hash;
        Ok(Viewer {
            arguments,
            frames: arguments.frames.clone().or(pictures.then_some(FrameSelection::All)),
            out: None,
            hashes: arguments.capture.format.json.then(Vec::new),
            compared: None,
            errors: String::new(),
            ended: EndedFrames::default(),
            enough: false,
            pictures: Default::default(),
            progress: ProgressLine::new(),
            total: FrameCount { uncounted, count: Arc::default() },
        })
    }

    /// Returns the output folder for images. The first call deletes the images of earlier replays.
    fn folder(&mut self) -> Result<Option<&mut PictureFolder>, String> {
        if let (None, Some(path)) = (&self.out, &self.arguments.out) {
            self.out = Some(PictureFolder::open(path).map_err(|CommandFailure(reason)| reason)?);
        }
        Ok(self.out.as_mut())
    }

    fn write(&mut self, kind: usize, name: String, image: &RgbaImage) -> Result<(), String> {
        let Some(out) = self.folder()? else { return Ok(()) };
        out.write(&name, image)?;
        self.pictures[kind].push(name);
        Ok(())
    }

    /// Returns the frame to compare with the expected image: `None` for no frame, `Some(None)` for the last frame.
    fn comparing(&self) -> Option<Option<u32>> {
        let frames = self.arguments.frames.as_ref();
        self.arguments.expect.is_some().then(|| frames.and_then(FrameSelection::end))
    }

    fn finish(&mut self) -> Result<(), CommandFailure> {
        self.progress.finish();
        let path = self.arguments.errors.as_ref();
        path.map_or(Ok(()), |path| output::write(path, &self.errors))
    }

    /// Returns a message if the capture lacks a requested frame.
    fn lacks(&self) -> Option<String> {
        let compared = self.comparing().filter(|_| self.compared.is_none());
        let compared = compared.map(|_| FrameSelection::Last);
        let mut requested = self.frames.iter().chain(&compared);
        requested.find_map(|requested| self.ended.lacks(requested))
    }

    /// Returns whether all requested output is complete after a frame.
    fn has_enough(&self, frame: u32) -> bool {
        let end = self.frames.as_ref().and_then(FrameSelection::end);
        end.is_some_and(|end| end <= frame)
            && self.arguments.errors.is_none()
            && !self.arguments.bitmaps
    }

    fn show(&mut self, frame: u32, image: &RgbaImage) -> Result<(), String> {
        if self.arguments.hash {
            let mut hash = Hash::default();
            hash.add(image);
            let hash = hash.finish().unwrap_or_default();
            match &mut self.hashes {
                Some(hashes) => hashes.push(json!({ "frame": frame, "hash": hash })),
                None => output::print(&format!("frame {frame:6} {hash}\n"))
                    .map_err(|CommandFailure(reason)| reason)?,
            }
        }
        self.write(0, format!("frame-{frame:04}.png"), image)
    }
}

impl ReplayObserver for Viewer<'_> {
    fn wants_frame(&mut self, frame: u32) -> bool {
        self.ended.add(frame, self.frames.as_ref());
        self.enough = self.has_enough(frame);
        let pictures = self.arguments.out.is_some() || self.arguments.hash;
        self.comparing() == Some(Some(frame))
            || pictures && self.frames.as_ref().is_some_and(|frames| frames.contains(frame))
    }

    fn is_finished(&self) -> bool {
        self.enough
    }

    fn frame(&mut self, frame: u32, image: &RgbaImage) -> Result<(), String> {
        if self.comparing() == Some(Some(frame)) {
            self.compared = Some((frame, image.clone()));
        }
        match &self.frames {
            Some(frames) if frames.contains(frame) => self.show(frame, image),
            _ => Ok(()),
        }
    }

    fn wants_last_frame(&self) -> bool {
        self.comparing() == Some(None) || self.frames == Some(FrameSelection::Last)
    }

    fn last_frame(&mut self, frame: u32, image: RgbaImage) -> Result<(), String> {
        if self.frames == Some(FrameSelection::Last) {
            self.show(frame, &image)?;
        }
        if self.comparing() == Some(None) {
            self.compared = Some((frame, image));
        }
        Ok(())
    }

    fn called(&mut self, line: u64, _: &CallLine, outcome: &CallOutcome) -> Result<(), String> {
        // A bitmap that doesn't overlap the back buffer contains no pixels.
        if let CallOutcome::Bitmap(BitmapPatch { width, height, bgra, .. }) = outcome
            && self.arguments.bitmaps
            && !bgra.is_empty()
        {
            let image = RgbaImage::from_bgra(*width, *height, bgra);
            let image = image.ok_or("the bitmap's data has the wrong size")?;
            self.write(1, format!("bitmap-{line:06}.png"), &image)?;
        }
        Ok(())
    }

    fn raised(&mut self, raised: &RaisedError) -> Result<(), String> {
        if self.arguments.errors.is_some() {
            self.errors += &format!("{}\n", raised.error.number());
        }
        Ok(())
    }

    fn progress(&mut self, report: &ReplayReport) {
        let ReplayReport { frames, calls, .. } = report;
        if calls.is_multiple_of(CALLS_PER_UPDATE) {
            let end = self.frames.as_ref().and_then(FrameSelection::end);
            let total = &mut self.total;
            self.progress.update(|| {
                let total = total.get(end);
                let what = match total {
                    Some(total) => format!("{frames} of {total} frames"),
                    None => format!("{frames} frames, {calls} calls"),
                };
                (what, *frames, total)
            });
        }
    }
}

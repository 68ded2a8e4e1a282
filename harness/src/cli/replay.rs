//! `molehill replay`

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

use clap::{Arg, ArgMatches, Command, value_parser};
use context3d::arguments::BitmapPatch;

use super::arguments::{self, flag, number, option, path};
use super::capture::Interruption;
use super::frames::{Ended, Frames};
use super::picture_folder::{DIFFERENCE, PictureFolder};
use super::progress::{Done, Progress};
use super::summary::{Comparing, Series, Summary};
use super::{Failure, Status, capture, output, renderer, until};
use molehill_capture::{CallLine, count_frames};
use molehill_replay::image::{Image, compare, difference, read_png};
use molehill_replay::report::{RaisedError, Report};
use molehill_replay::{Observer, Options, Outcome, Replayer, run as play};

const AFTER_HELP: &str = "\
Examples:
  molehill replay capture.s3d.jsonl --out frames
      every frame as frames/frame-0000.png, frame-0001.png and so on
  molehill replay captures/triangle -o out --frames 0,10-20
      the capture in a folder, up to frame 20
  molehill replay capture.s3d.jsonl --out frames --bitmaps
      also the program's bitmaps, as frames/bitmap-000123.png for the call in line 123 of the capture
  molehill replay capture.s3d.jsonl.zst --expect expected.png --out out --frames last
      the last frame, compared with a picture
  molehill replay capture.s3d.jsonl --until 1200 --out frames
      the render target after call 1200, as frames/call-001200.png
  zstd -dc capture.s3d.jsonl.zst | molehill replay - --strict
      stops at the first error that Flash would raise

A picture shows the stage colour and the presented back buffer of every Stage3D. If it is not as expected, difference.png
in the folder of --out shows it beside the expected picture and their difference. The pictures of an earlier replay into
this folder are replaced, with a message; a folder with other pictures of such names is refused. Nothing is written
without --out or --errors. Errors that Flash would raise are counted and shown; the replay continues as the Flash program
would. If --frames has only numbers, the replay ends after the last one, unless --errors, --bitmaps or --expect need the
rest.

Exit status: 0; 1 if the picture is not as expected; 2 if the capture is invalid, can't be replayed, or lacks a requested
frame. Frames before an invalid line are written.";

/// Number of calls between updates of the progress.
const CALLS_PER_LOOK: u64 = 64;

pub(super) fn command() -> Command {
    let errors = "Write the numbers of the errors that Flash would raise, one per line";
    Command::new("replay")
        .about("Replays a capture without a window")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(output::argument("DIR", "Folder for pictures; created if needed"))
        .arg(
            option(
                "frames",
                "WHICH",
                "Frames: all, last, or numbers and ranges like 0,5,10-20 [default: all]",
            )
            .requires("out")
            .value_parser(|text: &str| Frames::parse(text)),
        )
        .arg(flag("bitmaps", "Also write the bitmaps of drawToBitmapData").requires("out"))
        .arg(path("expect", "PNG", "Expected picture of a frame"))
        .args(comparison_arguments())
        .arg(path("errors", "FILE", errors))
        .arg(flag("strict", "Stop at the first error that Flash would raise"))
        .arg(
            number(
                "until",
                "Stop after this call, counted from 1, and write the picture of the render target",
            )
            .value_parser(value_parser!(usize))
            .conflicts_with_all(["frames", "bitmaps", "expect", "errors", "strict", "profile"]),
        )
        .arg(arguments::profile())
        .args(renderer::arguments())
        .arg(arguments::json())
}

fn comparison_arguments() -> [Arg; 3] {
    [
        number("expect-frame", "Frame to compare, counted from 0 [default: the last]")
            .requires("expect")
            .value_parser(value_parser!(u32)),
        number(
            "tolerance",
            "Largest difference of a channel (including alpha) that counts as equal",
        )
        .default_value("2")
        .value_parser(value_parser!(u8)),
        number("max-outliers", "Number of pixels that may differ by more").default_value("0"),
    ]
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    if let Some(call) = matches.get_one::<usize>("until") {
        return until::run(matches, *call);
    }
    let expectation = expectation(matches)?;
    let (path, mut reader) = capture::open(matches)?;
    let name = capture::name(&path);
    let mut viewer = Viewer::new(matches, &path, expectation.as_ref())?;
    let options =
        Options { strict: matches.get_flag("strict"), profile: arguments::profile_of(matches) };
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, renderer::chosen(matches).factory(), options);

    let played = play(&mut reader, &mut replayer, &mut viewer);
    let elapsed = viewer.progress.elapsed();
    viewer.finish()?;
    let failure = match played {
        Err(error) => Some(Interruption::of_replay(&error, &name)),
        Ok(()) => viewer.lacks().map(|lacks| Interruption::new(None, format!("{name}: {lacks}"))),
    };
    let compared = match (expectation, viewer.compared.take()) {
        (Some(expectation), Some((frame, image))) => {
            Some(expectation.compare(frame, &image, viewer.out.as_mut())?)
        }
        _ => None,
    };
    let summary = Summary {
        capture: &name,
        header: &header,
        report: replayer.report(),
        driver: replayer.factory().description(),
        out: viewer.out.as_ref().map(PictureFolder::path),
        pictures: &[viewer.frame_pictures, viewer.bitmap_pictures],
        enough: viewer.ended.last.filter(|_| viewer.enough),
        comparing: compared.as_ref(),
        seconds: elapsed.as_secs_f64(),
        failure: failure.as_ref(),
    };
    if matches.get_flag("json") {
        output::print_json(&summary.json())?;
    } else {
        output::print(&summary.text())?;
    }
    match (failure, compared) {
        (Some(failure), _) => failure.status(),
        (None, Some(Comparing { passes: false, .. })) => Ok(Status::Mismatch),
        (None, _) => Ok(Status::Success),
    }
}

/// The expected picture of a frame.
struct Expectation {
    path: PathBuf,
    image: Image,
    frame: Option<u32>,
    tolerance: u8,
    max_outliers: u64,
}

fn expectation(matches: &ArgMatches) -> Result<Option<Expectation>, Failure> {
    let Some(path) = matches.get_one::<PathBuf>("expect") else {
        return Ok(None);
    };
    let image = read_png(path).map_err(Failure::of(path.display()))?;
    Ok(Some(Expectation {
        path: path.clone(),
        image,
        frame: matches.get_one("expect-frame").copied(),
        tolerance: matches.get_one("tolerance").copied().unwrap_or_default(),
        max_outliers: matches.get_one("max-outliers").copied().unwrap_or_default(),
    }))
}

impl Expectation {
    /// Compares a frame, and writes the difference if there is one.
    fn compare(
        &self,
        frame: u32,
        image: &Image,
        out: Option<&mut PictureFolder>,
    ) -> Result<Comparing, Failure> {
        let comparison = compare(image, &self.image, self.tolerance);
        let passes = comparison.passes(self.max_outliers);
        let shown = out.filter(|_| !passes).map(|out| {
            let picture = difference(image, &self.image, self.tolerance);
            out.write(DIFFERENCE, &picture)
        });
        let shown = shown.transpose().map_err(Failure)?;
        Ok(Comparing {
            expected: self.path.clone(),
            frame,
            comparison,
            tolerance: self.tolerance,
            max_outliers: self.max_outliers,
            passes,
            difference: shown,
        })
    }
}

/// Number of frames in the capture: counted on a thread, and only once a bar is shown.
enum Total {
    Unasked(PathBuf),
    Counting(Receiver<Option<u64>>),
    Counted(Option<u64>),
}

impl Total {
    /// The number of frames up to this one, or of all; `None` if it is not known yet.
    fn get(&mut self, end: Option<u32>) -> Option<u64> {
        if let Total::Unasked(path) = self {
            let (sender, counted) = channel();
            let path = std::mem::take(path);
            // Sending fails only if the replay has ended.
            std::thread::spawn(move || sender.send(count_frames(&path)));
            *self = Total::Counting(counted);
        }
        if let Total::Counting(counted) = self
            && let Ok(count) = counted.try_recv()
        {
            *self = Total::Counted(count);
        }
        match self {
            Total::Counted(Some(count)) => {
                Some(end.map_or(*count, |end| (*count).min(u64::from(end) + 1)))
            }
            _ => None,
        }
    }
}

/// Collects the output that the options request.
struct Viewer {
    out: Option<PictureFolder>,
    /// Frames to write.
    frames: Option<Frames>,
    /// The frame to compare: none, this one, or the last.
    comparing: Option<Option<u32>>,
    compared: Option<(u32, Image)>,
    errors: Option<(PathBuf, String)>,
    /// Whether to write the pixels read by `drawToBitmapData`.
    bitmaps: bool,
    ended: Ended,
    /// Whether all requested output is done.
    enough: bool,
    frame_pictures: Series,
    bitmap_pictures: Series,
    progress: Progress,
    total: Total,
}

impl Viewer {
    fn new(
        matches: &ArgMatches,
        path: &Path,
        expectation: Option<&Expectation>,
    ) -> Result<Self, Failure> {
        let out = matches.get_one::<PathBuf>("out");
        let out = out.map(|out| PictureFolder::open(out)).transpose()?;
        let errors = matches.get_one::<PathBuf>("errors");
        let frames =
            out.is_some().then(|| matches.get_one("frames").cloned().unwrap_or(Frames::All));
        Ok(Viewer {
            out,
            frames,
            comparing: expectation.map(|expectation| expectation.frame),
            compared: None,
            errors: errors.map(|path| (path.clone(), String::new())),
            bitmaps: matches.get_flag("bitmaps"),
            ended: Ended::default(),
            enough: false,
            frame_pictures: Series::default(),
            bitmap_pictures: Series::default(),
            progress: Progress::new(),
            total: Total::Unasked(path.to_owned()),
        })
    }

    fn finish(&mut self) -> Result<(), Failure> {
        self.progress.finish();
        match &mut self.errors {
            None => Ok(()),
            Some((path, numbers)) => output::write(path, numbers),
        }
    }

    /// The requested frame that the capture lacks, as a message.
    fn lacks(&self) -> Option<String> {
        let compared = self.comparing.map(|frame| match frame {
            Some(frame) => Frames::Some(vec![frame..=frame]),
            None => Frames::Last,
        });
        let asked = compared.iter().filter(|_| self.compared.is_none());
        let mut asked = asked.chain(&self.frames);
        asked.find_map(|asked| self.ended.lacks(asked))
    }

    /// Whether all requested output is done after a frame.
    fn has_enough(&self, frame: u32) -> bool {
        let end = self.frames.as_ref().and_then(Frames::end);
        let compared = match self.comparing {
            None => true,
            Some(None) => false,
            Some(Some(wanted)) => wanted <= frame,
        };
        end.is_some_and(|end| end <= frame) && compared && self.errors.is_none() && !self.bitmaps
    }

    fn write_frame(&mut self, frame: u32, image: &Image) -> Result<(), String> {
        let name = format!("frame-{frame:04}.png");
        write_to(self.out.as_mut(), name, image, &mut self.frame_pictures)
    }
}

fn write_to(
    out: Option<&mut PictureFolder>,
    name: String,
    image: &Image,
    written: &mut Series,
) -> Result<(), String> {
    let Some(out) = out else { return Ok(()) };
    out.write(&name, image)?;
    written.add(name);
    Ok(())
}

impl Observer for Viewer {
    fn wants_frame(&mut self, frame: u32) -> bool {
        self.ended.add(frame, self.frames.as_ref());
        self.enough = self.has_enough(frame);
        self.comparing == Some(Some(frame))
            || self.frames.as_ref().is_some_and(|frames| frames.contains(frame))
    }

    fn is_finished(&self) -> bool {
        self.enough
    }

    fn frame(&mut self, frame: u32, image: &Image) -> Result<(), String> {
        if self.comparing == Some(Some(frame)) {
            self.compared = Some((frame, image.clone()));
        }
        match &self.frames {
            Some(frames) if frames.contains(frame) => self.write_frame(frame, image),
            _ => Ok(()),
        }
    }

    fn wants_last_frame(&self) -> bool {
        self.comparing == Some(None) || self.frames == Some(Frames::Last)
    }

    fn last_frame(&mut self, frame: u32, image: Image) -> Result<(), String> {
        if self.frames == Some(Frames::Last) {
            self.write_frame(frame, &image)?;
        }
        if self.comparing == Some(None) {
            self.compared = Some((frame, image));
        }
        Ok(())
    }

    fn called(&mut self, line: u64, _: &CallLine, outcome: &Outcome) -> Result<(), String> {
        match outcome {
            // A part of the back buffer without pixels is not a picture.
            Outcome::Bitmap(BitmapPatch { width, height, bgra, .. })
                if self.bitmaps && !bgra.is_empty() =>
            {
                let image = Image::from_bgra(*width, *height, bgra);
                let image = image.ok_or("the bitmap's data has the wrong size")?;
                let name = format!("bitmap-{line:06}.png");
                write_to(self.out.as_mut(), name, &image, &mut self.bitmap_pictures)
            }
            _ => Ok(()),
        }
    }

    fn raised(&mut self, raised: &RaisedError) -> Result<(), String> {
        if let Some((_, numbers)) = &mut self.errors {
            numbers.push_str(&format!("{}\n", raised.error.number()));
        }
        Ok(())
    }

    fn progress(&mut self, report: &Report) {
        let Report { frames, calls, .. } = report;
        if calls.is_multiple_of(CALLS_PER_LOOK) {
            let end = self.frames.as_ref().and_then(Frames::end);
            let total = &mut self.total;
            self.progress.update(|| {
                let total = total.get(end);
                Done {
                    what: match total {
                        Some(total) => format!("{frames} of {total} frames"),
                        None => format!("{frames} frames, {calls} calls"),
                    },
                    done: *frames,
                    total,
                }
            });
        }
    }
}

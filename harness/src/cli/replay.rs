//! `molehill replay`

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use context3d::BitmapPatch;

use super::frames::Frames;
use super::progress::Progress;
use super::summary::{Comparing, Summary};
use super::{
    Failure, Status, capture, capture_argument, capture_name, json_argument, output, profile,
    profile_argument, renderer,
};
use molehill_capture::{CallLine, Position, Reader};
use molehill_replay::image::{Image, compare, difference, read_png, write_png};
use molehill_replay::{Observer, Options, Outcome, Raised, Replayer, Report, run as play};

const AFTER_HELP: &str = "\
Examples:
  molehill replay capture.s3d.jsonl --out frames
      every frame as frames/frame-0000.png, frame-0001.png and so on
  molehill replay capture.s3d.jsonl --out frames --bitmaps
      also what the program read back, as frames/bitmap-000123.png for the call in line 123 of the capture
  molehill replay capture.s3d.jsonl.zst --expect expected.png --out out --frames last
      the last frame, and whether it is as expected
  zstd -dc capture.s3d.jsonl.zst | molehill replay - --strict
      ends at the first error that Flash would raise

A picture shows the stage colour with every Stage3D's presented back buffer over it. Where it is not as expected,
difference.png (in the folder of --out, else in this one) shows it beside the expected picture and where they differ.
Errors that Flash would raise are counted and shown; the replay goes on as the Flash program would.

Exit status: 0 if all is well, 1 if the picture is not as expected, 2 if the capture is faulty or can't be played. Frames
that were finished before a faulty line stay written.";

/// File that shows where a picture is not as expected.
const DIFFERENCE: &str = "difference.png";

fn path(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_parser(value_parser!(PathBuf))
        .help(help)
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn number(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("N").help(help)
}

pub(super) fn command() -> Command {
    let errors = "Write the numbers of the errors that Flash would raise, one a line";
    Command::new("replay")
        .about("Plays a capture without a window")
        .after_help(AFTER_HELP)
        .arg(capture_argument())
        .arg(path("out", "Folder for pictures; made if it is not there").value_name("DIR"))
        .arg(
            Arg::new("frames")
                .long("frames")
                .value_name("WHICH")
                .requires("out")
                .value_parser(|text: &str| Frames::parse(text))
                .help("all, last, or numbers and ranges like 0,5,10-20 [default: all]"),
        )
        .arg(flag("bitmaps", "Write what drawToBitmapData read too").requires("out"))
        .arg(path("expect", "Picture to compare a frame with").value_name("PNG"))
        .args(comparison_arguments())
        .arg(path("errors", errors).value_name("FILE"))
        .arg(flag(
            "strict",
            "End at the first error that Flash would raise",
        ))
        .arg(profile_argument())
        .args(renderer::arguments())
        .arg(json_argument())
}

fn comparison_arguments() -> [Arg; 3] {
    [
        number(
            "expect-frame",
            "Frame to compare, counted from 0 [default: the last]",
        )
        .requires("expect")
        .value_parser(value_parser!(u32)),
        number(
            "tolerance",
            "Largest difference of a channel, alpha too, that still counts as equal",
        )
        .default_value("2")
        .value_parser(value_parser!(u8)),
        number("max-outliers", "Pixels that may differ by more")
            .default_value("0")
            .value_parser(value_parser!(u64)),
    ]
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let path = capture(matches);
    let name = capture_name(&path);
    let expectation = expectation(matches)?;
    let mut viewer = Viewer::new(matches, expectation.as_ref())?;
    let mut reader = Reader::open(&path).map_err(|error| Failure(error.located(&name)))?;
    let options = Options {
        strict: matches.get_flag("strict"),
        profile: profile(matches),
    };
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, renderer::chosen(matches).factory(), options);

    let played = play(&mut reader, &mut replayer, &mut viewer);
    let elapsed = viewer.progress.elapsed();
    viewer.finish()?;
    let failure = played.err().map(|error| error.located(&name));
    let (compared, missing) = match (expectation, viewer.compared.take()) {
        (Some(expectation), Some((frame, image))) => (
            Some(expectation.judge(frame, &image, viewer.out.as_deref())?),
            None,
        ),
        (
            Some(Expectation {
                frame: Some(frame), ..
            }),
            None,
        ) => (None, Some(format!("{name}: there is no frame {frame}"))),
        (Some(_), None) => (None, Some(format!("{name}: there is no frame to compare"))),
        (None, _) => (None, None),
    };
    let failure = failure.or(missing);
    let summary = Summary {
        capture: &name,
        header: &header,
        report: replayer.report(),
        driver: replayer.factory().description(),
        pictures: viewer.written,
        comparing: compared.as_ref(),
        seconds: elapsed.as_secs_f64(),
        failure: failure.as_deref(),
    };
    if matches.get_flag("json") {
        output::print_json(&summary.json())?;
    } else {
        output::print(&summary.text())?;
    }
    match (failure, compared) {
        (Some(failure), _) => Err(Failure(failure)),
        (None, Some(Comparing { passes: false, .. })) => Ok(Status::Mismatch),
        (None, _) => Ok(Status::Success),
    }
}

/// A picture that a frame should look like.
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
    let image = read_png(path).map_err(|error| Failure(format!("{}: {error}", path.display())))?;
    Ok(Some(Expectation {
        path: path.clone(),
        image,
        frame: matches.get_one("expect-frame").copied(),
        tolerance: matches.get_one("tolerance").copied().unwrap_or_default(),
        max_outliers: matches.get_one("max-outliers").copied().unwrap_or_default(),
    }))
}

impl Expectation {
    /// Compares, and writes the difference where there is one.
    fn judge(&self, frame: u32, image: &Image, out: Option<&Path>) -> Result<Comparing, Failure> {
        let comparison = compare(image, &self.image, self.tolerance);
        let passes = comparison.passes(self.max_outliers);
        let mut shown = None;
        if !passes {
            let path = out.unwrap_or(Path::new("")).join(DIFFERENCE);
            write_picture(&path, &difference(image, &self.image, self.tolerance))
                .map_err(Failure)?;
            shown = Some(path);
        }
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

fn write_picture(path: &Path, image: &Image) -> Result<(), String> {
    write_png(path, image).map_err(|error| format!("{}: {error}", path.display()))
}

/// Takes what the options ask for from a replay.
struct Viewer {
    out: Option<PathBuf>,
    /// Frames to write.
    frames: Option<Frames>,
    /// The frame to compare: none, this one, or the last.
    comparing: Option<Option<u32>>,
    compared: Option<(u32, Image)>,
    errors: Option<(PathBuf, BufWriter<File>)>,
    /// Write what `drawToBitmapData` read.
    bitmaps: bool,
    written: u64,
    progress: Progress,
}

impl Viewer {
    fn new(matches: &ArgMatches, expectation: Option<&Expectation>) -> Result<Self, Failure> {
        let failed =
            |path: &Path, error: std::io::Error| Failure(format!("{}: {error}", path.display()));
        let out = matches.get_one::<PathBuf>("out").cloned();
        if let Some(out) = &out {
            fs::create_dir_all(out).map_err(|error| failed(out, error))?;
        }
        let errors = match matches.get_one::<PathBuf>("errors") {
            None => None,
            Some(path) => {
                let file = File::create(path).map_err(|error| failed(path, error))?;
                Some((path.clone(), BufWriter::new(file)))
            }
        };
        let frames = out
            .is_some()
            .then(|| matches.get_one("frames").cloned().unwrap_or(Frames::All));
        Ok(Viewer {
            out,
            frames,
            comparing: expectation.map(|expectation| expectation.frame),
            compared: None,
            errors,
            bitmaps: matches.get_flag("bitmaps"),
            written: 0,
            progress: Progress::new(),
        })
    }

    fn finish(&mut self) -> Result<(), Failure> {
        self.progress.finish();
        match &mut self.errors {
            None => Ok(()),
            Some((path, file)) => file
                .flush()
                .map_err(|error| Failure(format!("{}: {error}", path.display()))),
        }
    }

    fn write(&mut self, name: &str, image: &Image) -> Result<(), String> {
        let Some(out) = &self.out else { return Ok(()) };
        self.written += 1;
        write_picture(&out.join(name), image)
    }

    fn write_frame(&mut self, frame: u32, image: &Image) -> Result<(), String> {
        self.write(&format!("frame-{frame:04}.png"), image)
    }
}

impl Observer for Viewer {
    fn wants(&mut self, frame: u32) -> bool {
        self.comparing == Some(Some(frame))
            || self
                .frames
                .as_ref()
                .is_some_and(|frames| frames.contains(frame))
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

    fn wants_last(&self) -> bool {
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
            // A part of the back buffer that has no pixels is no picture.
            Outcome::Bitmap(BitmapPatch {
                width,
                height,
                bgra,
                ..
            }) if self.bitmaps && !bgra.is_empty() => {
                let image = Image::from_bgra(*width, *height, bgra);
                let image = image.ok_or("a bitmap of another size than it says")?;
                self.write(&format!("bitmap-{line:06}.png"), &image)
            }
            _ => Ok(()),
        }
    }

    fn raised(&mut self, raised: &Raised) -> Result<(), String> {
        match &mut self.errors {
            None => Ok(()),
            Some((path, file)) => {
                let written = writeln!(file, "{}", raised.error.number());
                written.map_err(|error| format!("{}: {error}", path.display()))
            }
        }
    }

    fn progress(&mut self, report: &Report, position: Position) {
        self.progress.update(report, position);
    }
}

//! Replays cases and judges them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::case::Case;
use super::judge::{Judgement, Outcome, PEER_TOLERANCE, judge};
use super::known::KnownFailures;
use super::report::Row;
use context3d::BackendFactory;
use molehill_capture::Reader;
use molehill_replay::files;
use molehill_replay::image::{Image, ImageError, difference, write_png};
use molehill_replay::{Observer, Options, Replayer, Report, run as replay};

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Failures with a reason.
    pub known: KnownFailures,
    /// How to replay.
    pub replay: Options,
    /// Where pictures go: what was drawn, and a side-by-side difference where another picture was expected.
    pub out: Option<PathBuf>,
}

/// What stops a whole run, as opposed to a case that fails.
#[derive(Debug)]
pub struct RunError {
    /// The file.
    pub path: PathBuf,
    /// What went wrong with it.
    pub error: ImageError,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for RunError {}

/// Replays and judges every case. `factory` makes the factory of a case's backends; `done` is told each row as it comes.
///
/// # Errors
/// Pictures that can't be read or written.
pub fn run<F: BackendFactory>(
    cases: &[Case],
    settings: &Settings,
    factory: impl Fn(&Case) -> F,
    mut done: impl FnMut(&Row),
) -> Result<Vec<Row>, RunError> {
    if let Some(out) = &settings.out {
        files::make_folder(out).map_err(|error| RunError {
            path: out.clone(),
            error: ImageError::Io(error),
        })?;
    }
    let mut rows = Vec::new();
    for case in cases {
        let row = run_case(case, settings, factory(case))?.row;
        done(&row);
        rows.push(row);
    }
    Ok(rows)
}

/// What came of one case.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its row.
    pub row: Row,
    /// The frame that the case is about, and the picture that it should be, if the case has one.
    pub pictures: Option<(Image, Option<Image>)>,
    /// Of the frames that are told apart from an earlier run's; `None` where none was drawn.
    pub hash: Option<String>,
}

/// Replays and judges one case.
///
/// # Errors
/// As [`run`].
pub fn run_case<F: BackendFactory>(
    case: &Case,
    settings: &Settings,
    factory: F,
) -> Result<Ran, RunError> {
    let begin = Instant::now();
    let (outcome, report) = play(case, factory, settings.replay);
    let judgement =
        judge(case, &outcome, &settings.known).map_err(|(path, error)| RunError { path, error })?;
    if let Some(out) = &settings.out {
        write_pictures(out, case, &outcome, &judgement)?;
    }
    let only_comparison =
        |judged: &Option<(_, Image)>| judged.as_ref().map(|(comparison, _)| *comparison);
    let row = Row {
        name: case.name.clone(),
        frames: report.frames,
        draws: report.draws,
        skipped: report.skipped_draws(),
        errors: report.errors.total,
        expected: only_comparison(&judgement.expected),
        picture: case.expected.clone(),
        peer: only_comparison(&judgement.peer),
        verdict: judgement.verdict,
        seconds: begin.elapsed().as_secs_f64(),
    };
    let Outcome {
        expected_frame,
        peer_frame,
        hash,
        ..
    } = outcome;
    let frame = expected_frame.or(peer_frame);
    let wanted = judgement.expected.map(|(_, picture)| picture);
    Ok(Ran {
        row,
        pictures: frame.map(|frame| (frame, wanted)),
        hash: hash.finish(),
    })
}

fn play<F: BackendFactory>(case: &Case, factory: F, options: Options) -> (Outcome, Report) {
    let mut outcome = Outcome::default();
    let mut reader = match Reader::open(&case.capture) {
        Ok(reader) => reader,
        Err(error) => {
            outcome.fatal = Some(error.to_string());
            return (outcome, Report::default());
        }
    };
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, factory, options);
    let mut pictures = Pictures { case, outcome };
    let played = replay(&mut reader, &mut replayer, &mut pictures);
    let mut outcome = pictures.outcome;
    let report = replayer.report().clone();
    outcome.fatal = played.err().map(|error| error.to_string());
    outcome.errors = report.errors.numbers.clone();
    outcome.unsupported = report
        .unsupported
        .iter()
        .map(|(what, calls)| (what.clone(), *calls))
        .collect();
    (outcome, report)
}

/// Keeps the frames that the case has pictures of.
struct Pictures<'a> {
    case: &'a Case,
    outcome: Outcome,
}

impl Pictures<'_> {
    fn is_expected(&self, frame: u32) -> bool {
        self.case
            .expected
            .as_ref()
            .is_some_and(|expected| expected.frame == frame)
    }

    /// The frames that the case names, or else those that it has pictures of.
    fn is_hashed(&self, frame: u32) -> bool {
        match self.case.frames.is_empty() {
            true => self.is_expected(frame) || self.is_peer(frame),
            false => self.case.frames.contains(&frame),
        }
    }

    fn is_peer(&self, frame: u32) -> bool {
        self.case
            .peer
            .as_ref()
            .is_some_and(|peer| peer.frame == frame)
    }
}

impl Observer for Pictures<'_> {
    fn wants(&mut self, frame: u32) -> bool {
        self.is_expected(frame) || self.is_peer(frame) || self.is_hashed(frame)
    }

    fn frame(&mut self, frame: u32, image: &Image) -> Result<(), String> {
        if self.is_hashed(frame) {
            self.outcome.hash.add(image);
        }
        if self.is_expected(frame) {
            self.outcome.expected_frame = Some(image.clone());
        }
        if self.is_peer(frame) {
            self.outcome.peer_frame = Some(image.clone());
        }
        Ok(())
    }
}

fn write_pictures(
    out: &Path,
    case: &Case,
    outcome: &Outcome,
    judgement: &Judgement,
) -> Result<(), RunError> {
    let write = |suffix: &str, image: &Image| {
        let path = out.join(format!("{}{suffix}.png", case.name));
        write_png(&path, image).map_err(|error| RunError { path, error })
    };
    if let Some(frame) = outcome
        .expected_frame
        .as_ref()
        .or(outcome.peer_frame.as_ref())
    {
        write("", frame)?;
    }
    let tolerance = case
        .expected
        .as_ref()
        .map_or(0, |expected| expected.tolerance);
    for (suffix, frame, judged, tolerance) in [
        (
            ".expected",
            &outcome.expected_frame,
            &judgement.expected,
            tolerance,
        ),
        (
            ".peer",
            &outcome.peer_frame,
            &judgement.peer,
            PEER_TOLERANCE,
        ),
    ] {
        if let (Some(frame), Some((comparison, picture))) = (frame, judged)
            && comparison.differing > 0
        {
            write(suffix, &difference(frame, picture, tolerance))?;
        }
    }
    Ok(())
}

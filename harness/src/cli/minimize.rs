//! `molehill minimize`

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{ArgGroup, value_parser};
use molehill_analysis::diff::DiffSide;
use molehill_analysis::minimize::{MinimizedCapture, ReductionTest};
use molehill_analysis::renderers::last_picture;
use molehill_analysis::{Capture, CaptureLimits, InspectError, diff, minimize};
use molehill_capture::Form;
use molehill_reference::ReferenceFactory;
use molehill_replay::evidence::{ComparisonEvidence, Conclusion, Party, ResultTally};
use molehill_replay::files::TemporaryFile;
use molehill_replay::image::{RgbaImage, compare, read_png};
use molehill_replay::process::{Process, shell};
use serde_json::json;

use super::{
    CaptureArgument, CommandFailure, CommandStatus, ProgressLine, RendererArguments, output, trim,
};

/// True if a capture reproduces the bug, and the numbers of compared results.
type BugVerdict = Result<(bool, ComparisonEvidence), InspectError>;

/// Reduces a capture to the calls that reproduce a bug
#[derive(clap::Args)]
#[command(
    group = ArgGroup::new("fault").args(["while_succeeds", "expect", "backends"]).required(true)
)]
pub(super) struct Minimize {
    #[command(flatten)]
    capture: CaptureArgument,
    /// A shell command that exits with 0 if a capture shows the bug
    #[arg(
        long = "while", value_name = "COMMAND", conflicts_with = "tolerance",
        conflicts_with_all = RendererArguments::OPTIONS
    )]
    while_succeeds: Option<String>,
    /// Preserve a last frame that looks like this image
    #[arg(long, value_name = "PNG")]
    expect: Option<PathBuf>,
    /// Preserve a difference between OpenGL and the reference renderer
    #[arg(long)]
    backends: bool,
    /// Largest difference of a channel that counts as equal
    #[arg(long, value_name = "N", default_value_t = 8)]
    tolerance: u8,
    /// Maximum number of captures to test
    #[arg(long, value_name = "N", default_value_t = 1000)]
    attempts: usize,
    /// Time limit of the command, for one capture; a longer run counts as without the bug [default: none]
    #[arg(long, value_name = "SECONDS", requires = "while_succeeds", value_parser = value_parser!(u64).range(1..=86_400))]
    time_limit: Option<u64>,
    #[command(flatten)]
    renderer: RendererArguments,
    /// The capture to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

impl Minimize {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let whole = self.capture.read(CaptureLimits::default())?;
        let mut trial = Trial::new(&self, &whole)?;
        let found = minimize(&whole, self.attempts, &mut |capture| trial.test(capture));
        trial.progress.finish();
        if trial.timeouts > 0 {
            output::complain(&format!(
                "the command reached the time limit {} times",
                trial.timeouts
            ));
        }
        match (trial.failed.take(), found) {
            (Some(CommandFailure(reason)), Ok(_)) => {
                let out = self.out.display();
                Err(CommandFailure(format!("{reason}; {out} has the best capture so far")))
            }
            (Some(failure), Err(_)) => Err(failure),
            (None, Err(InspectError::NoFault)) => trial.no_fault(),
            (None, found) => trial.report(&found?),
        }
    }
}

/// Tests smaller captures, and writes each one that reproduces the bug with the fewest calls so far.
struct Trial<'a> {
    arguments: &'a Minimize,
    expected: Option<RgbaImage>,
    /// The temporary capture file that the shell command reads.
    candidate: Option<TemporaryFile>,
    interrupted: Arc<AtomicBool>,
    progress: ProgressLine,
    tested: u64,
    /// The number of calls in the original capture, and in the smallest capture so far.
    calls: (usize, usize),
    bytes: u64,
    evidence: Option<ComparisonEvidence>,
    /// The last error of a renderer, after which it is unknown whether a capture reproduces the bug.
    error: Option<InspectError>,
    timeouts: u32,
    failed: Option<CommandFailure>,
}

impl<'a> Trial<'a> {
    fn new(arguments: &'a Minimize, whole: &Capture) -> Result<Self, CommandFailure> {
        let Minimize { expect, out, while_succeeds, .. } = arguments;
        let interrupted = Arc::new(AtomicBool::new(false));
        let signalled = Arc::clone(&interrupted);
        ctrlc::set_handler(move || signalled.store(true, Ordering::Relaxed))?;
        let read = |path: &PathBuf| read_png(path).map_err(CommandFailure::of(path.display()));
        let expected = expect.as_ref().map(read).transpose()?;
        let stage = (whole.header().stage_width, whole.header().stage_height);
        let size = expected.as_ref().map_or(stage, |image| (image.width(), image.height()));
        if size != stage {
            return Err(CommandFailure(format!(
                "the image has the size {size:?}, but the stage has the size {stage:?}"
            )));
        }
        let candidate = while_succeeds.as_ref().map(|_| TemporaryFile::beside(out, "s3d.jsonl"));
        let candidate = candidate.transpose().map_err(CommandFailure::of(out.display()))?;
        Ok(Trial {
            arguments,
            expected,
            candidate,
            interrupted,
            progress: ProgressLine::new(),
            tested: 0,
            calls: (whole.call_count(), whole.call_count()),
            bytes: 0,
            evidence: None,
            error: None,
            timeouts: 0,
            failed: None,
        })
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Tests whether a capture reproduces the bug, and writes it if so.
    fn test(&mut self, capture: &Capture) -> ReductionTest {
        if self.is_interrupted() {
            return ReductionTest::Stop;
        }
        let mut answer = self.judge(capture);
        if let Ok(ReductionTest::Shows) = answer {
            match trim::write(&self.arguments.out, capture) {
                Ok(bytes) => (self.calls.1, self.bytes) = (capture.call_count(), bytes),
                Err(error) => answer = Err(error),
            }
        }
        self.tested += 1;
        let ((before, calls), tested) = (self.calls, self.tested);
        let how_far = || format!("{calls} calls of {before}, {tested} captures tested");
        self.progress.update(|| (how_far(), tested, None));
        answer.unwrap_or_else(|failure| {
            self.failed = Some(failure);
            ReductionTest::Stop
        })
    }

    fn judge(&mut self, capture: &Capture) -> Result<ReductionTest, CommandFailure> {
        let compared = match (&self.arguments.while_succeeds, &self.expected) {
            (Some(command), _) => return self.run(command, capture),
            (None, Some(expected)) => self.compare(capture, expected),
            (None, None) => self.compare_renderers(capture),
        };
        match compared {
            Ok((shows, evidence)) => {
                self.evidence.get_or_insert(evidence);
                Ok(ReductionTest::of(shows))
            }
            Err(error) => {
                self.error = Some(error);
                Ok(ReductionTest::Unknown)
            }
        }
    }

    /// Compares the last frame of a capture with the image that shows the bug.
    fn compare(&self, capture: &Capture, expected: &RgbaImage) -> BugVerdict {
        let Minimize { renderer, tolerance, .. } = self.arguments;
        let last = last_picture(capture, renderer.factory())?;
        let shows = last.as_ref().map(|last| compare(last, expected, *tolerance).passes(0));
        let (images, differing) = (u64::from(last.is_some()), u64::from(shows == Some(false)));
        let mut evidence = ComparisonEvidence::new(renderer.party());
        evidence
            .add(Party::StoredImages, ResultTally { images, differing, ..ResultTally::default() });
        Ok((shows == Some(true), evidence))
    }

    /// Compares OpenGL with the reference renderer. Without OpenGL, returns an error.
    fn compare_renderers(&self, capture: &Capture) -> BugVerdict {
        let Minimize { renderer, tolerance, .. } = self.arguments;
        let options = renderer.options().reference();
        let gl = DiffSide { capture, input: None, factory: &mut || renderer.driver() };
        let reference =
            DiffSide { capture, input: None, factory: &mut || ReferenceFactory(options) };
        let found = diff(gl, reference, *tolerance, 0)?;
        Ok((found.frame.is_some(), found.evidence))
    }

    fn run(&mut self, command: &str, capture: &Capture) -> Result<ReductionTest, CommandFailure> {
        let Some(TemporaryFile(file)) = &self.candidate else { return Ok(ReductionTest::Stop) };
        let failed = CommandFailure::of(file.display());
        fs::write(file, capture.write(Vec::new(), Form::Lines)?).map_err(&failed)?;
        let limit = self.arguments.time_limit.map(Duration::from_secs);
        let mut shell = shell(command, file);
        shell.stdin(Stdio::null()).stdout(Stdio::null());
        let (mut process, begin) = (Process::start(shell)?, Instant::now());
        let in_time = || limit.is_none_or(|limit| begin.elapsed() < limit);
        let ended = process.wait_while(|| in_time() && !self.is_interrupted())?;
        match ended.map(|status| (status, status.code())) {
            None if self.is_interrupted() => Ok(ReductionTest::Stop),
            None => {
                self.timeouts += 1;
                Ok(ReductionTest::Gone)
            }
            // If a command can't be run, POSIX shells exit with status 126 or 127, and the cmd of Windows with status
            // 9009.
            Some((status, Some(126 | 127 | 9009))) => {
                Err(CommandFailure(format!("the command can't be run ({status}): {command}")))
            }
            Some((status, _)) => Ok(ReductionTest::of(status.success())),
        }
    }

    fn no_fault(&self) -> Result<CommandStatus, CommandFailure> {
        if self.is_interrupted() {
            output::complain("interrupted before the whole capture was tested");
            return Ok(CommandStatus::Interrupted);
        }
        if let Some(error) = &self.error {
            return Err(CommandFailure(format!("not tested: {error}")));
        }
        if let Some(evidence) = &self.evidence {
            output::tell(&evidence.to_string());
            if let Conclusion::NotTested(why) = evidence.conclusion() {
                return Err(CommandFailure(why.to_string()));
            }
        }
        output::complain("the whole capture doesn't show the bug");
        Ok(CommandStatus::Mismatch)
    }

    fn report(&self, small: &MinimizedCapture) -> Result<CommandStatus, CommandFailure> {
        let &MinimizedCapture { attempts, unknown, finished, .. } = small;
        let ((before, calls), interrupted) = (self.calls, self.is_interrupted());
        if let Some(error) = &self.error {
            output::complain(&format!("{unknown} captures could not be tested: {error}"));
        }
        if calls == 0 {
            output::complain(
                "a capture without calls shows the bug too; check that the command reads the capture that it is given",
            );
        }
        let renderer = self.evidence.as_ref().map(|evidence| evidence.tested.to_string());
        let answer = json!({
            "calls": calls, "before": before, "attempts": attempts, "unknown": unknown, "finished": finished,
            "interrupted": interrupted, "bytes": self.bytes, "renderer": renderer, "evidence": self.evidence,
        });
        self.arguments.capture.format.print(&answer, || {
            let compared = self.evidence.as_ref().map_or(String::new(), |it| format!("{it}\n"));
            let end = if interrupted { "; interrupted" } else { "" };
            let more = if finished { "" } else { "; more attempts may delete more" };
            format!("{compared}{calls} calls of {before}, after {attempts} attempts{end}{more}\n")
        })?;
        Ok(if interrupted { CommandStatus::Interrupted } else { CommandStatus::Success })
    }
}

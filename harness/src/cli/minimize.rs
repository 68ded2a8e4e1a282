//! `molehill minimize`

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::{ArgGroup, value_parser};
use molehill_analysis::diff::Side;
use molehill_analysis::minimize::{Attempts, Minimized};
use molehill_analysis::renderers::last_picture;
use molehill_analysis::{Capture, InspectError, Limits, diff, minimize};
use molehill_capture::Form;
use molehill_reference::ReferenceFactory;
use molehill_replay::image::{compare, read_png};
use serde_json::json;

use super::{CaptureArgument, Failure, RendererArguments, RendererKind, Status, output, trim};

/// Reduces a capture to the calls that a fault needs
#[derive(clap::Args)]
#[command(
    group = ArgGroup::new("fault").args(["while_succeeds", "expect", "backends"]).required(true)
)]
pub(super) struct Minimize {
    #[command(flatten)]
    capture: CaptureArgument,
    /// A shell command that exits with 0 if a capture shows the fault
    #[arg(long = "while", value_name = "COMMAND")]
    while_succeeds: Option<String>,
    /// Picture of the fault: the last frame of the capture
    #[arg(long, value_name = "PNG")]
    expect: Option<PathBuf>,
    /// The fault is that OpenGL and the reference renderer differ
    #[arg(long)]
    backends: bool,
    /// Largest difference of a channel that counts as equal
    #[arg(long, value_name = "N", default_value_t = 8)]
    tolerance: u8,
    /// Maximum number of captures to test
    #[arg(long, value_name = "N", default_value_t = 1000)]
    attempts: usize,
    /// Time limit of the command, for one capture; a longer run counts as without the fault [default: none]
    #[arg(long, value_name = "SECONDS", requires = "while_succeeds", value_parser = value_parser!(u64).range(1..=86_400))]
    time_limit: Option<u64>,
    #[command(flatten)]
    renderer: RendererArguments,
    /// The capture to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Time between looks whether the command has ended.
const POLL: Duration = Duration::from_millis(2);

/// What the search ended with.
type Search = Result<Minimized, InspectError>;

impl Minimize {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let whole = self.capture.read(Limits::default())?;
        let small = match self.search(&whole)? {
            Err(InspectError::NoFault) => {
                output::complain("the whole capture doesn't show the fault");
                return Ok(Status::Mismatch);
            }
            small => small?,
        };
        let bytes = trim::write(&self.out, &small.capture)?;
        let (calls, before) = (small.capture.call_count(), whole.call_count());
        let (attempts, finished) = (small.attempts, small.finished);
        let answer = json!({
            "calls": calls, "before": before, "attempts": attempts, "finished": finished, "bytes": bytes,
        });
        if calls == 0 {
            output::complain(
                "a capture without calls shows the fault too; the test may not look at the capture",
            );
        }
        self.capture.format.print(&answer, || {
            let more = if finished { "" } else { "; more attempts may delete more" };
            format!("{calls} calls of {before}, after {attempts} attempts{more}\n")
        })
    }

    /// Minimizes a capture while it shows the fault that the options describe.
    fn search(&self, whole: &Capture) -> Result<Search, Failure> {
        let (tolerance, attempts) = (self.tolerance, Attempts(self.attempts));
        if let Some(command) = &self.while_succeeds {
            return self.search_with(command, whole);
        }
        if let Some(path) = &self.expect {
            let picture = read_png(path).map_err(Failure::of(path.display()))?;
            return Ok(minimize(whole, attempts, &mut |capture| {
                let last = last_picture(capture, self.renderer.factory()).ok().flatten();
                last.is_some_and(|last| compare(&last, &picture, tolerance).passes(0))
            }));
        }
        if self.renderer.kind == RendererKind::Reference {
            return Err(Failure("--backends needs OpenGL".to_owned()));
        }
        let options = self.renderer.options().reference();
        Ok(minimize(whole, attempts, &mut |capture| {
            let gl = Side { capture, factory: &mut || self.renderer.factory() };
            let reference = Side { capture, factory: &mut || ReferenceFactory(options) };
            diff(gl, reference, tolerance, 0).is_ok_and(|found| found.frame.is_some())
        }))
    }

    /// Minimizes a capture while a command succeeds on it.
    fn search_with(&self, command: &str, whole: &Capture) -> Result<Search, Failure> {
        let candidate = new_file(&self.out).map_err(Failure::of(self.out.display()))?;
        let limit = self.time_limit.map(Duration::from_secs);
        let (mut failed, mut late) = (None, 0u32);
        let small = minimize(whole, Attempts(self.attempts), &mut |capture| {
            // A full disk is not a capture without the fault, and ends the search.
            failed.is_none()
                && match shows(command, capture, &candidate, limit) {
                    Ok(shown) => shown.unwrap_or_else(|| {
                        late += 1;
                        false
                    }),
                    Err(error) => failed.replace(error).is_some(),
                }
        });
        // The command may have removed it.
        let _ = fs::remove_file(&candidate);
        if late > 0 {
            output::complain(&format!("the command reached the time limit {late} times"));
        }
        failed.map_or(Ok(small), |error| Err(Failure::of(candidate.display())(error)))
    }
}

/// Creates a file beside another, with a name that no file has.
fn new_file(beside: &Path) -> io::Result<PathBuf> {
    for number in 0u32.. {
        let end = format!("candidate-{}-{number}.s3d.jsonl", process::id());
        let path = beside.with_extension(end);
        match File::create_new(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made.map(|_| path),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Whether the command succeeds on a capture, which means that the fault is still there; `None` after the time limit.
fn shows(
    command: &str,
    capture: &Capture,
    file: &Path,
    limit: Option<Duration>,
) -> io::Result<Option<bool>> {
    let bytes = capture.write(Vec::new(), Form::Lines);
    fs::write(file, bytes.map_err(io::Error::other)?)?;
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let line = format!("{command} \"{}\"", file.display());
    let mut child = process::Command::new(shell);
    child.args([option, &line]).stdin(Stdio::null()).stdout(Stdio::null());
    match limit {
        Some(limit) => run_within(child, limit),
        None => child.status().map(|status| Some(status.success())),
    }
}

/// Runs a command; after the time limit, ends it with the programs that it started, and returns `None`.
fn run_within(mut command: process::Command, limit: Duration) -> io::Result<Option<bool>> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let (mut child, begin) = (command.spawn()?, Instant::now());
    while begin.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        thread::sleep(POLL);
    }
    end(&mut child)?;
    child.wait().map(|_| None)
}

fn end(child: &mut Child) -> io::Result<()> {
    if cfg!(unix) {
        let line = format!("kill -s KILL -- -{}", child.id());
        process::Command::new("sh").args(["-c", &line]).status()?;
    }
    child.kill()
}

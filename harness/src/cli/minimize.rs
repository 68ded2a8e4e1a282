//! `molehill minimize`

use std::path::PathBuf;
use std::process::{self, Stdio};

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use context3d::backend::BackendFactory;
use molehill_capture::Form;
use molehill_inspect::diff::Side;
use molehill_inspect::minimize::{Attempts, Minimized};
use molehill_inspect::{Capture, InspectError, Limits, diff, minimize};
use molehill_reference::ReferenceFactory;
use molehill_replay::image::{Image, compare, read_png};
use serde_json::json;

use super::inspect::{print, read};
use super::{Failure, Status, arguments, capture, output, renderer, trim};
use crate::renderer::RendererKind;

const AFTER_HELP: &str = "\
Examples:
  molehill minimize capture.s3d.jsonl --while './shows-the-fault.sh' -o small.s3d.jsonl
      the command gets the name of a capture as its last argument, and exits with 0 if the capture shows the fault
  molehill minimize capture.s3d.jsonl --expect wrong.png -o small.s3d.jsonl
      as long as the last frame still looks like the picture
  molehill minimize capture.s3d.jsonl --backends -o small.s3d.jsonl
      as long as OpenGL and the reference renderer draw a frame differently

Deletes frames, draws and calls, with everything that depends on them, and shrinks programs, textures and counts, until
nothing more can be deleted.

Exit status: 0; 1 if the whole capture doesn't show the fault; 2 if something fails.";

pub(super) fn command() -> Command {
    Command::new("minimize")
        .about("Reduces a capture to the calls that a fault needs")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(
            Arg::new("while")
                .long("while")
                .value_name("COMMAND")
                .help("A shell command that exits with 0 if a capture shows the fault"),
        )
        .arg(
            Arg::new("expect")
                .long("expect")
                .value_name("PNG")
                .value_parser(value_parser!(PathBuf))
                .help("Picture of the fault: the last frame of the capture"),
        )
        .arg(
            Arg::new("backends")
                .long("backends")
                .action(ArgAction::SetTrue)
                .help("The fault is that OpenGL and the reference renderer differ"),
        )
        .group(ArgGroup::new("fault").args(["while", "expect", "backends"]).required(true))
        .arg(
            Arg::new("tolerance")
                .long("tolerance")
                .value_name("N")
                .default_value("8")
                .value_parser(value_parser!(u8))
                .help("Largest difference of a channel that counts as equal"),
        )
        .arg(
            Arg::new("attempts")
                .long("attempts")
                .value_name("N")
                .default_value("1000")
                .value_parser(value_parser!(usize))
                .help("Maximum number of captures to test"),
        )
        .args(renderer::arguments())
        .arg(output::argument("FILE", "The capture to write").required(true))
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let whole = read(matches, Limits::default())?;
    let small = search(matches, &whole)?;
    let small = match small {
        Err(InspectError::NoFault) => {
            output::complain("the whole capture doesn't show the fault");
            return Ok(Status::Mismatch);
        }
        small => small?,
    };
    let bytes = trim::write(matches, &small.capture)?;
    let (calls, before) = (small.capture.call_count(), whole.call_count());
    let answer = json!({
        "calls": calls,
        "before": before,
        "attempts": small.attempts,
        "finished": small.finished,
        "bytes": bytes,
    });
    print(matches, &answer, |_| {
        let more = if small.finished { "" } else { "; more attempts may delete more" };
        format!("{calls} calls of {before}, after {} attempts{more}\n", small.attempts)
    })
}

/// Minimizes a capture while it shows the fault that the options describe.
fn search(
    matches: &ArgMatches,
    whole: &Capture,
) -> Result<Result<Minimized, InspectError>, Failure> {
    let tolerance = matches.get_one("tolerance").copied().unwrap_or_default();
    let attempts = Attempts(matches.get_one("attempts").copied().unwrap_or_default());
    Ok(if let Some(command) = matches.get_one::<String>("while") {
        let out = matches.get_one::<PathBuf>("out").cloned().unwrap_or_default();
        // A name that no other run uses.
        let candidate = out.with_extension(format!("candidate-{}.s3d.jsonl", process::id()));
        let mut failed = None;
        let small = minimize(whole, attempts, &mut |capture| {
            // A full disk is not a capture without the fault, and ends the search.
            failed.is_none()
                && shows(command, capture, &candidate)
                    .unwrap_or_else(|error| failed.replace(error).is_some())
        });
        // The file does not exist if nothing was tested.
        let _ = std::fs::remove_file(&candidate);
        if let Some(error) = failed {
            return Err(Failure::of(candidate.display())(error));
        }
        small
    } else if let Some(path) = matches.get_one::<PathBuf>("expect") {
        let picture = read_png(path);
        let picture = picture.map_err(|error| Failure(format!("{}: {error}", path.display())))?;
        minimize(whole, attempts, &mut |capture| {
            looks_like(capture, renderer::chosen(matches).factory(), &picture, tolerance)
        })
    } else {
        if renderer::kind(matches) == RendererKind::Reference {
            return Err(Failure("--backends needs OpenGL".to_owned()));
        }
        let options = renderer::options(matches).reference();
        minimize(whole, attempts, &mut |capture| {
            let gl = Side { capture, factory: &mut || renderer::chosen(matches).factory() };
            let reference = Side { capture, factory: &mut || ReferenceFactory(options) };
            diff(gl, reference, tolerance, 0).is_ok_and(|found| found.frame.is_some())
        })
    })
}

/// Whether the command succeeds on a capture, which means that the fault is still there.
fn shows(command: &str, capture: &Capture, file: &std::path::Path) -> std::io::Result<bool> {
    let bytes = capture.write(Vec::new(), Form::Lines);
    std::fs::write(file, bytes.map_err(std::io::Error::other)?)?;
    let (shell, option) = match cfg!(windows) {
        true => ("cmd", "/C"),
        false => ("sh", "-c"),
    };
    let line = format!("{command} \"{}\"", file.display());
    let status = process::Command::new(shell)
        .args([option, &line])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    status.map(|status| status.success())
}

/// Whether the last frame of a capture matches a picture.
fn looks_like<F: BackendFactory>(
    capture: &Capture,
    factory: F,
    picture: &Image,
    tolerance: u8,
) -> bool {
    molehill_inspect::renderers::last_picture(capture, factory)
        .is_ok_and(|last| last.is_some_and(|last| compare(&last, picture, tolerance).passes(0)))
}

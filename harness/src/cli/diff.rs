//! `molehill diff`

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use molehill_inspect::diff::{Difference, Side};
use molehill_inspect::{Capture, Limits, diff};
use molehill_reference::ReferenceFactory;
use molehill_replay::image::difference;

use super::inspect::{folder, picture, print, read};
use super::{Failure, Status, arguments, capture, output, renderer};

const AFTER_HELP: &str = "\
Examples:
  molehill diff before.s3d.jsonl after.s3d.jsonl -o out
      the first call, frame, draw and pixel in which two captures differ, with the pictures of both
  molehill diff capture.s3d.jsonl -o out
      one capture on OpenGL and on the reference renderer
  molehill diff capture.s3d.jsonl --shaders d3d9 -o out
      the same, with every program translated through Direct3D 9 tokens on OpenGL

Two versions of a program are compared by their captures. In --out, a.png and b.png are the target after the first draw that
differs (or the frame's picture), and difference.png shows them side by side.

Exit status: 0 if nothing differs; 1 if something does; 2 if a capture can't be replayed.";

pub(super) fn command() -> Command {
    let number = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("N").default_value(default).help(help)
    };
    Command::new("diff")
        .about("Finds where two captures, or two renderers, first differ")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(
            Arg::new("other")
                .value_name("OTHER")
                .value_parser(value_parser!(PathBuf))
                .help("Another capture [default: the same on the reference renderer]"),
        )
        .arg(
            number("tolerance", "2", "Largest difference of a channel that counts as equal")
                .value_parser(value_parser!(u8)),
        )
        .arg(
            number("max-outliers", "0", "Number of pixels that may differ by more")
                .value_parser(value_parser!(u64)),
        )
        .args(renderer::arguments())
        .arg(output::argument("DIR", "Folder for the pictures of both sides"))
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let a = read(matches, Limits::default())?;
    let tolerance = matches.get_one("tolerance").copied().unwrap_or_default();
    let outliers = matches.get_one("max-outliers").copied().unwrap_or_default();
    let mut chosen = || renderer::chosen(matches).factory();
    let found = match matches.get_one::<PathBuf>("other") {
        Some(path) => {
            let b = other(path)?;
            let mut again = || renderer::chosen(matches).factory();
            let a = Side { capture: &a, factory: &mut chosen };
            let b = Side { capture: &b, factory: &mut again };
            diff(a, b, tolerance, outliers)
        }
        None => {
            let options = renderer::options(matches).reference();
            let b = Side { capture: &a, factory: &mut || ReferenceFactory(options) };
            let a = Side { capture: &a, factory: &mut chosen };
            diff(a, b, tolerance, outliers)
        }
    };
    let found = found?;
    if let (Some(out), Some([a, b])) = (folder(matches)?, &found.pictures) {
        picture(&out, "a.png", a)?;
        picture(&out, "b.png", b)?;
        picture(&out, "difference.png", &difference(a, b, tolerance))?;
    }
    print(matches, &found, text)?;
    Ok(match found.is_none() {
        true => Status::Success,
        false => Status::Mismatch,
    })
}

fn other(path: &std::path::Path) -> Result<Capture, Failure> {
    let (path, reader) = capture::open_path(path)?;
    Capture::open(reader, Limits::default()).map_err(Failure::of(capture::name(&path)))
}

fn text(found: &Difference) -> String {
    let mut text = String::new();
    // Writing to a String can't fail.
    for (what, parted) in [("call", &found.call), ("result of call", &found.result)] {
        if let Some(parted) = parted {
            let _ = writeln!(
                text,
                "first {what} {}:\n  a: {}\n  b: {}",
                parted.call, parted.a, parted.b
            );
        }
    }
    if let Some((a, b)) = found.frame {
        let _ = writeln!(text, "first frame: {a} and {b}");
    }
    if let Some((a, b)) = found.draw {
        let _ = writeln!(text, "first clear or draw of it: calls {a} and {b}");
    }
    if let Some(((x, y), a, b)) = found.pixel {
        let _ = writeln!(text, "first pixel: {x},{y}: {a:?} and {b:?}; {} differ", found.pixels);
    }
    if text.is_empty() {
        text.push_str("nothing differs\n");
    }
    text
}

//! Functions shared by the commands that inspect a capture.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Arg, ArgMatches};
use molehill_inspect::{Capture, Inspector, Limits};
use molehill_replay::image::{Image, write_png};
use serde::Serialize;

use super::{Failure, Status, capture, output};

/// Opens the capture, up to `last_frame` if given.
pub(super) fn open(matches: &ArgMatches, last_frame: Option<u32>) -> Result<Inspector, Failure> {
    let limits = Limits { last_frame, ..Limits::default() };
    read(matches, limits).map(Inspector::new)
}

/// Reads the capture; prints a warning if its end is damaged.
pub(super) fn read(matches: &ArgMatches, limits: Limits) -> Result<Capture, Failure> {
    let (path, reader) = capture::open(matches)?;
    let name = capture::name(&path);
    let capture = Capture::open(reader, limits);
    let capture = capture.map_err(|error| Failure(format!("{name}: {error}")))?;
    if let Some(failure) = capture.failure() {
        output::complain(&format!("{name}: {failure}; the part before it is shown"));
    }
    Ok(capture)
}

/// The folder of `--out`, created if needed.
pub(super) fn folder(matches: &ArgMatches) -> Result<Option<PathBuf>, Failure> {
    let out = matches.get_one::<PathBuf>("out").cloned();
    out.as_deref().map(output::make_folder).transpose()?;
    Ok(out)
}

/// Writes a picture into a folder.
pub(super) fn picture(folder: &Path, name: &str, image: &Image) -> Result<(), Failure> {
    let path = folder.join(name);
    write_png(&path, image).map_err(|error| Failure(format!("{}: {error}", path.display())))
}

/// Prints an answer as text, or with `--json` as JSON.
pub(super) fn print<T: Serialize>(
    matches: &ArgMatches,
    answer: &T,
    text: impl FnOnce(&T) -> String,
) -> Result<Status, Failure> {
    match matches.get_flag("json") {
        true => {
            let json = serde_json::to_value(answer);
            output::print_json(&json.map_err(|error| Failure(error.to_string()))?)?;
        }
        false => output::print(&text(answer))?,
    }
    Ok(Status::Success)
}

/// `--frame`
pub(super) fn frame() -> Arg {
    Arg::new("frame")
        .long("frame")
        .value_name("N")
        .value_parser(clap::value_parser!(u32))
        .help("The frame, by its number in the capture")
}

/// `A-B`, or `A` for one.
pub(super) fn range<T: FromStr + Copy + PartialOrd>(text: &str) -> Result<(T, T), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.parse().map_err(|_| format!("{text:?} is not a number"));
    match (number(first)?, number(last)?) {
        (first, last) if first > last => Err(format!("{text:?} counts backwards")),
        range => Ok(range),
    }
}

/// `X,Y`
pub(super) fn place(text: &str) -> Result<(u32, u32), String> {
    let expected = || format!("{text:?} is not a pixel such as 120,80");
    let (x, y) = text.split_once(',').ok_or_else(expected)?;
    match (x.trim().parse(), y.trim().parse()) {
        (Ok(x), Ok(y)) => Ok((x, y)),
        _ => Err(expected()),
    }
}

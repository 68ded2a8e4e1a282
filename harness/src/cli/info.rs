//! `molehill info`

use std::path::PathBuf;

use molehill_capture::Reader;
use serde_json::{Value, json};

use super::capture_argument::{self};
use super::{CaptureArgument, Column, Failure, Format, Interruption, Status, table, with};
use molehill_analysis::info::{Info, inspect};
use molehill_analysis::info_text::{json as info_json, text as info_text};

/// Shows the content of a capture: calls, programs, textures, features
#[derive(clap::Args)]
pub(super) struct InfoCommand {
    #[command(flatten)]
    capture: CaptureArgument,
}

impl InfoCommand {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let captures = capture_argument::in_and_below(&self.capture.capture);
        if captures.len() > 1 && self.capture.edit.is_none() {
            return overview(&captures, self.capture.format);
        }
        let (name, mut reader) = self.capture.open()?;
        let (info, failure) = inspect(&mut reader);
        let failure = failure.map(|error| Interruption::new(error.at, error.located(&name)));
        let header = reader.header();
        let json = with(info_json(header, &info), [("failure", json!(failure))]);
        self.capture.format.print(&json, || info_text(&name, header, &info))?;
        Interruption::status(failure)
    }
}

/// A capture of a folder: its path, its title with its content, and its error.
type Row = (String, Option<(String, Info)>, Option<String>);

/// A number from a capture; null if it can't be read.
fn number(row: &Row, of: fn(&Info) -> u64) -> Value {
    row.1.as_ref().map(|(_, info)| of(info)).into()
}

const COLUMNS: &[Column<Row>] = &[
    ("capture", |(name, ..)| name.as_str().into()),
    ("title", |(_, info, _)| info.as_ref().map(|(title, _)| title.clone()).into()),
    ("frames", |row| number(row, |info| info.report.frames)),
    ("calls", |row| number(row, |info| info.report.calls)),
    ("draws", |row| number(row, |info| info.report.draws)),
    ("contexts", |row| number(row, |info| info.report.contexts)),
    ("programs", |row| number(row, |info| info.programs.len() as u64)),
    ("errors", |row| number(row, |info| info.report.errors.total)),
    ("failure", |(.., failure)| failure.clone().into()),
];

fn overview(captures: &[PathBuf], format: Format) -> Result<Status, Failure> {
    let row = |path: &PathBuf| {
        let name = capture_argument::name(path);
        match Reader::open(path) {
            Err(error) => (name, None, Some(error.to_string())),
            Ok(mut reader) => {
                let (info, failure) = inspect(&mut reader);
                let title = reader.header().title.clone();
                (name, Some((title, info)), failure.map(|error| error.to_string()))
            }
        }
    };
    let rows: Vec<Row> = captures.iter().map(row).collect();
    table::print(format, "captures", COLUMNS, &rows)?;
    match rows.iter().filter(|(.., failure)| failure.is_some()).count() {
        0 => Ok(Status::Success),
        count => Err(Failure(format!("{count} captures can't be read to the end"))),
    }
}

//! `molehill info`

use std::path::PathBuf;

use molehill_capture::CaptureReader;
use serde_json::{Value, json};

use super::capture_argument::{self};
use super::{
    CaptureArgument, CommandFailure, CommandStatus, Interruption, OutputFormat, TableColumn, table,
    with,
};
use molehill_queries::info::{CaptureInfo, inspect};
use molehill_queries::info_text::{json as info_json, text as info_text};

/// Shows the content of a capture: calls, programs, textures, features
#[derive(clap::Args)]
pub(super) struct InfoCommand {
    #[command(flatten)]
    capture: CaptureArgument,
}

impl InfoCommand {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
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

/// A listed capture of a folder, and the error that ended its reading. `content` is `None` if the file can't be opened.
struct FolderCapture {
    name: String,
    title: Option<String>,
    content: Option<CaptureInfo>,
    failure: Option<String>,
}

/// Returns one count about a capture's content, or null if the capture can't be opened.
fn count(row: &FolderCapture, of: fn(&CaptureInfo) -> u64) -> Value {
    row.content.as_ref().map(of).into()
}

const COLUMNS: &[TableColumn<FolderCapture>] = &[
    ("capture", |row| row.name.as_str().into()),
    ("title", |row| row.title.clone().into()),
    ("frames", |row| count(row, |info| info.report.frames)),
    ("calls", |row| count(row, |info| info.report.calls)),
    ("draws", |row| count(row, |info| info.report.draws)),
    ("contexts", |row| count(row, |info| info.report.contexts)),
    ("programs", |row| count(row, |info| info.programs.len() as u64)),
    ("errors", |row| count(row, |info| info.report.errors.total)),
    ("failure", |row| row.failure.clone().into()),
];

fn overview(captures: &[PathBuf], format: OutputFormat) -> Result<CommandStatus, CommandFailure> {
    let row = |path: &PathBuf| {
        let name = capture_argument::name(path);
        match CaptureReader::open(path) {
            Err(error) => {
                FolderCapture { name, title: None, content: None, failure: Some(error.to_string()) }
            }
            Ok(mut reader) => {
                let (info, failure) = inspect(&mut reader);
                let title = Some(reader.header().title.clone());
                let failure = failure.map(|error| error.to_string());
                FolderCapture { name, title, content: Some(info), failure }
            }
        }
    };
    let rows: Vec<FolderCapture> = captures.iter().map(row).collect();
    table::print(format, "captures", COLUMNS, &rows)?;
    match rows.iter().filter(|row| row.failure.is_some()).count() {
        0 => Ok(CommandStatus::Success),
        count => Err(CommandFailure(format!("{count} captures can't be read to the end"))),
    }
}

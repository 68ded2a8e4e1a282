//! `molehill share`

use std::fs;
use std::path::{Path, PathBuf};

use molehill_analysis::share::{FILES, Page};
use molehill_analysis::{Selection, trim};
use molehill_capture::Form;
use serde_json::json;

use super::{CaptureArgument, Failure, Status, output};

/// Writes an HTML file that shows a capture in the inspector
#[derive(clap::Args)]
pub(super) struct Share {
    #[command(flatten)]
    capture: CaptureArgument,
    /// Consecutive frames: 10-20, 3 or last [default: all]
    #[arg(short, long, alias = "frame", value_name = "WHICH")]
    frames: Option<Selection>,
    /// Folder with the built page
    #[arg(long, value_name = "DIR", default_value = "target/web")]
    page: PathBuf,
    /// The HTML file to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

impl Share {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let read = |name: &str| {
            let path = self.page.join(name);
            fs::read(&path).map_err(|error| {
                let hint = "run harness/web/build.sh in Molehill's repository, and name its target/web with --page";
                Failure(format!("the inspector's page: {}: {error}; {hint}", path.display()))
            })
        };
        let [html, script, glue, module] = FILES.map(read);
        let page = Page([html?, script?, glue?, module?]);
        let frames = self.frames.as_ref().filter(|frames| **frames != Selection::All);
        let mut inspector = self.capture.inspector(frames.and_then(Selection::end))?;
        let frames = frames.map(|frames| frames.span(inspector.capture())).transpose()?;
        let part = frames.map(|(first, last)| trim(&mut inspector, first, last));
        let part = part.transpose()?.map(|part| part.capture);
        let capture = part.as_ref().unwrap_or(inspector.capture());
        let bytes = capture.write(Vec::new(), Form::Binary)?;
        let stem = Path::new(&self.capture.capture).file_stem().unwrap_or_default();
        let stem = stem.to_string_lossy();
        let stem = stem.split(".s3d").next().unwrap_or_default();
        let html = page.with(&format!("{stem}.s3d"), &bytes).map_err(Failure)?;
        output::write(&self.out, &html)?;
        let answer = json!({ "calls": capture.call_count(), "bytes": html.len() });
        let text = || format!("{} calls; {} bytes\n", capture.call_count(), html.len());
        self.capture.format.print(&answer, text)
    }
}

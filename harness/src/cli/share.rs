//! `molehill share`

use std::fs;
use std::path::{Path, PathBuf};

use molehill_analysis::share::{FILES, Page};
use molehill_analysis::trim;
use molehill_capture::Form;
use serde_json::json;

use super::{CaptureArgument, Failure, Status, output};

/// Writes an HTML file that shows a capture in the inspector
#[derive(clap::Args)]
pub(super) struct Share {
    #[command(flatten)]
    capture: CaptureArgument,
    /// First and last frame, or a single frame [default: all]
    #[arg(short, long, value_name = "A-B", value_parser = molehill_analysis::range::<u32>)]
    frames: Option<(u32, u32)>,
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
        let mut inspector = self.capture.inspector(self.frames.map(|(_, last)| last))?;
        let part = self.frames.map(|(first, last)| trim(&mut inspector, first, last));
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

//! `molehill share`

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use molehill_analysis::{FrameSelection, trim};
use molehill_capture::Form;
use molehill_queries::share::{FILES, PageFiles};
use serde_json::json;

use super::{CaptureArgument, CommandFailure, CommandStatus, output};

/// Writes an HTML file that shows a capture in the inspector
#[derive(clap::Args)]
pub(super) struct ShareCommand {
    #[command(flatten)]
    capture: CaptureArgument,
    /// Consecutive frames: 10-20, 3 or last [default: all]
    #[arg(short, long, alias = "frame", value_name = "WHICH")]
    frames: Option<FrameSelection>,
    /// Folder with the built page [default: MOLEHILL_PAGE, or the page of the tool's release or checkout]
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
    /// The HTML file to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

impl ShareCommand {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let page = page(self.page.or_else(|| env::var_os("MOLEHILL_PAGE").map(PathBuf::from)))?;
        let frames = self.frames.as_ref().filter(|frames| **frames != FrameSelection::All);
        let mut inspector = self.capture.inspector(frames.and_then(FrameSelection::end))?;
        let frames = frames.map(|frames| frames.span(inspector.capture())).transpose()?;
        let part = frames.map(|(first, last)| trim(&mut inspector, first, last));
        let part = part.transpose()?.map(|part| part.capture);
        let capture = part.as_ref().unwrap_or(inspector.capture());
        let bytes = capture.write(Vec::new(), Form::Binary)?;
        let stem = Path::new(&self.capture.capture).file_stem().unwrap_or_default();
        let stem = stem.to_string_lossy();
        let stem = stem.split(".s3d").next().unwrap_or_default();
        let html = page.with(&format!("{stem}.s3d"), &bytes).map_err(CommandFailure)?;
        output::write(&self.out, &html)?;
        let answer = json!({ "calls": capture.call_count(), "bytes": html.len() });
        let text = || format!("{} calls; {} bytes\n", capture.call_count(), html.len());
        self.capture.format.print(&answer, text)
    }
}

/// Reads the inspector's web page. If no folder is named, looks in `PREFIX/share/molehill/page`, where a release or an
/// installation with `PREFIX/bin/molehill` has the page, and beside `target/release` in a checkout (`target/web`).
fn page(named: Option<PathBuf>) -> Result<PageFiles, CommandFailure> {
    let own = env::current_exe().unwrap_or_default();
    let prefix = own.parent().and_then(Path::parent).unwrap_or(Path::new(""));
    let [installed, built] = ["share/molehill/page", "web"].map(|folder| prefix.join(folder));
    let has_page = |folder: &PathBuf| folder.join(FILES[0]).is_file();
    let found = if has_page(&built) && !has_page(&installed) { built } else { installed };
    let folder = named.unwrap_or(found);
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read(&path).map_err(|error| {
            let folder = std::path::absolute(&folder).unwrap_or_else(|_| folder.clone());
            CommandFailure(format!(
                "the inspector's page: {}: {error}; run `harness/web/build.sh {}` in Molehill's repository, or name \
                 a release's folder share/molehill/page with --page or MOLEHILL_PAGE",
                path.display(),
                folder.display()
            ))
        })
    };
    let [html, script, glue, module] = FILES.map(read);
    Ok(PageFiles([html?, script?, glue?, module?]))
}

//! `molehill diff`

use std::path::PathBuf;

use molehill_analysis::diff::Side;
use molehill_analysis::{Limits, diff};
use molehill_reference::ReferenceFactory;
use molehill_replay::image::difference;

use super::capture_argument::read;
use super::{CaptureArgument, Failure, RendererArguments, Status, Tolerance, output};

/// Finds where two captures, or two renderers, first differ
#[derive(clap::Args)]
pub(super) struct Diff {
    #[command(flatten)]
    capture: CaptureArgument,
    /// Another capture [default: with --edit the unchanged one, else the same on the reference renderer]
    other: Option<PathBuf>,
    #[command(flatten)]
    tolerance: Tolerance,
    #[command(flatten)]
    renderer: RendererArguments,
    /// Folder for the pictures of both sides
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Diff {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let Tolerance { tolerance, max_outliers } = self.tolerance;
        let limits = Limits::default();
        let capture = self.capture.read(limits)?;
        let a = Side { capture: &capture, factory: &mut || self.renderer.factory() };
        // With changes, the unchanged capture is the first side.
        let edited = self.capture.edit.as_ref().map(|_| &self.capture.capture);
        let found = if let Some(path) = self.other.as_ref().or(edited) {
            let other = read(path, limits)?;
            let b = Side { capture: &other, factory: &mut || self.renderer.factory() };
            if self.other.is_none() {
                diff(b, a, tolerance, max_outliers)?
            } else {
                diff(a, b, tolerance, max_outliers)?
            }
        } else {
            let options = self.renderer.options().reference();
            let b = Side { capture: &capture, factory: &mut || ReferenceFactory(options) };
            diff(a, b, tolerance, max_outliers)?
        };
        if let (Some(out), Some([a, b])) = (&self.out, &found.pictures) {
            output::make_folder(out)?;
            output::write_picture(&out.join("a.png"), a)?;
            output::write_picture(&out.join("b.png"), b)?;
            output::write_picture(&out.join("difference.png"), &difference(a, b, tolerance))?;
        }
        self.capture.format.print(&found, || found.to_string())?;
        Ok(Status::of(found.is_none()))
    }
}

//! `molehill diff`

use std::path::{Path, PathBuf};

use molehill_analysis::diff::{Difference, Side};
use molehill_analysis::{Capture, InspectError, Limits, diff};
use molehill_reference::ReferenceFactory;
use molehill_replay::evidence::Party;
use molehill_replay::image::difference;
use molehill_replay::{ReplayError, ReplayErrorKind};
use serde_json::json;

use super::capture_argument::{file_of, name, read};
use super::{
    CaptureArgument, Failure, RendererArguments, Status, Tolerance, UntestedArguments, output, with,
};

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
    #[command(flatten)]
    untested: UntestedArguments,
    /// Folder for the pictures of both sides
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Diff {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let capture = self.capture.read(Limits::default())?;
        let edited = self.capture.edit.as_ref().map(|_| &self.capture.capture);
        let found = match self.other.as_ref().or(edited) {
            Some(other) => self.captures(&capture, other)?,
            None => self.renderers(&capture)?,
        };
        if let (Some(out), Some([a, b])) = (&self.out, &found.pictures) {
            output::make_folder(out)?;
            output::write_picture(&out.join("a.png"), a)?;
            output::write_picture(&out.join("b.png"), b)?;
            let shown = difference(a, b, self.tolerance.tolerance);
            output::write_picture(&out.join("difference.png"), &shown)?;
        }
        let renderer = found.evidence.tested.to_string().into();
        self.capture
            .format
            .print(&with(json!(found), [("renderer", renderer)]), || found.to_string())?;
        Ok(self.untested.status(&found.evidence))
    }

    /// Compares two captures on one renderer. With changes alone, the unchanged capture is the first side.
    fn captures(&self, capture: &Capture, other: &Path) -> Result<Difference, Failure> {
        let other_capture = read(other, Limits::default())?;
        let file = |path: &Path| file_of(path).ok()?.canonicalize().ok();
        let path = &self.capture.capture;
        // Two paths of one file are one name.
        let names = match &self.capture.edit {
            Some(changes) => [format!("{} with {}", name(path), changes.display()), name(other)],
            None if file(path) == file(other) => [name(path), name(path)],
            None => [name(path), name(other)],
        };
        let [one, two] = [Some(names[0].as_str()), Some(names[1].as_str())];
        let a = Side { capture, input: one, factory: &mut || self.renderer.factory() };
        let b =
            Side { capture: &other_capture, input: two, factory: &mut || self.renderer.factory() };
        let (a, b) = if self.other.is_none() { (b, a) } else { (a, b) };
        let Tolerance { tolerance, max_outliers } = self.tolerance;
        Ok(diff(a, b, tolerance, max_outliers)?)
    }

    /// Compares OpenGL with the reference renderer. Without OpenGL, nothing is compared.
    fn renderers(&self, capture: &Capture) -> Result<Difference, Failure> {
        let options = self.renderer.options().reference();
        let a = Side { capture, input: None, factory: &mut || self.renderer.driver() };
        let b = Side { capture, input: None, factory: &mut || ReferenceFactory(options) };
        let Tolerance { tolerance, max_outliers } = self.tolerance;
        match diff(a, b, tolerance, max_outliers) {
            Err(InspectError::Replay(ReplayError {
                kind: ReplayErrorKind::NoDevice(error),
                ..
            })) => {
                output::complain(&error.to_string());
                Ok(Difference::new(Party::renderer("OpenGL", "")))
            }
            found => Ok(found?),
        }
    }
}

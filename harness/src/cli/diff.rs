//! `molehill diff`

use std::path::{Path, PathBuf};

use molehill_analysis::diff::{CaptureDifference, DiffSide};
use molehill_analysis::renderers::picture;
use molehill_analysis::wrong::RemainingDifference;
use molehill_analysis::{Capture, CaptureLimits, InspectError, diff};
use molehill_reference::ReferenceFactory;
use molehill_replay::evidence::Party;
use molehill_replay::image::{compare, difference};
use molehill_replay::{ReplayError, ReplayErrorKind};
use serde_json::json;

use super::capture_argument::{file_of, name, read};
use super::expected::expected;
use super::{
    CaptureArgument, CommandFailure, CommandStatus, RendererArguments, RendererKind,
    ToleranceArguments, UntestedArguments, output, with,
};

/// Finds the first difference between two captures, or between two renderers
#[derive(clap::Args)]
pub(super) struct Diff {
    #[command(flatten)]
    capture: CaptureArgument,
    /// Second capture [default: with --edit the unchanged capture, otherwise the same capture on the reference
    /// renderer]
    other: Option<PathBuf>,
    /// Expected image of the last frame; the output says which side is nearer to it
    #[arg(long, value_name = "IMAGE")]
    expect: Option<String>,
    #[command(flatten)]
    tolerance: ToleranceArguments,
    #[command(flatten)]
    renderer: RendererArguments,
    #[command(flatten)]
    untested: UntestedArguments,
    /// Folder for the images of both sides
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Diff {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let capture = self.capture.read(CaptureLimits::default())?;
        let edited = self.capture.edit.as_ref().map(|_| &self.capture.capture);
        let other = self.other.as_ref().or(edited);
        let other = other
            .map(|path| Ok::<_, CommandFailure>((path, read(path, CaptureLimits::default())?)));
        let other = other.transpose()?;
        let found = match &other {
            Some((path, other)) => self.captures(&capture, (path, other))?,
            None => self.renderers(&capture)?,
        };
        let remaining = self.expect.as_ref();
        let remaining = remaining
            .map(|text| self.remaining(text, &capture, other.as_ref().map(|(_, other)| other)));
        let remaining = remaining.transpose()?;
        if let (Some(out), Some([a, b])) = (&self.out, &found.pictures) {
            output::make_folder(out)?;
            output::write_picture(&out.join("a.png"), a)?;
            output::write_picture(&out.join("b.png"), b)?;
            let shown = difference(a, b, self.tolerance.tolerance);
            output::write_picture(&out.join("difference.png"), &shown)?;
        }
        let renderer = found.evidence.tested.to_string().into();
        let answer = with(json!(found), [("renderer", renderer)]);
        let answer = with(answer, remaining.map(|remaining| ("expected", json!(remaining))));
        let text = || {
            let side = |(name, remaining)| format!("{name} and the expected image: {remaining}\n");
            let sides = remaining.iter().flat_map(|both| ["a", "b"].into_iter().zip(both));
            found.to_string() + &sides.map(side).collect::<String>()
        };
        self.capture.format.print(&answer, text)?;
        Ok(self.untested.status(&found.evidence))
    }

    /// Compares the last frames of both captures or renderers with the expected image.
    fn remaining(
        &self,
        text: &str,
        capture: &Capture,
        other: Option<&Capture>,
    ) -> Result<[RemainingDifference; 2], CommandFailure> {
        let mut expected = expected(text)?;
        let tolerance = self.tolerance.tolerance;
        let selected = self.renderer.kind;
        let mut side = |capture: &Capture, kind| {
            let (frame, factory) =
                (capture.last_complete_frame()?, || self.renderer.factory_of(kind));
            let is = picture(capture, factory(), frame)?;
            let should = expected.picture_on(frame, factory)?;
            Ok::<_, InspectError>((&compare(&is, &should, tolerance)).into())
        };
        // The two sides are in the order in which the difference was computed.
        Ok(match other {
            None => [side(capture, selected)?, side(capture, RendererKind::REFERENCE)?],
            Some(other) if self.other.is_none() => {
                [side(other, selected)?, side(capture, selected)?]
            }
            Some(other) => [side(capture, selected)?, side(other, selected)?],
        })
    }

    /// Compares two captures on one renderer. If only --edit is given, the unchanged capture is the first side.
    fn captures(
        &self,
        capture: &Capture,
        (other, other_capture): (&Path, &Capture),
    ) -> Result<CaptureDifference, CommandFailure> {
        let file = |path: &Path| file_of(path).ok()?.canonicalize().ok();
        let path = &self.capture.capture;
        // Two paths to the same file have the same name in the output.
        let names = match &self.capture.edit {
            Some(changes) => [format!("{} with {}", name(path), changes.display()), name(other)],
            None if file(path) == file(other) => [name(path), name(path)],
            None => [name(path), name(other)],
        };
        let [one, two] = [Some(names[0].as_str()), Some(names[1].as_str())];
        let a = DiffSide { capture, input: one, factory: &mut || self.renderer.factory() };
        let b = DiffSide {
            capture: other_capture,
            input: two,
            factory: &mut || self.renderer.factory(),
        };
        let (a, b) = if self.other.is_none() { (b, a) } else { (a, b) };
        let ToleranceArguments { tolerance, max_outliers } = self.tolerance;
        Ok(diff(a, b, tolerance, max_outliers)?)
    }

    /// Compares OpenGL with the reference renderer. Without OpenGL, compares nothing.
    fn renderers(&self, capture: &Capture) -> Result<CaptureDifference, CommandFailure> {
        let options = self.renderer.options().reference();
        let a = DiffSide { capture, input: None, factory: &mut || self.renderer.driver() };
        let b = DiffSide { capture, input: None, factory: &mut || ReferenceFactory(options) };
        let ToleranceArguments { tolerance, max_outliers } = self.tolerance;
        match diff(a, b, tolerance, max_outliers) {
            Err(InspectError::Replay(ReplayError {
                kind: ReplayErrorKind::NoDevice(error),
                ..
            })) => {
                output::complain(&error.to_string());
                Ok(CaptureDifference::new(Party::renderer("OpenGL", "")))
            }
            found => Ok(found?),
        }
    }
}

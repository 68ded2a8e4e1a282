//! `molehill draws`

use std::path::{Path, PathBuf};

use molehill_analysis::InspectError;
use molehill_analysis::draws::{DrawPictures, DrawReport};

use super::capture_argument::CaptureArgument;
use super::output::{self, Failure, Status};

/// Shows the passes and draws of a frame, their effects, and draws without effect
#[derive(clap::Args)]
#[command(after_help = include_str!("../help/draws.txt"))]
pub(super) struct Draws {
    #[command(flatten)]
    capture: CaptureArgument,
    /// The frame, by its number in the capture
    #[arg(short, long, value_name = "N")]
    frame: u32,
    /// Folder for pictures
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Draws {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let mut inspector = self.capture.inspector(Some(self.frame))?;
        let report = if let Some(out) = &self.out {
            output::make_folder(out)?;
            inspector.draws_with_pictures(self.frame, &mut |draw, pictures| {
                let written = write(out, draw, &pictures);
                written.map_err(|Failure(text)| InspectError::Unsupported(text))
            })?
        } else {
            inspector.draws(self.frame)?
        };
        self.capture.format.print(&report, || report.text(inspector.capture()))
    }
}

fn write(out: &Path, draw: &DrawReport, pictures: &DrawPictures) -> Result<(), Failure> {
    let changed = pictures.changed();
    let targets = [("before", &pictures.before), ("after", &pictures.after)];
    let targets = targets.into_iter().flat_map(|(when, images)| {
        let one = move |(output, image)| match output {
            0 => (when.to_owned(), image),
            output => (format!("{when}-{output}"), image),
        };
        images.iter().enumerate().map(one)
    });
    let others = [
        ("changed", changed.as_ref()),
        ("depth", pictures.depth.as_ref()),
        ("stencil", pictures.stencil.as_ref()),
        ("overdraw", Some(&pictures.overdraw)),
    ];
    let others = others.into_iter().filter_map(|(what, image)| Some((what.to_owned(), image?)));
    targets.chain(others).try_for_each(|(what, image)| {
        output::write_picture(&out.join(format!("{:06}-{what}.png", draw.call)), image)
    })
}

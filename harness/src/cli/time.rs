//! `molehill time`

use molehill_analysis::Limits;
use molehill_analysis::cost::measure;
use serde_json::json;

use super::{CaptureArgument, Failure, RendererArguments, Status};

/// Shows what the draws of a frame cost: measured on a renderer, and modelled
#[derive(clap::Args)]
pub(super) struct Time {
    #[command(flatten)]
    capture: CaptureArgument,
    /// The frame, by its number in the capture
    #[arg(short, long, value_name = "N")]
    frame: u32,
    #[command(flatten)]
    renderer: RendererArguments,
}

impl Time {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let limits = Limits { last_frame: Some(self.frame), ..Limits::default() };
        let mut inspector = self.capture.inspector(limits)?;
        let modelled = inspector.cost(self.frame)?;
        let measured = measure(inspector.capture(), self.renderer.factory(), self.frame)?;
        let answer = json!({ "modelled": modelled, "measured": measured });
        self.capture.format.print(&answer, || modelled.text(&measured))
    }
}

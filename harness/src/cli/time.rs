//! `molehill time`

use std::time::Duration;

use backend_gl::GlDevice;
use molehill_analysis::cost::measure;
use serde_json::json;

use super::{CaptureArgument, CommandFailure, CommandStatus, FrameArgument, RendererArguments};

/// Shows the cost of a frame's draws: measured on a renderer, and estimated
#[derive(clap::Args)]
pub(super) struct Time {
    #[command(flatten)]
    capture: CaptureArgument,
    #[command(flatten)]
    frame: FrameArgument,
    #[command(flatten)]
    renderer: RendererArguments,
}

impl Time {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let (mut inspector, place) = self.frame.open(&self.capture, None)?;
        let modelled = inspector.cost(place.frame)?;
        let factory = self.renderer.factory();
        let devices = factory.devices.clone();
        let timed = |work: &mut dyn FnMut()| {
            let devices = devices.borrow().clone();
            timed(&devices, work).filter(|_| !devices.is_empty())
        };
        let measured = measure(inspector.capture(), factory, place.frame, timed)?;
        let renderer = self.renderer.party().to_string();
        let mut answer =
            json!({ "renderer": renderer, "modelled": modelled, "measured": measured });
        place.mark(&mut answer);
        let text = || {
            let why = place.line("frame");
            format!("{why}measured on {renderer}\n{}", modelled.text(&measured))
        };
        self.capture.format.print(&answer, text)
    }
}

/// Calls a function and measures the GPU time of its draws. Returns all devices' total time, or `None` without timers.
fn timed(devices: &[GlDevice], work: &mut dyn FnMut()) -> Option<Duration> {
    let Some((first, others)) = devices.split_first() else {
        work();
        return Some(Duration::ZERO);
    };
    let (of_others, of_first) = first.timed(|| timed(others, work));
    Some(of_first? + of_others?)
}

//! `molehill pixel`

use molehill_analysis::pixel::{RenderFace, values_on};
use molehill_queries::pixel_request::{PixelAnswer, PixelRequest};
use molehill_queries::question::{face, place};
use molehill_replay::evidence::Party;
use serde_json::{Value, json};

use super::expected::expected;
use super::{
    CaptureArgument, CommandFailure, CommandStatus, FrameArgument, RendererArguments, RendererKind,
    with,
};

/// Shows the history of a pixel, or debugs a program for it step by step
#[derive(clap::Args)]
#[command(
    mut_arg("kind", |backend| backend
        .default_value("reference")
        .help("Also show the values of this renderer next to those of the reference renderer"))
)]
pub(super) struct PixelCommand {
    #[command(flatten)]
    capture: CaptureArgument,
    #[command(flatten)]
    frame: FrameArgument,
    /// Pixel of the stage, or of the texture [default: with --expect, the pixel that differs most]
    #[arg(long, value_name = "X,Y", value_parser = place, required_unless_present = "expect")]
    at: Option<(u32, u32)>,
    /// Expected image of the frame: a PNG, or a capture's frame with the same number (or CAPTURE@FRAME)
    #[arg(long, value_name = "IMAGE", conflicts_with_all = ["texture", "step"])]
    expect: Option<String>,
    /// Show a pixel of this render target instead of the stage
    #[arg(long, value_name = "ID[:FACE]", value_parser = face)]
    texture: Option<RenderFace>,
    /// Run the program of the draw in this call step by step, in the interpreter
    #[arg(long, value_name = "N", conflicts_with = "texture", conflicts_with_all = RendererArguments::OPTIONS)]
    step: Option<usize>,
    /// Fragment of the draw at the pixel, counted from 0 [default: the last that passed]
    #[arg(long, value_name = "N", requires = "step")]
    fragment: Option<usize>,
    #[command(flatten)]
    renderer: RendererArguments,
}

impl PixelCommand {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let mut expected = self.expect.as_deref().map(expected).transpose()?;
        let (mut inspector, place) = self.frame.open(&self.capture, expected.as_ref())?;
        let print = |mut answer: Value, text: String| {
            place.mark(&mut answer);
            self.capture.format.print(&answer, || place.line("frame") + &text)
        };
        let PixelCommand { at, texture, step, fragment, .. } = self;
        let request = PixelRequest { frame: place.frame, at, texture, step, fragment };
        let history = match request.answer(&mut inspector, expected.as_mut())? {
            PixelAnswer::Steps(steps) => return print(json!(steps), steps.to_string()),
            PixelAnswer::History(history) => history,
        };
        if self.renderer.kind == RendererKind::REFERENCE {
            let answer = with(json!(history), [("renderer", Party::REFERENCE.into())]);
            let drawn = format!("drawn by the {}\n", Party::REFERENCE);
            return print(answer, history.text(inspector.capture(), &[]) + &drawn);
        }
        let values = values_on(inspector.capture(), self.renderer.factory(), &history)?;
        let renderer = self.renderer.party().to_string();
        let answer = json!({ "history": history, "driver": values, "renderer": renderer });
        let drawn = format!("driver: {renderer}\n");
        print(answer, history.text(inspector.capture(), &values) + &drawn)
    }
}

//! A query of a pixel's history, shared by the command line and the server.

use molehill_analysis::pixel::PixelHistory;
use molehill_analysis::pixel::RenderFace;
use molehill_analysis::step::StepReport;
use molehill_analysis::{FrameExpectation, Inspector, Result};

/// A query about a pixel of the stage or of a texture.
#[derive(Clone, Copy, Debug)]
pub struct PixelRequest {
    pub frame: u32,
    /// The position in pixels. `None` selects the pixel that differs most from the expected image.
    pub at: Option<(u32, u32)>,
    pub texture: Option<RenderFace>,
    /// The draw whose fragment program is debugged, as a call number.
    pub step: Option<usize>,
    /// The 0-based index of the draw's fragment at the pixel: see [`Inspector::step`].
    pub fragment: Option<usize>,
}

#[derive(Clone, Debug)]
pub enum PixelAnswer {
    History(PixelHistory),
    Steps(Box<StepReport>),
}

impl PixelRequest {
    /// Executes the query. Errors: those of the replays, and
    /// [`Unsupported`](molehill_analysis::InspectError::Unsupported) if both the position and the expected image are
    /// missing.
    pub fn answer(
        self,
        inspector: &mut Inspector,
        mut expected: Option<&mut FrameExpectation>,
    ) -> Result<PixelAnswer> {
        let PixelRequest { frame, at, texture, step, fragment } = self;
        let at = match (at, &mut expected) {
            (Some(at), _) => at,
            (None, Some(expected)) => inspector.most_wrong_pixel(frame, expected)?,
            (None, None) => {
                return Err("pixel needs the parameter \"at\" or \"expect\"".to_owned().into());
            }
        };
        if let Some(call) = step {
            return Ok(PixelAnswer::Steps(Box::new(inspector.step(frame, at, call, fragment)?)));
        }
        let mut history = match texture {
            Some(face) => inspector.texture_pixel(frame, face, at)?,
            None => inspector.pixel(frame, at)?,
        };
        if let Some(expected) = expected {
            history.expect(&*expected.picture(frame)?);
        }
        Ok(PixelAnswer::History(history))
    }
}

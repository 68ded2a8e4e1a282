//! The question about a pixel, as the command and the server ask it.

use crate::calls::Face;
use crate::error::Result;
use crate::expected::Expected;
use crate::inspector::Inspector;
use crate::pixel::PixelHistory;
use crate::step::StepReport;

/// A question about a pixel of the stage, or of a texture.
#[derive(Clone, Copy, Debug)]
pub struct PixelRequest {
    pub frame: u32,
    /// The position; if `None`, that of the pixel that differs most from the expected image.
    pub at: Option<(u32, u32)>,
    pub texture: Option<Face>,
    /// The draw whose fragment program is stepped.
    pub step: Option<usize>,
    /// The fragment of that draw: see [`Inspector::step`].
    pub fragment: Option<usize>,
}

#[derive(Clone, Debug)]
pub enum PixelAnswer {
    History(PixelHistory),
    Steps(Box<StepReport>),
}

impl PixelRequest {
    /// Answers the question. Errors: those of the replays, and [`Unsupported`](crate::InspectError::Unsupported) without
    /// a position and an expected image.
    pub fn answer(
        self,
        inspector: &mut Inspector,
        mut expected: Option<&mut Expected>,
    ) -> Result<PixelAnswer> {
        let PixelRequest { frame, at, texture, step, fragment } = self;
        let at = match (at, &mut expected) {
            (Some(at), _) => at,
            (None, Some(expected)) => inspector.most_wrong_pixel(frame, expected)?,
            (None, None) => return Err("pixel needs at, or expect".to_owned().into()),
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

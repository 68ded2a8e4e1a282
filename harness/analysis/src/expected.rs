//! The expected image of a frame: from an image file, or from a frame of another capture.

use std::sync::Arc;

use context3d::backend::BackendFactory;
use molehill_replay::image::RgbaImage;

use crate::capture::Capture;
use crate::error::Result;
use crate::inspector::Inspector;
use crate::renderers::picture;

/// The expected image of a frame.
pub enum FrameExpectation {
    Picture(Arc<RgbaImage>),
    /// Another capture and a frame number there; `None` selects the frame with the inspected frame's number.
    Capture(Box<Inspector>, Option<u32>),
}

/// The content of a file with the expected image.
pub enum ExpectedFile {
    Picture(RgbaImage),
    Capture(Arc<Capture>),
}

impl FrameExpectation {
    /// Reads the expected image from a string such as `flash.png`, `other.s3d` or `other.s3d@59`. `read` opens the
    /// named image file or capture. Errors: those of `read`, [`NoFrame`](crate::InspectError::NoFrame), and for a frame
    /// of an image file [`Unsupported`](crate::InspectError::Unsupported).
    pub fn read(
        text: &str,
        read: &mut dyn FnMut(&str) -> Result<ExpectedFile>,
    ) -> Result<FrameExpectation> {
        let number = |frame: &str| match frame {
            "last" => Some(None),
            digits => digits.parse().ok().map(Some),
        };
        let part = text.rsplit_once('@').and_then(|(path, frame)| Some((path, number(frame)?)));
        let (path, frame) = part.map_or((text, None), |(path, frame)| (path, Some(frame)));
        match (read(path)?, frame) {
            (ExpectedFile::Picture(image), None) => Ok(FrameExpectation::Picture(Arc::new(image))),
            (ExpectedFile::Picture(_), Some(_)) => {
                Err(format!("{path} is an image, which has no frames; omit @ and the frame").into())
            }
            (ExpectedFile::Capture(capture), frame) => {
                let number = match frame {
                    None => None,
                    Some(Some(number)) => Some(capture.frame(number)?.number),
                    Some(None) => Some(capture.last_complete_frame()?),
                };
                Ok(FrameExpectation::Capture(Box::new(Inspector::new(capture)), number))
            }
        }
    }

    /// Returns the expected image of a frame. The reference renderer renders the expected image of a capture.
    pub fn picture(&mut self, frame: u32) -> Result<Arc<RgbaImage>> {
        match self {
            FrameExpectation::Picture(image) => Ok(Arc::clone(image)),
            FrameExpectation::Capture(inspector, number) => {
                Ok(Arc::new(inspector.screen(number.unwrap_or(frame))?))
            }
        }
    }

    /// Like [`FrameExpectation::picture`], but renders the frame of a capture on another renderer.
    pub fn picture_on<F: BackendFactory>(
        &mut self,
        frame: u32,
        factory: impl FnOnce() -> F,
    ) -> Result<Arc<RgbaImage>> {
        let Some((inspector, number)) = self.capture(frame) else { return self.picture(frame) };
        Ok(Arc::new(picture(inspector.capture(), factory(), number)?))
    }

    /// Returns the expected capture and its frame for `frame`, or `None` if the expected image is a file.
    pub fn capture(&mut self, frame: u32) -> Option<(&mut Inspector, u32)> {
        match self {
            FrameExpectation::Picture(_) => None,
            FrameExpectation::Capture(inspector, number) => {
                let number = number.unwrap_or(frame);
                Some((inspector, number))
            }
        }
    }
}

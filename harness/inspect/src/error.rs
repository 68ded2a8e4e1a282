//! Errors of questions about a capture.

use std::fmt;

use molehill_capture::CaptureError;
use molehill_replay::ReplayError;

/// Why a question has no answer.
#[derive(Debug)]
pub enum InspectError {
    /// The capture is invalid, before its first call or in a record that is read.
    Capture(CaptureError),
    /// The capture is larger than [`Limits::bytes`](crate::Limits::bytes).
    TooLarge(u64),
    /// The replay ends before the requested call or frame.
    Replay(ReplayError),
    /// The capture has no such call.
    NoCall {
        /// The requested number.
        call: usize,
        /// The number of the last call; 0 if there are none.
        last: usize,
    },
    /// The capture has no such frame.
    NoFrame {
        /// The requested number.
        frame: u32,
        /// First and last frame; `None` if there are none.
        there: Option<(u32, u32)>,
    },
    /// The range ends before it starts.
    EmptyRange,
    /// The pixel is outside of the picture.
    NoPixel {
        /// The requested position.
        at: (u32, u32),
        /// Width and height of the picture.
        size: (u32, u32),
    },
    /// No such texture in this frame, or it has no such face.
    NoTexture(crate::pixel::Face),
    /// The call is not a draw that was executed.
    NotADraw(usize),
    /// The call's context has not been used yet, or is disposed.
    NoContext(usize),
    /// The draw has no such fragment at the pixel.
    NoFragment {
        /// The draw's number.
        call: usize,
        /// Number of fragments that the draw has there.
        fragments: usize,
    },
    /// The callback cancelled the question: see [`Inspector::on_progress`](crate::Inspector::on_progress).
    Cancelled,
    /// The whole capture doesn't show the fault.
    NoFault,
    /// The answer can't be found; the reason.
    Unsupported(String),
}

impl fmt::Display for InspectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InspectError::Capture(error) => write!(f, "{error}"),
            InspectError::TooLarge(bytes) => {
                write!(
                    f,
                    "the calls take more than {} MiB of memory; `molehill convert` makes a .s3d, which is not read into memory",
                    bytes >> 20
                )
            }
            InspectError::Replay(error) => write!(f, "{error}"),
            InspectError::NoCall { call, last: 0 } => {
                write!(f, "no call {call}: the capture has none")
            }
            InspectError::NoCall { call, last } => {
                write!(f, "no call {call}: the capture has calls 1 to {last}")
            }
            InspectError::NoFrame { frame, there: None } => {
                write!(f, "no frame {frame}: the capture has none")
            }
            InspectError::NoFrame { frame, there: Some((first, last)) } => {
                write!(f, "no frame {frame}: the capture has frames {first} to {last}")
            }
            InspectError::EmptyRange => f.write_str("the range ends before it starts"),
            InspectError::NoPixel { at: (x, y), size: (width, height) } => {
                write!(f, "no pixel {x},{y}: the picture is {width}×{height}")
            }
            InspectError::NoTexture(face) => {
                write!(f, "no texture {}, or it has no face {}", face.texture, face.side)
            }
            InspectError::NotADraw(call) => write!(f, "call {call} is not an executed draw"),
            InspectError::NoContext(call) => {
                write!(f, "call {call} has no context, or its context is disposed")
            }
            InspectError::NoFragment { call, fragments: 0 } => {
                write!(f, "call {call} has no fragment at this pixel")
            }
            InspectError::NoFragment { call, fragments } => {
                write!(f, "call {call} has {fragments} fragments at this pixel, numbered from 0")
            }
            InspectError::Cancelled => f.write_str("cancelled"),
            InspectError::NoFault => f.write_str("the whole capture doesn't show the fault"),
            InspectError::Unsupported(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for InspectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            InspectError::Capture(error) => Some(error),
            InspectError::Replay(error) => Some(error),
            _ => None,
        }
    }
}

impl From<CaptureError> for InspectError {
    fn from(error: CaptureError) -> Self {
        InspectError::Capture(error)
    }
}

impl From<ReplayError> for InspectError {
    fn from(error: ReplayError) -> Self {
        InspectError::Replay(error)
    }
}

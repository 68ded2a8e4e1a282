//! Why a question has no answer.

use std::fmt;

use molehill_capture::CaptureError;
use molehill_replay::ReplayError;

/// Why a question has no answer.
#[derive(Debug)]
pub enum InspectError {
    /// The capture is invalid before its first call, or where it is read.
    Capture(CaptureError),
    /// The capture is larger than [`Limits::bytes`](crate::Limits::bytes).
    TooLarge(u64),
    /// The replay ends before what was asked for.
    Replay(ReplayError),
    /// No such call; the last one is given.
    NoCall {
        /// The number.
        call: usize,
        /// The last one of the capture, 0 if it has none.
        last: usize,
    },
    /// No such frame; the first and the last one are given.
    NoFrame {
        /// The number.
        frame: u32,
        /// Those of the capture, if it has any.
        there: Option<(u32, u32)>,
    },
    /// A range that ends before it starts.
    EmptyRange,
    /// A pixel outside the picture.
    NoPixel {
        /// The place.
        at: (u32, u32),
        /// Width and height of the picture.
        size: (u32, u32),
    },
    /// No such texture in this frame, or it has no such face.
    NoTexture(crate::pixel::Face),
    /// The call is not a draw that was carried out.
    NotADraw(usize),
    /// The call's context has not started, or is disposed.
    NoContext(usize),
    /// The draw has no such fragment at the pixel.
    NoFragment {
        /// The draw's call.
        call: usize,
        /// Number of its fragments there.
        fragments: usize,
    },
    /// The user has had enough: see [`Inspector::on_progress`](crate::Inspector::on_progress).
    Cancelled,
    /// The capture doesn't show the fault to begin with.
    NoFault,
    /// What was asked for can't be told; the reason.
    Unsupported(String),
}

impl fmt::Display for InspectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InspectError::Capture(error) => write!(f, "{error}"),
            InspectError::TooLarge(bytes) => {
                write!(f, "the calls take more than {} MiB of memory", bytes >> 20)
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
            InspectError::NoFrame {
                frame,
                there: Some((first, last)),
            } => write!(
                f,
                "no frame {frame}: the capture has frames {first} to {last}"
            ),
            InspectError::EmptyRange => f.write_str("the range ends before it starts"),
            InspectError::NoPixel {
                at: (x, y),
                size: (width, height),
            } => write!(f, "no pixel {x},{y}: the picture is {width}×{height}"),
            InspectError::NoTexture(face) => {
                write!(
                    f,
                    "no texture {}, or it has no face {}",
                    face.texture, face.side
                )
            }
            InspectError::NotADraw(call) => write!(f, "call {call} draws nothing"),
            InspectError::NoContext(call) => {
                write!(f, "call {call} is not on a context that works")
            }
            InspectError::NoFragment { call, fragments: 0 } => {
                write!(f, "call {call} has no fragment at this pixel")
            }
            InspectError::NoFragment { call, fragments } => {
                write!(
                    f,
                    "call {call} has {fragments} fragments at this pixel, numbered from 0"
                )
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

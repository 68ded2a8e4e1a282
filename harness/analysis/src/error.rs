//! Errors of queries about a capture.

use molehill_capture::CaptureError;
use molehill_replay::ReplayError;

use crate::calls::RenderFace;

pub type Result<T, E = InspectError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// The capture is invalid: its header, or a record that the query reads.
    #[error("{0}")]
    Capture(#[from] CaptureError),
    /// The capture in memory would exceed [`CaptureLimits::bytes`](crate::CaptureLimits::bytes).
    #[error(
        "the calls take more than {} MiB of memory; `molehill convert` writes a .s3d file, which is not read into memory",
        .0 >> 20
    )]
    TooLarge(u64),
    /// The replay ends before the requested call or frame.
    #[error("{0}")]
    Replay(#[from] ReplayError),
    /// `last` is the number of the capture's last call; 0 for a capture without calls.
    #[error("no call {call}: the capture has {}", range("calls", (*last > 0).then_some((1, *last))))]
    NoCall { call: usize, last: usize },
    /// `there` has the numbers of the first and last frame; `None` for a capture without frames.
    #[error("no frame {frame}: the capture has {}", range("frames", *there))]
    NoFrame { frame: u32, there: Option<(u32, u32)> },
    #[error("the range ends before it starts")]
    EmptyRange,
    /// `size` is the image's width and height.
    #[error("no pixel {},{}: the image is {}×{}", .at.0, .at.1, .size.0, .size.1)]
    NoPixel { at: (u32, u32), size: (u32, u32) },
    /// The texture doesn't exist in this frame, or lacks this face.
    #[error("texture {} does not exist, or has no face {}", .0.texture, .0.side)]
    NoTexture(RenderFace),
    #[error("call {0} is not an executed draw")]
    NotADraw(usize),
    /// The call's context has not been used yet, or is disposed.
    #[error("call {0} has no context, or its context is disposed")]
    NoContext(usize),
    /// `fragments` is the number of fragments that the draw generates at the pixel.
    #[error("call {call} has {}", at_pixel(*fragments))]
    NoFragment { call: usize, fragments: usize },
    /// The callback cancelled the query: see [`Inspector::on_progress`](crate::Inspector::on_progress).
    #[error("cancelled")]
    Cancelled,
    #[error("the whole capture doesn't show the bug")]
    NoFault,
    /// The query has no result; the text is the reason.
    #[error("{0}")]
    Unsupported(String),
}

impl From<String> for InspectError {
    fn from(reason: String) -> Self {
        InspectError::Unsupported(reason)
    }
}

fn range<T: std::fmt::Display>(what: &str, there: Option<(T, T)>) -> String {
    there.map_or("none".to_owned(), |(first, last)| format!("{what} {first} to {last}"))
}

fn at_pixel(fragments: usize) -> String {
    match fragments {
        0 => "no fragment at this pixel".to_owned(),
        count => format!("{count} fragments at this pixel, numbered from 0"),
    }
}

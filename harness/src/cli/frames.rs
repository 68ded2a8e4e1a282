//! The command-line option that selects a frame, and the frames that a replay has finished.

use molehill_analysis::selection::texts;
use molehill_analysis::{CapturePlace, FrameExpectation, FrameSelection, Inspector};

use super::{CaptureArgument, CommandFailure};

#[derive(clap::Args)]
pub(super) struct FrameArgument {
    /// Frame, by its number in the capture, or last [default: the frame that stands out; with --expect, the last one]
    #[arg(short, long, alias = "frames", value_name = "N")]
    frame: Option<FrameSelection>,
}

impl FrameArgument {
    /// Opens the capture up to the frame. Returns the inspector and the selected frame, by default that of
    /// [`Inspector::place`].
    pub(super) fn open(
        &self,
        capture: &CaptureArgument,
        expected: Option<&FrameExpectation>,
    ) -> Result<(Inspector, CapturePlace), CommandFailure> {
        let frame = self.frame.as_ref();
        let mut inspector = capture.inspector(frame.and_then(FrameSelection::end))?;
        let place = match frame {
            Some(frame) => CapturePlace::named(frame.frame(inspector.capture())?, None),
            None => inspector.place(expected)?,
        };
        Ok((inspector, place))
    }
}

/// The frames that a replay has finished.
#[derive(Clone, Debug, Default)]
pub(super) struct EndedFrames {
    first: u32,
    pub(super) last: Option<u32>,
    /// For each selected range, true if it contained a frame. The frame numbers of a capture may have gaps.
    has_frame: Vec<bool>,
}

impl EndedFrames {
    pub(super) fn add(&mut self, frame: u32, requested: Option<&FrameSelection>) {
        if self.last.is_none() {
            self.first = frame;
        }
        self.last = Some(frame);
        if let Some(FrameSelection::Ranges(ranges)) = requested {
            self.has_frame.resize(ranges.len(), false);
            for (has_frame, range) in self.has_frame.iter_mut().zip(ranges) {
                *has_frame |= range.contains(&frame);
            }
        }
    }

    /// Returns a message that names the requested frames that the capture lacks.
    pub(super) fn lacks(&self, requested: &FrameSelection) -> Option<String> {
        let Some(last) = self.last else {
            return (*requested != FrameSelection::All)
                .then(|| "the capture has no frames".to_owned());
        };
        let FrameSelection::Ranges(ranges) = requested else { return None };
        let missing = ranges.iter().enumerate().filter_map(|(part, range)| {
            let (first, end) = (*range.start(), *range.end());
            match self.has_frame.get(part) {
                Some(true) if end > last => Some(last + 1..=end),
                Some(true) => None,
                _ => Some(first..=end),
            }
        });
        let missing = texts(&missing.collect::<Vec<_>>());
        (!missing.is_empty()).then(|| {
            let (missing, first) = (missing.join(", "), self.first);
            format!("the capture has no frame {missing}; its frames are {first} to {last}")
        })
    }
}

#[cfg(test)]
#[path = "../../tests/unit/frames.rs"]
mod tests;

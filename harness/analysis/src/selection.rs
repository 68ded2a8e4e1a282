//! Selections of frames and calls, such as `3`, `10-20`, `0,5,10-20`, `all` or `last`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::capture::{Capture, CaptureFrame};
use crate::error::{InspectError, Result};
use crate::number::range;

/// A selection of frames by their numbers in the capture, or of calls numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameSelection {
    All,
    Last,
    /// Ranges of frame or call numbers, in the order of the input.
    Ranges(Vec<RangeInclusive<u32>>),
}

impl FromStr for FrameSelection {
    type Err = String;

    /// Parses `3`, `10-20`, `0,5,10-20`, `all` or `last`. Errors: a message for text without a selection.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => return Ok(FrameSelection::All),
            "last" => return Ok(FrameSelection::Last),
            _ => {}
        }
        let part = |part| range(part).map(|(first, last)| first..=last);
        let ranges = text.split(',').map(part).collect::<Result<_, _>>();
        let wrong = |reason| format!("{reason}; expected 3, 10-20, 0,5,10-20, all or last");
        ranges.map(FrameSelection::Ranges).map_err(wrong)
    }
}

impl fmt::Display for FrameSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameSelection::All => f.write_str("all"),
            FrameSelection::Last => f.write_str("last"),
            FrameSelection::Ranges(ranges) => f.write_str(&texts(ranges).join(",")),
        }
    }
}

/// Formats ranges as text: `3`, `10-20`.
pub fn texts(ranges: &[RangeInclusive<u32>]) -> Vec<String> {
    let text = |range: &RangeInclusive<u32>| match (range.start(), range.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    };
    ranges.iter().map(text).collect()
}

impl FrameSelection {
    /// Returns whether a number is selected. For `last`, returns false, because the last frame's number isn't known
    /// here.
    pub fn contains(&self, number: u32) -> bool {
        match self {
            FrameSelection::All => true,
            FrameSelection::Last => false,
            FrameSelection::Ranges(ranges) => ranges.iter().any(|range| range.contains(&number)),
        }
    }

    /// Returns the largest selected number, or `None` for `all` and `last`.
    pub fn end(&self) -> Option<u32> {
        match self {
            FrameSelection::All | FrameSelection::Last => None,
            FrameSelection::Ranges(ranges) => ranges.iter().map(|range| *range.end()).max(),
        }
    }

    /// Returns the frame number if exactly one frame is selected, or `None` for `last`. Errors: a message if several
    /// numbers are selected.
    pub fn single(&self) -> Result<Option<u32>, String> {
        if let FrameSelection::Ranges(ranges) = self
            && let [range] = &ranges[..]
            && range.start() == range.end()
        {
            return Ok(Some(*range.start()));
        }
        match self {
            FrameSelection::Last => Ok(None),
            FrameSelection::All | FrameSelection::Ranges(_) => {
                Err(format!("{self} selects several; select only one, such as 3 or last"))
            }
        }
    }

    /// Returns the selected frames in order. Errors: a range that contains no frame, or that ends after the last frame.
    pub fn frames<'a>(&self, capture: &'a Capture) -> Result<Vec<&'a CaptureFrame>> {
        let all = capture.frames();
        let last = all.last().ok_or(InspectError::NoFrame { frame: 0, there: None })?;
        match self {
            FrameSelection::All => Ok(all.iter().collect()),
            FrameSelection::Last => Ok(vec![last]),
            FrameSelection::Ranges(ranges) => {
                for range in ranges {
                    let at = all.partition_point(|frame| frame.number < *range.start());
                    let has_frame = all.get(at).is_some_and(|it| range.contains(&it.number));
                    let missing = if has_frame { *range.end() } else { *range.start() };
                    if !has_frame || missing > last.number {
                        capture.frame(missing)?;
                    }
                }
                Ok(all.iter().filter(|frame| self.contains(frame.number)).collect())
            }
        }
    }

    /// Returns the number of the only selected frame. Errors: several frames, or a frame that doesn't exist.
    pub fn frame(&self, capture: &Capture) -> Result<u32> {
        match (self.single()?, capture.frames().last()) {
            (Some(frame), _) => capture.frame(frame).map(|frame| frame.number),
            (None, Some(last)) => Ok(last.number),
            (None, None) => Err(InspectError::NoFrame { frame: 0, there: None }),
        }
    }

    /// Returns the first and last of consecutive frames. Errors: those of [`FrameSelection::frames`], and a selection
    /// with gaps.
    pub fn span(&self, capture: &Capture) -> Result<(u32, u32)> {
        let frames = self.frames(capture)?;
        let gap = matches!(self, FrameSelection::Ranges(ranges) if ranges.len() > 1);
        match (frames.first(), frames.last()) {
            (Some(first), Some(last)) if !gap => Ok((first.number, last.number)),
            _ => Err(format!("{self} has gaps; expected one range, such as 10-20").into()),
        }
    }

    /// Returns the selected calls. Errors: a call that doesn't exist.
    pub fn calls(&self, capture: &Capture) -> Result<Vec<RangeInclusive<usize>>> {
        let last = capture.call_count();
        let known = |call: u32| {
            let call = call as usize;
            capture.record_index(call).map(|_| call)
        };
        match self {
            FrameSelection::All if last == 0 => Ok(Vec::new()),
            FrameSelection::All => Ok(vec![1..=last]),
            FrameSelection::Last => capture.record_index(last).map(|_| vec![last..=last]),
            FrameSelection::Ranges(ranges) => {
                ranges.iter().map(|it| Ok(known(*it.start())?..=known(*it.end())?)).collect()
            }
        }
    }

    /// Returns the number of the only selected call. Errors: a selection of several calls, or of a call that doesn't
    /// exist.
    pub fn call(&self, capture: &Capture) -> Result<usize> {
        let call = self.single()?.map_or(capture.call_count(), |call| call as usize);
        capture.record_index(call).map(|_| call)
    }
}

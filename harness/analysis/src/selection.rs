//! Selections of frames and calls: `3`, `10-20`, `0,5,10-20`, `all`, `last`; and the place that is shown without one.

use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use web_time::Instant;

use crate::calls::is_draw;
use crate::capture::{Capture, Frame};
use crate::error::{InspectError, Result};
use crate::inspector::Inspector;
use crate::number::range;
use crate::scan::{Outlier, Scan};

/// Time after which [`Inspector::stands_out`] looks at no further frames.
pub const SCAN_TIME: Duration = Duration::from_secs(10);
/// The usual time between two looks at the clock.
const PART_TIME: Duration = Duration::from_millis(200);

/// The number of frames that were looked at, and the outliers in them, the most important one first.
pub type ShortScan = (usize, Vec<Outlier>);

/// Frames by their numbers in the capture, or calls counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    All,
    Last,
    /// Numbers and ranges, in the order of the text.
    Ranges(Vec<RangeInclusive<u32>>),
}

impl FromStr for Selection {
    type Err = String;

    /// Reads `3`, `10-20`, `0,5,10-20`, `all` or `last`. Errors: another text, as a message.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => return Ok(Selection::All),
            "last" => return Ok(Selection::Last),
            _ => {}
        }
        let part = |part| range(part).map(|(first, last)| first..=last);
        let ranges = text.split(',').map(part).collect::<Result<_, _>>();
        let wrong = |reason| format!("{reason}; expected 3, 10-20, 0,5,10-20, all or last");
        ranges.map(Selection::Ranges).map_err(wrong)
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selection::All => f.write_str("all"),
            Selection::Last => f.write_str("last"),
            Selection::Ranges(ranges) => f.write_str(&texts(ranges).join(",")),
        }
    }
}

/// Returns ranges as texts: `3`, `10-20`.
pub fn texts(ranges: &[RangeInclusive<u32>]) -> Vec<String> {
    let text = |range: &RangeInclusive<u32>| match (range.start(), range.end()) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    };
    ranges.iter().map(text).collect()
}

impl Selection {
    /// Returns whether a number is selected; `last` selects none before the last one is known.
    pub fn contains(&self, number: u32) -> bool {
        match self {
            Selection::All => true,
            Selection::Last => false,
            Selection::Ranges(ranges) => ranges.iter().any(|range| range.contains(&number)),
        }
    }

    /// Returns the largest selected number; `None` for `all` and `last`.
    pub fn end(&self) -> Option<u32> {
        match self {
            Selection::All | Selection::Last => None,
            Selection::Ranges(ranges) => ranges.iter().map(|range| *range.end()).max(),
        }
    }

    /// Returns the number of the only selected frame or call; `None` is the last one. Errors: several, as a message.
    pub fn single(&self) -> Result<Option<u32>, String> {
        if let Selection::Ranges(ranges) = self
            && let [range] = &ranges[..]
            && range.start() == range.end()
        {
            return Ok(Some(*range.start()));
        }
        match self {
            Selection::Last => Ok(None),
            Selection::All | Selection::Ranges(_) => {
                Err(format!("{self} selects several; expected one, such as 3 or last"))
            }
        }
    }

    /// Returns the selected frames of a capture, in order. Errors: a range without a frame, or that ends after the last.
    pub fn frames<'a>(&self, capture: &'a Capture) -> Result<Vec<&'a Frame>> {
        let all = capture.frames();
        let last = all.last().ok_or(InspectError::NoFrame { frame: 0, there: None })?;
        match self {
            Selection::All => Ok(all.iter().collect()),
            Selection::Last => Ok(vec![last]),
            Selection::Ranges(ranges) => {
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

    /// Returns the number of the only selected frame. Errors: several frames, or one that the capture lacks.
    pub fn frame(&self, capture: &Capture) -> Result<u32> {
        match (self.single()?, capture.frames().last()) {
            (Some(frame), _) => capture.frame(frame).map(|frame| frame.number),
            (None, Some(last)) => Ok(last.number),
            (None, None) => Err(InspectError::NoFrame { frame: 0, there: None }),
        }
    }

    /// Returns the first and the last of consecutive frames. Errors: also a selection with gaps.
    pub fn span(&self, capture: &Capture) -> Result<(u32, u32)> {
        let frames = self.frames(capture)?;
        let gap = matches!(self, Selection::Ranges(ranges) if ranges.len() > 1);
        match (frames.first(), frames.last()) {
            (Some(first), Some(last)) if !gap => Ok((first.number, last.number)),
            _ => Err(format!("{self} has gaps; expected one range, such as 10-20").into()),
        }
    }

    /// Returns the selected calls. Errors: a call that the capture lacks.
    pub fn calls(&self, capture: &Capture) -> Result<Vec<RangeInclusive<usize>>> {
        let last = capture.call_count();
        let known = |call: u32| {
            let call = call as usize;
            capture.record_index(call).map(|_| call)
        };
        match self {
            Selection::All if last == 0 => Ok(Vec::new()),
            Selection::All => Ok(vec![1..=last]),
            Selection::Last => capture.record_index(last).map(|_| vec![last..=last]),
            Selection::Ranges(ranges) => {
                ranges.iter().map(|it| Ok(known(*it.start())?..=known(*it.end())?)).collect()
            }
        }
    }

    /// Returns the number of the only selected call. Errors: several calls, or one that the capture lacks.
    pub fn call(&self, capture: &Capture) -> Result<usize> {
        let call = self.single()?.map_or(capture.call_count(), |call| call as usize);
        capture.record_index(call).map(|_| call)
    }
}

/// The frame and the call that an answer is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    pub frame: u32,
    pub call: Option<usize>,
    /// Why they were chosen; `None` if they were named.
    pub reason: Option<String>,
}

impl Place {
    /// A place that was named.
    pub fn named(frame: u32, call: Option<usize>) -> Place {
        Place { frame, call, reason: None }
    }

    /// Returns the line that says why an answer is about this place; empty if it was named.
    pub fn line(&self, option: &str) -> String {
        let Some(reason) = &self.reason else { return String::new() };
        let what = match self.call.filter(|_| option == "call") {
            Some(call) => format!("call {call} of frame {}", self.frame),
            None => format!("frame {}", self.frame),
        };
        format!("{what} is shown, because {reason}; --{option} selects another\n")
    }

    /// Adds the place to an answer as `chosen`, unless it was named.
    pub fn mark(&self, answer: &mut Value) {
        if self.reason.is_some() {
            answer["chosen"] = json!(self);
        }
    }
}

impl Inspector {
    /// Returns the place that stands out: the scan's first outlier, else the first executed draw, else the first frame.
    /// Errors: of the replay, and a capture without frames.
    pub fn stands_out(&mut self) -> Result<Place> {
        let scan = self.short_scan()?;
        self.first_place(scan)
    }

    /// Returns the place that stands out in a short scan: see [`Inspector::stands_out`].
    pub fn first_place(&self, (looked, outliers): ShortScan) -> Result<Place> {
        let all = self.capture().frames().len();
        let part =
            if looked < all { format!(" (of {looked} of {all} frames)") } else { String::new() };
        let found = outliers.into_iter().next();
        if let Some(Outlier { frame, call, reason, .. }) = found {
            let calls = self.capture().frame(frame)?.calls.clone();
            let call = match call {
                None => self.first_draw(calls)?,
                some => some,
            };
            return Ok(Place {
                frame,
                call,
                reason: Some(format!("it stands out{part}: {reason}")),
            });
        }
        let first = self.first_draw(1..self.capture().call_count() + 1)?;
        let frame = first.and_then(|call| self.capture().frame_of(call)).map(|it| it.number);
        let (frame, reason) = match frame {
            Some(frame) => (frame, "it has the first draw"),
            None => (self.first_frame()?, "it is the first"),
        };
        let reason = format!("no frame stands out{part}, and {reason}");
        Ok(Place { frame, call: first, reason: Some(reason) })
    }

    /// Scans frames for a limited time.
    pub fn short_scan(&mut self) -> Result<ShortScan> {
        let mut scan = Scan::new(self.capture(), 0, u32::MAX);
        let (all, started) = (self.capture().frames().len(), Instant::now());
        let mut most = 1;
        loop {
            let begin = Instant::now();
            let looked = scan.part(self, most)?;
            if looked.0 >= all || started.elapsed() >= SCAN_TIME {
                return Ok(looked);
            }
            most = if begin.elapsed() < PART_TIME { most * 2 } else { (most / 2).max(1) };
        }
    }

    fn first_frame(&self) -> Result<u32> {
        let first = self.capture().frames().first().map(|frame| frame.number);
        first.ok_or(InspectError::NoFrame { frame: 0, there: None })
    }

    /// Returns the first of some calls that is an executed draw.
    fn first_draw(&self, calls: Range<usize>) -> Result<Option<usize>> {
        for call in calls {
            if is_draw(&self.capture().call(call)?.1.call)
                && self.call_status(call)?.failure().is_none()
            {
                return Ok(Some(call));
            }
        }
        Ok(None)
    }
}

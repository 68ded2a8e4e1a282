//! The frame and call that a query uses by default.

use std::ops::Range;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use web_time::Instant;

use crate::calls::is_draw;
use crate::error::{InspectError, Result};
use crate::expected::FrameExpectation;
use crate::inspector::Inspector;
use crate::scan::{OutlierDraw, ScanState};

/// Time limit after which [`Inspector::stands_out`] scans no further frames.
pub const SCAN_TIME: Duration = Duration::from_secs(10);
/// The target duration of one step of the scan.
const PART_TIME: Duration = Duration::from_millis(200);

/// The number of scanned frames, and their anomalies, most important first.
pub type ShortScan = (usize, Vec<OutlierDraw>);

/// The frame and call that a query inspects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CapturePlace {
    pub frame: u32,
    pub call: Option<usize>,
    /// The reason why this frame and call were chosen. `None` if the user named the frame or the call.
    pub reason: Option<String>,
}

impl CapturePlace {
    pub fn named(frame: u32, call: Option<usize>) -> CapturePlace {
        CapturePlace { frame, call, reason: None }
    }

    /// Returns a line with the reason for the choice, or an empty string if the user named the frame or call.
    pub fn line(&self, option: &str) -> String {
        let Some(reason) = &self.reason else { return String::new() };
        let what = match self.call.filter(|_| option == "call") {
            Some(call) => format!("call {call} of frame {}", self.frame),
            None => format!("frame {}", self.frame),
        };
        format!("{what} is shown, because {reason}; --{option} selects another\n")
    }

    /// Adds the frame and call to a JSON result as `chosen`, unless the user named them.
    pub fn mark(&self, answer: &mut Value) {
        if self.reason.is_some() {
            answer["chosen"] = json!(self);
        }
    }
}

impl Inspector {
    /// Returns the frame that corresponds to an expected image: the frame with the expected number, or the last
    /// complete frame. Without an expected image, returns the first anomaly. Errors: like [`Inspector::stands_out`].
    pub fn place(&mut self, expected: Option<&FrameExpectation>) -> Result<CapturePlace> {
        let capture = self.capture();
        let frame = match expected {
            None => return self.stands_out(),
            Some(FrameExpectation::Capture(_, Some(frame))) if capture.frame(*frame).is_ok() => {
                (*frame, "it has the number of the expected frame")
            }
            Some(_) => (capture.last_complete_frame()?, "it is the last complete frame"),
        };
        Ok(CapturePlace { frame: frame.0, call: None, reason: Some(frame.1.to_owned()) })
    }

    /// Returns the most important anomaly of a scan. Without anomalies, returns the first executed draw or, without
    /// draws, the first frame. Errors: those of the replay, and a capture without frames.
    pub fn stands_out(&mut self) -> Result<CapturePlace> {
        let scan = self.short_scan()?;
        self.first_place(scan)
    }

    /// Returns the most important anomaly of a short scan: see [`Inspector::stands_out`].
    pub fn first_place(&self, (looked, outliers): ShortScan) -> Result<CapturePlace> {
        let all = self.capture().frames().len();
        let part =
            if looked < all { format!(" (of {looked} of {all} frames)") } else { String::new() };
        let found = outliers.into_iter().next();
        if let Some(OutlierDraw { frame, call, reason, .. }) = found {
            let calls = self.capture().frame(frame)?.calls.clone();
            let call = match call {
                None => self.first_draw(calls)?,
                some => some,
            };
            return Ok(CapturePlace {
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
        Ok(CapturePlace { frame, call: first, reason: Some(reason) })
    }

    /// Scans frames for anomalies, for a limited time.
    pub fn short_scan(&mut self) -> Result<ShortScan> {
        let mut scan = ScanState::new(self.capture(), 0, u32::MAX);
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

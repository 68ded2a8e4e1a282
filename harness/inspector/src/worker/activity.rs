//! Statistics of each frame, for the activity strip.

use molehill_analysis::scan::MemoryUse;
use molehill_analysis::{Capture, InspectError, Inspector};
use molehill_capture::Call;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameActivity {
    pub draws: usize,
    /// Number of draws that raised an error or were skipped.
    pub dropped: usize,
    /// Number of calls other than draws that raised an error or had no effect.
    pub errors: usize,
    /// Recorded time from the frame's first call to the next frame's first call, if both have a time.
    pub seconds: Option<f64>,
    /// Total bytes of all textures and buffers at the frame's end: see [`MemoryUse`].
    pub memory: u64,
}

/// Returns the statistics of all frames, by frame index.
pub(super) fn activity(inspector: &Inspector) -> Result<Vec<FrameActivity>, InspectError> {
    let capture = inspector.capture();
    let (mut memory, mut all) = (MemoryUse::default(), Vec::new());
    for frame in capture.frames() {
        let mut activity = FrameActivity::default();
        for call in frame.calls.clone() {
            let (_, line) = capture.call(call)?;
            let draws = matches!(
                line.call,
                Call::DrawTriangles { .. } | Call::DrawTrianglesInstanced { .. }
            );
            let succeeded = inspector.call_status(call)?.succeeded();
            activity.draws += usize::from(draws);
            activity.dropped += usize::from(draws && !succeeded);
            activity.errors += usize::from(!draws && !succeeded);
        }
        let time = |call: usize| capture.call(call).ok().and_then(|(_, line)| line.time);
        activity.seconds = time_of(capture, &frame.calls, time);
        activity.memory = memory.at(inspector, frame.calls.end)?;
        all.push(activity);
    }
    Ok(all)
}

fn time_of(
    capture: &Capture,
    calls: &std::ops::Range<usize>,
    time: impl Fn(usize) -> Option<f64>,
) -> Option<f64> {
    let end = calls.end.min(capture.call_count());
    Some((time(end)? - time(calls.start)?).max(0.0))
}

//! Numbers of each frame, for the activity strip.

use std::collections::HashMap;

use molehill_analysis::{Capture, InspectError, Inspector};
use molehill_capture::Call;
use molehill_capture::objects::ObjectId;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameActivity {
    pub draws: usize,
    /// Draws that raised an error or were skipped.
    pub dropped: usize,
    /// Other calls that raised an error or had no effect.
    pub errors: usize,
    /// Recorded time from its first call to the next frame's, if both have one.
    pub seconds: Option<f64>,
    /// Bytes of all textures and buffers at its end, as if textures had four bytes per texel.
    pub memory: u64,
}

/// The activity of all frames, by their indices.
pub(super) fn activity(inspector: &Inspector) -> Result<Vec<FrameActivity>, InspectError> {
    let capture = inspector.capture();
    let (mut held, mut memory): (HashMap<ObjectId, u64>, u64) = Default::default();
    let mut all = Vec::new();
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
            if let Some(id) = line.result {
                let bytes = size(&line.call);
                held.insert(id, bytes);
                memory += bytes;
            }
            if succeeded && line.call.name() == "dispose" {
                memory -= held.remove(&line.on).unwrap_or(0);
            }
        }
        let time = |call: usize| capture.call(call).ok().and_then(|(_, line)| line.time);
        activity.seconds = time_of(capture, &frame.calls, time);
        activity.memory = memory;
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

/// Bytes of the object that a call creates.
fn size(call: &Call) -> u64 {
    let product = |sides: [i32; 3]| {
        let sides = sides.map(|side| u64::try_from(side).unwrap_or(0).min(1 << 16));
        sides.iter().product::<u64>()
    };
    match call {
        Call::CreateTexture { width, height, .. }
        | Call::CreateRectangleTexture { width, height, .. } => product([*width, *height, 4]),
        Call::CreateCubeTexture { size, .. } => product([*size, *size, 24]),
        Call::CreateVertexBuffer { num_vertices, data32_per_vertex, .. }
        | Call::CreateVertexBufferForInstances { num_vertices, data32_per_vertex, .. } => {
            product([*num_vertices, *data32_per_vertex, 4])
        }
        Call::CreateIndexBuffer { num_indices, .. } => product([*num_indices, 2, 1]),
        _ => 0,
    }
}

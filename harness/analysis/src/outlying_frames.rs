//! Finds anomalous frames: their counts, changed pixels or memory differ from the neighbouring frames.

use serde::Serialize;

use crate::sentence::{Count, Sentence, SentenceValue, sentence};

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameRow {
    pub frame: u32,
    pub calls: usize,
    /// Executed draws.
    pub draws: u64,
    /// Draws that were skipped, with or without an error.
    pub dropped: u64,
    /// Executed draws that changed no pixel.
    pub without_effect: u64,
    /// Calls that raised an error, were skipped or are unsupported.
    pub errors: u64,
    /// Pixels that differ from the image of the previous frame.
    pub changed: u64,
    pub triangles: u64,
    /// Fragment shader invocations.
    pub shaded: u64,
    /// Total bytes of the textures, buffers and back buffers at the frame's end, for a device that stores 4 bytes per
    /// pixel.
    pub bytes: u64,
    /// Pixels that differ from the expected image, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<u64>,
    /// Rendering and counting time on the reference renderer, in milliseconds; comparable only within one scan.
    pub milliseconds: f64,
    /// False for the calls after the last frame end, which aren't compared with frames.
    #[serde(skip)]
    pub ended: bool,
}

agal_core::table! {
    /// A statistic of frames that is compared with the neighbouring frames.
    pub enum Measure {
        name: &'static str,
        value: fn(&FrameRow) -> f64,
        /// Minimum absolute difference between an anomaly and the neighbours' median.
        least: f64,
        /// Minimum ratio between an anomaly and the neighbours' median.
        ratio: f64,
    }
    Draws         "draws",                     |row| row.draws as f64,     2.0,      1.5;
    Dropped       "dropped draws",             |row| row.dropped as f64,   1.0,      1.5;
    Errors        "calls with an error",       |row| row.errors as f64,    1.0,      1.5;
    Triangles     "triangles",                 |row| row.triangles as f64, 100.0,    2.0;
    Shaded        "fragment invocations",      |row| row.shaded as f64,    10_000.0, 2.0;
    ChangedPixels "changed pixels",            |row| row.changed as f64,   500.0,    3.0;
}
/// Number of neighbouring frames on each side, with whose median a frame is compared.
const AROUND: usize = 4;
/// If more than 1/`IDLE` of the frames draw nothing, the program draws only when its content changes.
const IDLE: usize = 8;
/// Minimum memory growth between two frames that is an anomaly: in bytes, and in quarters of the previous memory.
const GROWTH: (u64, u64) = (8 << 20, 1);

/// Minimum length of a leak: memory grows in each frame up to the last, and by at least a quarter in total.
const LEAK: usize = 16;

/// Returns the first frame of a memory leak that continues up to the last frame, with a message.
fn leak(frames: &[FrameRow]) -> Option<(u32, Sentence)> {
    let grows = |pair: &&[FrameRow]| pair.is_sorted_by(|then, now| then.bytes < now.bytes);
    let number = frames.windows(2).rev().take_while(grows).count();
    let before = frames.get(frames.len().checked_sub(number + 1)?)?;
    let (first, last) = (frames.get(frames.len() - number)?, frames.last()?);
    let (then, now) = (before.bytes >> 10, last.bytes >> 10);
    let is_leak = number >= LEAK && last.bytes - before.bytes >= before.bytes / 4;
    is_leak.then(|| {
        let frames = sentence![
            "memory grows in each of the ",
            SentenceValue(number),
            " frames up to the last"
        ];
        (
            first.frame,
            sentence![frames, ", from ", SentenceValue(then), " to ", SentenceValue(now), " KiB"],
        )
    })
}

/// Returns the typical value of a statistic: the median, or for changed pixels the maximum. Some programs change their
/// image only now and then.
fn typical(rows: Option<&[FrameRow]>, measure: Measure) -> Option<f64> {
    let mut values: Vec<f64> = rows.unwrap_or_default().iter().map(measure.value()).collect();
    values.sort_by(f64::total_cmp);
    let maximum = values.len().checked_sub(1)?;
    let place = if measure == Measure::ChangedPixels { maximum } else { values.len() / 2 };
    values.get(place).copied()
}

/// Returns whether this frame and the next frames all have more draws than the previous frame.
fn grows(frames: &[FrameRow], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| frames.get(at)).map_or(0, |row| row.draws);
    let end = (at + AROUND).min(frames.len());
    frames.get(at..end).unwrap_or_default().iter().all(|row| row.draws > before)
}

/// Returns the frames that differ from the frames before and after, or that begin a lasting change, each with a
/// message.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts and milliseconds"
)]
pub(crate) fn outlying_frames(frames: &[FrameRow]) -> Vec<(u32, Sentence)> {
    let mut found = Vec::new();
    // The program is still loading in the initial frames without draws.
    let loads = frames.iter().take_while(|row| row.draws == 0).count();
    let is_idle = |row: &FrameRow| (row.draws, row.dropped, row.errors) == (0, 0, 0);
    let after = frames.get(loads..).unwrap_or_default();
    let idle = after.iter().filter(|row| is_idle(row)).count();
    let is_shown = |row: &FrameRow| idle * IDLE <= after.len() || !is_idle(row);
    let is_kept = |row: &FrameRow| row.ended && is_shown(row);
    let frames = &frames.iter().filter(|row| is_kept(row)).cloned().collect::<Vec<_>>()[..];
    let loads = frames.iter().take_while(|row| row.draws == 0).count();
    for (at, row) in frames.iter().enumerate().skip(loads + 1) {
        let Some(last) = at.checked_sub(1).and_then(|at| frames.get(at)) else { continue };
        let mut reasons = Vec::new();
        for measure in Measure::ALL.iter().copied() {
            let unlike = |one: f64, two: f64| {
                let (more, less) = (one.max(two), one.min(two));
                more - less >= measure.least() && more >= less * measure.ratio()
            };
            let (value, is_image) = (measure.value(), measure == Measure::ChangedPixels);
            // An anomalous image also differs from the next frame's. The first frame has no previous image.
            let gap = usize::from(is_image);
            let start = at.saturating_sub(AROUND + gap).max(loads).max(gap);
            let end = (at + 1 + gap + AROUND).min(frames.len());
            let sides = [start..(at - gap).max(start), at + 1 + gap..end];
            let around = sides.map(|part| typical(frames.get(part), measure));
            let ([Some(before), after], now) = (around, value(row)) else { continue };
            let differs = |after| unlike(now, after) && (now > before) == (now > after);
            let both = after.is_some_and(differs);
            // More draws at the start of a program are a new scene, not an anomaly.
            if at < loads + AROUND && now > before && grows(frames, at) {
                continue;
            }
            // A lasting change of the changed pixels is no anomaly, because a still image may begin to move.
            let begins = !is_image && unlike(now, value(last));
            let counts = if is_image { both && now > before } else { both || begins };
            if counts && unlike(now, before) {
                let than = if now > before { "more" } else { "fewer" };
                let number = |value: f64| Count(value.round() as u64);
                let now = sentence![number(now), " ", measure.name(), ", ", than, " than the "];
                let (before, after) = (number(before), after.filter(|_| both).map(number));
                let whose = match after {
                    None => sentence![before, " of the frames before"],
                    Some(after) if after.0 == before.0 => {
                        sentence![before, " of the frames around"]
                    }
                    Some(after) => {
                        sentence![
                            before,
                            " of the frames before and the ",
                            after,
                            " of those after"
                        ]
                    }
                };
                reasons.push(sentence![now, whose]);
            }
        }
        if row.bytes > last.bytes + GROWTH.0 && row.bytes > last.bytes / 4 * (4 + GROWTH.1) {
            let (now, then) = (row.bytes >> 20, last.bytes >> 20);
            let mib = sentence![SentenceValue(then), " to ", SentenceValue(now), " MiB"];
            reasons.push(sentence!["memory grows from ", mib]);
        }
        if !reasons.is_empty() {
            found.push((row.frame, Sentence::joined(reasons, "; ")));
        }
    }
    found.extend(leak(frames));
    found
}

//! The result of a search, as text and as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use molehill_analysis::edit::record as record_of;
use molehill_analysis::names::DATA;
use molehill_analysis::wrong::{RemainingDifference, TOLERANCE};
use molehill_analysis::{Capture, Result, count};
use molehill_capture::CallLine;
use molehill_replay::image::ImageComparison;
use serde::Serialize;
use serde_json::{Map, Value};

use super::alteration::Alteration;
use super::candidates::{CallCandidate, CallGroup};
use super::scene::Scene;
use super::{Explainer, NOTHING, TriedCandidate, cost};

/// Maximum number of suggestions, and of draws, in a result.
const MOST: usize = 5;
/// Maximum remaining difference of a suggestion, in tenths of the original difference.
const HELPS: u64 = 9;
const LISTED: usize = 6;

/// The wrong pixels that a draw or clear changed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WrongPixels {
    /// The number of the call, from 1. `None` for calls before the frame.
    pub call: Option<usize>,
    pub pixels: u64,
}

/// An edit of calls that brings the image closer to the expected image.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// The name of the call in ActionScript.
    pub call: &'static str,
    /// The changed parameters; empty if whole calls are deleted, inserted or replaced.
    pub field: String,
    pub from: String,
    pub to: String,
    /// A description of the changed calls: all calls with the value, calls of a program or object, or one call.
    pub which: String,
    /// The numbers of the changed calls, from 1.
    pub calls: Vec<usize>,
    /// Number of frames, up to this frame, that contain a call with the changed value.
    pub frames: usize,
    /// Total number of frames in the capture.
    pub of: usize,
    pub after: RemainingDifference,
    /// The 1-based rank of the suggestion in the order of trial, most plausible first.
    pub place: usize,
    /// The edits of this frame, in the format of `--edit`.
    pub edits: Vec<Map<String, Value>>,
    /// An edit for all frames, which selects calls by a pattern instead of a call index. `None` if no pattern matches
    /// only the calls of `edits`.
    pub pattern: Option<Map<String, Value>>,
}

/// The possible causes of the difference between a frame and its expected image.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    pub frame: u32,
    pub before: RemainingDifference,
    /// The draws and clears that last changed most of the wrong pixels.
    pub owners: Vec<WrongPixels>,
    pub candidates: usize,
    pub tried: usize,
    /// True if all candidates were tried. False if the search reached its time limit or found a complete solution.
    pub finished: bool,
    pub seconds: f64,
    /// The suggestions, best first; empty if no candidate reduces the difference sufficiently.
    pub suggestions: Vec<Suggestion>,
}

impl Explainer {
    /// Returns the current result of the search. `capture` must be the inspector's capture.
    pub fn explanation(&self, capture: &Capture) -> Result<Explanation> {
        let Explainer { frame, scene, before, all: candidates, state, .. } = self;
        let mut tried = state.tried.clone();
        // If two candidates leave nearly equal differences, the more plausible candidate ranks first.
        let unit = (cost(before) / NOTHING).max(1);
        tried.sort_by_key(|(index, after, _)| (cost(after) / unit, *index));
        let helps = |(_, after, _): &&TriedCandidate| cost(after) * 10 <= cost(before) * HELPS;
        let mut known: BTreeSet<(&Alteration, u64)> = BTreeSet::new();
        let mut suggestions = Vec::new();
        for (index, after, place) in tried.iter().filter(helps) {
            let Some(candidate) = candidates.get(*index) else { continue };
            // A change of one call and a change of its group may have equal effects: lists only the first.
            if suggestions.len() == MOST || !known.insert((&candidate.alteration, after.differing))
            {
                continue;
            }
            suggestions.push(suggestion(capture, *frame, scene, (*place, candidate), after)?);
        }
        let owned = scene.wrong.effects.iter().filter(|(_, effect)| effect.owned > 0);
        let mut owners: Vec<WrongPixels> = owned
            .map(|(record, effect)| WrongPixels {
                call: scene.number(*record),
                pixels: effect.owned,
            })
            .collect();
        owners.sort_by_key(|owner| std::cmp::Reverse(owner.pixels));
        owners.truncate(MOST);
        Ok(Explanation {
            frame: *frame,
            before: before.into(),
            owners,
            candidates: candidates.len(),
            tried: tried.len(),
            finished: self.is_done(),
            seconds: self.time.as_secs_f64(),
            suggestions,
        })
    }
}

fn suggestion(
    capture: &Capture,
    frame: u32,
    scene: &Scene,
    (place, candidate): (usize, &CallCandidate),
    after: &ImageComparison,
) -> Result<Suggestion> {
    let Alteration { call, field, from, to } = candidate.alteration.clone();
    let which = match candidate.group {
        CallGroup::All => "every call with this value".to_owned(),
        CallGroup::Program(id) => format!("draws with {}", capture.name(id)),
        CallGroup::Object(id) => format!("calls with {}", capture.name(id)),
        CallGroup::Alike => "calls with the same other arguments".to_owned(),
        CallGroup::Suspects => "calls of draws with wrong pixels".to_owned(),
        CallGroup::One => "one call".to_owned(),
        CallGroup::Several => "several calls".to_owned(),
    };
    let (mut calls, mut edits) = (Vec::new(), Vec::new());
    for (record, lines) in &candidate.changes {
        let Some(old) = scene.line(*record) else { continue };
        let found = match scene.number(*record) {
            Some(number) => Some(number),
            None => origin(capture, scene, old)?,
        };
        // A call that restores a default value has no original call in the capture.
        let (number, is_there) = match found {
            Some(number) => (number, true),
            None => (scene.first_kept, false),
        };
        calls.push(number);
        edits.extend(edit(capture, number, is_there.then_some(old), lines)?);
    }
    let pattern = pattern(capture, scene, candidate)?;
    let frames = frames_with(capture, frame, scene, candidate)?;
    let of = capture.frames().len();
    let after = after.into();
    Ok(Suggestion { call, field, from, to, which, calls, frames, of, after, place, edits, pattern })
}

/// Returns the last call before the frame that equals `line`, which restores the state at the frame's start.
fn origin(capture: &Capture, scene: &Scene, line: &CallLine) -> Result<Option<usize>> {
    for number in (1..scene.first_kept).rev() {
        let (_, other) = capture.call(number)?;
        if other.on == line.on && other.call == line.call {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

/// Returns the edits that replace a call, or that insert calls before it if the capture lacks the call.
fn edit(
    capture: &Capture,
    number: usize,
    old: Option<&CallLine>,
    lines: &[CallLine],
) -> Result<Vec<Map<String, Value>>> {
    let failed = |error: std::io::Error| error.to_string();
    let keys = |line: &CallLine| record_of(capture, line).map_err(failed);
    let change = |key: &str, value: Value| {
        Map::from_iter([("call".to_owned(), number.into()), (key.to_owned(), value)])
    };
    let (Some(old), [new]) = (old, lines) else {
        let is_kept = |line: &&CallLine| old.is_none_or(|old| old.call != line.call);
        let mut edits = Vec::new();
        if lines.is_empty() {
            edits.push(change("delete", true.into()));
        }
        for line in lines.iter().filter(is_kept) {
            edits.push(change("insert", keys(line)?.into()));
        }
        return Ok(edits);
    };
    let (before, mut after) = (keys(old)?, keys(new)?);
    after.retain(|key, value| before.get(key) != Some(value));
    Ok(vec![change("with", after.into())])
}

/// Returns an edit with a pattern that matches all calls like a candidate's: see
/// [`pattern`](molehill_analysis::edit::pattern).
fn pattern(
    capture: &Capture,
    scene: &Scene,
    candidate: &CallCandidate,
) -> Result<Option<Map<String, Value>>> {
    let Some((record, lines)) = candidate.changes.first_key_value() else { return Ok(None) };
    let (Some(old), [new]) = (scene.line(*record), &lines[..]) else { return Ok(None) };
    let failed = |error: std::io::Error| error.to_string();
    let (before, mut after) =
        (record_of(capture, old).map_err(failed)?, record_of(capture, new).map_err(failed)?);
    let is_field = |key: &str| candidate.alteration.field.split(", ").any(|field| field == key);
    if !after.keys().any(|key| is_field(key)) {
        return Ok(None);
    }
    let mut place = Map::from_iter([("match".to_owned(), Value::from(new.call.name()))]);
    let other = match candidate.group {
        CallGroup::All => false,
        CallGroup::Alike => true,
        CallGroup::Program(id) => {
            place.insert("program".to_owned(), id.0.into());
            false
        }
        CallGroup::Object(id) => {
            place.insert("object".to_owned(), id.0.into());
            false
        }
        CallGroup::Suspects | CallGroup::One | CallGroup::Several => return Ok(None),
    };
    let arguments = old.call.arguments(&|id| id.0.to_string());
    let is_alike = |key: &str| {
        other && arguments.iter().any(|(name, value)| *name == key && value.len() < DATA)
    };
    let known = before.iter().filter(|(key, _)| is_field(key) || is_alike(key));
    let known = known.map(|(key, value)| (key.clone(), value.clone()));
    place.insert("where".to_owned(), Value::Object(known.collect()));
    after.retain(|key, value| before.get(key) != Some(value));
    place.insert("with".to_owned(), after.into());
    Ok(Some(place))
}

/// Counts the frames that contain a call with the value that a candidate replaces.
fn frames_with(
    capture: &Capture,
    frame: u32,
    scene: &Scene,
    candidate: &CallCandidate,
) -> Result<usize> {
    let changed: Vec<&CallLine> =
        candidate.changes.keys().filter_map(|at| scene.line(*at)).collect();
    let values: BTreeMap<&str, BTreeSet<String>> = {
        let fields = candidate.alteration.field.split(", ").filter(|field| !field.is_empty());
        let of = |field: &str| {
            let all = changed.iter().flat_map(|line| line.call.arguments(&|id| id.0.to_string()));
            all.filter(|(name, _)| *name == field).map(|(_, value)| value).collect()
        };
        fields.map(|field| (field, of(field))).collect()
    };
    if values.is_empty() {
        return Ok(1);
    }
    let has =
        |line: &CallLine| {
            line.call.name() == candidate.alteration.call
                && line.call.arguments(&|id| id.0.to_string()).iter().all(|(name, value)| {
                    values.get(name).is_none_or(|values| values.contains(value))
                })
        };
    let mut frames = 0;
    for part in capture.frames().iter().filter(|it| it.number <= frame) {
        for number in part.calls.clone() {
            if has(&capture.call(number)?.1) {
                frames += 1;
                break;
            }
        }
    }
    Ok(frames)
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Suggestion { call, field, from, to, which, calls, frames, of, after, .. } = self;
        let field = if field.is_empty() { String::new() } else { format!("{field}: ") };
        let verdict = if after.only_edges { "equal but for antialiased edges: " } else { "" };
        writeln!(f, "{call}({field}{from} → {to}), {which}: {verdict}then {after}")?;
        let listed: Vec<String> = calls.iter().take(LISTED).map(usize::to_string).collect();
        let more = calls.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let noun = if calls.len() == 1 { "call" } else { "calls" };
        writeln!(
            f,
            "   {noun} {}{more}; {frames} of {of} frames have such a call",
            listed.join(", ")
        )
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explanation { frame, before, tried, candidates, seconds, .. } = self;
        let (pixels, reasons) = (before.pixels(), before.reasons());
        writeln!(
            f,
            "frame {frame}: {pixels} from the expected image by more than {}{reasons}",
            TOLERANCE
        )?;
        for WrongPixels { call, pixels } in &self.owners {
            let call = call.map_or("earlier calls".to_owned(), |call| format!("call {call}"));
            writeln!(f, "   {call} was the last to write {} of these pixels", count(*pixels))?;
        }
        if before.differing == 0 {
            return Ok(());
        }
        writeln!(f, "tried {tried} of {candidates} changes in {seconds:.1} s")?;
        if self.suggestions.is_empty() {
            writeln!(f, "no tried change makes the image more like the expected image")?;
        }
        for (at, suggestion) in (1..).zip(&self.suggestions) {
            write!(f, "{at}. {suggestion}")?;
        }
        Ok(())
    }
}

//! Finds the draws that last changed the wrong pixels of a frame, and the passes that contribute to these pixels.

use std::collections::{BTreeMap, BTreeSet};

use molehill_analysis::passes::RenderPass;
use molehill_analysis::state::StateReport;
use molehill_analysis::wrong::{TOLERANCE, WrongDraw, WrongFrame, WrongPass};
use molehill_analysis::{Capture, FrameExpectation, Inspector, Result};
use molehill_replay::image::clusters;

use super::owners::DrawEffect;
use super::scene::{Scene, compared};

/// Finds the draws that last changed the wrong pixels of a frame. Errors: those of the replays, and
/// [`InspectError::Unsupported`](molehill_analysis::InspectError::Unsupported) if the images differ in size.
pub fn wrong_pixels(
    inspector: &mut Inspector,
    frame: u32,
    expected: &mut FrameExpectation,
) -> Result<WrongFrame> {
    let should = expected.picture(frame)?;
    let (scene, picture, before) = Scene::compared(inspector, frame, &should)?;
    let passes = inspector.passes(frame)?;
    let draws = draws(&scene, &passes);
    let mut wrong_passes = wrong_passes(inspector.capture(), &scene, &passes, &draws);
    if let Some((other, number)) = expected.capture(frame) {
        differing_passes(inspector, &passes, &mut wrong_passes, (other, number))?;
    }
    wrong_passes.retain(|pass| pass.wrong > 0 || pass.differing.is_some_and(|it| it > 0));
    let call = |record: Option<usize>| record.and_then(|record| scene.number(record));
    let mut calls: BTreeMap<Option<usize>, Option<usize>> = BTreeMap::new();
    let places = scene
        .wrong
        .places
        .iter()
        .map(|(at, record)| (*at, *calls.entry(*record).or_insert_with(|| call(*record))));
    Ok(WrongFrame {
        frame,
        tolerance: TOLERANCE,
        remaining: (&before).into(),
        clusters: clusters(&picture, &should, TOLERANCE),
        places: places.collect(),
        draws,
        passes: wrong_passes,
    })
}

/// Returns the passes of a frame, each with the number of wrong pixels to which it contributes.
fn wrong_passes(
    capture: &Capture,
    scene: &Scene,
    passes: &[RenderPass],
    draws: &[WrongDraw],
) -> Vec<WrongPass> {
    let mut found: Vec<WrongPass> = passes
        .iter()
        .map(|pass| {
            let targets = pass.targets.iter().map(|face| capture.face_title(*face));
            let own = draws.iter().filter(|draw| draw.pass == pass.number);
            WrongPass {
                pass: pass.number,
                targets: targets.collect(),
                calls: (pass.calls.start, pass.calls.end.saturating_sub(1)),
                wrong: own.map(|draw| draw.wrong).sum(),
                ..WrongPass::default()
            }
        })
        .collect();
    // Iterates backwards, because a draw's wrong pixels are passed on to the passes whose textures it reads.
    for draw in scene.draws.iter().rev() {
        let Some(call) = scene.number(draw.record) else { continue };
        let Some(at) = passes.iter().position(|pass| pass.calls.contains(&call)) else {
            continue;
        };
        let Some(effect) = scene.wrong.effects.get(&draw.record) else { continue };
        let Some(WrongPass { targets, wrong: of_pass, changed: all, .. }) = found.get_mut(at)
        else {
            continue;
        };
        *all += effect.changed;
        let own = effect.owned.max(effect.missed);
        let passed = if targets.is_empty() { own } else { *of_pass };
        let mut sources = BTreeSet::new();
        for texture in &draw.textures {
            let drawn =
                |pass: &RenderPass| pass.targets.iter().any(|face| face.texture == *texture);
            let before = passes.get(..at).unwrap_or_default();
            sources.extend(before.iter().rposition(drawn));
        }
        for source in sources {
            let number = found.get_mut(source).map(|pass| {
                pass.wrong = pass.wrong.max(passed).min(scene.wrong.places.len() as u64);
                pass.pass
            });
            let Some(WrongPass { reads, .. }) = found.get_mut(at) else { continue };
            reads.extend(number.filter(|number| !reads.contains(number)));
        }
    }
    found.iter_mut().for_each(|pass| pass.reads.sort_unstable());
    found
}

/// Compares the results of the passes with another capture's frame, if that frame has equally many passes.
fn differing_passes(
    inspector: &mut Inspector,
    passes: &[RenderPass],
    found: &mut [WrongPass],
    (other, number): (&mut Inspector, u32),
) -> Result<()> {
    let others = other.passes(number)?;
    if others.len() != passes.len() {
        return Ok(());
    }
    for ((pass, same), found) in passes.iter().zip(&others).zip(found) {
        let last = |pass: &RenderPass| pass.draws.last().copied().unwrap_or(pass.calls.start);
        let pictures = inspector.picture(last(pass))?.zip(other.picture(last(same))?);
        found.differing = pictures.map(|(is, should)| compared(&is, &should).differing);
    }
    Ok(())
}

/// Adds to the state of a call the wrong pixels that the call wrote. If the expected image comes from a capture, also
/// compares the state with the draw of equal index in the expected frame.
pub fn expect_state(
    inspector: &mut Inspector,
    state: &mut StateReport,
    expected: &mut FrameExpectation,
) -> Result<()> {
    let Some(frame) = inspector.capture().frame_of(state.call).map(|frame| frame.number) else {
        return Ok(());
    };
    state.wrong = wrong_pixels(inspector, frame, expected)?.draw(state.call);
    match expected.capture(frame) {
        Some(other) => inspector.compare_state(frame, state, other),
        None => Ok(()),
    }
}

/// Returns the draws and clears that last changed wrong pixels, ordered by call.
fn draws(scene: &Scene, passes: &[RenderPass]) -> Vec<WrongDraw> {
    let mut bounds: BTreeMap<usize, [u32; 4]> = BTreeMap::new();
    for ((x, y), record) in &scene.wrong.places {
        let Some(record) = record else { continue };
        let [left, top, right, bottom] = bounds.entry(*record).or_insert([*x, *y, *x + 1, *y + 1]);
        (*left, *top) = ((*left).min(*x), (*top).min(*y));
        (*right, *bottom) = ((*right).max(*x + 1), (*bottom).max(*y + 1));
    }
    let draw = |(record, effect): (&usize, &DrawEffect)| {
        let call = scene.number(*record)?;
        let pass = passes.iter().find(|pass| pass.calls.contains(&call));
        Some(WrongDraw {
            call,
            pass: pass.map_or(0, |pass| pass.number),
            wrong: effect.owned,
            missed: effect.missed,
            bounds: bounds.get(record).copied(),
        })
    };
    let wrong = scene.wrong.effects.iter().filter(|(_, it)| it.owned > 0 || it.missed > 0);
    wrong.filter_map(draw).collect()
}

//! Rates changes by the types of wrong pixels, and by the draws that depend on the changed calls.

use std::collections::{BTreeSet, HashMap};

use molehill_capture::Call;

use super::alteration::Alteration;
use super::owners::{DrawEffect, Kinds, LossStage};
use super::scene::{Changes, Scene};

/// The fraction of a wrong pixel that is attributed to a draw whose fragments change nothing there.
const MISSED: f64 = 0.5;
/// The fraction of the wrong pixels that is attributed to a visible draw that changes no pixel.
const UNSEEN: f64 = 0.7;
/// Minimum likelihood factor of a change. A minimum of zero would exclude calls whose draw is missing from the image,
/// and has changed no pixels.
const LEAST: f64 = 0.02;
/// The fraction by which a change becomes less plausible if its draws change only pixels that equal the expected image.
const INNOCENT: f64 = 0.9;
/// A call is suspect if at least 1/`SUSPECT` of its draws' pixels are wrong.
const SUSPECT: u64 = 4;
/// Likelihood factor of a change of the clear colour, if all pixels with the clear colour are wrong.
const GROUND: f64 = 1.5;
/// The additional likelihood factor of changing a test, if this test rejects fragments in wrong pixels.
const REJECTED: f64 = 4.0;

/// The plausibility of a wrong argument, by call name and a part of the parameter's name. The first entry that matches
/// a call and parameter applies. The first array of an entry has the plausibility for missing, extra, wrongly coloured
/// and wrongly cleared pixels. The second array of an entry has the plausibility for draws whose triangles or fragments
/// are all rejected, by the rejecting [`LossStage`].
const KINDS: [(&str, &str, [f64; 4], [f64; 5]); 32] = [
    ("setCulling", "", [1.0, 0.8, 0.5, 0.1], [0.1, 0.1, 2.0, 0.1, 0.1]),
    ("setBlendFactors", "", [0.3, 0.2, 1.0, 0.1], [0.1, 0.1, 0.1, 0.1, 1.5]),
    ("setDepthTest", "passCompareMode", [0.8, 0.6, 0.9, 0.1], [0.1, 0.1, 0.1, 1.5, 0.1]),
    ("setDepthTest", "", [0.1, 0.3, 0.5, 0.1], [0.1, 0.1, 0.1, 1.5, 0.1]),
    ("setStencilActions", "compareMode", [1.0, 1.0, 0.6, 0.3], [0.1, 0.1, 0.1, 1.5, 0.1]),
    ("setStencilActions", "", [0.7, 0.7, 0.4, 0.2], [0.1, 0.1, 0.1, 1.5, 0.1]),
    ("setStencilReferenceValue", "", [1.0, 1.0, 0.6, 0.3], [0.1, 0.1, 0.1, 1.5, 0.1]),
    ("setScissorRectangle", "", [1.0, 1.0, 0.3, 0.3], [0.1, 0.3, 0.1, 1.5, 0.1]),
    ("setColorMask", "", [0.3, 0.1, 0.6, 0.1], [0.1, 0.1, 0.1, 0.1, 1.5]),
    ("setSamplerStateAt", "sampler", [0.1, 0.1, 0.3, 0.0], [0.1, 0.1, 0.1, 0.3, 0.5]),
    ("setSamplerStateAt", "", [0.1, 0.1, 0.8, 0.0], [0.1, 0.1, 0.1, 0.3, 0.5]),
    ("setTextureAt", "sampler", [0.8, 0.4, 0.8, 0.1], [1.0, 0.1, 0.1, 0.7, 1.0]),
    ("setTextureAt", "", [0.4, 0.5, 1.0, 0.0], [1.0, 0.1, 0.1, 0.7, 1.0]),
    ("setVertexBufferAt", "index", [0.8, 0.5, 0.6, 0.1], [1.0, 1.0, 0.6, 0.4, 0.5]),
    ("setVertexBufferAt", "buffer,", [0.3, 0.3, 0.3, 0.0], [1.0, 1.0, 0.6, 0.4, 0.5]),
    ("setVertexBufferAt", "", [0.9, 0.9, 0.9, 0.1], [1.0, 1.0, 0.6, 0.4, 0.5]),
    ("setProgramConstantsFromMatrix", "", [1.0, 1.0, 0.6, 0.1], [0.2, 1.0, 0.6, 0.6, 0.7]),
    ("setProgramConstants", "", [0.7, 0.5, 1.0, 0.1], [0.2, 1.0, 0.6, 0.6, 0.7]),
    ("setProgram", "", [0.7, 0.5, 0.9, 0.1], [1.0, 0.6, 0.3, 0.6, 0.7]),
    ("drawTriangles", "indexBuffer", [0.6, 0.6, 0.6, 0.0], [1.0, 1.0, 0.6, 0.3, 0.2]),
    ("drawTriangles", "", [0.8, 0.8, 0.6, 0.1], [1.0, 1.0, 0.6, 0.3, 0.2]),
    ("clear", "red", [0.1, 0.1, 0.1, 3.0], [0.1, 0.1, 0.1, 0.7, 0.3]),
    ("clear", "mask", [0.2, 0.3, 0.3, 0.3], [0.1, 0.1, 0.1, 0.7, 0.3]),
    ("clear", "depth", [0.4, 0.1, 0.4, 0.1], [0.1, 0.1, 0.1, 0.7, 0.3]),
    ("clear", "stencil", [0.3, 0.3, 0.2, 0.1], [0.1, 0.1, 0.1, 0.7, 0.3]),
    ("clear", "", [0.1, 0.2, 0.2, 0.3], [0.1, 0.1, 0.1, 0.7, 0.3]),
    ("setRenderToTexture", "", [0.4, 0.4, 0.5, 0.1], [0.5, 0.3, 0.1, 0.4, 0.4]),
    ("configureBackBuffer", "", [0.1, 0.1, 0.1, 0.0], [0.2, 0.1, 0.1, 0.3, 0.1]),
    ("upload", "side", [0.0, 0.0, 1.0, 0.0], [0.5, 0.7, 0.4, 0.4, 0.7]),
    ("upload", "", [0.2, 0.2, 0.8, 0.0], [0.5, 0.7, 0.4, 0.4, 0.7]),
    ("", "side", [0.0, 0.0, 1.0, 0.0], [0.3, 0.3, 0.3, 0.3, 0.3]),
    ("", "", [0.3, 0.3, 0.3, 0.1], [0.3, 0.3, 0.3, 0.3, 0.3]),
];

/// Calculates the likelihood factors of changes from the wrong pixels.
pub(super) struct Ranking<'a> {
    scene: &'a Scene,
    known: HashMap<Vec<usize>, (usize, f64, Vec<LossStage>)>,
}

impl<'a> Ranking<'a> {
    pub(super) fn new(scene: &'a Scene) -> Ranking<'a> {
        Ranking { scene, known: HashMap::new() }
    }

    /// Returns the likelihood factor of a candidate, and the id of the set of records that the candidate changes.
    pub(super) fn fit(&mut self, alteration: &Alteration, changes: &Changes) -> (f64, usize) {
        let scene = self.scene;
        let next = self.known.len();
        let records: Vec<usize> = changes.keys().copied().collect();
        let known = self.known.entry(records);
        let (set, used, lost) = known.or_insert_with_key(|records| {
            let (used, lost) = used(scene, records);
            (next, used, lost)
        });
        let set = *set;
        let is_color = alteration.call == "clear" && alteration.field.contains("red");
        if is_color && scene.wrong.kinds.is_ground {
            return (GROUND, set);
        }
        let kind = kind(&scene.wrong.kinds, alteration, lost);
        (*used * kind * rejected(scene, alteration, changes), set)
    }
}

/// Returns the share of the wrong pixels explained by the draws that depend on these calls. If most draws that depend
/// on the calls change no pixel, also returns the stages that reject all triangles or fragments.
fn used(scene: &Scene, records: &[usize]) -> (f64, Vec<LossStage>) {
    let all = (scene.wrong.places.len() as f64).max(1.0);
    let (mut own, mut right, mut unseen, mut lost) = (0.0, 0.0, 0.0, Vec::new());
    for effect in effects(scene, records.iter().copied()) {
        own += effect.owned.max(effect.passed) as f64 + effect.missed as f64 * MISSED;
        right += effect.right as f64;
        // If a draw is missing, any other draw or clear may have written its pixels.
        if effect.is_seen && effect.changed == 0 {
            unseen += all * (1.0 - scene.wrong.kinds.extra) * UNSEEN;
            lost.extend(effect.lost);
        }
    }
    if unseen <= own {
        lost.clear();
    }
    own += unseen;
    let innocent = if right > 0.0 { right / (right + own) } else { 0.0 };
    (((own / all).min(1.0) + LEAST) * (1.0 - INNOCENT * innocent), lost)
}

/// Returns the effects of the draws that depend on these calls, and of these calls if they are draws or clears.
fn effects(
    scene: &Scene,
    records: impl Iterator<Item = usize>,
) -> impl Iterator<Item = &DrawEffect> {
    let mut users = BTreeSet::new();
    for record in records {
        let part = scene.parts.get(record);
        let draws = part.into_iter().flat_map(|part| &part.users);
        let draws = draws.filter_map(|at| scene.draws.get(*at)).map(|draw| draw.record);
        users.extend(draws.chain([record]));
    }
    users.into_iter().filter_map(|record| scene.wrong.effects.get(&record))
}

fn kind(kinds: &Kinds, Alteration { call, field, .. }: &Alteration, lost: &[LossStage]) -> f64 {
    let row = KINDS.iter().find(|(name, word, ..)| call.starts_with(name) && field.contains(word));
    let Some((.., weights, stages)) = row else { return LEAST };
    let parts = [kinds.missing, kinds.extra, kinds.color, kinds.plain];
    let weight = weights.iter().zip(parts).map(|(weight, part)| weight * part).sum::<f64>() + LEAST;
    let stages = lost.iter().filter_map(|stage| stages.get(*stage as usize).copied());
    weight * stages.reduce(f64::max).unwrap_or(1.0)
}

/// Returns the likelihood factor of changing a test that rejects fragments in wrong pixels, or the colour mask of
/// differing channels.
fn rejected(scene: &Scene, alteration: &Alteration, changes: &Changes) -> f64 {
    let Some((record, lines)) = changes.first_key_value() else { return 1.0 };
    let Some(old) = scene.line(*record) else { return 1.0 };
    let all = (scene.wrong.places.len() as f64).max(1.0);
    let changed = || effects(scene, changes.keys().copied());
    let failed = |test: usize| {
        let failed = changed().filter_map(|effect| effect.failed.get(test));
        1.0 + REJECTED * (failed.sum::<u64>() as f64 / all).min(1.0)
    };
    match (&old.call, lines.first().map(|line| &line.call)) {
        (Call::SetDepthTest { .. }, _) if alteration.field == "passCompareMode" => failed(0),
        (Call::SetStencilActions { .. } | Call::SetStencilReferenceValue { .. }, _) => failed(1),
        (
            Call::SetColorMask { red, green, blue, .. },
            Some(Call::SetColorMask { red: r, green: g, blue: b, .. }),
        ) => {
            let turned = [red != r, green != g, blue != b];
            let fits = turned
                .iter()
                .zip(scene.wrong.kinds.channels)
                .map(|(turned, part)| if *turned { part } else { 1.0 - part });
            fits.product::<f64>() * 8.0
        }
        (Call::SetCulling { triangle_face_to_cull: face }, _) if face.text() != Some("none") => {
            if changed().any(|effect| effect.culls) {
                1.0
            } else {
                0.2
            }
        }
        _ => 1.0,
    }
}

/// Returns whether many pixels of the draws that depend on a call are wrong, or any of these draws changes no pixel.
pub(super) fn is_suspect(scene: &Scene, record: usize) -> bool {
    let (mut wrong, mut right) = (0, 0);
    let is_extra = scene.wrong.kinds.extra > 0.5;
    for effect in effects(scene, [record].into_iter()) {
        wrong += effect.owned.max(effect.passed) + effect.missed / 2;
        wrong += u64::from(effect.changed == 0 && !is_extra);
        right += effect.right;
    }
    wrong * SUSPECT > right
}

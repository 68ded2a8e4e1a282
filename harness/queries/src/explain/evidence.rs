//! Weighs candidates: a candidate that resolves a contradiction between calls is more plausible.

use std::collections::{BTreeMap, BTreeSet};

use context3d::enums::{CompareMode, ProgramType, TriangleFace};
use molehill_analysis::calls::floats;
use molehill_analysis::evidence::pair;
use molehill_analysis::state::{StateItem, StateSlot, set_by};
use molehill_analysis::warnings::{WarningKind, WarningMatch};
use molehill_analysis::{Capture, Result};
use molehill_capture::data::Enum;
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

use super::alteration::Alteration;
use super::owners::{DrawEffect, Kinds, reads};
use super::scene::{DrawnWith, Scene};
use super::variants::SceneObjects;

/// The likelihood factor of a change that resolves a contradiction between calls.
pub(super) const STRONG: f64 = 6.0;
pub(super) const GOOD: f64 = 2.0;
/// The likelihood factor of a change that creates a contradiction between calls.
pub(super) const AGAINST: f64 = 0.3;
/// The likelihood factor of a change of state that no affected draw's program reads.
pub(super) const UNNOTICED: f64 = 0.02;
/// The likelihood factor of changing an argument that looks suspicious even without an expected image.
const ODD: f64 = 6.0;
/// Maximum number of draws per call whose programs are checked.
const MOST_USERS: usize = 8;

pub(super) struct CallEvidence<'a> {
    pub(super) scene: &'a Scene,
    unused: BTreeSet<ObjectId>,
    programs: BTreeMap<ObjectId, BTreeSet<StateSlot>>,
    /// For each record that binds a stream: the ranges of 32-bit values that other streams of the vertex buffer read in
    /// the first draw, and the number of values per vertex.
    pub(super) layouts: BTreeMap<usize, (Vec<(i32, i32)>, i32)>,
    pub(super) indices: BTreeMap<ObjectId, i32>,
}

impl<'a> CallEvidence<'a> {
    pub(super) fn of(scene: &'a Scene, objects: &SceneObjects) -> CallEvidence<'a> {
        let mut layouts = BTreeMap::new();
        let mut used = BTreeSet::new();
        for draw in &scene.draws {
            let streams = draw.slots.iter().filter(|(slot, _)| slot.item == StateItem::Stream);
            let streams = streams.filter_map(|(_, record)| {
                let Call::SetVertexBufferAt { buffer, buffer_offset, format, .. } =
                    &scene.line(*record)?.call
                else {
                    return None;
                };
                Some((*record, (*buffer)?.0, (*buffer_offset, buffer_offset + floats(format)?)))
            });
            let streams: Vec<_> = streams.collect();
            for (record, buffer, _) in &streams {
                let others = streams.iter().filter(|(at, it, _)| at != record && it == buffer);
                let stride = objects.vertices.get(buffer).map_or(0, |(stride, _)| *stride);
                let others = others.map(|(.., range)| *range).collect();
                layouts.entry(*record).or_insert((others, stride));
            }
            let records = draw.slots.values().chain([&draw.record]);
            let lines = records.filter_map(|record| scene.line(*record));
            used.extend(lines.flat_map(|line| line.call.objects()).map(|(_, id)| id));
        }
        let all = objects.textures.keys().chain(objects.vertices.keys());
        let all = all.chain(objects.indices.keys()).chain(&objects.programs);
        let unused = all.filter(|id| !used.contains(id)).copied().collect();
        let lines = scene.records.iter().filter_map(|record| record.call());
        let programs = lines.filter_map(|line| Some((line.on, reads(&*pair(&line.call)?).slots)));
        let (programs, indices) = (programs.collect(), objects.indices.clone());
        CallEvidence { scene, unused, programs, layouts, indices }
    }

    /// Returns the likelihood factor of changing the state slots that a call sets. This likelihood factor depends
    /// on the programs that read the slots and on other calls that set the slots.
    fn slots(&self, record: usize, old: &Call, new: &Call) -> f64 {
        let slots = |call: &Call| -> BTreeSet<StateSlot> {
            let (items, range) = set_by(call);
            let range = range.start..range.end.min(MOST_REGISTERS);
            let read = |item| if item == StateItem::Sampler { StateItem::Texture } else { item };
            items
                .iter()
                .flat_map(|item| range.clone().map(move |at| read(*item).slot(at)))
                .collect()
        };
        let (before, after) = (slots(old), slots(new));
        if after.is_empty() || !after.iter().all(is_read) {
            return 1.0;
        }
        let part = self.scene.parts.get(record);
        let users = part.map_or(&[][..], |part| &part.users);
        let users = users.iter().filter_map(|at| self.scene.draws.get(*at)).take(MOST_USERS);
        let clashes = part.is_some_and(|part| part.clashes) && before.is_disjoint(&after);
        let of_draw = |draw: &DrawnWith| {
            let Some(effect) = self.scene.wrong.effects.get(&draw.record) else { return 1.0 };
            if after.is_disjoint(&effect.reads.slots) {
                return UNNOTICED;
            }
            if before == after {
                return 1.0;
            }
            match [old, new].map(|call| starts_matrix(call, effect)) {
                [false, true] => STRONG,
                [true, false] => AGAINST,
                _ => self.moved((record, draw, effect), clashes, [&before, &after]),
            }
        };
        users.map(of_draw).reduce(f64::max).unwrap_or(UNNOTICED)
    }

    /// Returns the likelihood factor of changing a call to set other slots, for one draw that depends on the call.
    fn moved(
        &self,
        (record, draw, effect): (usize, &DrawnWith, &DrawEffect),
        clashes: bool,
        [before, after]: [&BTreeSet<StateSlot>; 2],
    ) -> f64 {
        let reads = &effect.reads.slots;
        let missing = reads.iter().map(|slot| (*slot, self.lacks(draw, *slot)));
        let missing: BTreeMap<StateSlot, f64> = missing.filter(|(_, lacks)| *lacks > 0.0).collect();
        let filled = after.iter().filter_map(|slot| missing.get(slot)).sum::<f64>();
        let part = filled / missing.values().sum::<f64>().max(1.0);
        let is_lost =
            |slot: &StateSlot| reads.contains(slot) && draw.slots.get(slot) == Some(&record);
        let lost = !clashes && before.difference(after).any(is_lost);
        let factor = match (filled > 0.0, before.is_disjoint(reads), lost) {
            (true, true, _) => GOOD + STRONG * 2.0 * part,
            (true, false, true) | (false, false, false) => 1.0,
            (true, false, false) => GOOD + STRONG * part,
            (false, true, _) => GOOD,
            (false, false, true) => AGAINST,
        };
        if clashes { factor * STRONG / 2.0 } else { factor }
    }

    /// Returns the likelihood that a draw lacks a call that sets a slot. Constants may be set once, before the frame.
    fn lacks(&self, draw: &DrawnWith, slot: StateSlot) -> f64 {
        let is_constant =
            matches!(slot.item, StateItem::VertexConstants | StateItem::FragmentConstants);
        let is_old = draw.slots.get(&slot).is_some_and(|record| *record < self.scene.restored);
        match self.is_empty(draw, slot) {
            true => 1.0,
            false if is_constant && is_old => 0.5,
            false => 0.0,
        }
    }

    /// Returns the likelihood factor of inserting a call that sets a slot before a draw. The likelihood factor is
    /// high if the draw reads the slot and no earlier call sets the slot.
    pub(super) fn inserted(&self, draw: &DrawnWith, slot: StateSlot) -> f64 {
        let read = if slot.item == StateItem::Sampler {
            StateItem::Texture.slot(slot.index)
        } else {
            slot
        };
        let effect = self.scene.wrong.effects.get(&draw.record);
        match effect.map(|effect| effect.reads.slots.contains(&read)) {
            Some(false) if is_read(&read) => UNNOTICED,
            Some(true) if read == slot && self.is_empty(draw, slot) => STRONG,
            _ => 1.0,
        }
    }

    /// Returns whether no call before a draw sets a state slot, or the last such call unbinds the object.
    fn is_empty(&self, draw: &DrawnWith, slot: StateSlot) -> bool {
        let Some(record) = draw.slots.get(&slot) else { return true };
        match self.scene.line(*record).map(|line| &line.call) {
            Some(Call::SetTextureAt { texture, .. }) => texture.is_none(),
            Some(Call::SetVertexBufferAt { buffer, .. }) => buffer.is_none(),
            // The call that restores all constants before the frame contains zeros for registers that no call set.
            Some(Call::SetProgramConstantsFromByteArray { data, first_register: 0, .. })
                if *record < self.scene.restored =>
            {
                let bytes = data.0.as_ref().map_or(&[][..], |data| &data.bytes);
                let bytes = bytes.get(slot.index * 16..slot.index * 16 + 16);
                bytes.is_none_or(|bytes| bytes.iter().all(|byte| *byte == 0))
            }
            _ => false,
        }
    }

    /// Returns the likelihood factor of replacing a program. The new program should read the streams and textures
    /// that calls set.
    pub(super) fn program(&self, record: usize, old: ObjectId, new: ObjectId) -> f64 {
        let users = self.scene.parts.get(record).map_or(&[][..], |part| &part.users);
        let Some(draw) = users.first().and_then(|at| self.scene.draws.get(*at)) else { return 1.0 };
        let mismatch = |program: ObjectId| {
            let is_object =
                |slot: &&StateSlot| matches!(slot.item, StateItem::Stream | StateItem::Texture);
            let reads = self.programs.get(&program)?;
            let missing = reads.iter().filter(is_object).filter(|slot| self.is_empty(draw, **slot));
            let bound = draw.slots.keys().filter(is_object);
            let unread =
                bound.filter(|slot| !self.is_empty(draw, **slot) && !reads.contains(*slot));
            Some((missing.count(), unread.count()))
        };
        match (mismatch(old), mismatch(new)) {
            (Some((1.., _)), Some((0, 0))) => STRONG,
            (Some((1.., _)), Some((0, _))) | (Some((0, 1..)), Some((0, 0))) => GOOD,
            (_, Some((1.., _))) => UNNOTICED,
            (Some(old), Some(new)) if old < new => AGAINST,
            _ => 1.0,
        }
    }

    /// Returns the likelihood factor of replacing the call `old` by `new`.
    pub(super) fn weight(&self, record: usize, old: &Call, new: &Call) -> f64 {
        let unused = |objects: Vec<(&str, ObjectId)>| {
            let mut objects = objects.iter().filter(|(_, id)| self.unused.contains(id));
            objects.next().is_some()
        };
        let Kinds { missing, extra, .. } = self.scene.wrong.kinds;
        let open = match (is_open(old), is_open(new)) {
            (false, true) => 1.0 + missing,
            (true, false) => 1.0 + extra,
            _ => 1.0,
        };
        let factor = self.slots(record, old, new) * self.arguments(record, old, new) * open;
        if unused(new.objects()) && !unused(old.objects()) { factor * GOOD } else { factor }
    }
}

/// Returns whether a call sets the first register of a matrix that a draw's program multiplies with.
fn starts_matrix(call: &Call, effect: &DrawEffect) -> bool {
    match call {
        Call::SetProgramConstantsFromMatrix {
            program_type: Enum::Is(ProgramType::Vertex),
            first_register,
            ..
        } => {
            let first = u16::try_from(*first_register);
            first.is_ok_and(|first| effect.reads.matrices.contains(&first))
        }
        _ => false,
    }
}

/// Returns whether programs read the content of a slot.
fn is_read(slot: &StateSlot) -> bool {
    let read = [
        StateItem::Stream,
        StateItem::Texture,
        StateItem::VertexConstants,
        StateItem::FragmentConstants,
    ];
    read.contains(&slot.item)
}

const MOST_REGISTERS: usize = 256;

/// The diagnostics that need no expected image, each with its call.
pub(super) struct CallDiagnostic(Vec<(CallLine, WarningKind, String)>);

impl CallDiagnostic {
    pub(super) fn of(capture: &Capture, evidence: &[WarningMatch]) -> Result<CallDiagnostic> {
        let mut all = Vec::new();
        for WarningMatch { kind, call, draws, text } in evidence {
            let own = [*call];
            let calls = if *kind == WarningKind::IndexRange { &draws[..] } else { &own };
            for call in calls {
                all.push(((*capture.call(*call)?.1).clone(), *kind, text.clone()));
            }
        }
        Ok(CallDiagnostic(all))
    }

    /// Returns the likelihood factor of changing a call, which is higher if a diagnostic concerns the call.
    pub(super) fn weight(
        &self,
        line: &CallLine,
        Alteration { field, from, .. }: &Alteration,
    ) -> f64 {
        let is_about = |(odd, kind, text): &&(CallLine, WarningKind, String)| {
            let is = |names: &[&str]| names.iter().any(|name| field.contains(name));
            let is_own = match kind {
                WarningKind::CubeSeams => {
                    return odd.on == line.on && text.contains(&format!("{from} exchanged"));
                }
                WarningKind::OddArgument => is(&[text.split(' ').next().unwrap_or_default()]),
                kind => is(kind.parameters()),
            };
            is_own && odd.on == line.on && odd.call == line.call
        };
        if self.0.iter().any(|odd| is_about(&odd)) { ODD } else { 1.0 }
    }
}

/// Returns whether a call sets a test that all fragments pass.
fn is_open(call: &Call) -> bool {
    match call {
        Call::SetCulling { triangle_face_to_cull: Enum::Is(face) } => *face == TriangleFace::None,
        Call::SetDepthTest { pass_compare_mode: Enum::Is(mode), .. }
        | Call::SetStencilActions { compare_mode: Enum::Is(mode), .. } => {
            *mode == CompareMode::Always
        }
        Call::SetScissorRectangle { rectangle } => rectangle.is_none(),
        _ => false,
    }
}

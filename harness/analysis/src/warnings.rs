//! Warnings about the calls of a frame: problems, and lints about redundant calls.

use std::collections::{BTreeMap, BTreeSet};

use context3d::agal::LinkedPair;
use context3d::internals::BoundState;
use context3d::keys::TextureKey;
use context3d::packets::slot_samplers;
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};
use serde::Serialize;

use crate::calls::renders;
use crate::capture::Capture;
use crate::inspector::DrawRecord;
use crate::passes::CallStatus;
use crate::renderers::{ReferencePlayer, pair};
use crate::resource_key::ResourceKey;
use crate::sentence::{Meaning, Sentence, sentence};
use crate::state_items::{StateArea, StateItem, StateSlot, set_by};

/// A diagnostic about a suspicious call that may be intended, with the draws that it affects.
pub struct WarningMatch {
    pub kind: WarningKind,
    pub call: usize,
    pub draws: Vec<usize>,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningGroup {
    Fault,
    /// Suspicious input that may be intended.
    Evidence,
    /// A redundant call.
    Lint,
}

agal_core::table! {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    pub enum WarningKind {
        group: WarningGroup,
        /// The parameters of the call that may have a wrong value.
        parameters: &'static [&'static str],
    }
    /// A call that raised an error, was skipped or is unsupported.
    FailedCall WarningGroup::Fault, &[];
    /// A draw that changed neither colour, depth nor stencil.
    DrawWithoutEffect WarningGroup::Fault, &[];
    /// A draw whose input is almost certainly a bug: NaN or infinite positions or constants, a black or transparent
    /// texture, or a vertex stream that is too short.
    Faulty WarningGroup::Fault, &[];
    /// An executed draw that error checking would reject.
    Unchecked WarningGroup::Fault, &[];
    /// A context with draws that has not successfully presented an image by the frame's end.
    NotPresented WarningGroup::Fault, &[];
    /// A call that set state to the value that it already had.
    Redundant WarningGroup::Lint, &[];
    /// A call whose state was overwritten before any draw or clear.
    NeverUsed WarningGroup::Lint, &[];
    /// A bound texture that no program of the frame read.
    NeverSampled WarningGroup::Lint, &[];
    /// A draw with an argument value that no other draw of its program has. The text begins with the parameter.
    OddArgument WarningGroup::Evidence, &[];
    /// Overlapping vertex attributes, while other values of the vertex are never read.
    VertexLayout WarningGroup::Evidence, &["bufferOffset", "format"];
    /// A draw that begins inside a triangle of the index buffer, or indices that no draw uses.
    IndexRange WarningGroup::Evidence, &["firstIndex", "numTriangles"];
    /// An uploaded object that no call uses.
    NeverBound WarningGroup::Evidence, &[];
    /// Blending that multiplies the colours of a premultiplied texture by alpha again.
    Premultiplied WarningGroup::Evidence, &["sourceFactor"];
    /// A matrix that is plausible only if transposed.
    Transposed WarningGroup::Evidence, &["transposedMatrix"];
    /// A cube texture whose faces fit much better in another order.
    CubeSeams WarningGroup::Evidence, &[];
    /// A pass with many passed fragments that changes few pixels.
    IdlePass WarningGroup::Evidence, &[];
}

impl WarningKind {
    /// Returns whether the warning is a lint, about a redundant call.
    pub fn is_lint(self) -> bool {
        self.group() == WarningGroup::Lint
    }

    /// Returns whether the warning is about suspicious input that may be intended.
    pub fn is_evidence(self) -> bool {
        self.group() == WarningGroup::Evidence
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    pub call: usize,
    /// The name of the method or property in ActionScript.
    pub name: &'static str,
    pub kind: WarningKind,
    /// The id of the error that the call raises, or that error checking would raise.
    pub error: Option<u16>,
    pub text: String,
    #[serde(skip)]
    pub(crate) meaning: Meaning,
}

#[derive(Default)]
pub(crate) struct DrawFindings {
    /// The reason why the draw changes nothing; `None` if it changes pixels.
    pub(crate) no_effect: Option<Sentence>,
    pub(crate) faults: Vec<Sentence>,
}

/// Returns the first slot that a call sets, and the number of slots. Returns `None` for calls that set several items,
/// or that also do something else.
fn draw_state(call: &Call) -> Option<(StateSlot, usize)> {
    match (call, set_by(call)) {
        (Call::SetRenderToBackBuffer {} | Call::Present {}, _) => None,
        (_, ([StateItem::BackBuffer], _)) => None,
        (_, ([item], slots)) if item.area() != StateArea::Hidden => {
            Some((item.slot(slots.start), slots.len()))
        }
        _ => None,
    }
}

#[derive(Default)]
pub(crate) struct WarningCollector {
    warnings: Vec<Warning>,
    /// A context and its state before the current call; `after` has the state after the last call that set state.
    before: Option<(usize, BoundState)>,
    after: Option<(usize, BoundState)>,
    /// State set since the last draw or clear: by context and slot, the call and the number of slots.
    unused: BTreeMap<(ObjectId, StateSlot), (usize, usize)>,
    /// Textures that were bound but not read, each with its first such draw and its slot.
    bound: BTreeMap<(ObjectId, TextureKey), (usize, usize)>,
    /// Textures that a program read.
    sampled: BTreeSet<(ObjectId, TextureKey)>,
}

impl WarningCollector {
    pub(crate) fn warn(&mut self, call: usize, kind: WarningKind, text: impl Into<Sentence>) {
        let Sentence { text, meaning } = text.into();
        self.warnings.push(Warning { call, name: "", kind, error: None, text, meaning });
    }

    /// Adds suspicious input of the frame to the warnings.
    pub(crate) fn odd(&mut self, found: impl IntoIterator<Item = WarningMatch>) {
        found
            .into_iter()
            .for_each(|WarningMatch { kind, call, text, .. }| self.warn(call, kind, text));
    }

    /// Warns about the error that a call or error checking raises. `missing` is the end of the message.
    pub(crate) fn error(&mut self, call: usize, status: &CallStatus, missing: Option<Sentence>) {
        let (kind, text) = match (status.failure(), &status.unchecked) {
            (Some(failure), _) => (WarningKind::FailedCall, sentence![failure, missing]),
            (None, Some(unchecked)) => (WarningKind::Unchecked, unchecked.to_string().into()),
            (None, None) => return,
        };
        self.warn(call, kind, text);
        self.warnings.last_mut().into_iter().for_each(|it| it.error = status.error());
    }

    /// Saves the state before a call other than a draw. `context` is the call's context, if the call succeeds.
    pub(crate) fn before(
        &mut self,
        player: &ReferencePlayer,
        line: &CallLine,
        context: Option<usize>,
    ) {
        let after = self.after.take();
        let context = context.filter(|_| draw_state(&line.call).is_some());
        self.before = context.and_then(|context| match after {
            // Draws don't change the state, so the saved state is still valid.
            Some((on, bound)) if on == context => Some((context, bound)),
            _ => Some((context, player.bound(context)?)),
        });
    }

    /// Warns about redundant state after a call.
    pub(crate) fn set(&mut self, call: usize, line: &CallLine, player: &ReferencePlayer) {
        let Some((slot, count)) = draw_state(&line.call) else {
            if renders(&line.call) {
                self.unused.clear();
            }
            return;
        };
        let before = self.before.take();
        let on = before.as_ref().map(|(on, _)| *on);
        self.after = on.and_then(|on| Some((on, player.bound(on)?)));
        let redundant = before.is_some() && before == self.after;
        let before = self.unused.insert((line.on, slot), (call, count));
        if redundant {
            self.warn(call, WarningKind::Redundant, "redundant: sets the current value");
        } else if let Some((earlier, _)) = before.filter(|(_, before)| *before <= count) {
            let text = format!("overwritten by call {call} before any draw or clear");
            self.warn(earlier, WarningKind::NeverUsed, text);
        }
    }

    /// Adds the diagnostics of an executed draw. Call this before [`WarningCollector::set`].
    pub(crate) fn drawn(
        &mut self,
        draw: &DrawRecord,
        player: &mut ReferencePlayer,
        DrawFindings { no_effect, faults }: DrawFindings,
    ) {
        let DrawRecord { call, context, ref line, .. } = *draw;
        if let Some(reason) = no_effect {
            self.warn(call, WarningKind::DrawWithoutEffect, reason);
        }
        faults.into_iter().for_each(|fault| self.warn(call, WarningKind::Faulty, fault));
        let textures = player.bound_textures(context);
        let pair = pair(player, context);
        for (slot, texture) in textures.iter().enumerate() {
            let Some(texture) = *texture else { continue };
            let reads = |pair: &LinkedPair| slot_samplers(pair.interface(), slot).next().is_some();
            if pair.is_some_and(reads) {
                self.sampled.insert((line.on, texture));
            } else {
                self.bound.entry((line.on, texture)).or_insert((call, slot));
            }
        }
    }

    /// Returns all warnings, ordered by call. `player` is the replay at the frame's end.
    pub(crate) fn finish(mut self, capture: &Capture, player: &ReferencePlayer) -> Vec<Warning> {
        for ((on, texture), (call, slot)) in std::mem::take(&mut self.bound) {
            if !self.sampled.contains(&(on, texture)) {
                let context = player.context_of(on).unwrap_or(usize::MAX);
                let title = ResourceKey::Texture(texture).title(capture, player, context);
                let why = "no program of the frame reads it";
                let text = format!("{title} is bound to slot {slot}, and {why}");
                self.warn(call, WarningKind::NeverSampled, text);
            }
        }
        for Warning { call, name, .. } in &mut self.warnings {
            *name = capture.call(*call).map_or("", |(_, line)| line.call.name());
        }
        self.warnings.sort_by_key(|warning| (warning.call, warning.kind));
        self.warnings
    }
}

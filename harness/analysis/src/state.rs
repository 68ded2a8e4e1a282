//! The pipeline state at a call, and its differences from other draws.

use std::collections::BTreeMap;
use std::sync::Arc;

use context3d::agal::LinkedPair;
use context3d::agal::asm::AgalListing;
use context3d::agal::glsl::{Dialect, GlslOptions, emit};
use context3d::internals::BoundState;
use context3d::packets::slot_samplers;
use molehill_capture::Call;
use molehill_capture::objects::ObjectId;
use serde::Serialize;

use crate::calls::is_draw;
use crate::capture::Capture;
use crate::error::{InspectError, Result};
use crate::inspector::Inspector;
use crate::notes::CallSite;
use crate::origins::OriginKind;
use crate::passes::RenderPass;
use crate::plan::ExactSurfaces;
use crate::renderers::{ReferencePlayer, context_id, pair};
use crate::resource_key::ResourceKey;
use crate::same_draw::EarlierDraw;
pub use crate::state_items::{StateArea, StateItem, StateSlot, set_by};
use crate::step::{VertexReport, vertex_report};
use crate::warnings::WarningMatch;
use crate::wrong::WrongDraw;

const NOT_SET: &str = "not set";
const FIRST_TRIANGLES: usize = 3;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StateField {
    pub area: StateArea,
    /// The state slot; `None` for a parameter of the draw.
    #[serde(skip)]
    pub slot: Option<StateSlot>,
    /// The name of the value, such as `blend`, `va0`, `fs1` or `vc12`, or of a draw parameter, such as `firstIndex`.
    pub name: String,
    /// The value as text. `not set` if only the compared draw has a value for this state slot.
    pub value: String,
    /// True if the program reads the value, or if the value is fixed-function state.
    pub read: bool,
    pub before: Option<String>,
    /// The value at the same draw of the previous frame, if it differs.
    pub earlier: Option<String>,
    /// The value at the same draw of the expected capture, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The call that set the value: `#12 setCulling(…)`; `None` if no call set it. If a call set several constants,
    /// only the first register shows its arguments.
    pub set_by: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramText {
    pub program: String,
    /// The disassembled AGAL of the vertex and the fragment program.
    pub agal: [String; 2],
    /// Both programs as GLSL 3.30, with the AGAL as comments. If translation fails, the first string is the error
    /// message.
    pub glsl: [String; 2],
}

/// The state before a call that draws or clears, or after a call that does neither.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StateReport {
    pub call: usize,
    pub text: String,
    /// The error that error checking would raise for an executed draw.
    pub unchecked: Option<String>,
    pub context: String,
    /// The previous draw of the context, with which the state is compared.
    pub compared_with: Option<usize>,
    /// The matching draw in the last earlier frame with draws: see [`Inspector::same_draw`].
    pub same_draw: Option<EarlierDraw>,
    pub rows: Vec<StateField>,
    pub program: Option<ProgramText>,
    /// The vertices of the draw's first triangles: see [`Inspector::add_vertices`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<VertexReport>,
    /// Suspicious input of a draw: see [`Inspector::add_evidence`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// The pixels that the draw made wrong, and the corresponding draw of the expected capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<WrongDraw>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_draw: Option<EarlierDraw>,
    #[serde(flatten)]
    pub call_site: CallSite,
}

/// The replay at a call, the call's context, its bound state, and that state as rows.
type StateAt = (ReferencePlayer, usize, BoundState, Vec<StateField>);

impl Inspector {
    /// Returns the state at a call, compared with the previous draw and with the same draw of the previous frame.
    pub fn state(&mut self, call: usize) -> Result<StateReport> {
        let capture = Arc::clone(self.capture());
        let (_, line) = capture.call(call)?;
        let earlier = self.draw_before(call, line.on)?;
        let same_draw = self.same_draw(call)?;
        // Visits earlier calls first, so that replays to later calls can start from their checkpoints.
        let same = same_draw.map(|same| self.state_at(same.call)).transpose()?.flatten();
        let before = earlier.map(|earlier| self.state_at(earlier)).transpose()?.flatten();
        let found = self.state_at(call)?.ok_or(InspectError::NoContext(call))?;
        let (mut player, context, bound, mut rows) = found;
        let compared: [(_, RowField); 2] =
            [(before, |it| &mut it.before), (same, |it| &mut it.earlier)];
        for (old, of) in compared {
            old.into_iter().for_each(|(.., old)| compare(&mut rows, &old, of));
        }
        self.add_origins(call, &mut rows)?;
        let program = bound.program.and_then(|key| {
            let title = ResourceKey::Program(key).title(&capture, &player, context);
            Some(program_text(title, pair(&mut player, context)?))
        });
        let (line_of_call, status) = (self.line(call)?, self.call_status(call)?);
        // The text of a skipped draw already contains its errors.
        let unchecked = status.unchecked.filter(|unchecked| unchecked.dropped.is_none());
        Ok(StateReport {
            call,
            text: line_of_call.to_string().trim_start().to_owned(),
            unchecked: unchecked.map(|unchecked| unchecked.to_string()),
            call_site: line_of_call.call_site,
            context: capture.title(context_id(&player, context).unwrap_or(line.on)),
            compared_with: earlier,
            same_draw,
            rows,
            program,
            vertices: Vec::new(),
            evidence: Vec::new(),
            wrong: None,
            expected_draw: None,
        })
    }

    /// Adds to each row the call that set its value.
    fn add_origins(&self, call: usize, rows: &mut [StateField]) -> Result<()> {
        let mut set: BTreeMap<(StateArea, String), Vec<usize>> = BTreeMap::new();
        for origin in self.origins(call)? {
            let item = origin.slot.item;
            if origin.kind == OriginKind::Set && item != StateItem::BackBuffer {
                set.entry((item.area(), origin.slot.to_string())).or_default().push(origin.call);
            }
        }
        // Shows a call's arguments only at the first register that it sets.
        let mut told = None;
        for row in rows {
            let Some(calls) = set.get(&(row.area, row.name.clone())) else { continue };
            let is_told = row.area == StateArea::Constants && told.as_ref() == Some(calls);
            let mut texts = Vec::new();
            for call in calls {
                let (_, line) = self.capture().call(*call)?;
                let text =
                    if is_told { String::new() } else { self.capture().short_text(&line.call) };
                texts.push(format!("#{call} {text}").trim_end().to_owned());
            }
            row.set_by = Some(texts.join("; "));
            told = Some(calls.clone());
        }
        Ok(())
    }

    /// Adds the vertices of the first triangles, if the call is an executed draw.
    pub fn add_vertices(&mut self, state: &mut StateReport) -> Result<()> {
        let mesh = match self.mesh(state.call) {
            Ok(mesh) => mesh,
            Err(InspectError::NotADraw(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut corners: Vec<u32> = Vec::new();
        for corner in mesh.triangles.iter().take(FIRST_TRIANGLES).flatten() {
            if !corners.contains(corner) {
                corners.push(*corner);
            }
        }
        let vertices = corners.iter().filter_map(|corner| mesh.vertices.get(*corner as usize));
        state.vertices = vertices.map(vertex_report).collect();
        Ok(())
    }

    /// Adds the diagnostics about a draw to its state.
    pub fn add_evidence(&mut self, state: &mut StateReport) -> Result<()> {
        let capture = Arc::clone(self.capture());
        let (_, line) = capture.call(state.call)?;
        let Some(frame) = capture.frame_of(state.call).filter(|_| is_draw(&line.call)) else {
            return Ok(());
        };
        let (mut player, ..) = self.at_call(state.call, ExactSurfaces::STATE)?;
        let found = self.evidence(frame.number, &mut player)?.into_iter();
        let about = found.filter(|found| found.draws.contains(&state.call));
        state.evidence =
            about.map(|WarningMatch { call, text, .. }| format!("call {call}: {text}")).collect();
        Ok(())
    }

    /// Compares the state of a draw in `frame` with the draw of equal index in another capture's frame, if there is
    /// one.
    pub fn compare_state(
        &mut self,
        frame: u32,
        state: &mut StateReport,
        (other, number): (&mut Inspector, u32),
    ) -> Result<()> {
        let draws = |passes: Vec<RenderPass>| passes.into_iter().flat_map(|pass| pass.draws);
        let at = draws(self.passes(frame)?).position(|draw| draw == state.call);
        let Some(same) = at.and_then(|at| draws(other.passes(number).ok()?).nth(at)) else {
            return Ok(());
        };
        if let Some((.., old)) = other.state_at(same)? {
            compare(&mut state.rows, &old, |it| &mut it.expected);
            state.expected_draw = Some(EarlierDraw { frame: number, call: same });
        }
        Ok(())
    }

    /// Returns the state at a call, or `None` if the call's context is disposed.
    pub(crate) fn state_at(&mut self, call: usize) -> Result<Option<StateAt>> {
        let capture = Arc::clone(self.capture());
        let (mut player, _, line) = self.at_call(call, ExactSurfaces::STATE)?;
        let Some(context) = player.context_of(line.on) else { return Ok(None) };
        let Some(bound) = player.bound(context) else { return Ok(None) };
        let rows = rows(&capture, &mut player, (context, &line.call), &bound);
        Ok(Some((player, context, bound, rows)))
    }

    /// Returns the last draw before a call, in the context of the call's receiver.
    fn draw_before(&self, call: usize, on: ObjectId) -> Result<Option<usize>> {
        let (capture, on) = (self.capture(), self.capture().context_of(on));
        let dry_run = self.dry_run(capture.record_index(call)?)?;
        let draws = dry_run.signatures.iter().rev().map(|(draw, _)| *draw);
        let mut earlier = draws.filter(|draw| *draw < call);
        Ok(earlier.find(|draw| capture.call(*draw).is_ok_and(|(_, line)| line.on == on)))
    }
}

/// A function that selects the field of a state report's row in which the value of the compared draw is stored.
type RowField = fn(&mut StateField) -> &mut Option<String>;

/// If a row's value differs from `old`, stores the value of `old` in the row's field that `of` selects. Adds rows for
/// slots that are set only in `old`.
fn compare(rows: &mut Vec<StateField>, old: &[StateField], of: RowField) {
    let named = |row: &StateField| (row.area, row.name.clone());
    let mut old: BTreeMap<_, &StateField> = old.iter().map(|row| (named(row), row)).collect();
    for row in &mut *rows {
        let was = old.remove(&named(row)).map_or(NOT_SET, |was| was.value.as_str());
        *of(row) = (was != row.value).then(|| was.to_owned());
    }
    rows.extend(old.into_values().map(|gone| {
        let mut row = StateField { value: NOT_SET.to_owned(), ..gone.clone() };
        *of(&mut row) = Some(gone.value.clone());
        row
    }));
}

fn program_text(program: String, pair: &LinkedPair) -> ProgramText {
    let agal = [pair.vertex(), pair.fragment()]
        .map(|half| AgalListing { numbers: true, ..AgalListing::new(half.program()) }.to_string());
    let target = GlslOptions { comments: true, ..GlslOptions::new(Dialect::Glsl330) };
    let glsl = match emit(pair, &target) {
        Ok(glsl) => [glsl.vertex, glsl.fragment],
        Err(missing) => [missing.to_string(), String::new()],
    };
    ProgramText { program, agal, glsl }
}

/// Returns the state of a context as rows, with the parameters of a draw.
fn rows(
    capture: &Capture,
    player: &mut ReferencePlayer,
    (context, call): (usize, &Call),
    bound: &BoundState,
) -> Vec<StateField> {
    let interface = pair(player, context).map(|pair| pair.interface().clone());
    let reads = |StateSlot { item, index }| match (item, &interface) {
        (StateItem::Stream, Some(all)) => all.attributes >> index & 1 != 0,
        (StateItem::Texture, Some(all)) => slot_samplers(all, index).next().is_some(),
        (StateItem::VertexConstants, Some(all)) => index < usize::from(all.vertex_constants),
        (StateItem::FragmentConstants, Some(all)) => index < usize::from(all.fragment_constants),
        (item, _) => {
            matches!(item.area(), StateArea::Program | StateArea::Targets | StateArea::Raster)
        }
    };
    let title = |key: ResourceKey| key.title(capture, player, context);
    let mut rows = Vec::new();
    for item in StateItem::ALL {
        let slots = (0..item.rows(bound)).map(|index| item.slot(index));
        let values = slots.filter_map(|slot| Some((slot, item.value(slot.index, bound, &title)?)));
        rows.extend(values.map(|(slot, value)| {
            let (area, name, read) = (item.area(), slot.to_string(), reads(slot));
            StateField { area, slot: Some(slot), name, value, read, ..StateField::default() }
        }));
        if *item == StateItem::Indices && is_draw(call) {
            let arguments = call.arguments(&|id| capture.title(id)).into_iter();
            rows.extend(arguments.map(|(name, value)| {
                let (area, name) = (item.area(), name.to_owned());
                StateField { area, name, value, read: true, ..StateField::default() }
            }));
        }
    }
    rows
}

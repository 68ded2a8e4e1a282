//! The state at a call.

use std::collections::BTreeMap;
use std::sync::Arc;

use context3d::agal::LinkedPair;
use context3d::agal::asm::Listing;
use context3d::agal::glsl::{Dialect, Target, emit};
use context3d::enums::FlashName;
use context3d::internals::Bound;
use context3d::packets::{Raster, StencilFace, slot_samplers};
use molehill_capture::Call;
use molehill_capture::objects::ObjectId;
use serde::Serialize;

use crate::call_site::CallSite;
use crate::calls::is_draw;
use crate::capture::Capture;
use crate::error::{InspectError, Result};
use crate::inspector::Inspector;
use crate::number::text;
use crate::plan::Want;
use crate::renderers::{Key, Player, context_id, pair};
use crate::restore::RASTER;
use crate::same_draw::EarlierDraw;

const NOT_SET: &str = "not set";

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// `program`, `targets`, `raster`, `streams`, `textures` or `constants`.
    pub area: &'static str,
    /// `blend`, `va0`, `fs1`, `vc12` and so on; in the area `streams` also a draw's parameters, as `firstIndex`.
    pub name: String,
    /// The value as text; `not set` if only a draw had it that it is compared with.
    pub value: String,
    /// Whether the program reads it; always true for fixed-function state.
    pub read: bool,
    pub before: Option<String>,
    /// The value at the same draw of the frame before, if it is another one.
    pub earlier: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramText {
    pub program: String,
    /// Disassembled AGAL of the vertex and the fragment program.
    pub agal: [String; 2],
    /// The same programs as GLSL 3.30, with the AGAL as comments. If they can't be translated, the first text is the
    /// reason.
    pub glsl: [String; 2],
}

/// The state at a call: before it for a draw or a clear, which use that state; after it for other calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StateReport {
    pub call: usize,
    pub text: String,
    /// The error that error checking would raise for the draw, if the draw is executed.
    pub unchecked: Option<String>,
    pub context: String,
    /// The previous draw in the context, which the rows are compared with.
    pub compared_with: Option<usize>,
    /// The same draw in the last earlier frame that draws: see [`Inspector::same_draw`].
    pub same_draw: Option<EarlierDraw>,
    pub rows: Vec<Row>,
    pub program: Option<ProgramText>,
    #[serde(flatten)]
    pub call_site: CallSite,
}

/// The replay at a call, its context, and the state there.
type Found = (Player, usize, Bound, Vec<Row>);

impl Inspector {
    /// The state at a call, compared with that at the previous draw, and at the same draw of the frame before.
    pub fn state(&mut self, call: usize) -> Result<StateReport> {
        let capture = Arc::clone(self.capture());
        let (_, line) = capture.call(call)?;
        let earlier = self.draw_before(call, line.on)?;
        let same_draw = self.same_draw(call)?;
        // Earlier calls go first, because the replay to later ones passes them and can start from their checkpoints.
        let same = same_draw.map(|same| self.state_at(same.call)).transpose()?.flatten();
        let before = earlier.map(|earlier| self.state_at(earlier)).transpose()?.flatten();
        let found = self.state_at(call)?.ok_or(InspectError::NoContext(call))?;
        let (mut player, context, bound, mut rows) = found;
        let compared: [(_, Field); 2] =
            [(before, |it| &mut it.before), (same, |it| &mut it.earlier)];
        for (old, of) in compared {
            old.into_iter().for_each(|(.., old)| compare(&mut rows, &old, of));
        }
        let program = bound.program.and_then(|key| {
            let title = Key::Program(key).title(&capture, &player, context);
            Some(program_text(title, pair(&mut player, context)?))
        });
        let (line_of_call, status) = (self.line(call)?, self.call_status(call)?);
        // The text has the errors of draws that are not executed.
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
        })
    }

    /// `None` if the context is gone.
    fn state_at(&mut self, call: usize) -> Result<Option<Found>> {
        let capture = Arc::clone(self.capture());
        let (mut player, _, line) = self.at_call(call, Want::STATE)?;
        let Some(context) = player.context_of(line.on) else { return Ok(None) };
        let Some(bound) = player.bound(context) else { return Ok(None) };
        let rows = rows(&capture, &mut player, (context, &line.call), &bound);
        Ok(Some((player, context, bound, rows)))
    }

    /// The last draw before a call, in the context of the call's receiver.
    fn draw_before(&self, call: usize, on: ObjectId) -> Result<Option<usize>> {
        let (capture, on) = (self.capture(), self.capture().context_of(on));
        let dry_run = self.dry_run(capture.record_index(call)?)?;
        let draws = dry_run.signatures.iter().rev().map(|(draw, _)| *draw);
        let mut earlier = draws.filter(|draw| *draw < call);
        Ok(earlier.find(|draw| capture.call(*draw).is_ok_and(|(_, line)| line.on == on)))
    }
}

/// The field of a row for the value that it had.
type Field = fn(&mut Row) -> &mut Option<String>;

/// Notes what differed in an old state, in the field `of` of the rows. What only the old state had becomes a row.
fn compare(rows: &mut Vec<Row>, old: &[Row], of: Field) {
    let named = |row: &Row| (row.area, row.name.clone());
    let mut old: BTreeMap<_, &Row> = old.iter().map(|row| (named(row), row)).collect();
    for row in &mut *rows {
        let was = old.remove(&named(row));
        let was = was.map_or(NOT_SET, |was| was.value.as_str());
        *of(row) = (was != row.value).then(|| was.to_owned());
    }
    rows.extend(old.into_values().map(|gone| {
        let mut row = Row { value: NOT_SET.to_owned(), ..gone.clone() };
        *of(&mut row) = Some(gone.value.clone());
        row
    }));
}

fn program_text(program: String, pair: &LinkedPair) -> ProgramText {
    let agal = [pair.vertex(), pair.fragment()]
        .map(|half| Listing { numbers: true, ..Listing::new(half.program()) }.to_string());
    let target = Target { comments: true, ..Target::new(Dialect::Glsl330) };
    let glsl = match emit(pair, &target) {
        Ok(glsl) => [glsl.vertex, glsl.fragment],
        Err(missing) => [missing.to_string(), String::new()],
    };
    ProgramText { program, agal, glsl }
}

struct Rows<'a> {
    rows: Vec<Row>,
    capture: &'a Capture,
    player: &'a Player,
    context: usize,
}

impl Rows<'_> {
    fn push(&mut self, area: &'static str, name: impl Into<String>, read: bool, value: String) {
        self.rows.push(Row { area, name: name.into(), value, read, before: None, earlier: None });
    }

    fn title(&self, key: Key) -> String {
        key.title(self.capture, self.player, self.context)
    }
}

fn rows(
    capture: &Capture,
    player: &mut Player,
    (context, call): (usize, &Call),
    bound: &Bound,
) -> Vec<Row> {
    let pair = pair(player, context).cloned();
    let mut rows = Rows { rows: Vec::new(), capture, player, context };
    if let Some(program) = bound.program {
        let title = rows.title(Key::Program(program));
        rows.push("program", "program", true, title);
    }
    targets(&mut rows, bound);
    raster(&mut rows, &bound.raster, bound.scissor);
    let interface = pair.as_ref().map(LinkedPair::interface);
    for (register, stream) in bound.streams.iter().enumerate() {
        let Some(stream) = stream else { continue };
        let read = interface.is_some_and(|all| all.attributes >> register & 1 != 0);
        let title = rows.title(Key::Vertices(stream.buffer));
        let (offset, format) = (stream.offset, stream.format.name());
        let value = format!("{title}, offset {offset}, {format}");
        rows.push("streams", format!("va{register}"), read, value);
    }
    let arguments = is_draw(call).then(|| call.arguments(&|id| capture.title(id)));
    for (name, value) in arguments.into_iter().flatten() {
        rows.push("streams", name, true, value);
    }
    for (slot, texture) in bound.textures.iter().enumerate() {
        let Some(texture) = texture else { continue };
        let read = interface.is_some_and(|all| slot_samplers(all, slot).next().is_some());
        let title = rows.title(Key::Texture(*texture));
        let state = bound.samplers.get(slot);
        let state = state.map_or(String::new(), |state| {
            let (wrap, filter) = (state.wrap.name(), state.filter.name());
            format!(", {wrap}, {filter}, {}", state.mip.name())
        });
        rows.push("textures", format!("fs{slot}"), read, title + &state);
    }
    let counts = interface.map_or((0, 0), |all| (all.vertex_constants, all.fragment_constants));
    for (bank, letter, used) in [
        (&bound.vertex_constants, "vc", usize::from(counts.0)),
        (&bound.fragment_constants, "fc", usize::from(counts.1)),
    ] {
        let set = bank.iter().rposition(|value| *value != [0.0; 4]);
        for (register, value) in bank.iter().enumerate().take(set.map_or(0, |last| last + 1)) {
            let read = register < used;
            rows.push("constants", format!("{letter}{register}"), read, text(value));
        }
    }
    rows.rows
}

fn targets(rows: &mut Rows<'_>, bound: &Bound) {
    let flags = |depth: bool, samples: u8| {
        let depth = if depth { ", depth and stencil" } else { "" };
        let samples = if samples > 1 { format!(", {samples} samples") } else { String::new() };
        format!("{depth}{samples}")
    };
    let back = bound.back_buffer;
    if bound.targets.iter().all(Option::is_none) {
        let flags = flags(back.depth_stencil, back.samples);
        let value = format!("back buffer {}×{}{flags}", back.width, back.height);
        rows.push("targets", "output 0", true, value);
    }
    for (output, target) in bound.targets.iter().enumerate() {
        let Some(target) = target else { continue };
        let title = rows.title(Key::Texture(target.texture));
        let side = if target.side > 0 { format!(", side {}", target.side) } else { String::new() };
        let flags = flags(target.depth_stencil, target.samples);
        rows.push("targets", format!("output {output}"), true, title + &side + &flags);
    }
}

fn raster(rows: &mut Rows<'_>, raster: &Raster, scissor: Option<[i64; 4]>) {
    let face = |face: &StencilFace| {
        let actions = [face.both_pass, face.depth_fail, face.stencil_fail].map(FlashName::name);
        format!("{}, {}", face.compare.name(), actions.join(", "))
    };
    let channels = ["red", "green", "blue", "alpha"].into_iter();
    let open = channels.zip(raster.color_mask).filter(|(_, open)| *open);
    let mask: Vec<&str> = open.map(|(name, _)| name).collect();
    let [reference, read, write] =
        [raster.stencil_reference, raster.stencil_read_mask, raster.stencil_write_mask];
    let scissor = scissor.map(|[left, top, right, bottom]| {
        format!("({left}, {top}, {}×{})", right - left, bottom - top)
    });
    let write_depth = if raster.depth_write { "written" } else { "not written" };
    let values = [
        raster.cull.name().to_owned(),
        format!("{}, {}", raster.blend.0.name(), raster.blend.1.name()),
        mask.join(", "),
        format!("{}, {write_depth}", raster.depth_compare.name()),
        face(&raster.stencil_front),
        face(&raster.stencil_back),
        format!("{reference}, read mask {read}, write mask {write}"),
        scissor.unwrap_or("none".to_owned()),
        raster.fill.name().to_owned(),
    ];
    for ((name, _), value) in RASTER.into_iter().zip(values) {
        rows.push("raster", name, true, value);
    }
}

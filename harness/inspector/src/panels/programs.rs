//! The Programs tab: AGAL and GLSL side by side. A hovered or clicked instruction is highlighted in both languages.

use std::sync::Arc;

use context3d::agal::Stage;
use eframe::egui::{self, RichText, Ui};
use molehill_analysis::edit::Draft;
use molehill_analysis::origins::{ContentPart, OriginKind};
use molehill_analysis::state::{StateField, StateItem, StateReport};

use super::copy;
use crate::session::Session;
use crate::theme::palette;

#[derive(Default)]
pub(crate) struct ProgramsView {
    /// True to show the vertex program, false to show the fragment program.
    pub(crate) vertex: bool,
    /// The 1-based index of the highlighted instruction, which was clicked or debugged last.
    pub(crate) chosen: Option<usize>,
    pub(crate) hovered: Option<usize>,
}

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut ProgramsView) {
    let Some(call) = session.selection.call else {
        return super::hint(ui, "Select a draw to show its programs.");
    };
    let origins = super::state::origins(session, call);
    let capture = Arc::clone(&session.capture);
    let stage = usize::from(!view.vertex);
    let title = known!(session.cached, State(call)).and_then(|report| report.program.as_ref());
    let title = title.map(|program| program.program.clone());
    let shares = title.map_or(Vec::new(), |title| super::time::shares(session, &title, stage));
    let report = answer!(ui, session, State(call), "Reading the programs…");
    let Some(program) = &report.program else { return super::hint(ui, "No program is set.") };
    let (Some(agal), Some(glsl)) = (program.agal.get(stage), program.glsl.get(stage)) else {
        return;
    };
    ui.horizontal_wrapped(|ui| {
        ui.strong(&program.program);
        for (index, name) in ["Vertex", "Fragment"].into_iter().enumerate() {
            if ui.selectable_label(stage == index, name).clicked() {
                *view = ProgramsView { vertex: index == 0, ..ProgramsView::default() };
            }
        }
        let sources = origins.iter().filter(|origin| origin.slot.item == StateItem::Program);
        super::state::sources(ui, &sources.clone().collect::<Vec<_>>());
        let upload =
            sources.clone().find(|origin| origin.kind == OriginKind::Uploaded(ContentPart::All));
        let edit = |ui: &mut Ui| ui.small_button("Edit AGAL");
        let what = "Change the program and draw again";
        if let Some(upload) = upload
            && edit(ui).on_hover_text(what).clicked()
        {
            let stage = if stage == 0 { Stage::Vertex } else { Stage::Fragment };
            super::edit::begin(ui, &capture, Draft::Program(upload.call, stage));
        }
        copy(ui, "Copy AGAL", || agal.clone());
        copy(ui, "Copy GLSL", || glsl.clone());
    });
    let constants = constants(report, stage);
    let highlight = view.hovered.or(view.chosen);
    let mut hovered = None;
    let with_shares = "AGAL, with the share of the frame's modelled cost";
    let heading = if shares.is_empty() { "AGAL" } else { with_shares };
    let narrow = ui.available_width() < 520.0;
    let mut shares = shares.into_iter();
    let agal = agal.lines().map(|line| match shares.next() {
        Some(share) => format!("{share}  {line}"),
        None => line.to_owned(),
    });
    let agal: Vec<String> = agal.collect();
    let agal: Vec<(usize, &str)> = (1..).zip(agal.iter().map(String::as_str)).collect();
    let glsl: Vec<(usize, &str)> = tokens(glsl).into_iter().zip(glsl.lines()).collect();
    let mut part = |ui: &mut Ui, name: &str, lines: &[(usize, &str)]| {
        ui.push_id(name, |ui| {
            ui.weak(name);
            listing(ui, lines, highlight, &mut hovered, &mut view.chosen, &constants);
        });
    };
    if narrow {
        let size = ui.available_size() * egui::vec2(1.0, 0.45);
        ui.allocate_ui(size, |ui| part(ui, heading, &agal));
        ui.separator();
        part(ui, "GLSL", &glsl);
    } else {
        ui.columns_const(|[left, right]| {
            part(left, heading, &agal);
            part(right, "GLSL", &glsl);
        });
    }
    view.hovered = hovered;
}

/// Returns the names and values of a stage's constants, for tooltips.
fn constants(report: &StateReport, stage: usize) -> Vec<(String, String)> {
    let bank = if stage == 0 { StateItem::VertexConstants } else { StateItem::FragmentConstants };
    let is_own = |row: &&StateField| row.slot.is_some_and(|slot| slot.item == bank);
    let rows = report.rows.iter().filter(is_own);
    rows.map(|row| (row.name.clone(), row.value.clone())).collect()
}

fn listing(
    ui: &mut Ui,
    lines: &[(usize, &str)],
    highlight: Option<usize>,
    hovered: &mut Option<usize>,
    chosen: &mut Option<usize>,
    constants: &[(String, String)],
) {
    let color = palette(ui.visuals()).highlight;
    egui::ScrollArea::both().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        for (token, line) in lines {
            let mut text = RichText::new(*line).monospace();
            let of_token = *token > 0;
            if of_token && highlight == Some(*token) {
                text = text.background_color(color);
            } else if !of_token {
                text = text.weak();
            }
            let response = ui.add(egui::Label::new(text).extend().sense(egui::Sense::click()));
            if !of_token {
                continue;
            }
            if response.hovered() {
                *hovered = Some(*token);
            }
            if response.clicked() {
                *chosen = (*chosen != Some(*token)).then_some(*token);
            }
            let named = constants.iter().filter(|(name, _)| names(line, name));
            let named: Vec<String> =
                named.map(|(name, value)| format!("{name} = {value}")).collect();
            if !named.is_empty() {
                response.on_hover_text(RichText::new(named.join("\n")).monospace());
            }
        }
    });
}

/// Returns whether a line names a register. Ignores longer names with the same prefix, such as `fc12` for `fc1`.
fn names(line: &str, register: &str) -> bool {
    let mut after = line.split(register).skip(1);
    after.any(|after| !after.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the 1-based AGAL instruction of each GLSL line; 0 for none. The last GLSL statement of an instruction, or a
/// separate line, ends with the AGAL as a comment. The AGAL comments are in program order.
pub(crate) fn tokens(glsl: &str) -> Vec<usize> {
    let lines: Vec<&str> = glsl.lines().collect();
    let start = lines.iter().position(|line| line.starts_with("void main()"));
    let start = start.map_or(lines.len(), |start| start + 1);
    let mut tokens = vec![0; lines.len()];
    let (mut token, mut first) = (0, start);
    for (index, line) in lines.iter().enumerate().skip(start) {
        if token == 0 && !line.contains("//") && is_declaration(line) {
            first = index + 1;
        }
        if line.contains("// ") {
            token += 1;
            for slot in tokens.get_mut(first..=index).unwrap_or_default() {
                *slot = token;
            }
            first = index + 1;
        }
    }
    tokens
}

fn is_declaration(line: &str) -> bool {
    let line = line.trim_start();
    ["vec", "float ", "bool ", "int "].iter().any(|kind| line.starts_with(kind))
}

#[cfg(test)]
#[path = "../../tests/unit/programs.rs"]
mod tests;

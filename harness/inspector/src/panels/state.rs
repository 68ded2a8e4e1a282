//! The State tab: state and bindings at a call, compared with the previous draw or the previous frame's same draw.

use std::sync::Arc;

use eframe::egui::{self, RichText, Ui};
use molehill_analysis::Capture;
use molehill_analysis::edit::Draft;
use molehill_analysis::origins::CallOrigin;
use molehill_analysis::state::{StateArea, StateField, StateReport};

use super::{PanelAction, copy, link};
use crate::session::Session;
use crate::theme::palette;

#[derive(Default)]
pub(crate) struct StateView {
    /// True to compare with the previous draw, false to compare with the same draw of the previous frame.
    draw_before: bool,
    only_changed: bool,
    only_read: bool,
}

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut StateView) {
    let Some(call) = session.selection.call else {
        return super::hint(
            ui,
            "Select a draw in the Frame or Calls list, or with the comma and period keys.",
        );
    };
    let origins = origins(session, call);
    let capture = session.is_draw(call).then(|| Arc::clone(&session.capture));
    let report = Arc::clone(answer!(ui, session, State(call), "Reading the state…"));
    head(ui, &report, &mut view.draw_before);
    let draw_before = view.draw_before || report.same_draw.is_none();
    let old = |row: &StateField| if draw_before { row.before.clone() } else { row.earlier.clone() };
    ui.horizontal(|ui| {
        ui.toggle_value(&mut view.only_changed, "Changed").on_hover_text("Show only differences");
        ui.toggle_value(&mut view.only_read, "Used")
            .on_hover_text("Show only what the program uses");
        copy(ui, "Copy", || report.to_string());
    });
    // Shows the counts below the buttons, so that the buttons don't move when the counts become known.
    super::draw_counts(ui, session, call);
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for area in StateArea::ALL.iter().copied() {
            let all = report.rows.iter().filter(|row| row.area == area);
            let all = all.map(|row| (row, old(row)));
            let rows: Vec<StateComparison<'_>> = all
                .filter(|(row, old)| {
                    (!view.only_changed || old.is_some()) && (!view.only_read || row.read)
                })
                .collect();
            if !rows.is_empty() {
                let count = rows.iter().filter(|(_, old)| old.is_some()).count();
                let count = if count > 0 { format!("  ({count} changed)") } else { String::new() };
                let title = RichText::new(format!("{}{count}", area.title())).strong();
                let header = egui::CollapsingHeader::new(title).id_salt(area).default_open(true);
                header.show(ui, |ui| {
                    section(ui, area, (&rows, &origins), (call, capture.as_deref()));
                });
            }
        }
    });
}

fn head(ui: &mut Ui, report: &StateReport, draw_before: &mut bool) {
    ui.add(egui::Label::new(RichText::new(&report.text).monospace()).wrap());
    if let Some(unchecked) = &report.unchecked {
        let text = RichText::new(unchecked).color(palette(ui.visuals()).warning);
        ui.add(egui::Label::new(text).wrap());
    }
    // The report's text already names the innermost function, so begin with the caller.
    super::stack(ui, report.call_site.stack.get(1..).unwrap_or_default());
    let same = report.same_draw.map(|same| same.call);
    ui.horizontal_wrapped(|ui| {
        for (is, text, call) in
            [(false, "Same draw, frame before", same), (true, "Draw before", report.compared_with)]
        {
            if let Some(call) = call {
                let shown = *draw_before == is || same.is_none();
                if ui
                    .selectable_label(shown, text)
                    .on_hover_text("Compare with this draw")
                    .clicked()
                {
                    *draw_before = is;
                }
                link(ui, format!("#{call}"), PanelAction::Call(call));
            }
        }
    });
}

/// A state row, and its value at the compared draw if that value differs.
type StateComparison<'a> = (&'a StateField, Option<String>);

/// Shows a section of state rows. `edited` is the capture if the user can edit the state of the call.
fn section(
    ui: &mut Ui,
    area: StateArea,
    (rows, origins): (&[StateComparison<'_>], &[CallOrigin]),
    (call, edited): (usize, Option<&Capture>),
) {
    let palette = palette(ui.visuals());
    let of = |name: &str| -> Vec<&CallOrigin> {
        origins.iter().filter(|origin| origin.is_of(area, name)).collect()
    };
    egui::Grid::new(area).num_columns(2).striped(true).min_col_width(64.0).show(ui, |ui| {
        for (row, old) in rows {
            let text = |text: &str, weak: bool| {
                let text = RichText::new(text).monospace();
                let text = if weak { text.weak() } else { text };
                if old.is_some() { text.color(palette.accent) } else { text }
            };
            ui.label(text(&row.name, old.is_none()));
            let value = text(&row.value, old.is_none() && !row.read);
            let cell = |ui: &mut Ui| {
                // Shows the links before the value, because the value can be long.
                let (direct, parts): (Vec<_>, Vec<_>) =
                    of(&row.name).into_iter().partition(|origin| origin.is_whole());
                sources(ui, &direct);
                let origin = direct.first().map(|origin| origin.call);
                let draft = Draft::Value(call, (&row.name, &row.value), origin);
                if let Some(capture) =
                    edited.filter(|_| matches!(area, StateArea::Raster | StateArea::Constants))
                    && ui.link(RichText::new("edit").small()).clicked()
                {
                    super::edit::begin(ui, capture, draft);
                }
                ui.label(value);
                if let Some(old) = old {
                    ui.label(RichText::new(format!("was {old}")).monospace().small().weak());
                }
                if !row.read {
                    ui.label(RichText::new("unused").small().weak());
                }
                sources(ui, &parts);
            };
            // The vertical layout aligns the first line with the top of the cell.
            ui.vertical(|ui| ui.horizontal_wrapped(cell));
            ui.end_row();
        }
        let indices = of("indices");
        if !indices.is_empty() {
            ui.label(RichText::new("indices").monospace().weak());
            ui.horizontal(|ui| sources(ui, &indices));
            ui.end_row();
        }
    });
}

/// Maximum number of links to calls in one row of the state. A menu contains further links.
const LINKS: usize = 5;

/// Returns the calls that set the values at a call, or an empty list until they are known.
pub(super) fn origins(session: &mut Session, call: usize) -> Vec<CallOrigin> {
    known!(session.answer, Origins(call)).cloned().unwrap_or_default()
}

pub(super) fn sources(ui: &mut Ui, origins: &[&CallOrigin]) {
    let text = |origin: &CallOrigin| format!("{origin} #{}", origin.call).trim_start().to_owned();
    let link = |ui: &mut Ui, origin: &CallOrigin| {
        let link = link(ui, RichText::new(text(origin)).small(), PanelAction::Call(origin.call));
        if link.on_hover_text("The call that set this value").clicked() {
            ui.close();
        }
    };
    let (first, rest) = origins.split_at(origins.len().min(LINKS));
    first.iter().for_each(|origin| link(ui, origin));
    if !rest.is_empty() {
        ui.menu_button(RichText::new(format!("+{}", rest.len())).small(), |ui| {
            egui::ScrollArea::vertical().max_height(300.0).show(ui, |ui| {
                rest.iter().for_each(|origin| link(ui, origin));
            });
        });
    }
}

//! State and bindings at a call, and what changed since the previous draw.

use eframe::egui::{self, RichText, Ui};
use molehill_analysis::state::{Row, StateReport};

use super::{Action, act, copy};
use crate::session::Session;
use crate::theme::palette;

#[derive(Default)]
pub(crate) struct StateView {
    only_changed: bool,
    only_read: bool,
}

const AREAS: [(&str, &str); 6] = [
    ("program", "Program"),
    ("targets", "Render targets"),
    ("raster", "Raster state"),
    ("streams", "Vertex streams"),
    ("textures", "Textures"),
    ("constants", "Constants"),
];

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut StateView) {
    let Some(call) = session.selection.call else {
        return super::hint(
            ui,
            "Select a draw in the Frame or Calls list, or with the comma and period keys.",
        );
    };
    super::draw_counts(ui, session, call);
    let report = answer!(ui, session, State(call), "Reading the state…");
    head(ui, report);
    ui.horizontal(|ui| {
        ui.toggle_value(&mut view.only_changed, "Changed")
            .on_hover_text("Show only differences from the previous draw");
        ui.toggle_value(&mut view.only_read, "Used")
            .on_hover_text("Show only what the program uses");
        copy(ui, "Copy", || report.to_string());
    });
    egui::ScrollArea::both().auto_shrink(false).show(ui, |ui| {
        for (area, name) in AREAS {
            let all = report.rows.iter().filter(|row| row.area == area);
            let rows = all.filter(|row| {
                (!view.only_changed || row.before.is_some()) && (!view.only_read || row.read)
            });
            let rows: Vec<&Row> = rows.collect();
            if !rows.is_empty() {
                let changed = rows.iter().filter(|row| row.before.is_some()).count();
                let changed =
                    if changed > 0 { format!("  ({changed} changed)") } else { String::new() };
                let title = RichText::new(format!("{name}{changed}")).strong();
                let header = egui::CollapsingHeader::new(title).id_salt(area).default_open(true);
                header.show(ui, |ui| section(ui, area, &rows));
            }
        }
    });
}

fn head(ui: &mut Ui, report: &StateReport) {
    ui.add(egui::Label::new(RichText::new(&report.text).monospace()).truncate())
        .on_hover_text(&report.text);
    if let Some(before) = report.compared_with {
        ui.horizontal(|ui| {
            ui.weak("Compared with");
            if ui.link(format!("call {before}")).clicked() {
                act(ui, Action::Call(before));
            }
        });
    }
}

fn section(ui: &mut Ui, area: &str, rows: &[&Row]) {
    let palette = palette(ui.visuals());
    egui::Grid::new(area).num_columns(2).striped(true).min_col_width(64.0).show(ui, |ui| {
        for row in rows {
            let name = RichText::new(&row.name).monospace();
            let name = match row.before {
                Some(_) => name.color(palette.accent),
                None => name.weak(),
            };
            ui.label(name);
            let value = RichText::new(&row.value).monospace();
            let value = match (&row.before, row.read) {
                (Some(_), _) => value.color(palette.accent),
                (None, true) => value,
                (None, false) => value.weak(),
            };
            ui.horizontal(|ui| {
                ui.label(value);
                if let Some(before) = &row.before {
                    ui.label(RichText::new(format!("was {before}")).monospace().small().weak());
                }
                if !row.read {
                    ui.label(RichText::new("unused").small().weak());
                }
            });
            ui.end_row();
        }
    });
}

//! State and bindings at a call, and what changed since the previous draw.

use std::sync::Arc;

use eframe::egui::{self, RichText, Ui};
use molehill_analysis::Capture;
use molehill_analysis::edit::Draft;
use molehill_analysis::origins::Origin;
use molehill_analysis::state::{Row, StateReport};

use super::{Action, copy, link};
use crate::session::Session;
use crate::theme::palette;
use crate::worker::{Question, Reply};

#[derive(Default)]
pub(crate) struct View {
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

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut View) {
    let Some(call) = session.selection.call else {
        return super::hint(
            ui,
            "Select a draw in the Frame or Calls list, or with the comma and period keys.",
        );
    };
    super::draw_counts(ui, session, call);
    let origins = origins(session, call);
    let capture = session.is_draw(call).then(|| Arc::clone(&session.capture));
    let report = answer!(ui, session, State(call), "Reading the state…");
    head(ui, report);
    ui.horizontal(|ui| {
        ui.toggle_value(&mut view.only_changed, "Changed")
            .on_hover_text("Show only differences from the previous draw");
        ui.toggle_value(&mut view.only_read, "Used")
            .on_hover_text("Show only what the program uses");
        copy(ui, "Copy", || report.to_string());
    });
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
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
                header.show(ui, |ui| {
                    section(ui, area, (&rows, &origins), (call, capture.as_deref()));
                });
            }
        }
    });
}

fn head(ui: &mut Ui, report: &StateReport) {
    ui.add(egui::Label::new(RichText::new(&report.text).monospace()).wrap());
    if let Some(before) = report.compared_with {
        ui.horizontal(|ui| {
            ui.weak("Compared with");
            link(ui, format!("call {before}"), Action::Call(before));
        });
    }
}

/// `edited` is the capture, if the state of the call can be changed.
fn section(
    ui: &mut Ui,
    area: &str,
    (rows, origins): (&[&Row], &[Origin]),
    (call, edited): (usize, Option<&Capture>),
) {
    let palette = palette(ui.visuals());
    let of = |name: &str| -> Vec<&Origin> {
        let own = origins.iter().filter(|origin| origin.area == area && origin.name == name);
        own.collect()
    };
    egui::Grid::new(area).num_columns(2).striped(true).min_col_width(64.0).show(ui, |ui| {
        for row in rows {
            let text = |text: &str, weak: bool| {
                let text = RichText::new(text).monospace();
                let text = if weak { text.weak() } else { text };
                if row.before.is_some() { text.color(palette.accent) } else { text }
            };
            ui.label(text(&row.name, row.before.is_none()));
            let value = text(&row.value, row.before.is_none() && !row.read);
            let cell = |ui: &mut Ui| {
                // Before the value, which can be long.
                let (direct, parts): (Vec<_>, Vec<_>) =
                    of(&row.name).into_iter().partition(|origin| origin.part.is_empty());
                sources(ui, &direct);
                let origin = direct.first().map(|origin| origin.call);
                let draft = Draft::Value(call, (&row.name, &row.value), origin);
                if let Some(capture) = edited.filter(|_| ["raster", "constants"].contains(&area))
                    && ui.link(RichText::new("edit").small()).clicked()
                {
                    super::edit::begin(ui, capture, draft);
                }
                ui.label(value);
                for (was, text) in [(&row.before, "was"), (&row.earlier, "one frame before:")] {
                    if let Some(was) = was {
                        ui.label(RichText::new(format!("{text} {was}")).monospace().small().weak());
                    }
                }
                if !row.read {
                    ui.label(RichText::new("unused").small().weak());
                }
                sources(ui, &parts);
            };
            // The outer one keeps the first line at the top.
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

/// Links in a row; a menu has the rest.
const LINKS: usize = 5;

/// Where the values at a call come from; empty until it is known.
pub(super) fn origins(session: &mut Session, call: usize) -> Vec<Origin> {
    match session.ask(Question::Origins(call)) {
        Some(Ok(Reply::Origins(origins))) => origins.clone(),
        Some(Err(_) | Ok(_)) | None => Vec::new(),
    }
}

/// Links to the calls that set a value.
pub(super) fn sources(ui: &mut Ui, origins: &[&Origin]) {
    let text = |origin: &Origin| match origin.part.as_str() {
        "" => format!("#{}", origin.call),
        part => format!("{part} #{}", origin.call),
    };
    let link = |ui: &mut Ui, origin: &Origin| {
        let link = link(ui, RichText::new(text(origin)).small(), Action::Call(origin.call));
        if link.on_hover_text("The call that set it").clicked() {
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

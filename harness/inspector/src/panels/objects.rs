//! Every object of the capture.

use eframe::egui::Ui;
use egui_extras::{Column, TableBuilder};

use super::{Action, act, count};
use crate::session::Session;

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let objects = answer!(ui, session, Objects, "Reading objects…");
    let bytes: u64 = objects.iter().map(|object| object.bytes).sum();
    ui.weak(format!("{} objects, {} bytes uploaded", objects.len(), count(bytes)));
    let height = 18.0;
    TableBuilder::new(ui)
        .striped(true)
        .column(Column::remainder().clip(true).at_least(120.0))
        .columns(Column::auto().at_least(44.0), 3)
        .header(height, |mut header| {
            for name in ["Object", "Bytes", "Uses", "Draws"] {
                header.col(|ui| {
                    ui.weak(name);
                });
            }
        })
        .body(|body| {
            body.rows(height, objects.len(), |mut row| {
                let Some(object) = objects.get(row.index()) else { return };
                row.col(|ui| {
                    let name = ui.link(&object.object).on_hover_ui(|ui| {
                        ui.label(format!(
                            "Created by call {}, last used by call {}",
                            object.created, object.last
                        ));
                        match object.disposed {
                            Some(call) => ui.label(format!("Disposed by call {call}")),
                            None => ui.label("Never disposed"),
                        };
                        ui.label(format!("{} uploads", object.uploads));
                    });
                    if name.clicked() {
                        act(ui, Action::Call(object.created));
                    }
                });
                let numbers = [object.bytes, object.uses as u64, object.draws as u64];
                for number in numbers {
                    row.col(|ui| {
                        ui.monospace(count(number));
                    });
                }
            });
        });
}

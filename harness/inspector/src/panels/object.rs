//! The selected object's content at the selected call, and the calls that use the object.

use eframe::egui::{self, RichText, Ui};
use egui_extras::{Column, TableBuilder};
use molehill_analysis::textures::{ObjectContent, TextureContent};

use super::textures::{self, levels};
use super::{PanelAction, act, float, hint, link};
use crate::session::Session;

#[derive(Default)]
pub(crate) struct ObjectView {
    bits: bool,
    texture: textures::TexturesView,
}

/// Maximum number of listed calls that use the object.
const MAX_USES: usize = 500;

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut ObjectView) {
    let Some(id) = session.selection.object else {
        return hint(ui, "Select an object in the Objects list.");
    };
    let Some(call) = session.here() else { return hint(ui, "The capture has no calls.") };
    let title = session.capture.title(id);
    let created = session.capture.objects().get(&id).map_or(0, |object| object.created);
    let shown = answer!(ui, session, Content(call, id), "Reading the object…").clone();
    ui.horizontal_wrapped(|ui| {
        ui.strong(title);
        ui.weak(format!("at call {call}"));
        if created > 0 {
            link(ui, format!("Created #{created}"), PanelAction::Call(created));
        }
        uses(ui, session, &shown, call);
    });
    ui.separator();
    match &shown.content {
        TextureContent::Texture(pictures) if pictures.is_empty() => {
            hint(ui, "Nothing has been uploaded yet.")
        }
        TextureContent::Texture(pictures) => levels(ui, session, &mut view.texture, pictures, &[]),
        TextureContent::Vertices { values, stride } => {
            ui.toggle_value(&mut view.bits, "Hexadecimal");
            let bits = view.bits;
            let hex = |value: u32| format!("{value:08x}");
            let text = |value| if bits { hex(value) } else { float(f32::from_bits(value)) };
            table(ui, values, *stride, text);
        }
        TextureContent::Indices(values) => table(ui, values, 3, |value| value.to_string()),
        TextureContent::Program(texts) => {
            egui::ScrollArea::both().auto_shrink(false).show(ui, |ui| {
                for (name, text) in ["Vertex program", "Fragment program"].iter().zip(texts) {
                    super::title(ui, name);
                    ui.add(egui::Label::new(RichText::new(text).monospace()).extend());
                }
            });
        }
        TextureContent::Nothing => hint(ui, "The object has no content at this call."),
    }
}

/// Shows a menu of the calls that use the object, and the last such call up to the selected call.
fn uses(ui: &mut Ui, session: &Session, shown: &ObjectContent, call: usize) {
    let before = shown.uses.partition_point(|each| *each <= call);
    ui.menu_button(format!("{} calls", super::count(shown.uses.len() as u64)), |ui| {
        ui.set_min_width(320.0);
        let from = before.saturating_sub(MAX_USES / 2);
        egui::ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            for each in shown.uses.iter().skip(from).take(MAX_USES) {
                let Ok((_, line)) = session.capture.call(*each) else { continue };
                let text = format!("#{each} {}", session.capture.call_text(&line));
                let row = egui::Button::selectable(*each == call, RichText::new(text).monospace());
                if ui.add(row.truncate()).clicked() {
                    act(ui, PanelAction::Call(*each));
                    ui.close();
                }
            }
        });
    });
}

fn table<T: Copy>(ui: &mut Ui, values: &[T], stride: usize, text: impl Fn(T) -> String) {
    let stride = stride.max(1);
    ui.weak(format!("{} rows of {stride}", super::count(values.len().div_ceil(stride) as u64)));
    egui::ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        TableBuilder::new(ui)
            .striped(true)
            .auto_shrink(false)
            .columns(Column::auto().at_least(58.0), stride + 1)
            .body(|body| {
                body.rows(16.0, values.len().div_ceil(stride), |mut row| {
                    let index = row.index();
                    row.col(|ui| {
                        ui.label(RichText::new(index.to_string()).small().weak());
                    });
                    let columns = values.iter().skip(index * stride).take(stride);
                    for value in columns {
                        row.col(|ui| {
                            ui.label(RichText::new(text(*value)).monospace().small());
                        });
                    }
                });
            });
    });
}

//! Every object of the capture: textures with small pictures, buffers and programs.

use std::collections::HashMap;
use std::sync::Arc;

use eframe::egui::{self, RichText, Sense, Ui, Vec2};
use molehill_analysis::dump::ObjectUse;
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_replay::image::Image;

use super::tree::thumbnail;
use super::{Action, act, count};
use crate::session::Session;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kinds {
    #[default]
    All,
    Textures,
    Buffers,
    Programs,
}

impl Kinds {
    fn has(self, kind: ObjectKind) -> bool {
        let buffer = matches!(kind, ObjectKind::VertexBuffer3D | ObjectKind::IndexBuffer3D);
        match self {
            Kinds::All => true,
            Kinds::Buffers => buffer,
            Kinds::Programs => kind == ObjectKind::Program3D,
            Kinds::Textures => {
                let other = [ObjectKind::Program3D, ObjectKind::Context3D, ObjectKind::Stage3D];
                !buffer && !other.contains(&kind)
            }
        }
    }
}

#[derive(Default)]
pub(crate) struct ObjectsView {
    kinds: Kinds,
    filter: String,
}

const HEIGHT: f32 = 38.0;

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut ObjectsView) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 1.0;
        for (kinds, name) in [
            (Kinds::All, "All"),
            (Kinds::Textures, "Textures"),
            (Kinds::Buffers, "Buffers"),
            (Kinds::Programs, "Programs"),
        ] {
            ui.selectable_value(&mut view.kinds, kinds, name);
        }
    });
    let field =
        egui::TextEdit::singleline(&mut view.filter).hint_text("Filter by name, size or format");
    ui.add(field.desired_width(f32::INFINITY));
    let pictures = match session.here() {
        Some(call) => super::thumbnails(session, call),
        None => HashMap::new(),
    };
    let capture = Arc::clone(&session.capture);
    let chosen = session.selection.object;
    let objects = answer!(ui, session, Objects, "Reading objects…");
    let text = view.filter.trim().to_lowercase();
    // Both are in the order of the objects' ids.
    let all = capture.objects().iter().zip(objects);
    let listed: Vec<(ObjectId, &ObjectUse)> = all
        .filter(|((_, object), used)| {
            view.kinds.has(object.kind) && used.object.to_lowercase().contains(&text)
        })
        .map(|((id, _), used)| (*id, used))
        .collect();
    let bytes: u64 = listed.iter().map(|(_, object)| object.bytes).sum();
    ui.weak(format!("{} objects, {} bytes uploaded", listed.len(), count(bytes)));
    let area = egui::ScrollArea::vertical().auto_shrink(false);
    area.show_rows(ui, HEIGHT, listed.len(), |ui, range| {
        for (id, used) in listed.get(range).unwrap_or_default() {
            row(ui, (*id, used), chosen, pictures.get(id));
        }
    });
}

fn row(
    ui: &mut Ui,
    (id, used): (ObjectId, &ObjectUse),
    chosen: Option<ObjectId>,
    picture: Option<&Arc<Image>>,
) {
    let size = Vec2::new(ui.available_width(), HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let selected = chosen == Some(id);
    let label = || egui::WidgetInfo::selected(egui::Role::Button, true, selected, &used.object);
    response.widget_info(label);
    if selected || response.hovered() {
        let visuals = ui.style().interact_selectable(&response, selected);
        ui.painter().rect_filled(rect, visuals.corner_radius, visuals.weak_bg_fill);
    }
    let square = egui::Rect::from_min_size(rect.min, Vec2::splat(HEIGHT)).shrink(2.0);
    if let Some(image) = picture {
        thumbnail(ui, image, square);
    }
    let mut inside = rect;
    inside.min.x = square.right() + 6.0;
    let mut lines = ui.new_child(egui::UiBuilder::new().max_rect(inside));
    lines.spacing_mut().item_spacing.y = 0.0;
    let title = RichText::new(&used.object);
    let title = if used.disposed.is_some() { title.weak() } else { title };
    lines.add(egui::Label::new(title).truncate().selectable(false));
    let text = format!("{} bytes, {} draws", count(used.bytes), count(used.draws as u64));
    lines.add(egui::Label::new(RichText::new(text).small().weak()).truncate().selectable(false));
    if response.on_hover_ui(|ui| details(ui, used)).clicked() {
        act(ui, Action::Object(id));
    }
}

fn details(ui: &mut Ui, used: &ObjectUse) {
    ui.label(format!("Created by call {}, last used by call {}", used.created, used.last));
    match used.disposed {
        Some(call) => ui.label(format!("Disposed by call {call}")),
        None => ui.label("Never disposed"),
    };
    ui.label(format!("{} uploads, {} uses", used.uploads, used.uses));
}

//! All objects of the capture: textures with thumbnails, buffers and programs.

use std::collections::HashMap;
use std::sync::Arc;

use eframe::egui::{self, Rect, RichText, Ui, Vec2};
use molehill_analysis::dump::ObjectUse;
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_replay::image::RgbaImage;

use super::tree::thumbnail;
use super::{PanelAction, act, count, row, tabs};
use crate::session::Session;

choices! { enum Kinds, KINDS: All Textures Buffers Programs }

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
        tabs(ui, &mut view.kinds, KINDS);
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
    // `capture.objects()` and `objects` are both sorted by object id.
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
            let (rect, response) = row(ui, HEIGHT, chosen == Some(*id), &used.object);
            lines(ui, used, rect, pictures.get(id));
            act(ui, response.clicked().then_some(PanelAction::Object(*id)));
            response.on_hover_ui(|ui| details(ui, used));
        }
    });
}

fn lines(ui: &mut Ui, used: &ObjectUse, mut rect: Rect, picture: Option<&Arc<RgbaImage>>) {
    let square = Rect::from_min_size(rect.min, Vec2::splat(HEIGHT)).shrink(2.0);
    if let Some(image) = picture {
        thumbnail(ui, image, square);
    }
    rect.min.x = square.right() + 6.0;
    let mut lines = ui.new_child(egui::UiBuilder::new().max_rect(rect));
    lines.spacing_mut().item_spacing.y = 0.0;
    let title = RichText::new(&used.object);
    let title = if used.disposed.is_some() { title.weak() } else { title };
    let text = format!("{} bytes, {} draws", count(used.bytes), count(used.draws as u64));
    for text in [title, RichText::new(text).small().weak()] {
        lines.add(egui::Label::new(text).truncate().selectable(false));
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

//! The Textures tab: bound textures with their mip levels, cube faces, channels and texel values.

use eframe::egui::{self, RichText, Ui};
use molehill_analysis::edit::Draft;
use molehill_analysis::origins::{CallOrigin, ContentPart, OriginKind};
use molehill_analysis::pixel::RenderFace;
use molehill_analysis::state::StateArea;
use molehill_analysis::textures::TexturePicture;

use super::overlay::HistogramView;
use super::{PanelAction, act, tabs};
use crate::picture::{self, CHANNELS, ImageChannels, PanZoom, ShownPicture, texel_text};
use crate::session::Session;

#[derive(Default)]
pub(crate) struct TexturesView {
    slot: usize,
    side: u8,
    level: u8,
    channels: ImageChannels,
    view: PanZoom,
    histogram: HistogramView,
}

const FACES: [&str; 6] = ["+X", "−X", "+Y", "−Y", "+Z", "−Z"];

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut TexturesView) {
    let Some(call) = session.selection.call else {
        return super::hint(ui, "Select a draw to show its textures.");
    };
    let origins = super::state::origins(session, call);
    let all = answer!(ui, session, Textures(call), "Reading textures…").clone();
    let mut slots: Vec<(usize, &str)> =
        all.iter().map(|each| (each.slot, &*each.texture)).collect();
    slots.dedup();
    if slots.is_empty() {
        return super::hint(ui, "No textures with content are bound.");
    }
    if !slots.iter().any(|(slot, _)| *slot == view.slot) {
        view.slot = slots.first().map_or(0, |(slot, _)| *slot);
    }
    ui.horizontal_wrapped(|ui| {
        for (slot, title) in &slots {
            let text = RichText::new(format!("fs{slot}")).monospace();
            if ui.selectable_label(view.slot == *slot, text).on_hover_text(*title).clicked() {
                (view.slot, view.side, view.level) = (*slot, 0, 0);
            }
        }
    });
    let name = format!("fs{}", view.slot);
    let sources = origins.iter().filter(|origin| origin.is_of(StateArea::Textures, &name));
    let of_slot: Vec<TexturePicture> =
        all.iter().filter(|each| each.slot == view.slot).cloned().collect();
    levels(ui, session, view, &of_slot, &sources.collect::<Vec<_>>());
}

/// Shows the faces and mip levels of a texture, with the calls that wrote them.
pub(super) fn levels(
    ui: &mut Ui,
    session: &Session,
    view: &mut TexturesView,
    all: &[TexturePicture],
    origins: &[&CallOrigin],
) {
    let mut sides: Vec<u8> = all.iter().map(|each| each.side).collect();
    sides.dedup();
    if !sides.contains(&view.side) {
        view.side = sides.first().copied().unwrap_or(0);
    }
    let levels: Vec<u8> =
        all.iter().filter(|each| each.side == view.side).map(|each| each.level).collect();
    if !levels.contains(&view.level) {
        view.level = levels.first().copied().unwrap_or(0);
    }
    let chosen = all.iter().find(|each| each.side == view.side && each.level == view.level);
    let Some(texture) = chosen else { return };
    let (title, level, image) = (&texture.texture, texture.level, &texture.image);
    ui.horizontal_wrapped(|ui| {
        ui.label(format!("{title}, level {level}: {}×{}", image.width(), image.height()));
        let part = ContentPart::Level { side: view.side.into(), level: level.into() };
        let is_source = |origin: &&CallOrigin| match &origin.kind {
            OriginKind::Uploaded(uploaded) => *uploaded == part || *uploaded == ContentPart::All,
            OriginKind::Drawn => true,
            OriginKind::Set => false,
        };
        let sources: Vec<_> = origins.iter().copied().filter(is_source).collect();
        super::state::sources(ui, &sources);
        if let Some(upload) = sources.iter().find(|origin| origin.kind != OriginKind::Drawn)
            && ui
                .small_button("Replace")
                .on_hover_text("Replace this mip level by a PNG file, and draw again")
                .clicked()
        {
            super::edit::begin(ui, &session.capture, Draft::Picture(upload.call));
        }
    });
    choices(ui, view, &sides, &levels);
    picture(ui, session, view, texture);
}

fn choices(ui: &mut Ui, view: &mut TexturesView, sides: &[u8], levels: &[u8]) {
    ui.horizontal_wrapped(|ui| {
        if sides.len() > 1 {
            for side in sides.iter().copied() {
                let name = FACES.get(usize::from(side)).copied().unwrap_or("?");
                ui.selectable_value(&mut view.side, side, name);
            }
            ui.separator();
        }
        if levels.len() > 1 {
            let text = format!("Level {}", view.level);
            let choice = egui::ComboBox::from_id_salt("level").width(70.0).selected_text(text);
            choice.show_ui(ui, |ui| {
                for level in levels.iter().copied() {
                    ui.selectable_value(&mut view.level, level, format!("Level {level}"));
                }
            });
        }
        tabs(ui, &mut view.channels, CHANNELS);
        ui.toggle_value(&mut view.histogram.on, "Histogram");
    });
}

fn picture(ui: &mut Ui, session: &Session, view: &mut TexturesView, texture: &TexturePicture) {
    let image = &texture.image;
    // Stage3D renders only into mip level 0.
    let id = texture.id.filter(|_| texture.level == 0);
    let face = id.map(|id| RenderFace { texture: id, side: texture.side });
    let face = face.filter(|face| session.is_target(*face));
    let selected = face.is_some() && session.selection.texture == face;
    let footer = 22.0;
    let size = egui::vec2(ui.available_width(), (ui.available_height() - footer).max(40.0));
    let pointed = ui.allocate_ui(size, |ui| {
        let marked = session.selection.pixel.filter(|_| selected);
        let shown =
            ShownPicture { marked, ..ShownPicture::new(ui, "Texture", image, view.channels) };
        picture::show(ui, &mut view.view, &shown)
    });
    let pointed = pointed.inner;
    view.histogram.paint(ui, image, pointed.outer);
    if let (Some(at), Some(_)) = (pointed.clicked, face) {
        act(ui, PanelAction::Pixel(face, at));
    }
    let text = pointed.hovered.map(|at| texel_text(at, Some(image)));
    let text = text.unwrap_or_else(|| {
        let click = face.map_or("", |_| "Click: texel history. ");
        format!("{click}Wheel: zoom. Drag: pan. Double-click: fit.")
    });
    ui.label(RichText::new(text).monospace().small());
}

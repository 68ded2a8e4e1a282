//! The central panel, which shows the stage or the render target of the selected call.

use std::sync::Arc;

use eframe::egui::{Button, Label, RichText, Ui};
use molehill_replay::image::{RgbaImage, heat};

use super::overlay::{self, HistogramView, OVERLAYS, Overlay};
use super::transport::ThumbnailAtlas;
use super::{PanelAction, act, failed, menu, waiting};
use crate::picture::{
    self, CHANNELS, ImageChannels, PanZoom, Pending, PictureResponse, ShownPicture, texel_text,
};
use crate::player::InspectorPlayer;
use crate::session::Session;
use crate::worker::{InspectorQuestion, QuestionReply};

choices! {
    enum Mode, MODES: (&'static str, &'static str),
    After = ("After", "Render target after the draw"),
    Before = ("Before", "Render target before the draw"),
    Changed = ("Changed", "Pixels that the draw changed, highlighted"),
    Overdraw = ("Overdraw", "Invocations of the fragment program per pixel"),
    Depth = ("Depth", "Depth after the draw: white is nearest"),
    Stencil = ("Stencil", "Stencil after the draw: white is the largest value"),
}

#[derive(Default)]
pub(crate) struct StagePanel {
    mode: Mode,
    channels: ImageChannels,
    view: PanZoom,
    changed: Option<(Arc<RgbaImage>, Arc<RgbaImage>, Arc<RgbaImage>)>,
    overlay: Overlay,
    histogram: HistogramView,
    /// The position and value of the texel under the pointer, as text.
    pub(crate) pointed: Option<String>,
}

impl StagePanel {
    /// Selects an image by its index in [`MODES`]. The shortcuts of the number keys call this function.
    pub(crate) fn select_mode(&mut self, index: usize) {
        if let Some((mode, _)) = MODES.get(index) {
            self.mode = *mode;
        }
    }

    pub(crate) fn fit(&mut self) {
        self.view = PanZoom::default();
    }
}

pub(crate) fn show(
    ui: &mut Ui,
    session: &mut Session,
    (player, stand_in): (Option<&InspectorPlayer>, Option<&ThumbnailAtlas>),
    view: &mut StagePanel,
) {
    view.pointed = None;
    if let Some(error) = player.and_then(|player| player.failure.as_ref()) {
        failed(ui, error);
    }
    match session.selection.call {
        Some(call) => draw(ui, session, call, player, view),
        None => stage(ui, session, (player, stand_in), view),
    }
}

/// Shows the stage. Until the replay reaches the frame, dims the last image and shows the thumbnail of `stand_in`.
/// Without `stand_in`, as in playback, leaves the last image visible.
fn stage(
    ui: &mut Ui,
    session: &mut Session,
    (player, stand_in): (Option<&InspectorPlayer>, Option<&ThumbnailAtlas>),
    view: &mut StagePanel,
) {
    toolbar(ui, view, |_, _| {});
    let of_stage = session.selection.texture.is_none();
    let reference;
    let (texture, size, image) = match player {
        Some(player) => {
            let canvas = &player.stage;
            (canvas.id, player.stage_size(), player.screen())
        }
        None => {
            let Some(frame) = session.frame_number() else { return };
            reference = Arc::clone(answer!(ui, session, Screen(frame), "Rendering the frame…"));
            let texture = picture::texture(ui.ctx(), &reference, ImageChannels::Rgb);
            (texture, (reference.width(), reference.height()), Some(&reference))
        }
    };
    let marked = session.selection.pixel.filter(|_| of_stage);
    let frame = session.selection.frame;
    let pending = player.filter(|player| player.replays()).zip(stand_in).map(|(player, atlas)| {
        let thumbnail = (atlas.uv)(frame).map(|uv| (atlas.texture, uv));
        let number = session.frame().map_or(0, |frame| frame.number);
        let (text, fraction) = (format!("Replaying frame {number}…"), player.fraction());
        Pending { text, fraction, thumbnail }
    });
    let arc = image;
    let image = arc.map(|image| &**image);
    let shown = ShownPicture {
        label: "Stage",
        texture,
        size,
        image,
        marked,
        pending,
        ..ShownPicture::default()
    };
    let pointed = picture::show(ui, &mut view.view, &shown);
    if let Some(image) = arc {
        view.histogram.paint(ui, image, pointed.outer);
    }
    view.pointed = pointed.hovered.map(|at| texel_text(at, shown.image));
    act(ui, pointed.clicked.map(|at| PanelAction::Pixel(None, at)));
}

fn toolbar(ui: &mut Ui, view: &mut StagePanel, more: impl FnOnce(&mut Ui, &mut StagePanel)) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 1.0;
        ui.spacing_mut().button_padding.x = 6.0;
        more(ui, view);
        ui.toggle_value(&mut view.histogram.on, "Histogram").on_hover_text("Range of each channel");
        let zoom = view.view.zoom;
        if ui.selectable_label(zoom.is_none(), "Fit").on_hover_text("Fit to window (0)").clicked() {
            view.fit();
        }
        for (scale, name) in [(1.0, "1:1"), (2.0, "2×"), (8.0, "8×")] {
            let points = scale / ui.pixels_per_point();
            if ui.selectable_label(zoom == Some(points), name).clicked() {
                view.view.zoom = Some(points);
            }
        }
    });
}

fn modes(ui: &mut Ui, view: &mut StagePanel, is_draw: bool) {
    for (mode, (name, what)) in MODES {
        let there = is_draw || matches!(mode, Mode::After | Mode::Before | Mode::Changed);
        let button = Button::selectable(view.mode == *mode, *name);
        if ui.add_enabled(there, button).on_hover_text(*what).clicked() {
            view.mode = *mode;
        }
    }
    ui.separator();
    menu(ui, 56.0, &mut view.channels, CHANNELS);
    ui.add_enabled_ui(is_draw, |ui| menu(ui, 84.0, &mut view.overlay, OVERLAYS));
}

/// Shows the images of a call. Overdraw, depth and stencil always come from the reference renderer. Colour images come
/// from OpenGL or, until the replay finishes, from the reference renderer.
fn draw(
    ui: &mut Ui,
    session: &mut Session,
    call: usize,
    player: Option<&InspectorPlayer>,
    view: &mut StagePanel,
) {
    let is_draw = session.is_draw(call);
    toolbar(ui, view, |ui, view| modes(ui, view, is_draw));
    let call_pictures = player.and_then(|player| player.pictures_of(call));
    let replayed = call_pictures.filter(|_| player.is_some_and(|player| player.arrived));
    let textures = replayed.map_or([session.target(call); 2], |pictures| pictures.textures);
    let [mut before, mut after] =
        replayed.map_or([None, None], |known| [known.before.clone(), known.after.clone()]);
    // Seeking far or backwards takes long. The worker's checkpoints make the reference renderer's images available
    // sooner.
    let sooner = replayed.is_none() && player.is_none_or(|player| player.failure.is_none());
    let needed =
        matches!(view.mode, Mode::Overdraw | Mode::Depth | Mode::Stencil) || player.is_none();
    let asked = (is_draw && (needed || sooner)).then(|| session.ask(InspectorQuestion::Draw(call)));
    let known = match asked {
        Some(None) if needed => return waiting(ui, "Rendering the draw…"),
        Some(Some(Err(error))) if needed => return failed(ui, error),
        Some(Some(Ok(QuestionReply::Draw(known)))) => Some(&known.1),
        _ => None,
    };
    if let Some(known) = known.filter(|_| sooner) {
        (before, after) = (known.before.first().cloned(), known.after.first().cloned());
    }
    let image = match view.mode {
        Mode::After => after.or(before),
        Mode::Before => before,
        Mode::Changed => changed(view, before, after),
        Mode::Overdraw => known.map(|known| Arc::clone(&known.overdraw)),
        Mode::Depth => known.and_then(|known| known.depth.clone()),
        Mode::Stencil => known.and_then(|known| known.stencil.clone()),
    };
    let Some(image) = image else {
        return match player.is_some_and(|player| !player.arrived) {
            true => waiting(ui, "Replaying…"),
            false => super::hint(ui, "Not available for this call."),
        };
    };
    let [texture_before, texture_after] = textures;
    let texture = if view.mode == Mode::Before { texture_before } else { texture_after };
    // Pixels of the back buffer are selected in stage coordinates.
    let origin = call_pictures.filter(|_| texture.is_none()).map_or((0, 0), |call| call.origin);
    let marked = session.selection.pixel.filter(|_| session.selection.texture == texture);
    let marked = marked.and_then(|at| offset(at, (-origin.0, -origin.1)));
    let shown = ShownPicture { marked, ..ShownPicture::new(ui, "Target", &image, view.channels) };
    let pointed = picture::show(ui, &mut view.view, &shown);
    over(ui, session, is_draw.then_some(call), view, (&image, &pointed));
    let clicked = |at| Some(PanelAction::Pixel(texture, offset(at, origin)?));
    act(ui, pointed.clicked.and_then(clicked));
}

/// Paints the overlay and the histogram, and sets the text about the texel under the pointer.
fn over(
    ui: &mut Ui,
    session: &mut Session,
    draw: Option<usize>,
    view: &mut StagePanel,
    (image, pointed): (&Arc<RgbaImage>, &PictureResponse),
) {
    let places = (pointed.rect, pointed.outer);
    let none = draw.and_then(|call| overlay::paint(ui, session, (call, view.overlay), places));
    view.histogram.paint(ui, image, pointed.outer);
    let texel = pointed.hovered.map(|at| texel_text(at, Some(image)));
    view.pointed = none.map(str::to_owned).or(texel);
}

/// Returns a pixel's coordinates plus `by`, or `None` if a coordinate becomes negative.
fn offset((x, y): (u32, u32), by: (i64, i64)) -> Option<(u32, u32)> {
    let add = |at: u32, by: i64| u32::try_from(i64::from(at).checked_add(by)?).ok();
    Some((add(x, by.0)?, add(y, by.1)?))
}

/// Highlights a draw's changed pixels and dims the others. Caches the image for the next UI frame.
fn changed(
    view: &mut StagePanel,
    before: Option<Arc<RgbaImage>>,
    after: Option<Arc<RgbaImage>>,
) -> Option<Arc<RgbaImage>> {
    let (before, after) = (before?, after?);
    let same = |(one, two, _): &(Arc<RgbaImage>, Arc<RgbaImage>, Arc<RgbaImage>)| {
        Arc::ptr_eq(one, &before) && Arc::ptr_eq(two, &after)
    };
    let old = view.changed.take().filter(same).map(|(.., image)| image);
    let image = old.unwrap_or_else(|| Arc::new(heat(&after, &before, 0)));
    view.changed = Some((before, after, Arc::clone(&image)));
    Some(image)
}

/// Shows the line below the image: the texel under the pointer, or a hint.
pub(crate) fn footer(ui: &mut Ui, view: &StagePanel) {
    let help = "Click: pixel history. Wheel: zoom. Drag: pan. Double-click: fit.";
    let text = view.pointed.as_deref().unwrap_or(help);
    ui.add(Label::new(RichText::new(text).monospace().small()).truncate());
}

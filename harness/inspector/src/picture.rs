//! A widget for images, with zoom, pan and texel values.

use std::sync::Arc;

use eframe::egui::emath::GuiRounding as _;
use eframe::egui::mutex::Mutex;
use eframe::egui::{
    self, Align2, Color32, ColorImage, Context, FontId, Pos2, Rect, RichText, Sense, Stroke,
    StrokeKind, TextureHandle, TextureId, Ui, Vec2, WidgetInfo,
};
use molehill_replay::image::RgbaImage;

use crate::gl::FILTERS;
use crate::theme::palette;

choices! {
    pub(crate) enum ImageChannels, CHANNELS: &'static str,
    /// The colour channels, ignoring alpha.
    Rgb = "RGB",
    /// The colour, blended by alpha over a checkerboard.
    Rgba = "RGBA",
    Red = "R",
    Green = "G",
    Blue = "B",
    Alpha = "A",
}

impl ImageChannels {
    fn of(self, [r, g, b, a]: [u8; 4]) -> Color32 {
        match self {
            ImageChannels::Rgb => Color32::from_rgb(r, g, b),
            ImageChannels::Rgba => Color32::from_rgba_unmultiplied(r, g, b, a),
            ImageChannels::Red => Color32::from_gray(r),
            ImageChannels::Green => Color32::from_gray(g),
            ImageChannels::Blue => Color32::from_gray(b),
            ImageChannels::Alpha => Color32::from_gray(a),
        }
    }
}

/// The textures of shown images. The boolean of an image is true if the image was shown since the last
/// [`evict_unused`].
type ShownTextures = Arc<Mutex<Vec<(Arc<RgbaImage>, ImageChannels, TextureHandle, bool)>>>;

fn cache(context: &Context) -> ShownTextures {
    context.data_mut(|data| ShownTextures::clone(data.get_temp_mut_or_default(egui::Id::NULL)))
}

/// Returns the texture of an image. Creates the texture when the image is first shown.
pub(crate) fn texture(
    context: &Context,
    image: &Arc<RgbaImage>,
    channels: ImageChannels,
) -> TextureId {
    let cache = cache(context);
    let mut shown = cache.lock();
    let same = |(other, each, ..): &&mut (Arc<RgbaImage>, ImageChannels, TextureHandle, bool)| {
        Arc::ptr_eq(other, image) && *each == channels
    };
    if let Some((.., handle, used)) = shown.iter_mut().find(same) {
        *used = true;
        return handle.id();
    }
    let pixels = image.rgba().as_chunks::<4>().0.iter();
    let pixels = pixels.map(|pixel| channels.of(*pixel)).collect();
    let [width, height] = [image.width(), image.height()].map(|side| side as usize);
    let pixels = ColorImage::new([width, height], pixels);
    let handle = context.load_texture("picture", pixels, FILTERS);
    let id = handle.id();
    shown.push((Arc::clone(image), channels, handle, true));
    id
}

/// Frees the textures that weren't shown since the last call. Call this once per UI frame.
pub(crate) fn evict_unused(context: &Context) {
    cache(context).lock().retain_mut(|(.., used)| std::mem::take(used));
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PanZoom {
    /// Points per texel. `None` fits the image to the widget.
    pub(crate) zoom: Option<f32>,
    /// The offset of the image's centre from the widget's centre, in points.
    offset: Vec2,
}

#[derive(Default)]
pub(crate) struct ShownPicture<'p> {
    /// The accessible label, by which tests find the widget.
    pub(crate) label: &'p str,
    pub(crate) texture: TextureId,
    pub(crate) size: (u32, u32),
    /// The pixels in CPU memory, for displaying texel values.
    pub(crate) image: Option<&'p RgbaImage>,
    /// A second image over the left part of the first: its texture, and the fraction of the width from 0 to 1.
    pub(crate) left: Option<(TextureId, f32)>,
    pub(crate) marked: Option<(u32, u32)>,
    pub(crate) pending: Option<Pending>,
    /// The captions at the top left and top right.
    pub(crate) captions: [&'p str; 2],
}

impl<'p> ShownPicture<'p> {
    pub(crate) fn new(
        ui: &Ui,
        label: &'p str,
        image: &'p Arc<RgbaImage>,
        channels: ImageChannels,
    ) -> Self {
        let (size, texture) = ((image.width(), image.height()), texture(ui.ctx(), image, channels));
        ShownPicture { label, texture, size, image: Some(image), ..ShownPicture::default() }
    }
}

/// The progress shown over an outdated texture while the current image is being drawn.
pub(crate) struct Pending {
    pub(crate) text: String,
    /// The progress from 0 to 1.
    pub(crate) fraction: f32,
    /// A thumbnail of the current frame: a texture, and its texture coordinates from 0 to 1.
    pub(crate) thumbnail: Option<(TextureId, Rect)>,
}

/// The result of [`show`]: the image's position, and the texels under the pointer.
pub(crate) struct PictureResponse {
    /// The image's rectangle on the screen, and the visible part of it.
    pub(crate) rect: Rect,
    pub(crate) outer: Rect,
    pub(crate) hovered: Option<(u32, u32)>,
    pub(crate) clicked: Option<(u32, u32)>,
}

/// Minimum zoom at which texel values are shown, in points per texel.
const VALUES: f32 = 44.0;
/// Minimum and maximum zoom, in points per texel.
const ZOOMS: [f32; 2] = [0.05, 128.0];

/// Shows an image in all remaining space. The wheel or a pinch zooms, dragging pans, and a double click fits the image.
pub(crate) fn show(ui: &mut Ui, view: &mut PanZoom, shown: &ShownPicture<'_>) -> PictureResponse {
    let (outer, response) =
        ui.allocate_exact_size(ui.available_size().max(Vec2::splat(32.0)), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, shown.label));
    let size = Vec2::new(float(shown.size.0.max(1)), float(shown.size.1.max(1)));
    let fit = ((outer.width() - 16.0) / size.x).min((outer.height() - 16.0) / size.y);
    // Rounds to an integer zoom, so that all texels have the same size.
    let fit = if fit >= 1.0 { fit.floor() } else { fit.max(0.01) };
    if response.double_clicked() {
        *view = PanZoom::default();
    }
    if let Some(pointer) = response.hover_pos() {
        change_zoom(ui, view, fit, pointer - outer.center());
    }
    let zoom = view.zoom.unwrap_or(fit);
    view.offset += response.drag_delta();
    if view.zoom.is_none() {
        view.offset = Vec2::ZERO;
    }
    let rect = Rect::from_center_size(outer.center() + view.offset, size * zoom);
    let rect = Rect::from_min_size(rect.min.round_to_pixels(ui.pixels_per_point()), rect.size());
    let painter = ui.painter_at(outer);
    checkerboard(&painter, outer, palette(ui.visuals()).backdrop);
    let all = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
    let thumbnail = shown.pending.as_ref().map(|pending| pending.thumbnail);
    let (texture, part, tint) = match thumbnail {
        None => (shown.texture, all, Color32::WHITE),
        Some(Some((texture, part))) => (texture, part, Color32::from_gray(160)),
        Some(None) => (shown.texture, all, Color32::from_gray(40)),
    };
    painter.image(texture, rect, part, tint);
    if let Some((texture, share)) = shown.left {
        let part = Rect::from_min_max(Pos2::ZERO, Pos2::new(share, 1.0));
        let on = Rect::from_min_size(rect.min, Vec2::new(rect.width() * share, rect.height()));
        painter.image(texture, on, part, Color32::WHITE);
        painter.vline(on.right(), rect.y_range(), Stroke::new(2.0, Color32::WHITE));
    }
    let stroke = ui.visuals().widgets.noninteractive.bg_stroke;
    painter.rect_stroke(rect, 0.0, stroke, StrokeKind::Outside);
    if let (Some(image), true) = (shown.image, zoom >= VALUES) {
        texel_values(&painter, image, rect, zoom, outer);
    }
    for (text, align) in shown.captions.into_iter().zip([Align2::LEFT_TOP, Align2::RIGHT_TOP]) {
        caption(&painter, text, rect.intersect(outer), align);
    }
    if let Some(texel) = shown.marked {
        crosshair(&painter, texel, rect, zoom);
    }
    if let Some(pending) = &shown.pending {
        let text = RichText::new(&pending.text).color(Color32::WHITE);
        let bar = egui::ProgressBar::new(pending.fraction).desired_width(220.0).text(text);
        ui.put(Rect::from_center_size(outer.center(), Vec2::new(220.0, 22.0)), bar);
    }
    let texel = |position: Pos2| texel_at(position, rect, zoom, shown.size);
    PictureResponse {
        rect,
        outer,
        hovered: response.hover_pos().and_then(texel),
        clicked: response.interact_pointer_pos().filter(|_| response.clicked()).and_then(texel),
    }
}

/// Zooms with the wheel or a pinch. `around` is the fixed point, relative to the widget's centre.
fn change_zoom(ui: &Ui, view: &mut PanZoom, fit: f32, around: Vec2) {
    let zoom = view.zoom.unwrap_or(fit);
    let wheel = ui.input(|input| input.smooth_scroll_delta().y);
    let pinch = ui.input(egui::InputState::zoom_delta);
    if wheel != 0.0 || pinch != 1.0 {
        let [least, most] = ZOOMS;
        let new = (zoom * (wheel / 200.0).exp() * pinch).clamp(least, most);
        view.offset += (around - view.offset) * (1.0 - new / zoom);
        view.zoom = Some(new);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "within the image")]
fn texel_at(position: Pos2, rect: Rect, zoom: f32, size: (u32, u32)) -> Option<(u32, u32)> {
    let Vec2 { x, y } = (position - rect.min) / zoom;
    let inside = x >= 0.0 && y >= 0.0;
    let (x, y) = (x as u32, y as u32);
    (inside && x < size.0 && y < size.1).then_some((x, y))
}

fn checkerboard(painter: &egui::Painter, outer: Rect, [one, two]: [Color32; 2]) {
    painter.rect_filled(outer, 0.0, one);
    let step = 12.0;
    let mut mesh = egui::Mesh::default();
    let (mut y, mut odd) = (outer.top(), false);
    while y < outer.bottom() {
        let mut x = outer.left() + if odd { step } else { 0.0 };
        while x < outer.right() {
            mesh.add_colored_rect(Rect::from_min_size(Pos2::new(x, y), Vec2::splat(step)), two);
            x += step * 2.0;
        }
        y += step;
        odd = !odd;
    }
    painter.add(mesh);
}

/// Paints a caption into a corner of an image.
pub(crate) fn caption(painter: &egui::Painter, text: &str, rect: Rect, align: Align2) {
    if text.is_empty() {
        return;
    }
    let text = painter.layout_no_wrap(text.to_owned(), FontId::proportional(12.0), Color32::WHITE);
    let place = align.align_size_within_rect(text.size() + Vec2::new(8.0, 2.0), rect.shrink(4.0));
    painter.rect_filled(place, 2.0, Color32::from_black_alpha(170));
    painter.galley(place.min + Vec2::new(4.0, 1.0), text, Color32::WHITE);
}

fn crosshair(painter: &egui::Painter, (x, y): (u32, u32), rect: Rect, zoom: f32) {
    let min = rect.min + Vec2::new(float(x), float(y)) * zoom;
    let texel = Rect::from_min_size(min, Vec2::splat(zoom.max(1.0))).expand(1.5);
    for (grow, color) in [(1.0, Color32::BLACK), (0.0, Color32::WHITE)] {
        let stroke = Stroke::new(1.0, color);
        painter.rect_stroke(texel.expand(grow), 0.0, stroke, StrokeKind::Middle);
        let center = texel.center() + Vec2::splat(grow);
        let (half, end) = (texel.width() / 2.0, texel.width() / 2.0 + 9.0);
        for ends in [[-end, -half], [half, end]] {
            painter.line_segment(ends.map(|x| center + Vec2::new(x, 0.0)), stroke);
            painter.line_segment(ends.map(|y| center + Vec2::new(0.0, y)), stroke);
        }
    }
}

fn float(pixels: u32) -> f32 {
    pixels as f32
}

/// Paints the RGBA values, 0 to 255, into each visible texel.
fn texel_values(painter: &egui::Painter, image: &RgbaImage, rect: Rect, zoom: f32, outer: Rect) {
    let seen = rect.intersect(outer);
    let size = (image.width(), image.height());
    let inside = |position: Pos2| {
        texel_at(position.clamp(rect.min, rect.max - Vec2::splat(0.01)), rect, zoom, size)
    };
    let (Some(first), Some(last)) = (inside(seen.min), inside(seen.max)) else { return };
    for y in first.1..=last.1 {
        for x in first.0..=last.0 {
            let Some([r, g, b, a]) = image.pixel(x, y) else { continue };
            let center = rect.min + (Vec2::new(float(x), float(y)) + Vec2::splat(0.5)) * zoom;
            let light = u32::from(r) * 3 + u32::from(g) * 6 + u32::from(b) > 1280;
            let color = if light { Color32::BLACK } else { Color32::WHITE };
            let text = format!("{r}\n{g}\n{b}\n{a}");
            painter.text(center, Align2::CENTER_CENTER, text, FontId::monospace(9.0), color);
        }
    }
}

/// Formats a texel as `12, 34   255 128 0 255   #ff8000`. Without an image, formats only the position.
pub(crate) fn texel_text((x, y): (u32, u32), image: Option<&RgbaImage>) -> String {
    match image.and_then(|image| image.pixel(x, y)) {
        Some([r, g, b, a]) => format!("{x}, {y}   {r} {g} {b} {a}   #{r:02x}{g:02x}{b:02x}"),
        None => format!("{x}, {y}"),
    }
}

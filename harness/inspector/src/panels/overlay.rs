//! Overlays on an image: a draw's triangles, its rejected pixels, and a histogram.

use std::sync::Arc;

use eframe::egui::{self, Align2, Color32, FontId, Pos2, Rect, Stroke, Ui, Vec2};
use molehill_analysis::histogram::Histogram;
use molehill_analysis::textures::Mesh;
use molehill_replay::image::RgbaImage;

use crate::picture::{self, ImageChannels};
use crate::session::Session;
use crate::worker::{InspectorQuestion, QuestionReply};

choices! {
    pub(crate) enum Overlay, OVERLAYS: &'static str,
    Nothing = "No overlay",
    Wireframe = "Wireframe",
    BackFaces = "Back faces",
    FailedDepth = "Failed depth",
    FailedStencil = "Failed stencil",
}

/// Maximum number of painted triangles.
const MAX_TRIANGLES: usize = 20_000;
const COLOR: Color32 = Color32::from_rgb(255, 90, 60);

/// Paints a draw's overlay over an image of its render target that covers `rect`. Clips to `clip`. Returns a message if
/// there is nothing to paint.
pub(crate) fn paint(
    ui: &Ui,
    session: &mut Session,
    (call, overlay): (usize, Overlay),
    (rect, clip): (Rect, Rect),
) -> Option<&'static str> {
    let painter = ui.painter_at(clip);
    let question = match overlay {
        Overlay::Nothing => return None,
        Overlay::Wireframe | Overlay::BackFaces => InspectorQuestion::Mesh(call),
        Overlay::FailedDepth | Overlay::FailedStencil => InspectorQuestion::Draw(call),
    };
    match session.ask(question) {
        None => Some("Computing the overlay…"),
        Some(Ok(QuestionReply::Mesh(mesh))) => {
            let back = overlay == Overlay::BackFaces;
            let shape = triangles(mesh, rect, back);
            let found = !shape.is_empty();
            painter.extend(shape);
            (!found).then_some(if back { "No back faces" } else { "No triangles on the screen" })
        }
        Some(Ok(QuestionReply::Draw(known))) => {
            let failed = &known.1.failed;
            let image = if overlay == Overlay::FailedDepth { &failed[0] } else { &failed[1] };
            let Some(image) = image else { return Some("No fragment was rejected by the test") };
            let texture = picture::texture(ui.ctx(), image, ImageChannels::Rgba);
            let all = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
            painter.image(texture, rect, all, Color32::WHITE);
            None
        }
        Some(Ok(_) | Err(_)) => Some("There is no overlay for this call"),
    }
}

/// Returns the outlines of the triangles in front of the camera. `back` selects back-facing triangles, which are
/// counter-clockwise on the screen.
fn triangles(mesh: &Mesh, rect: Rect, back: bool) -> Vec<egui::Shape> {
    let corner = |index: u32| {
        let [x, y, _, w] = mesh.vertices.get(index as usize)?.position;
        let at = Vec2::new(x / w * 0.5 + 0.5, 0.5 - y / w * 0.5) * rect.size();
        (w > 0.0 && at.is_finite()).then(|| rect.min + at)
    };
    let faces = mesh.triangles.iter().filter_map(|[a, b, c]| {
        let corners = [corner(*a)?, corner(*b)?, corner(*c)?];
        let [one, two] = [corners[1] - corners[0], corners[2] - corners[0]];
        (!back || one.x * two.y - one.y * two.x < 0.0).then_some(corners)
    });
    // Strokes lines instead of polygons, because the outlines of thin polygons have long spikes.
    let (fill, stroke) = (COLOR.gamma_multiply(0.4), Stroke::new(1.0, COLOR));
    let shapes = |[a, b, c]: [Pos2; 3]| {
        if back {
            return vec![egui::Shape::convex_polygon(vec![a, b, c], fill, Stroke::NONE)];
        }
        [[a, b], [b, c], [c, a]].map(|ends| egui::Shape::line_segment(ends, stroke)).to_vec()
    };
    faces.take(MAX_TRIANGLES).flat_map(shapes).collect()
}

/// The histogram of an image, if it is enabled.
#[derive(Default)]
pub(crate) struct HistogramView {
    pub(crate) on: bool,
    known: Option<(Arc<RgbaImage>, Histogram)>,
}

const CHANNELS: [(&str, Color32); 4] = [
    ("R", Color32::from_rgb(240, 90, 80)),
    ("G", Color32::from_rgb(90, 200, 100)),
    ("B", Color32::from_rgb(90, 140, 255)),
    ("A", Color32::from_gray(190)),
];

impl HistogramView {
    /// Paints the histogram and the value range of each channel in a corner of `place`.
    pub(crate) fn paint(&mut self, ui: &mut Ui, image: &Arc<RgbaImage>, place: Rect) {
        if !self.on {
            return;
        }
        let old = self.known.take().filter(|(known, _)| Arc::ptr_eq(known, image));
        let new = || (Arc::clone(image), Histogram::of(String::new(), image));
        let (_, histogram) = self.known.insert(old.unwrap_or_else(new));
        let size = Vec2::new(264.0, 118.0).min(place.size());
        let rect = Rect::from_min_size(place.left_bottom() - Vec2::new(-6.0, size.y + 6.0), size);
        let painter = ui.painter_at(place);
        painter.rect_filled(rect, 4.0, Color32::from_black_alpha(200));
        let base = rect.bottom() - 48.0;
        // Ignores the most frequent values for the scale, because a large background would hide all other values.
        let colours = histogram.channels.iter().take(3);
        let mut all: Vec<u64> = colours.flat_map(|channel| channel.counts).collect();
        all.sort_unstable();
        let largest = all.iter().rev().nth(3).copied().unwrap_or(1).max(1);
        for ((name, color), (channel, row)) in
            CHANNELS.iter().zip(histogram.channels.iter().zip(0u8..))
        {
            let bars = channel.counts.iter().zip(0u8..).filter(|_| *name != "A");
            for (count, part) in bars {
                let share = (*count as f32 / largest as f32).min(1.0);
                let left = rect.left() + 4.0 + f32::from(part) * 16.0 + f32::from(row) * 5.0;
                let top = base - share * (size.y - 56.0);
                let bar = Rect::from_min_max(Pos2::new(left, top), Pos2::new(left + 4.0, base));
                painter.rect_filled(bar, 0.0, *color);
            }
            let (low, high) = (channel.least, channel.most);
            let corner = Pos2::new(rect.left() + 6.0, base + 3.0 + f32::from(row) * 11.0);
            let text = format!("{name} {low} to {high}");
            painter.text(corner, Align2::LEFT_TOP, &text, FontId::monospace(10.0), *color);
            let label = Rect::from_min_size(corner, Vec2::new(100.0, 11.0));
            let response =
                ui.interact(label, ui.scope_id().with(("range", row)), egui::Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &text));
        }
    }
}

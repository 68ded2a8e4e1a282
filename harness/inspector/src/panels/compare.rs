//! Compares the frame with the reference renderer, the previous frame, another capture or an image.

use std::mem::discriminant;
use std::sync::Arc;

use eframe::egui::{self, Align2, Color32, Pos2, Rect, Stroke, StrokeKind, Ui, Vec2};
use molehill_analysis::diff::{CallDifference, CaptureDifference};
use molehill_analysis::wrong::WrongFrame;
use molehill_replay::image::{RgbaImage, clusters, compare, heat};

use super::{PanelAction, act, link, waiting};
use crate::picture::{self, ImageChannels, PanZoom, ShownPicture};
use crate::session::Session;
use crate::source::EDITED;

#[derive(Default)]
pub(crate) enum Baseline {
    #[default]
    Reference,
    FrameBefore,
    /// Compares with the capture as edited in the Edit tab.
    Edited,
    Capture(String),
    Picture(String, Arc<RgbaImage>),
}

#[derive(Default)]
pub(crate) struct CompareView {
    pub(crate) baseline: Baseline,
    /// True to show both images side by side, false to show one over the other.
    beside: bool,
    /// The position of the split line relative to the centre: −0.5 to 0.5 of the width.
    split: f32,
    show_difference: bool,
    tolerance: u8,
    search: bool,
    view: PanZoom,
    difference: Option<PictureDifference>,
    /// The mask of the selected draw's wrong pixels.
    mask: Option<(Arc<WrongFrame>, usize, Arc<RgbaImage>)>,
}

struct PictureDifference {
    sides: [Arc<RgbaImage>; 2],
    tolerance: u8,
    image: Arc<RgbaImage>,
    text: String,
    /// The pixel with the largest difference in the largest differing region.
    most: Option<(u32, u32)>,
}

impl Baseline {
    /// Returns the captions of this capture's image and of the compared image.
    fn captions(&self) -> [&'static str; 2] {
        match self {
            Baseline::Reference => ["This capture", "Reference renderer"],
            Baseline::FrameBefore => ["This capture", "Frame before"],
            Baseline::Edited => ["Before", "After"],
            Baseline::Capture(_) | Baseline::Picture(..) => ["This capture", "Expected"],
        }
    }
}

impl CompareView {
    pub(crate) fn with(baseline: Baseline) -> CompareView {
        let beside = matches!(baseline, Baseline::Edited);
        CompareView { baseline, beside, ..CompareView::default() }
    }

    pub(crate) fn outcome(&self) -> Option<&str> {
        self.difference.as_ref().map(|difference| &*difference.text)
    }
}

/// Shows the central panel: both images with a split line between them, or their difference.
pub(crate) fn pictures(
    ui: &mut Ui,
    session: &Session,
    view: &mut CompareView,
    sides: [Option<Arc<RgbaImage>>; 2],
) {
    // While the user edits, the last edited image stays visible for a moment.
    let last = view.difference.as_ref().filter(|last| {
        let [Some(here), None] = &sides else { return false };
        matches!(view.baseline, Baseline::Edited) && Arc::ptr_eq(here, &last.sides[0])
    });
    let sides = last.map_or(sides, |last| last.sides.clone().map(Some));
    let [Some(here), Some(there)] = sides else {
        let before = matches!(view.baseline, Baseline::FrameBefore);
        let of_before = "Rendering the frame before. The first frame has none.";
        return waiting(ui, if before { of_before } else { "Rendering both images…" });
    };
    let tolerance = view.tolerance;
    let old = view.difference.take().filter(|old| {
        let [one, two] = &old.sides;
        Arc::ptr_eq(one, &here) && Arc::ptr_eq(two, &there) && old.tolerance == tolerance
    });
    let difference = view.difference.insert(old.unwrap_or_else(|| compute(here, there, tolerance)));
    let [here, there] = &difference.sides;
    ui.horizontal_wrapped(|ui| {
        ui.toggle_value(&mut view.beside, "Side by side");
        let slider = egui::Slider::new(&mut view.split, -0.5..=0.5).show_value(false);
        ui.add_enabled(!view.beside, slider);
        ui.toggle_value(&mut view.show_difference, "Difference");
        ui.add(egui::DragValue::new(&mut view.tolerance).prefix("Tolerance ").range(0..=255));
        ui.label(&difference.text);
        if let Some(most) = difference.most {
            let text = format!("Largest difference at {}, {}", most.0, most.1);
            link(ui, text, PanelAction::Pixel(None, most));
        }
    });
    let captions = view.baseline.captions();
    if view.beside && !view.show_difference {
        let [before, after] = captions;
        return ui.columns_const(|[left, right]| {
            beside(left, &mut view.view, (before, here));
            beside(right, &mut view.view, (after, there));
        });
    }
    let image = if view.show_difference { &difference.image } else { there };
    let left = (!view.show_difference)
        .then(|| (picture::texture(ui.ctx(), here, ImageChannels::Rgb), view.split + 0.5));
    let shown = ShownPicture::new(ui, "Comparison", image, ImageChannels::Rgb);
    let captions = if view.show_difference { ["Difference: red to yellow", ""] } else { captions };
    let shown = ShownPicture { left, image: None, captions, ..shown };
    let size = shown.size;
    let pointed = picture::show(ui, &mut view.view, &shown);
    if let Some(call) = session.selection.call {
        mask(ui, session, (&mut view.mask, call, size), (pointed.rect, pointed.outer));
    }
    let clicked = pointed.clicked.filter(|_| !view.show_difference);
    act(ui, clicked.map(|at| PanelAction::Pixel(None, at)));
}

/// The mask of a draw's wrong pixels: the frame's wrong pixels, the draw's call, and the image of the mask.
pub(super) type PixelMask = (Arc<WrongFrame>, usize, Arc<RgbaImage>);

/// The RGBA colour of the selected draw's wrong pixels.
const WRONG: [u8; 4] = [255, 0, 200, 170];

/// Paints a draw's wrong pixels and their bounds over an image that covers `rect`. Clips to `clip`.
fn mask(
    ui: &Ui,
    session: &Session,
    (cached, call, size): (&mut Option<PixelMask>, usize, (u32, u32)),
    (rect, clip): (Rect, Rect),
) {
    let wrong = session.frame_number().filter(|_| session.expects);
    let wrong = wrong.and_then(|frame| known!(session.cached, Wrong(frame)));
    let Some((wrong, draw)) = wrong.and_then(|wrong| Some((wrong, wrong.draw(call)?))) else {
        return;
    };
    let same = |(of, at, _): &PixelMask| Arc::ptr_eq(of, wrong) && *at == call;
    let old = cached.take().filter(same).map(|(.., image)| image);
    let image = old.unwrap_or_else(|| Arc::new(wrong.mask(call, size, WRONG)));
    let texture = picture::texture(ui.ctx(), &image, ImageChannels::Rgba);
    *cached = Some((Arc::clone(wrong), call, image));
    let painter = ui.painter_at(clip);
    let all = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
    painter.image(texture, rect, all, Color32::WHITE);
    let [r, g, b, _] = WRONG;
    let color = Color32::from_rgb(r, g, b);
    if let Some(bounds) = draw.bounds {
        let [left, top, right, bottom] = bounds.map(|side| side as f32);
        let scale = rect.size() / Vec2::new(size.0.max(1) as f32, size.1.max(1) as f32);
        let at = |x: f32, y: f32| rect.min + Vec2::new(x, y) * scale;
        let place = Rect::from_min_max(at(left, top), at(right, bottom));
        painter.rect_stroke(place, 0.0, Stroke::new(1.0, color), StrokeKind::Outside);
    }
    let text = format!("Call {call}: {draw}");
    picture::caption(&painter, &text, rect.intersect(clip), Align2::LEFT_BOTTOM);
}

fn beside(ui: &mut Ui, view: &mut PanZoom, (label, image): (&str, &Arc<RgbaImage>)) {
    ui.weak(label);
    let pointed = picture::show(ui, view, &ShownPicture::new(ui, label, image, ImageChannels::Rgb));
    act(ui, pointed.clicked.map(|at| PanelAction::Pixel(None, at)));
}

fn compute(here: Arc<RgbaImage>, there: Arc<RgbaImage>, tolerance: u8) -> PictureDifference {
    let compared = compare(&here, &there, tolerance);
    let most = clusters(&here, &there, tolerance).first().map(|cluster| cluster.at);
    let text = match (compared.same_size(), compared.differing) {
        (false, _) => compared.describe_sizes(),
        (true, 0) => "equal".to_owned(),
        (true, differing) if compared.is_equal_but_for_edges() => {
            format!("{differing} pixels differ: equal but for antialiased edges")
        }
        (true, differing) => format!("{differing} pixels differ"),
    };
    PictureDifference {
        image: Arc::new(heat(&here, &there, tolerance)),
        sides: [here, there],
        tolerance,
        text,
        most,
    }
}

/// Shows a button that switches between the comparison and the stage.
pub(crate) fn toggle(ui: &mut Ui, active: bool) {
    let clicked = ui.selectable_label(active, "Show comparison").clicked();
    act(ui, clicked.then_some(PanelAction::Compare(!active)));
}

/// Shows the right panel: the choice of compared images, and the search for the first difference.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut CompareView, active: bool) {
    let path = match &view.baseline {
        Baseline::Reference => "the reference renderer",
        Baseline::FrameBefore => "its frame before, by the reference renderer",
        Baseline::Edited => EDITED,
        Baseline::Capture(name) | Baseline::Picture(name, _) => name,
    };
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    ui.label(format!("Comparing this capture with {name}.")).on_hover_text(path);
    ui.horizontal_wrapped(|ui| {
        toggle(ui, active);
        for (text, baseline) in [
            ("Compare with the reference renderer", Baseline::Reference),
            ("Compare with the frame before", Baseline::FrameBefore),
        ] {
            if discriminant(&view.baseline) != discriminant(&baseline) && ui.button(text).clicked()
            {
                session.compare(false);
                *view = CompareView::with(baseline);
                act(ui, Some(PanelAction::Compare(true)));
            }
        }
    });
    ui.weak(
        "To compare with another capture or a PNG image, drop it on the right half of the window.",
    );
    ui.separator();
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| differences(ui, session, view));
}

/// Shows the wrong pixels, and the first difference between the calls.
fn differences(ui: &mut Ui, session: &mut Session, view: &mut CompareView) {
    if session.expects {
        super::wrong::show(ui, session);
    }
    if matches!(view.baseline, Baseline::Picture(..) | Baseline::FrameBefore) {
        return;
    }
    if !view.search {
        if ui.button("Find first difference").clicked() {
            view.search = true;
        }
        ui.weak("Replays both captures from the beginning; this can take a while.");
        return;
    }
    let found = answer!(ui, session, Difference, "Searching for the first difference…");
    report(ui, found);
}

fn report(ui: &mut Ui, found: &CaptureDifference) {
    ui.weak("a is this capture; b is the capture or renderer that it is compared with.");
    ui.monospace(found.to_string());
    let call_of = |found: &Option<CallDifference>| found.as_ref().map(|found| found.call);
    for (what, call) in [
        ("First call that differs", call_of(&found.call)),
        ("First result that differs", call_of(&found.result)),
        ("First draw that differs", found.draw.map(|(here, _)| here)),
    ] {
        if let Some(call) = call {
            link(ui, format!("{what}: call {call}"), PanelAction::Call(call));
        }
    }
}

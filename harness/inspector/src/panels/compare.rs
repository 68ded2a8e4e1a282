//! Compares the frame with the reference renderer, the frame before, a second capture or a picture.

use std::mem::discriminant;
use std::sync::Arc;

use eframe::egui::{self, Ui};
use molehill_analysis::diff::{CallDifference, Difference};
use molehill_replay::image::{Image, compare, heat};

use super::{Action, act, link, waiting};
use crate::picture::{self, Channels, PanZoom, Picture};
use crate::session::Session;
use crate::source::EDITED;
use crate::worker::Question;

#[derive(Default)]
pub(crate) enum Baseline {
    #[default]
    Reference,
    /// The frame before.
    FrameBefore,
    /// This capture with the changes of the Edit tab.
    Edited,
    Capture(String),
    Picture(String, Arc<Image>),
}

#[derive(Default)]
pub(crate) struct View {
    pub(crate) baseline: Baseline,
    /// Both pictures side by side, instead of one over the other.
    beside: bool,
    /// Where this capture's picture ends, from the middle: −0.5 to 0.5 of the width.
    split: f32,
    show_difference: bool,
    tolerance: u8,
    search: bool,
    view: PanZoom,
    difference: Option<PictureDifference>,
}

struct PictureDifference {
    sides: [Arc<Image>; 2],
    tolerance: u8,
    image: Arc<Image>,
    text: String,
    first: Option<(u32, u32)>,
}

impl View {
    pub(crate) fn with(baseline: Baseline) -> View {
        let beside = matches!(baseline, Baseline::Edited);
        View { baseline, beside, ..View::default() }
    }

    pub(crate) fn outcome(&self) -> Option<&str> {
        self.difference.as_ref().map(|difference| &*difference.text)
    }
}

/// The central panel: both pictures, with a split line between them, or their difference.
pub(crate) fn pictures(ui: &mut Ui, view: &mut View, sides: [Option<Arc<Image>>; 2]) {
    // While changes are made, the last changed picture stays for a moment.
    let last = view.difference.as_ref().filter(|last| {
        let [Some(here), None] = &sides else { return false };
        matches!(view.baseline, Baseline::Edited) && Arc::ptr_eq(here, &last.sides[0])
    });
    let sides = last.map_or(sides, |last| last.sides.clone().map(Some));
    let [Some(here), Some(there)] = sides else {
        let before = matches!(view.baseline, Baseline::FrameBefore);
        let of_before = "Rendering the frame before. The first frame has none.";
        return waiting(ui, if before { of_before } else { "Rendering both pictures…" });
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
        ui.add_enabled(!view.beside, slider.text("This capture | Baseline"));
        ui.toggle_value(&mut view.show_difference, "Difference");
        ui.add(egui::DragValue::new(&mut view.tolerance).prefix("Tolerance ").range(0..=255));
        ui.label(&difference.text);
        if let Some(first) = difference.first {
            let text = format!("First at {}, {}", first.0, first.1);
            link(ui, text, Action::Pixel(None, first));
        }
    });
    if view.beside && !view.show_difference {
        return ui.columns_const(|[left, right]| {
            beside(left, &mut view.view, ("Before", here));
            beside(right, &mut view.view, ("After", there));
        });
    }
    let image = if view.show_difference { &difference.image } else { there };
    let left = (!view.show_difference)
        .then(|| (picture::texture(ui.ctx(), here, Channels::Rgb), view.split + 0.5));
    let shown = Picture::new(ui, "Comparison", image, Channels::Rgb);
    let shown = Picture { left, image: None, ..shown };
    let pointed = picture::show(ui, &mut view.view, &shown);
    let clicked = pointed.clicked.filter(|_| !view.show_difference);
    act(ui, clicked.map(|at| Action::Pixel(None, at)));
}

fn beside(ui: &mut Ui, view: &mut PanZoom, (label, image): (&str, &Arc<Image>)) {
    ui.weak(label);
    let pointed = picture::show(ui, view, &Picture::new(ui, label, image, Channels::Rgb));
    act(ui, pointed.clicked.map(|at| Action::Pixel(None, at)));
}

fn compute(here: Arc<Image>, there: Arc<Image>, tolerance: u8) -> PictureDifference {
    let compared = compare(&here, &there, tolerance);
    let first = compared.first.as_ref().map(|(at, ..)| *at);
    let text = match (compared.same_size(), compared.differing) {
        (false, _) => compared.describe_sizes(),
        (true, 0) => "equal".to_owned(),
        (true, differing) => format!("{differing} pixels differ"),
    };
    PictureDifference {
        image: Arc::new(heat(&here, &there, tolerance)),
        sides: [here, there],
        tolerance,
        text,
        first,
    }
}

/// A button that shows the comparison, or the stage.
pub(crate) fn toggle(ui: &mut Ui, active: bool) {
    let clicked = ui.selectable_label(active, "Show comparison").clicked();
    act(ui, clicked.then_some(Action::Compare(!active)));
}

/// The right panel: what is compared, and the search for the first difference.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut View, active: bool) {
    let name = match &view.baseline {
        Baseline::Reference => "the reference renderer",
        Baseline::FrameBefore => "its frame before, by the reference renderer",
        Baseline::Edited => EDITED,
        Baseline::Capture(name) | Baseline::Picture(name, _) => name,
    };
    ui.label(format!("Comparing this capture with {name}."));
    ui.horizontal_wrapped(|ui| {
        toggle(ui, active);
        for (text, baseline) in [
            ("Compare with the reference renderer", Baseline::Reference),
            ("Compare with the frame before", Baseline::FrameBefore),
        ] {
            if discriminant(&view.baseline) != discriminant(&baseline) && ui.button(text).clicked()
            {
                session.forget(&Question::Difference);
                *view = View::with(baseline);
                act(ui, Some(Action::Compare(true)));
            }
        }
    });
    ui.weak("To compare with another capture or a PNG picture, drop it on the right half of the window.");
    ui.separator();
    if matches!(view.baseline, Baseline::Picture(..) | Baseline::FrameBefore) {
        return;
    }
    if !view.search {
        if ui.button("Find first difference").clicked() {
            view.search = true;
        }
        ui.weak("Replays both from the beginning; this can take a while.");
        return;
    }
    let found = answer!(ui, session, Difference, "Searching for the first difference…");
    report(ui, found);
}

fn report(ui: &mut Ui, found: &Difference) {
    ui.weak("a is this capture, b what it is compared with.");
    ui.monospace(found.to_string());
    let call_of = |found: &Option<CallDifference>| found.as_ref().map(|found| found.call);
    for (what, call) in [
        ("First call that differs", call_of(&found.call)),
        ("First result that differs", call_of(&found.result)),
        ("First draw that differs", found.draw.map(|(here, _)| here)),
    ] {
        if let Some(call) = call {
            link(ui, format!("{what}: call {call}"), Action::Call(call));
        }
    }
}

//! The Pixel tab: the history of a pixel.

use std::sync::Arc;

use eframe::egui::{self, Color32, RichText, Ui, WidgetInfo};
use molehill_analysis::pixel::{FragmentReport, PixelEvent, PixelHistory};
use molehill_analysis::{Capture, ComponentNumber};

use molehill_replay::image::RgbaImage;

use super::{PanelAction, act, copy, float, link};
use crate::icons::{self, Icon};
use crate::session::Session;
use crate::theme::palette;

pub(crate) fn show(ui: &mut Ui, session: &mut Session, screen: Option<&RgbaImage>) {
    let (Some(frame), Some(at)) = (session.frame_number(), session.selection.pixel) else {
        return super::hint(ui, "Click a pixel in the image to show its history.");
    };
    let selection = session.selection;
    let (selected, texture) = (selection.call, selection.texture);
    let capture = Arc::clone(&session.capture);
    let history = answer!(ui, session, Pixel(frame, texture, at), "Computing the pixel's history…");
    ui.horizontal_wrapped(|ui| {
        ui.strong(title(&capture, history));
        swatch(ui, history.shown);
        // The OpenGL colour is shown only if it differs from the reference renderer's colour.
        let driver = screen
            .filter(|_| selected.is_none() && texture.is_none())
            .and_then(|screen| screen.pixel(at.0, at.1));
        if let Some(driver) = driver.filter(|driver| *driver != history.shown) {
            ui.weak("OpenGL:");
            swatch(ui, driver);
        }
        copy(ui, "Copy", || history.text(&capture, &[]));
    });
    let Some(first) = history.events.first() else {
        let text = match texture {
            Some(_) => "No clear or draw has changed this pixel yet.",
            None => "Nothing was drawn here; the stage's colour is shown.",
        };
        return super::hint(ui, text);
    };
    // The history of a texture may come from an earlier frame.
    let since = match texture.and_then(|_| capture.frame_of(first.call)) {
        Some(drawn) => format!("the start of frame {}", drawn.number),
        None => "the previous present".to_owned(),
    };
    ui.weak(format!(
        "{} events since {since}. Click Step to debug a fragment.",
        history.events.len()
    ));
    ui.separator();
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for event in &history.events {
            event_row(ui, event, selected == Some(event.call));
        }
    });
}

fn event_row(ui: &mut Ui, event: &PixelEvent, selected: bool) {
    let fill = if selected { palette(ui.visuals()).highlight } else { ui.visuals().faint_bg_color };
    egui::Frame::group(ui.style()).fill(fill).inner_margin(6.0).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_wrapped(|ui| {
            let text = RichText::new(format!("Call {}", event.call)).monospace();
            link(ui, text, PanelAction::Call(event.call)).on_hover_text("Select the call");
            ui.label(event.name);
            ui.weak(format!("pass {}", event.pass));
            if let Some(before) = event.before {
                swatch(ui, before);
            }
            let color = ui.visuals().weak_text_color();
            icons::label(ui, Icon::Arrow, color);
            swatch(ui, event.after);
        });
        for fragment in &event.fragments {
            self::fragment(ui, event.call, fragment);
        }
    });
}

fn fragment(ui: &mut Ui, call: usize, fragment: &FragmentReport) {
    let palette = palette(ui.visuals());
    ui.horizontal_wrapped(|ui| {
        let kept = fragment.outcome == "kept";
        let color = if kept { palette.good } else { palette.warning };
        icons::label(ui, if kept { Icon::Check } else { Icon::Close }, color);
        ui.label(RichText::new(fragment.outcome).color(color));
        let side = if fragment.front { "front" } else { "back" };
        let depth = fragment.depth.map_or(String::new(), |depth| format!(", depth {depth:.6}"));
        ui.weak(format!("triangle {} ({side}){depth}", fragment.triangle));
        if !matches!(fragment.outcome, "scissor" | "culled") {
            let button = ui.small_button("Step");
            if button.on_hover_text("Run the fragment program step by step").clicked() {
                act(ui, PanelAction::Step(call, Some(fragment.fragment)));
            }
        }
    })
    .response
    .on_hover_ui(|ui| details(ui, fragment));
}

fn details(ui: &mut Ui, fragment: &FragmentReport) {
    egui::Grid::new("details").num_columns(2).show(ui, |ui| {
        let mut row = |name: &str, value: String| {
            ui.weak(name);
            ui.monospace(value);
            ui.end_row();
        };
        let [a, b, c] = fragment.indices;
        row("Indices", format!("{a}, {b}, {c}"));
        row("Instance", fragment.instance.to_string());
        let (covered, passed) = fragment.samples;
        row("Samples", format!("{covered:b} covered, {passed:b} passed"));
        if let Some([(before, stencil), (after, then)]) = fragment.stored {
            row("Depth buffer", format!("{before:.6}, then {after:.6}"));
            row("Stencil buffer", format!("{stencil}, then {then}"));
        }
        for (name, colors) in [
            ("Program output", &fragment.colors),
            ("Target before", &fragment.before),
            ("Target after", &fragment.after),
        ] {
            for (output, color) in colors.iter().enumerate() {
                if let Some(color) = color {
                    row(&format!("{name} {output}"), numbers(color));
                }
            }
        }
    });
}

pub(crate) fn numbers(values: &[ComponentNumber]) -> String {
    let values: Vec<String> = values.iter().map(|value| float(value.0)).collect();
    values.join(", ")
}

fn swatch(ui: &mut Ui, [r, g, b, a]: [u8; 4]) {
    let (rect, response) = ui.allocate_exact_size(egui::Vec2::splat(14.0), egui::Sense::hover());
    ui.painter().rect_filled(rect, 2.0, Color32::from_rgb(r, g, b));
    let stroke = ui.visuals().widgets.noninteractive.bg_stroke;
    ui.painter().rect_stroke(rect, 2.0, stroke, egui::StrokeKind::Inside);
    let hex = format!("{r:02x}{g:02x}{b:02x}");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, format!("#{hex}")));
    response.on_hover_text(format!("{r} {g} {b}, alpha {a}"));
    ui.label(RichText::new(hex).monospace().small());
}

fn title(capture: &Capture, history: &PixelHistory) -> String {
    let ((x, y), frame) = (history.at, history.frame);
    match history.texture {
        Some(face) => {
            format!("Pixel {x}, {y} of {} at the end of frame {frame}", capture.face_title(face))
        }
        None => format!("Pixel {x}, {y} of frame {frame}"),
    }
}

//! The list of all calls, with a search field.

use eframe::egui::{self, RichText, TextStyle, Ui};
use molehill_analysis::{CallSite, Capture};

use super::{PanelAction, act, count, link, scrolled};
use crate::icons::{self, Icon};
use crate::session::Session;
use crate::theme::palette;
use crate::worker::Outline;

#[derive(Default)]
pub(crate) struct CallsView {
    pub(crate) search: String,
    only_failures: bool,
    only_frame: bool,
}

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut CallsView, scroll: bool) {
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut view.search)
            .hint_text("Words: name, object, value")
            .desired_width((ui.available_width() - 166.0).max(60.0));
        let label = ui.weak("Search");
        ui.add(field).labelled_by(label.id);
        let name = "Show only calls with an error or without effect";
        icons::toggle(ui, Icon::Warning, name, "", &mut view.only_failures);
        ui.toggle_value(&mut view.only_frame, "This frame")
            .on_hover_text("Show only this frame's calls");
    });
    let capture = std::sync::Arc::clone(&session.capture);
    let text = view.search.trim().to_owned();
    let failures = view.only_failures;
    let mut found: Option<Vec<usize>> = None;
    if !text.is_empty() {
        found = Some(answer!(ui, session, Search(text), "Searching…").clone());
    }
    if let Some(frame) = session.frame().filter(|_| view.only_frame) {
        let all = found.unwrap_or_else(|| frame.calls.clone().collect()).into_iter();
        found = Some(all.filter(|call| frame.calls.contains(call)).collect());
    }
    if let Some(Outline { failures, .. }) = session.outline().filter(|_| failures) {
        let all = found.unwrap_or_else(|| failures.keys().copied().collect()).into_iter();
        found = Some(all.filter(|call| failures.contains_key(call)).collect());
    }
    let all = count(capture.call_count() as u64);
    let text = match &found {
        Some(found) => format!("{} of {all} calls", count(found.len() as u64)),
        None => format!("{all} calls"),
    };
    ui.horizontal(|ui| ui.weak(text));
    ui.separator();
    let details = session.selection.call.map_or(0.0, |_| (ui.available_height() * 0.3).min(170.0));
    let size = egui::vec2(ui.available_width(), (ui.available_height() - details).max(60.0));
    ui.allocate_ui(size, |ui| list(ui, session, found.as_deref(), scroll));
    if let Some(call) = session.selection.call {
        ui.separator();
        whole(ui, session, call);
    }
}

fn list(ui: &mut Ui, session: &Session, found: Option<&[usize]>, scroll: bool) {
    let rows = found.map_or(session.capture.call_count(), <[usize]>::len);
    let height = ui.text_style_height(&TextStyle::Monospace) + 4.0;
    let selected =
        session.selection.call.or_else(|| session.frame().map(|frame| frame.calls.start));
    let index = selected.filter(|_| scroll).map(|call| match found {
        Some(found) => found.partition_point(|each| *each < call),
        None => call.saturating_sub(1),
    });
    let area = scrolled(ui, egui::ScrollArea::both(), index, height);
    area.show_rows(ui, height, rows, |ui, range| {
        for index in range {
            let call = found.map_or(Some(index + 1), |found| found.get(index).copied());
            if let Some(call) = call {
                row(ui, session, call);
            }
        }
    });
}

fn row(ui: &mut Ui, session: &Session, call: usize) {
    let palette = palette(ui.visuals());
    let failure = session.outline().and_then(|outline| outline.failures.get(&call));
    let mut text = RichText::new(line(&session.capture, call)).monospace();
    if failure.is_some() {
        text = text.color(palette.error);
    } else if session.is_draw(call) {
        text = text.color(palette.accent);
    }
    let chosen = session.selection.call == Some(call);
    let response =
        ui.add(egui::Button::selectable(chosen, text).wrap_mode(egui::TextWrapMode::Extend));
    let response = failure.into_iter().fold(response, |row, text| row.on_hover_text(text));
    if response.clicked() {
        act(ui, PanelAction::Call(call));
    }
    response.context_menu(|ui| {
        if ui.button("Copy").clicked() {
            ui.ctx().copy_text(line(&session.capture, call));
            ui.close();
        }
    });
}

fn whole(ui: &mut Ui, session: &Session, call: usize) {
    let Ok((_, line)) = session.capture.call(call) else { return };
    let capture = &session.capture;
    egui::ScrollArea::vertical().id_salt("whole").auto_shrink(false).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.strong(format!("{call} {}", line.call.name()));
            if let Some(failure) = session.outline().and_then(|outline| outline.failures.get(&call))
            {
                super::failed(ui, failure);
            }
            let objects = line.call.objects().into_iter().map(|(_, id)| id).chain(line.result);
            for id in std::iter::once(line.on).chain(objects) {
                link(ui, RichText::new(capture.name(id)).small(), PanelAction::Object(id));
            }
        });
        let CallSite { markers, stack } = capture.call_site(call, &line);
        if !markers.is_empty() {
            ui.weak(markers.join(" › "));
        }
        super::stack(ui, &stack);
        for (name, value) in line.call.arguments(&|id| capture.title(id)) {
            let text = RichText::new(format!("{name}: {value}")).monospace().small();
            ui.add(egui::Label::new(text).wrap());
        }
    });
}

/// Returns a call as a line of text, or an empty string if the call doesn't exist.
fn line(capture: &Capture, call: usize) -> String {
    let Ok((_, line)) = capture.call(call) else { return String::new() };
    let result = line.result.map(|id| format!(" -> {}", capture.title(id)));
    format!("{call:>6}  {}{}", capture.call_text(&line), result.unwrap_or_default())
}

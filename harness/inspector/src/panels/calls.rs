//! The list of all calls, with a search.

use eframe::egui::{self, RichText, TextStyle, Ui};
use molehill_inspect::Capture;

use super::{Action, count};
use crate::icons::{self, Icon};
use crate::session::Session;
use crate::theme::palette;

/// State of the call list.
#[derive(Default)]
pub(crate) struct CallsView {
    /// The search text.
    pub(crate) search: String,
    only_failures: bool,
}

pub(crate) fn show(
    ui: &mut Ui,
    session: &mut Session,
    view: &mut CallsView,
    scroll: bool,
    actions: &mut Vec<Action>,
) {
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut view.search)
            .hint_text("Name, object or value")
            .desired_width((ui.available_width() - 90.0).max(60.0));
        let label = ui.weak("Search");
        ui.add(field).labelled_by(label.id);
        if icons::button(
            ui,
            Icon::Warning,
            "Show only calls with an error or without effect",
            "",
            view.only_failures,
        )
        .clicked()
        {
            view.only_failures = !view.only_failures;
        }
    });
    let capture = std::sync::Arc::clone(&session.capture);
    let text = view.search.trim().to_owned();
    let failures = view.only_failures;
    let found: Option<Vec<usize>> = match (text.is_empty(), failures) {
        (true, false) => None,
        (true, true) => session.outline().map(|outline| outline.failures.keys().copied().collect()),
        (false, _) => Some(answer!(ui, session, Search(text), "Searching…").clone()),
    };
    let found = match (found, session.outline()) {
        (Some(found), Some(outline)) if failures => Some(
            found
                .into_iter()
                .filter(|call| outline.failures.contains_key(call))
                .collect::<Vec<_>>(),
        ),
        (found, _) => found,
    };
    let rows = found.as_ref().map_or(capture.call_count(), Vec::len);
    ui.horizontal(|ui| {
        ui.weak(match found {
            Some(_) => {
                format!("{} of {} calls", count(rows as u64), count(capture.call_count() as u64))
            }
            None => format!("{} calls", count(rows as u64)),
        });
    });
    ui.separator();
    list(ui, session, found.as_deref(), scroll, actions);
}

fn list(
    ui: &mut Ui,
    session: &Session,
    found: Option<&[usize]>,
    scroll: bool,
    actions: &mut Vec<Action>,
) {
    let rows = found.map_or(session.capture.call_count(), <[usize]>::len);
    let height = ui.text_style_height(&TextStyle::Monospace) + 4.0;
    let mut area = egui::ScrollArea::both().auto_shrink(false);
    let selected =
        session.selection.call.or_else(|| session.frame().map(|frame| frame.calls.start));
    if let (true, Some(call)) = (scroll, selected) {
        let index = match found {
            Some(found) => found.partition_point(|each| *each < call),
            None => call.saturating_sub(1),
        };
        #[expect(clippy::cast_precision_loss, reason = "a row's place on the screen")]
        let top = index as f32 * (height + ui.spacing().item_spacing.y);
        area = area.vertical_scroll_offset((top - ui.available_height() / 2.0).max(0.0));
    }
    area.show_rows(ui, height, rows, |ui, range| {
        for index in range {
            let call = found.map_or(Some(index + 1), |found| found.get(index).copied());
            if let Some(call) = call {
                row(ui, session, call, actions);
            }
        }
    });
}

fn row(ui: &mut Ui, session: &Session, call: usize, actions: &mut Vec<Action>) {
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
    let response = match failure {
        Some(failure) => response.on_hover_text(failure),
        None => response,
    };
    if response.clicked() {
        actions.push(Action::Call(call));
    }
    response.context_menu(|ui| {
        if ui.button("Copy").clicked() {
            ui.ctx().copy_text(line(&session.capture, call));
            ui.close();
        }
    });
}

/// A call as a line of text; empty if there is no such call.
pub(crate) fn line(capture: &Capture, call: usize) -> String {
    let Ok((_, line)) = capture.call(call) else {
        return String::new();
    };
    let arguments = line.call.arguments(&|id| capture.name(id));
    let arguments = arguments.iter().map(|(name, value)| format!("{name}: {value}"));
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    let mut text =
        format!("{call:>6}  {}.{}({arguments})", capture.name(line.on), line.call.name());
    if let Some(result) = line.result {
        text.push_str(" -> ");
        text.push_str(&capture.title(result));
    }
    text
}

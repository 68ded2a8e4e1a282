//! The panels. A panel reads the session, queries it, and reports the user's input as [`PanelAction`]s.

/// Returns the result of a session's query. While the query is pending, shows `waiting` and returns from the enclosing
/// function.
macro_rules! answer {
    ($ui:expr, $session:expr, $kind:ident $(($($argument:expr),+))?, $waiting:literal) => {
        match $session.ask($crate::worker::InspectorQuestion::$kind $(($($argument),+))?) {
            None => return $crate::panels::waiting($ui, $waiting),
            Some(Err(error)) => return $crate::panels::failed($ui, error),
            Some(Ok($crate::worker::QuestionReply::$kind(answer))) => answer,
            Some(Ok(_)) => return,
        }
    };
}

/// Returns the result of a session's query, or `None` if it is unknown. `answer` queues the query; `cached` doesn't.
macro_rules! known {
    ($session:ident.$ask:ident, $kind:ident $(($($argument:expr),+))?) => {
        match $session.$ask(&$crate::worker::InspectorQuestion::$kind $(($($argument),+))?) {
            Some($crate::worker::QuestionReply::$kind(answer)) => Some(answer),
            _ => None,
        }
    };
}

pub(crate) mod activity;
pub(crate) mod calls;
pub(crate) mod compare;
pub(crate) mod edit;
pub(crate) mod files;
pub(crate) mod groups;
pub(crate) mod mesh;
pub(crate) mod object;
pub(crate) mod objects;
pub(crate) mod overlay;
pub(crate) mod pixel;
pub(crate) mod programs;
pub(crate) mod stage;
pub(crate) mod state;
pub(crate) mod step;
pub(crate) mod textures;
pub(crate) mod time;
pub(crate) mod transport;
pub(crate) mod tree;
pub(crate) mod warnings;
pub(crate) mod welcome;
pub(crate) mod wrong;

use std::collections::HashMap;
use std::sync::Arc;

use eframe::egui::{self, Rect, Response, RichText, Sense, Ui, Vec2, WidgetText};
pub(crate) use molehill_analysis::count;
use molehill_analysis::pixel::RenderFace;
use molehill_capture::objects::ObjectId;
use molehill_replay::image::RgbaImage;
use serde_json::{Map, Value};

use crate::session::Session;
use crate::theme::palette;
use crate::worker::InspectorQuestion;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PanelAction {
    /// Selects a frame by its 0-based index in the capture.
    Frame(usize),
    /// Selects a frame while the user drags over several frames.
    Scrub(usize),
    Call(usize),
    /// Selects a pixel of a texture or, without a texture, of the stage.
    Pixel(Option<RenderFace>, (u32, u32)),
    /// Debugs a draw's fragment program at the selected pixel, given the draw's call and the fragment's index.
    Step(usize, Option<usize>),
    EndStep,
    Play,
    /// Shows the comparison if true, or the stage if false.
    Compare(bool),
    /// Shows an object, and leaves the rest of the selection unchanged.
    Object(ObjectId),
    /// Goes back to the previous selection; `Forth` goes forward again.
    Back,
    Forth,
}

/// Queues an action, which is executed at the end of the UI frame.
pub(crate) fn act(ui: &Ui, action: impl Into<Option<PanelAction>>) {
    let action = action.into();
    ui.data_mut(|data| {
        data.get_temp_mut_or_default::<Vec<PanelAction>>(egui::Id::NULL).extend(action)
    });
}

pub(crate) fn take_actions(context: &egui::Context) -> Vec<PanelAction> {
    context.data_mut(|data| data.remove_temp(egui::Id::NULL)).unwrap_or_default()
}

/// Adds edits of the capture, which the Edit tab shows in the next UI frame.
pub(crate) fn begin_changes(ui: &Ui, changes: Result<Vec<Map<String, Value>>, String>) {
    ui.data_mut(|data| data.insert_temp(egui::Id::unique("change"), Some(changes)));
}

pub(crate) fn waiting(ui: &mut Ui, what: &str) {
    ui.horizontal(|ui| {
        ui.add(egui::Spinner::new().size(14.0));
        ui.weak(what);
    });
}

pub(crate) fn failed(ui: &mut Ui, error: &str) {
    let color = palette(ui.visuals()).warning;
    ui.label(RichText::new(error).color(color));
}

pub(crate) fn hint(ui: &mut Ui, text: &str) {
    ui.add_space(6.0);
    ui.weak(text);
}

/// Returns thumbnails of all textures at a call, or an empty map until they are known.
pub(crate) fn thumbnails(session: &mut Session, call: usize) -> HashMap<ObjectId, Arc<RgbaImage>> {
    if session.settled {
        session.answer(&InspectorQuestion::Thumbnails(call));
    }
    known!(session.cached, Thumbnails(call)).into_iter().flatten().cloned().collect()
}

/// Shows a line with a draw's triangle, fragment and pixel counts, once they are known.
pub(crate) fn draw_counts(ui: &mut Ui, session: &mut Session, call: usize) {
    let Some(frame) = session.frame_number() else { return };
    let of_frame = || tree::find(known!(session.cached, Frame(frame))?, call);
    let of_draw = known!(session.cached, Draw(call)).map(|known| &known.0);
    let Some(draw) = of_draw.or_else(of_frame) else { return };
    let rejected = draw.rejected().into_iter().filter(|(number, _)| *number > 0);
    let rejected: Vec<String> =
        rejected.map(|(number, test)| format!("{} by {}", count(number), test.name())).collect();
    let separator = if rejected.is_empty() { "" } else { "; rejected: " };
    let [triangles, shaded, kept, changed] =
        [draw.triangles, draw.shaded, draw.kept, draw.changed].map(count);
    let text = format!(
        "{triangles} triangles, {shaded} fragments shaded, {kept} passed, {changed} pixels changed{separator}{}",
        rejected.join(", ")
    );
    ui.label(RichText::new(text).small()).on_hover_ui(|ui| tree::counts_table(ui, draw));
}

pub(crate) fn stack(ui: &mut Ui, functions: &[String]) {
    for function in functions {
        let text = RichText::new(format!("at {function}")).monospace().small();
        ui.add(egui::Label::new(text).wrap());
    }
}

pub(crate) fn link(ui: &mut Ui, text: impl Into<WidgetText>, action: PanelAction) -> Response {
    let link = ui.link(text);
    act(ui, link.clicked().then_some(action));
    link
}

/// Shows a row of buttons, one of which is selected.
pub(crate) fn tabs<T: Copy + PartialEq>(ui: &mut Ui, value: &mut T, choices: &[(T, &str)]) {
    for (each, name) in choices {
        ui.selectable_value(value, *each, *name);
    }
}

/// Shows a menu with one selected entry.
pub(crate) fn menu<T: Copy + PartialEq>(
    ui: &mut Ui,
    width: f32,
    value: &mut T,
    choices: &[(T, &str)],
) {
    let name = choices.iter().find(|(each, _)| each == value).map_or("", |(_, name)| *name);
    let menu = egui::ComboBox::from_id_salt(choices.first().map(|(_, name)| name));
    menu.width(width).truncate().selected_text(name).show_ui(ui, |ui| tabs(ui, value, choices));
}

/// Shows a row of a list, highlighted if `chosen`. Returns the row's rectangle.
pub(crate) fn row(ui: &mut Ui, height: f32, chosen: bool, label: &str) -> (Rect, Response) {
    let size = Vec2::new(ui.available_width(), height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let role = egui::Role::Button;
    response.widget_info(|| egui::WidgetInfo::selected(role, true, chosen, label));
    if chosen || response.hovered() {
        let visuals = ui.style().interact_selectable(&response, chosen);
        ui.painter().rect_filled(rect, visuals.corner_radius, visuals.weak_bg_fill);
    }
    (rect, response)
}

pub(crate) fn title(ui: &mut Ui, text: &str) {
    ui.add_space(4.0);
    ui.label(RichText::new(text).strong());
}

pub(crate) fn copy(ui: &mut Ui, what: &str, text: impl FnOnce() -> String) {
    if ui.small_button(what).on_hover_text("Copy as text").clicked() {
        ui.ctx().copy_text(text());
    }
}

/// Returns a scroll area for rows of equal height. Scrolls to the row `index`.
pub(crate) fn scrolled(
    ui: &Ui,
    area: egui::ScrollArea,
    index: Option<usize>,
    height: f32,
) -> egui::ScrollArea {
    let area = area.auto_shrink(false);
    let Some(index) = index else { return area };
    let top = index as f32 * (height + ui.spacing().item_spacing.y);
    area.vertical_scroll_offset((top - ui.available_height() / 2.0).max(0.0))
}

/// Formats a register component with at most four decimals. Uses an exponent for values below 0.001, and from 100,000.
pub(crate) fn float(value: f32) -> String {
    if value == 0.0 || (0.001..100_000.0).contains(&value.abs()) {
        let text = format!("{value:.4}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    format!("{value:e}")
}

#[cfg(test)]
#[path = "../../tests/unit/numbers.rs"]
mod tests;

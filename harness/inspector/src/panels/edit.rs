//! The Edit tab: the edits of the capture, forms to change them, and error messages. While the user edits, the edited
//! frame is compared with the unedited frame.

use context3d::agal::asm::AsmErrors;
use context3d::enums::{
    BlendFactor, CompareMode, FillMode, FlashName, StencilAction, TriangleFace,
};
use context3d::enums::{MipFilter, TextureFilter, WrapMode};
use eframe::egui::text::{LayoutJob, TextFormat};
use eframe::egui::{self, RichText, Ui};
use molehill_analysis::{Capture, edit};
use serde_json::{Map, Value};

use super::{PanelAction, hint, link};
use crate::session::Session;
use crate::theme::palette;
use crate::worker::InspectorQuestion;

#[derive(Default)]
pub(crate) struct EditView {
    /// The edits as JSON objects, each with its error.
    changes: Vec<(Map<String, Value>, Option<edit::EditError>)>,
    /// The text of the edits that were checked last.
    text: String,
    /// The path of the files to save, without extension. If the path is empty, [`NAME`] is used.
    path: String,
    /// The file that the user wants to save: the edits (true), or the edited capture (false).
    save: Option<bool>,
    /// The path of the file that is being saved, and the JSON text if the file contains edits.
    saving: Option<(String, Option<String>)>,
    /// The index of the edit for which the user chooses an image file.
    pub(crate) choosing: Option<usize>,
}

const NAME: &str = "changed";

/// Adds an edit, which the Edit tab shows in the next UI frame.
pub(crate) fn begin(ui: &Ui, capture: &Capture, draft: edit::Draft<'_>) {
    super::begin_changes(ui, draft.change(capture).map(|change| vec![change]));
}

pub(crate) fn take(context: &egui::Context) -> Option<Result<Vec<Map<String, Value>>, String>> {
    context.data_mut(|data| data.remove_temp(egui::Id::unique("change"))).flatten()
}

impl EditView {
    pub(crate) fn add(&mut self, changes: Vec<Map<String, Value>>) {
        self.changes.extend(changes.into_iter().map(|change| (change, None)));
    }

    pub(crate) fn set_picture(&mut self, index: usize, path: &str) {
        if let Some((change, _)) = self.changes.get_mut(index) {
            change.insert("png".to_owned(), path.into());
        }
    }

    /// Returns the edits as text, if the user changed them and all of them are valid.
    pub(crate) fn altered(&mut self, capture: &Capture) -> Option<String> {
        let lines = self.changes.iter().map(|(change, _)| Value::from(change.clone()));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        if std::mem::replace(&mut self.text, text.clone()) == text {
            return None;
        }
        for (change, error) in &mut self.changes {
            let failed = |message| edit::EditError { edit: 1, message, agal: None };
            let read = edit::parse_value(change.clone().into(), &mut |path| std::fs::read(path));
            *error = read.map_err(failed).and_then(|read| edit::check(capture, &read)).err();
        }
        self.changes.iter().all(|(_, error)| error.is_none()).then_some(text)
    }

    /// Saves the edits or the edited capture on the worker, and returns the result as a message. `drawn` is true if the
    /// edited capture is open.
    pub(crate) fn save(&mut self, session: &mut Session, drawn: bool) -> Option<String> {
        if let Some(whole) = self.save.take() {
            let name = if self.path.is_empty() { NAME } else { &self.path };
            let path = format!("{name}{}", if whole { ".s3d" } else { ".jsonl" });
            if whole && !drawn {
                return Some(format!("{path}: the changes are not drawn yet"));
            }
            self.saving = Some((path, (!whole).then(|| self.text.clone())));
        }
        let (path, text) = self.saving.clone()?;
        let question = InspectorQuestion::Save(path.clone(), text);
        let outcome = session.ask(question.clone())?.map_or_else(str::to_owned, |_| "saved".into());
        session.forget(&question);
        self.saving = None;
        Some(format!("{path}: {outcome}"))
    }
}

pub(crate) fn show(ui: &mut Ui, session: &Session, view: &mut EditView, active: bool) {
    if let Some(call) = session.selection.call
        && ui.button(format!("Change call {call}")).clicked()
    {
        begin(ui, &session.capture, edit::Draft::Call(call));
    }
    if view.changes.is_empty() {
        return hint(
            ui,
            "There are no changes yet. Begin with a value in the State tab, AGAL in the Programs tab, or an image in the \
             Textures tab.",
        );
    }
    ui.horizontal_wrapped(|ui| {
        super::compare::toggle(ui, active);
        let label = ui.weak("Save to");
        let path = egui::TextEdit::singleline(&mut view.path).hint_text(NAME);
        ui.add(path.desired_width(100.0)).labelled_by(label.id);
        for (whole, name) in [(false, "Changes (.jsonl)"), (true, "Capture (.s3d)")] {
            if ui.button(name).clicked() {
                view.save = Some(whole);
            }
        }
    });
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let mut removed = None;
        for (index, (change, error)) in view.changes.iter_mut().enumerate() {
            egui::Frame::group(ui.style()).show(ui, |ui| {
                ui.set_width(ui.available_width());
                ui.push_id(index, |ui| {
                    if form(ui, change, error.as_ref()) {
                        removed = Some(index);
                    }
                    let picture = change.contains_key("png") && !cfg!(target_arch = "wasm32");
                    if picture && ui.button("Choose an image…").clicked() {
                        view.choosing = Some(index);
                    }
                });
            });
        }
        removed.into_iter().for_each(|index| drop(view.changes.remove(index)));
    });
}

/// Shows the form of an edit. Returns true if the user removes the edit.
fn form(ui: &mut Ui, change: &mut Map<String, Value>, error: Option<&edit::EditError>) -> bool {
    let call = change.get("call").and_then(Value::as_u64).and_then(|call| call.try_into().ok());
    let before = change.contains_key("insert") || change.contains_key("constant");
    let removed = ui.horizontal_wrapped(|ui| {
        ui.label(if before { "Before" } else { "At" });
        let call = call.unwrap_or(0);
        link(ui, format!("call {call}"), PanelAction::Call(call));
        ui.small_button("Remove").clicked()
    });
    let agal = error.and_then(|error| error.agal.as_ref());
    for (key, value) in change.iter_mut().filter(|(key, _)| *key != "call") {
        match value {
            Value::String(text) if key == "vertex" || key == "fragment" => {
                program(ui, key, text, agal);
            }
            value => field(ui, key, value),
        }
    }
    if let Some(error) = error {
        // The message of an AGAL error contains its source line, with a mark below the error.
        let text = agal.map_or_else(|| error.message.clone(), AsmErrors::to_string);
        ui.label(RichText::new(text).monospace().color(palette(ui.visuals()).error));
    }
    removed.inner
}

/// Shows an AGAL editor, which marks the lines with errors.
fn program(ui: &mut Ui, stage: &str, text: &mut String, errors: Option<&AsmErrors>) {
    let lines: Vec<u32> = errors.into_iter().flat_map(AsmErrors::iter).map(|it| it.line).collect();
    let (color, marked) = (ui.visuals().text_color(), palette(ui.visuals()).error);
    let mut layout = |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| {
        let mut job = LayoutJob::default();
        for (number, line) in (1..).zip(text.as_str().split_inclusive('\n')) {
            let font = egui::TextStyle::Monospace.resolve(ui.style());
            let wrong = lines.contains(&number);
            let underline = egui::Stroke::new(f32::from(u8::from(wrong)), marked);
            let color = if wrong { marked } else { color };
            job.append(line, 0.0, TextFormat { underline, ..TextFormat::simple(font, color) });
        }
        ui.fonts_mut(|fonts| fonts.layout_job(job))
    };
    let label = ui.weak(format!("AGAL, {stage} program"));
    egui::ScrollArea::horizontal().show(ui, |ui| {
        let editor = egui::TextEdit::multiline(text).code_editor().layouter(&mut layout);
        ui.add(editor.desired_width(f32::INFINITY)).labelled_by(label.id);
    });
}

fn field(ui: &mut Ui, key: &str, value: &mut Value) {
    if let Value::Object(keys) = value {
        for (key, value) in keys {
            field(ui, key, value);
        }
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let label = ui.label(RichText::new(key).monospace().weak());
        match value {
            Value::Array(values) => {
                values.iter_mut().for_each(|value| plain(ui, key, value, label.id))
            }
            value => plain(ui, key, value, label.id),
        }
    });
}

fn plain(ui: &mut Ui, key: &str, value: &mut Value, label: egui::Id) {
    match value {
        Value::Bool(on) => drop(ui.checkbox(on, "").labelled_by(label)),
        Value::Number(number) => {
            let whole = number.is_i64() && key != "values";
            let mut changed = number.as_f64().unwrap_or(0.0);
            let drag = egui::DragValue::new(&mut changed).speed(if whole { 0.1 } else { 0.01 });
            let drag = if whole { drag.max_decimals(0) } else { drag.max_decimals(6) };
            if ui.add(drag).labelled_by(label).changed() {
                #[expect(clippy::cast_possible_truncation, reason = "a whole number")]
                let as_whole = || Value::from(changed.round() as i64);
                *value = if whole { as_whole() } else { changed.into() };
            }
        }
        Value::String(text) if key.ends_with("B64") => {
            ui.weak(format!("{} bytes", text.len() / 4 * 3));
        }
        Value::String(text) if key == "call" || key == "constant" => drop(ui.monospace(&*text)),
        Value::String(text) => match choices(key) {
            choices if choices.is_empty() => {
                let field = egui::TextEdit::singleline(text).desired_width(f32::INFINITY);
                ui.add(field).labelled_by(label);
            }
            choices => {
                egui::ComboBox::from_id_salt(key).selected_text(&*text).show_ui(ui, |ui| {
                    for choice in choices {
                        ui.selectable_value(text, choice.to_owned(), choice);
                    }
                });
            }
        },
        Value::Null if key == "rectangle" => {
            if ui.small_button("Set").clicked() {
                *value = serde_json::json!({ "x": 0.0, "y": 0.0, "width": 64.0, "height": 64.0 });
            }
        }
        Value::Null | Value::Array(_) | Value::Object(_) => drop(ui.weak(value.to_string())),
    }
}

/// Returns the valid strings of an argument, or an empty list if other values are valid, too.
fn choices(argument: &str) -> Vec<&'static str> {
    fn all<T: FlashName>() -> Vec<&'static str> {
        T::NAMES.iter().map(|(_, name)| *name).collect()
    }
    match argument {
        "sourceFactor" | "destinationFactor" => all::<BlendFactor>(),
        "passCompareMode" | "compareMode" => all::<CompareMode>(),
        "triangleFaceToCull" | "triangleFace" => all::<TriangleFace>(),
        "fillMode" => all::<FillMode>(),
        "wrap" => all::<WrapMode>(),
        "filter" => all::<TextureFilter>(),
        "mipfilter" => all::<MipFilter>(),
        other if other.starts_with("action") => all::<StencilAction>(),
        _ => Vec::new(),
    }
}

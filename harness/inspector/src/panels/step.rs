//! The shader debugger: steps through the program of a fragment or vertex, instruction by instruction.

use std::collections::BTreeMap;

use eframe::egui::{self, RichText, Ui};
use molehill_analysis::ComponentNumber;
use molehill_analysis::step::{StepReport, StepRow};

use super::pixel::numbers;
use super::{PanelAction, act, copy, float};
use crate::icons::{self, Icon};
use crate::session::Session;
use crate::theme::palette;
use crate::worker::InspectorQuestion;

#[derive(Default)]
pub(crate) struct StepView {
    executed: usize,
    /// The shader invocation to which `executed` belongs. A new invocation is shown with all its debug steps executed.
    question: Option<InspectorQuestion>,
}

/// The debug steps of a shader invocation, and the inputs of its program.
type StepRun<'a> = (&'a [StepRow], &'a [(String, [ComponentNumber; 4])]);

/// Shows the debug steps of a vertex. The vertex is given by its value in the index buffer, and its instance.
pub(crate) fn vertex(
    ui: &mut Ui,
    session: &mut Session,
    view: &mut StepView,
    (call, vertex): (usize, (u16, u32)),
) {
    let report = answer!(ui, session, Vertex(call, vertex), "Running the vertex program…");
    let run = (&*report.steps, &*report.vertex.attributes);
    run_of(
        ui,
        view,
        (InspectorQuestion::Vertex(call, vertex), run),
        &|| report.to_string(),
        |_| {},
    );
}

pub(crate) fn show(
    ui: &mut Ui,
    session: &mut Session,
    view: &mut StepView,
    token: &mut Option<usize>,
) {
    let selection = session.selection;
    let (Some(frame), Some(at), Some((call, fragment))) =
        (session.frame_number(), selection.pixel, selection.step)
    else {
        return;
    };
    ui.horizontal_wrapped(|ui| {
        if ui.button("Back to pixel history").clicked() {
            act(ui, PanelAction::EndStep);
        }
        let of = match selection.texture {
            Some(face) => format!(" of {}", session.capture.face_title(face)),
            None => String::new(),
        };
        ui.strong(format!("Call {call}, pixel {}, {}{of}", at.0, at.1));
    });
    let report =
        answer!(ui, session, Step(frame, at, call, fragment), "Running the fragment program…");
    if report.steps.is_empty() {
        return super::hint(ui, "The fragment was rejected before its program ran.");
    }
    let question = InspectorQuestion::Step(frame, at, call, fragment);
    let run = (&*report.steps, &*report.inputs);
    run_of(ui, view, (question, run), &|| report.to_string(), |ui| vertices(ui, report));
    let executed = report.steps.get(..view.executed);
    *token = executed.and_then(<[_]>::last).map(|step| step.token as usize);
}

/// Shows a shader invocation: the controls, its debug steps, and the registers.
fn run_of(
    ui: &mut Ui,
    view: &mut StepView,
    (question, run): (InspectorQuestion, StepRun<'_>),
    text: &dyn Fn() -> String,
    below: impl FnOnce(&mut Ui),
) {
    if view.question.as_ref() != Some(&question) {
        *view = StepView { executed: run.0.len(), question: Some(question) };
    }
    controls(ui, view, run.0.len(), text);
    let area = egui::ScrollArea::both().id_salt("steps").auto_shrink([false, true]);
    let area = area.max_height(ui.available_height() * 0.5);
    area.show(ui, |ui| steps(ui, view, run.0));
    ui.separator();
    egui::ScrollArea::vertical().id_salt("registers").auto_shrink(false).show(ui, |ui| {
        registers(ui, view.executed, run);
        below(ui);
    });
}

fn controls(ui: &mut Ui, view: &mut StepView, last: usize, text: &dyn Fn() -> String) {
    ui.horizontal_wrapped(|ui| {
        for (icon, name, executed) in [
            (Icon::First, "To start", 0),
            (Icon::StepBack, "Previous instruction", view.executed.saturating_sub(1)),
            (Icon::Step, "Next instruction", (view.executed + 1).min(last)),
            (Icon::Last, "To end", last),
        ] {
            if icons::button(ui, icon, name, "", false).clicked() {
                view.executed = executed;
            }
        }
        ui.weak(format!("{} of {last}", view.executed));
        copy(ui, "Copy", text);
    });
}

fn steps(ui: &mut Ui, view: &mut StepView, steps: &[StepRow]) {
    let palette = palette(ui.visuals());
    egui::Grid::new("steps").num_columns(4).striped(true).show(ui, |ui| {
        for (index, step) in steps.iter().enumerate() {
            let now = view.executed == index + 1;
            let executed = index < view.executed;
            ui.label(RichText::new(step.token.to_string()).monospace().weak());
            let mut text = RichText::new(&step.text).monospace();
            if !executed || !step.active {
                text = text.weak();
            }
            if ui.add(egui::Button::selectable(now, text)).clicked() {
                view.executed = index + 1;
            }
            let register = RichText::new(step.register.as_deref().unwrap_or("")).monospace();
            ui.label(register.color(palette.accent));
            let value = if executed { numbers(&step.value) } else { String::new() };
            ui.horizontal(|ui| {
                ui.label(RichText::new(value).monospace());
                if !step.alive {
                    ui.label(RichText::new("discarded").small().color(palette.warning));
                }
            });
            ui.end_row();
        }
    });
}

/// Shows all registers after `executed` instructions, and highlights the register that was written last.
fn registers(ui: &mut Ui, executed: usize, (steps, inputs): StepRun<'_>) {
    let inputs = inputs.iter().map(|(name, value)| (name.clone(), value.map(Some)));
    let mut all: BTreeMap<String, [Option<ComponentNumber>; 4]> = inputs.collect();
    let mut last = None;
    for step in steps.iter().take(executed) {
        last = None;
        let Some(register) = &step.register else { continue };
        let (name, mask) = register.split_once('.').unwrap_or((register, "xyzw"));
        let slots = all.entry(name.to_owned()).or_default();
        for (letter, value) in mask.chars().zip(&step.value) {
            let index = "xyzw".find(letter).and_then(|index| slots.get_mut(index));
            if let Some(slot) = index {
                *slot = Some(*value);
            }
        }
        last = Some(name.to_owned());
    }
    let palette = palette(ui.visuals());
    super::title(ui, "Registers");
    egui::Grid::new("registers").num_columns(5).striped(true).min_col_width(60.0).show(ui, |ui| {
        ui.label("");
        for letter in ["x", "y", "z", "w"] {
            ui.weak(letter);
        }
        ui.end_row();
        for (name, values) in &all {
            let highlight = last.as_ref() == Some(name);
            let color = |text: RichText| {
                if highlight { text.color(palette.accent) } else { text }
            };
            ui.label(color(RichText::new(name).monospace()));
            for value in values {
                let text = value.map_or("·".to_owned(), |value| float(value.0));
                let exact = value.map_or(String::new(), |value| value.to_string());
                ui.label(color(RichText::new(text).monospace())).on_hover_text(exact);
            }
            ui.end_row();
        }
    });
}

fn vertices(ui: &mut Ui, report: &StepReport) {
    super::title(ui, "Vertices of the triangle");
    egui::Grid::new("vertices").num_columns(2).striped(true).show(ui, |ui| {
        for vertex in &report.vertices {
            ui.label(RichText::new(format!("Index {}", vertex.index)).monospace());
            ui.label(RichText::new(format!("op {}", numbers(&vertex.position))).monospace());
            ui.end_row();
            for (name, value) in vertex.attributes.iter().chain(&vertex.varyings) {
                ui.label("");
                ui.label(RichText::new(format!("{name} {}", numbers(value))).monospace().weak());
                ui.end_row();
            }
        }
    });
}

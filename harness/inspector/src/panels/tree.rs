//! The passes and draws of the frame.

use eframe::egui::{self, RichText, Ui};
use molehill_analysis::draws::{DrawReport, FrameReport};
use molehill_capture::Call;

use super::{Action, act, count, scrolled, waiting};
use crate::session::Session;
use crate::theme::palette;
use crate::worker::{Question, Reply};

/// A row: a pass by its index, a clear by its call, a draw by its number in the frame and its call.
enum Row {
    Pass(usize),
    Clear(usize),
    Draw(usize, usize),
}

const HEIGHT: f32 = 20.0;

pub(crate) fn show(ui: &mut Ui, session: &mut Session, scroll: bool) {
    let Some(frame) = session.frame().map(|frame| frame.number) else {
        return super::hint(ui, "The capture has no frames.");
    };
    if session.outline().is_none() {
        return waiting(ui, "Finding passes and draws…");
    }
    // The rows show counts once this is answered.
    let pending = session.settled && session.ask(Question::Frame(frame)).is_none();
    let rows = rows(session);
    let draws = rows.iter().filter(|row| matches!(row, Row::Draw(..))).count();
    ui.horizontal(|ui| {
        let passes = session.passes().len();
        let pass = if passes == 1 { "pass" } else { "passes" };
        let draw = if draws == 1 { "draw" } else { "draws" };
        ui.weak(format!("Frame {frame}: {passes} {pass}, {draws} {draw}"));
        if pending {
            ui.add(egui::Spinner::new().size(12.0)).on_hover_text("Counting pixels…");
        }
    });
    ui.separator();
    let report = match session.cached(&Question::Frame(frame)) {
        Some(Reply::Frame(report)) => Some(report),
        _ => None,
    };
    let selected = session.selection.call;
    let index = rows.iter().position(|row| match row {
        Row::Clear(call) | Row::Draw(_, call) => selected == Some(*call),
        Row::Pass(_) => false,
    });
    let area = scrolled(ui, egui::ScrollArea::vertical(), index.filter(|_| scroll), HEIGHT);
    area.show_rows(ui, HEIGHT, rows.len(), |ui, range| {
        for row in rows.get(range).unwrap_or_default() {
            show_row(ui, session, report, row);
        }
    });
}

fn rows(session: &Session) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut number = 0;
    for (index, pass) in session.passes().iter().enumerate() {
        rows.push(Row::Pass(index));
        if let Ok((_, line)) = session.capture.call(pass.calls.start)
            && matches!(line.call, Call::Clear { .. })
        {
            rows.push(Row::Clear(pass.calls.start));
        }
        for draw in &pass.draws {
            number += 1;
            rows.push(Row::Draw(number, *draw));
        }
    }
    rows
}

fn show_row(ui: &mut Ui, session: &Session, report: Option<&FrameReport>, row: &Row) {
    match row {
        Row::Pass(index) => {
            let Some(pass) = session.passes().get(*index) else { return };
            let targets = pass.targets.iter().map(|face| session.capture.face_title(*face));
            let targets: Vec<String> = targets.collect();
            let target =
                if targets.is_empty() { "back buffer".to_owned() } else { targets.join(", ") };
            ui.horizontal(|ui| {
                ui.set_height(HEIGHT);
                ui.label(RichText::new(format!("Pass {}", pass.number)).strong());
                ui.add(egui::Label::new(RichText::new(target).weak()).truncate());
            });
        }
        Row::Clear(call) => select(ui, session, *call, format!("      Clear   #{call}"), None),
        Row::Draw(number, call) => {
            let counts = report.and_then(|report| find(report, *call));
            let text = format!("{number:>4}  Draw {}", triangles(session, *call, counts));
            select(ui, session, *call, text, counts);
        }
    }
}

pub(super) fn find(report: &FrameReport, call: usize) -> Option<&DrawReport> {
    let mut draws = report.passes.iter().flat_map(|pass| &pass.draws);
    draws.find(|draw| draw.call == call)
}

/// The draw's number of triangles as text: from its arguments, or from the counts if it draws all (-1).
fn triangles(session: &Session, call: usize, counts: Option<&DrawReport>) -> String {
    let Ok((_, line)) = session.capture.call(call) else { return String::new() };
    let amount = |number: i32, counts: Option<&DrawReport>| match number {
        -1 => counts.map_or("all triangles".to_owned(), |draw| {
            let all = draw.triangles;
            format!("{} triangle{}", count(all), if all == 1 { "" } else { "s" })
        }),
        1 => "1 triangle".to_owned(),
        number => format!("{number} triangles"),
    };
    match &line.call {
        Call::DrawTriangles { num_triangles, .. } => amount(*num_triangles, counts),
        Call::DrawTrianglesInstanced { num_triangles, num_instances, .. } => {
            format!("{} × {num_instances}", amount(*num_triangles, None))
        }
        _ => String::new(),
    }
}

fn select(ui: &mut Ui, session: &Session, call: usize, text: String, counts: Option<&DrawReport>) {
    let palette = palette(ui.visuals());
    let chosen = session.selection.call == Some(call);
    ui.allocate_ui_with_layout(
        egui::vec2(ui.available_width(), HEIGHT),
        egui::Layout::right_to_left(egui::Align::Center),
        |ui| {
            if let Some(draw) = counts {
                let color = if draw.changed == 0 { palette.warning } else { palette.good };
                let text = RichText::new(count(draw.changed)).small().color(color);
                ui.label(text).on_hover_ui(|ui| counts_table(ui, draw));
            }
            let text = RichText::new(text).monospace();
            let row = ui.add_sized(
                [ui.available_width(), HEIGHT],
                egui::Button::selectable(chosen, text).truncate().right_text(""),
            );
            if row.on_hover_text(format!("Call {call}")).clicked() {
                act(ui, Action::Call(call));
            }
        },
    );
}

pub(crate) fn counts_table(ui: &mut Ui, draw: &DrawReport) {
    egui::Grid::new(("numbers", draw.call)).num_columns(2).show(ui, |ui| {
        for (name, number) in [
            ("Triangles", draw.triangles),
            ("Off-screen triangles", draw.off_screen_triangles),
            ("Culled triangles", draw.culled_triangles),
            ("Empty triangles", draw.empty_triangles),
            ("Fragments shaded", draw.shaded),
            ("Fragments kept", draw.kept),
            ("Pixels changed", draw.changed),
        ] {
            ui.weak(name);
            ui.monospace(count(number));
            ui.end_row();
        }
        for (number, why) in draw.rejected().into_iter().filter(|(number, _)| *number > 0) {
            ui.weak(format!("Rejected by {why}"));
            ui.monospace(count(number));
            ui.end_row();
        }
    });
}

//! The Time tab: a flame chart of the frame's passes and draws, by estimated or measured cost.

use eframe::egui::{self, Align2, FontId, Pos2, Rect, Sense, Ui, Vec2, WidgetInfo};

use super::{PanelAction, act, count, failed, hint, waiting};
use crate::session::Session;
use crate::theme::palette;
use crate::worker::{InspectorQuestion, QuestionReply};

choices! {
    enum TimeKind, KINDS: (&'static str, &'static str),
    Modelled = (
        "Modelled",
        "Modelled: shader invocations times the slots of their instructions. The result is equal on every machine.",
    ),
    Call = ("Call", "Measured on this machine: milliseconds in the call itself, on OpenGL."),
    Finish = (
        "Finish",
        "Measured on this machine: milliseconds until OpenGL has finished after the call. Calls don't overlap, so the \
         sum exceeds the frame time.",
    ),
}

#[derive(Default)]
pub(crate) struct TimeView {
    kind: TimeKind,
    /// The width of the chart, as a power-of-two multiple of the panel's width.
    zoom: f32,
}

/// A bar of the chart: its row, start, cost and name, and the call that a click selects.
struct Bar {
    row: u8,
    start: f64,
    cost: f64,
    call: usize,
    name: String,
}

pub(crate) fn show(ui: &mut Ui, session: &mut Session, view: &mut TimeView) {
    let Some(frame) = session.frame_number() else { return };
    ui.horizontal_wrapped(|ui| {
        for (kind, (name, what)) in KINDS {
            ui.selectable_value(&mut view.kind, *kind, *name).on_hover_text(*what);
        }
        let zoom = egui::Slider::new(&mut view.zoom, 0.0..=8.0).show_value(false);
        ui.add(zoom.text("Zoom"));
    });
    let mut kinds = KINDS.iter();
    let what = kinds.find(|(kind, _)| *kind == view.kind).map_or("", |(_, (_, what))| what);
    ui.add(egui::Label::new(egui::RichText::new(what).weak()).wrap());
    let question = match view.kind {
        TimeKind::Modelled => InspectorQuestion::Cost(frame),
        TimeKind::Call | TimeKind::Finish => InspectorQuestion::Times(frame),
    };
    let costs: Vec<(usize, f64)> = match session.ask(question) {
        None => return waiting(ui, "Drawing the frame…"),
        Some(Err(error)) => return failed(ui, error),
        Some(Ok(QuestionReply::Cost(cost))) => {
            cost.draws.iter().map(|draw| (draw.call, draw.slots as f64)).collect()
        }
        Some(Ok(QuestionReply::Times(times))) => {
            let time = |it: &molehill_analysis::cost::CallTime| match view.kind {
                TimeKind::Call => it.cpu,
                TimeKind::Modelled | TimeKind::Finish => it.finish,
            };
            times.iter().map(|it| (it.call, time(it))).collect()
        }
        Some(Ok(_)) => return,
    };
    let bars = bars(session, frame, &costs);
    if bars.first().is_none_or(|frame| frame.cost <= 0.0) {
        return hint(ui, "This frame has no times or costs.");
    }
    let zoom = view.zoom.exp2();
    egui::ScrollArea::horizontal().show(ui, |ui| chart(ui, session, &bars, (view.kind, zoom)));
}

/// Returns the bars of the chart: the frame in the first row, its passes below, and their draws below the passes.
fn bars(session: &Session, frame: u32, costs: &[(usize, f64)]) -> Vec<Bar> {
    let (mut bars, mut start, mut number) = (Vec::new(), 0.0, 0);
    for pass in session.passes() {
        let begin = start;
        for (call, cost) in costs.iter().filter(|(call, _)| pass.calls.contains(call)) {
            let is_draw = pass.draws.binary_search(call).is_ok();
            number += usize::from(is_draw);
            let name = if is_draw { format!("Draw {number}") } else { "Clear".to_owned() };
            bars.push(Bar { row: 2, start, cost: *cost, call: *call, name });
            start += cost;
        }
        let name = format!("Pass {}", pass.number);
        bars.push(Bar { row: 1, start: begin, cost: start - begin, call: pass.calls.start, name });
    }
    let call = session.frame().map_or(0, |frame| frame.calls.start);
    bars.insert(0, Bar { row: 0, start: 0.0, cost: start, call, name: format!("Frame {frame}") });
    bars
}

const HEIGHT: f32 = 24.0;

fn chart(ui: &mut Ui, session: &Session, bars: &[Bar], (kind, zoom): (TimeKind, f32)) {
    let whole = bars.first().map_or(1.0, |frame| frame.cost);
    let size = Vec2::new((ui.available_width() - 4.0) * zoom, HEIGHT * 3.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, "Flame chart"));
    let (painter, palette) = (ui.painter_at(rect), palette(ui.visuals()));
    #[expect(clippy::cast_possible_truncation, reason = "places on the screen")]
    let x = |cost: f64| rect.left() + (cost / whole) as f32 * rect.width();
    let mut pointed = None;
    for (at, bar) in bars.iter().enumerate() {
        let top = rect.top() + f32::from(bar.row) * HEIGHT;
        let (left, right) = (x(bar.start), x(bar.start + bar.cost));
        let place = Rect::from_min_max(Pos2::new(left, top), Pos2::new(right, top + HEIGHT));
        if response.hover_pos().is_some_and(|pointer| place.contains(pointer)) {
            pointed = Some(bar);
        }
        let selected = session.selection.call == Some(bar.call) && bar.row == 2;
        if place.width() < 0.3 && !selected {
            continue;
        }
        let tint = if at % 2 == 0 { 0.35 } else { 0.5 };
        let color = if selected { palette.warning } else { palette.accent };
        let inner = place.shrink2(Vec2::new((place.width() * 0.1).min(0.5), 0.5));
        painter.rect_filled(inner, 2.0, color.gamma_multiply(tint));
        if place.width() > 30.0 {
            let at = place.left_center() + Vec2::new(4.0, 0.0);
            let clipped = painter.with_clip_rect(inner.intersect(ui.clip_rect()));
            let color = ui.visuals().strong_text_color();
            clipped.text(at, Align2::LEFT_CENTER, &bar.name, FontId::proportional(11.0), color);
        }
    }
    let chosen = bars.iter().find(|bar| session.selection.call == Some(bar.call) && bar.row == 2);
    let text = |bar: &Bar| {
        #[expect(clippy::cast_possible_truncation, reason = "of counts")]
        let cost = match kind {
            TimeKind::Modelled => format!("{} instruction slots", count(bar.cost as u64)),
            TimeKind::Call | TimeKind::Finish => format!("{:.3} ms", bar.cost),
        };
        format!("{}, call {}: {cost}, {:.1} %", bar.name, bar.call, bar.cost * 100.0 / whole)
    };
    if let Some(bar) = pointed {
        if response.clicked() {
            act(ui, PanelAction::Call(bar.call));
        }
        response.on_hover_text_at_pointer(text(bar));
    }
    if let Some(bar) = chosen.or(bars.first()) {
        ui.label(text(bar));
    }
}

/// Returns each instruction's share of the frame's estimated cost, or an empty list until it is known.
pub(crate) fn shares(session: &mut Session, program: &str, stage: usize) -> Vec<String> {
    let Some(frame) = session.frame_number() else { return Vec::new() };
    let cost = if session.settled { known!(session.answer, Cost(frame)) } else { None };
    let Some(cost) = cost.cloned() else { return Vec::new() };
    let all = cost.draws.iter().map(|draw| draw.slots).sum::<u64>().max(1);
    let found = cost.programs.iter().find(|each| each.program == program);
    let statements = found.map(|it| if stage == 0 { &it.vertex } else { &it.fragment });
    let share = |slots: u64| format!("{:5.1}%", slots as f64 * 100.0 / all as f64);
    statements.into_iter().flatten().map(|statement| share(statement.slots)).collect()
}

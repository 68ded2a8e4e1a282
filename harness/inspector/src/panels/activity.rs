//! The activity strip below the filmstrip: bar charts with statistics of all frames.

use eframe::egui::{Align2, Color32, FontId, Pos2, Rect, Ui, Vec2};

use crate::session::Session;
use crate::theme::palette;
use crate::worker::FrameActivity;

/// Height of one bar chart in points.
const HEIGHT: f32 = 11.0;
/// Number of neighbouring frames on each side with which a frame is compared.
const NEIGHBOURS: usize = 4;

/// The bar chart of one statistic over all frames.
pub(crate) struct ActivityLane {
    name: &'static str,
    /// The statistic's values by frame index. An unknown value is `None`.
    values: Vec<Option<f64>>,
    text: fn(f64) -> String,
    /// True if every nonzero value of the statistic is a problem.
    fault: bool,
}

impl ActivityLane {
    /// Returns the colour of a frame's bar: the colour of problems or anomalies, or `plain`.
    fn color(&self, ui: &Ui, frame: usize, plain: Color32) -> Color32 {
        let palette = palette(ui.visuals());
        if self.fault && self.values.get(frame).copied().flatten() > Some(0.0) {
            return palette.error;
        }
        if stands_out(&self.values, frame) { palette.warning } else { plain }
    }
}

/// Returns the bar charts that have a nonzero value. `changed` contains each frame's number of changed pixels, or
/// `None` if it is unknown.
pub(crate) fn lanes(session: &mut Session, changed: &[Option<u64>]) -> Vec<ActivityLane> {
    let Some(all) = known!(session.answer, Activity).cloned() else { return Vec::new() };
    let count = |number: u64| number as f64;
    #[expect(clippy::cast_possible_truncation, reason = "from counts")]
    let plain = |value: f64| super::count(value as u64);
    let of = |value: &dyn Fn(&FrameActivity) -> Option<f64>| all.iter().map(value).collect();
    let lane = |name, fault, values, text| ActivityLane { name, values, text, fault };
    let mut lanes = vec![
        lane("draws", false, of(&|it| Some(count(it.draws as u64))), plain),
        lane("dropped draws", true, of(&|it| Some(count(it.dropped as u64))), plain),
        lane("errors", true, of(&|it| Some(count(it.errors as u64))), plain),
    ];
    let pixels = changed.iter().map(|pixels| pixels.map(count)).collect();
    lanes.push(lane("changed pixels", false, pixels, plain));
    let milliseconds = |value: f64| format!("{:.1} ms", value * 1000.0);
    lanes.push(lane("time", false, of(&|it| it.seconds), milliseconds));
    let mebibytes = |value: f64| format!("{:.1} MiB", value / 1024.0 / 1024.0);
    lanes.push(lane("memory", false, of(&|it| Some(count(it.memory))), mebibytes));
    lanes.retain(|lane| lane.values.iter().flatten().any(|value| *value != 0.0));
    lanes
}

pub(crate) fn height(lanes: &[ActivityLane]) -> f32 {
    lanes.iter().map(|_| HEIGHT).sum()
}

/// Returns whether a frame's value is an anomaly. The value must differ from the neighbours' median by more than half
/// the median and a tenth of the maximum.
fn stands_out(values: &[Option<f64>], frame: usize) -> bool {
    let Some(Some(value)) = values.get(frame) else { return false };
    let around = frame.saturating_sub(NEIGHBOURS)..(frame + NEIGHBOURS + 1).min(values.len());
    let others = around.filter(|at| *at != frame).filter_map(|at| *values.get(at)?);
    let mut others: Vec<f64> = others.collect();
    others.sort_by(f64::total_cmp);
    let Some(median) = others.get(others.len() / 2) else { return false };
    let largest = others.iter().copied().fold(*value, f64::max);
    let difference = (value - median).abs();
    others.len() > 2 && difference > median / 2.0 && difference > largest / 10.0
}

/// Paints the bar charts into `rect`, one below the other.
pub(crate) fn paint(ui: &Ui, rect: Rect, lanes: &[ActivityLane]) {
    let palette = palette(ui.visuals());
    let painter = ui.painter_at(rect);
    let weak = ui.visuals().weak_text_color();
    for (lane, top) in lanes.iter().zip((0u8..).map(|at| rect.top() + f32::from(at) * HEIGHT)) {
        let largest = lane.values.iter().flatten().copied().fold(0.0, f64::max);
        let width = rect.width() / lane.values.len().max(1) as f32;
        for (frame, value) in lane.values.iter().enumerate() {
            let Some(value) = value.filter(|value| *value > 0.0) else { continue };
            #[expect(clippy::cast_possible_truncation, reason = "a share")]
            let share = (value / largest) as f32;
            let bar = (HEIGHT - 2.0) * share.clamp(0.12, 1.0);
            let left = rect.left() + frame as f32 * width;
            let corner = Pos2::new(left, top + HEIGHT - 1.0 - bar);
            let size = Vec2::new((width - 1.0).max(width * 0.7), bar);
            let color = lane.color(ui, frame, palette.accent.gamma_multiply(0.55));
            painter.rect_filled(Rect::from_min_size(corner, size), 0.0, color);
        }
        let font = FontId::proportional(9.0);
        let galley = painter.layout_no_wrap(lane.name.to_owned(), font.clone(), weak);
        let at = Pos2::new(rect.left() + 2.0, top + HEIGHT / 2.0);
        let behind = Align2::LEFT_CENTER.anchor_size(at, galley.size());
        painter.rect_filled(behind, 1.0, ui.visuals().panel_fill.gamma_multiply(0.85));
        painter.text(at, Align2::LEFT_CENTER, lane.name, font, weak);
    }
}

/// Returns a frame's statistics as lines of text, each with its colour. Anomalies have a different colour.
pub(crate) fn texts(ui: &Ui, lanes: &[ActivityLane], frame: usize) -> Vec<(String, Color32)> {
    let line = |lane: &ActivityLane| {
        let value = (*lane.values.get(frame)?)?;
        let color = lane.color(ui, frame, ui.visuals().text_color());
        Some((format!("{}: {}", lane.name, (lane.text)(value)), color))
    };
    lanes.iter().filter_map(line).collect()
}

#[cfg(test)]
#[path = "../../tests/unit/activity.rs"]
mod tests;

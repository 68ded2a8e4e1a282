//! The draws that wrote wrong pixels, and the search for the calls that cause them.

use std::sync::Arc;

use eframe::egui::{self, RichText, Ui};
use molehill_queries::explain::{Explanation, Suggestion};

use super::{PanelAction, count, failed, link, title};
use crate::session::{ExplainSearch, Session};

/// Maximum number of listed regions and of listed draws.
const LISTED: usize = 8;

/// Shows the regions, draws and passes with wrong pixels, and the search for their cause.
pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let Some(frame) = session.frame_number() else { return };
    let wrong = answer!(ui, session, Wrong(frame), "Finding the draws of the wrong pixels…");
    let wrong = Arc::clone(wrong);
    ui.label(format!(
        "{}{} (by more than {})",
        wrong.remaining.pixels(),
        wrong.remaining.reasons(),
        wrong.tolerance
    ));
    if wrong.remaining.differing == 0 {
        return;
    }
    explain(ui, session, frame);
    title(ui, "Draws");
    let mut draws = wrong.draws.clone();
    draws.sort_by_key(|draw| std::cmp::Reverse((draw.wrong, draw.missed)));
    for draw in draws.iter().take(LISTED) {
        ui.horizontal_wrapped(|ui| {
            link(ui, format!("#{}", draw.call), PanelAction::Call(draw.call));
            ui.label(draw.to_string());
        });
    }
    let chain = wrong.passes.iter().any(|pass| !pass.targets.is_empty());
    if chain {
        title(ui, "Passes");
    }
    for pass in wrong.passes.iter().filter(|_| chain) {
        ui.horizontal_wrapped(|ui| {
            link(ui, format!("#{}", pass.calls.0), PanelAction::Call(pass.calls.0));
            ui.label(pass.to_string());
        });
    }
    title(ui, "Regions");
    for place in wrong.clusters.iter().take(LISTED) {
        let [left, top, right, bottom] = place.bounds;
        ui.horizontal_wrapped(|ui| {
            let text = format!("{}, {}", place.at.0, place.at.1);
            link(ui, text, PanelAction::Pixel(None, place.at));
            let size = format!("({left}, {top}, {}×{})", right - left, bottom - top);
            ui.label(format!("{} pixels in {size}", count(place.pixels)));
        });
    }
    if let more @ 1.. = wrong.clusters.len().saturating_sub(LISTED) {
        ui.weak(format!("and {more} more regions"));
    }
}

/// Shows the button that starts the search for the cause, its progress, and its result.
fn explain(ui: &mut Ui, session: &mut Session, frame: u32) {
    let ExplainSearch { runs, frame: of, found, error } = &session.explain;
    let found = found.clone().filter(|_| *of == frame);
    if *runs {
        let cancelled = ui.horizontal_wrapped(|ui| {
            ui.add(egui::Spinner::new().size(14.0));
            match &found {
                None => ui.weak("Preparing the search…"),
                Some(Explanation { tried, candidates, .. }) => {
                    ui.weak(format!("{tried} of {candidates} changes tried"))
                }
            };
            ui.button("Cancel").clicked()
        });
        session.explain.runs = !cancelled.inner;
    } else {
        error.iter().for_each(|error| failed(ui, error));
        let text = "Searches for the call that makes the frame differ from this image";
        if ui.button("Explain").on_hover_text(text).clicked() {
            session.explain = ExplainSearch { runs: true, frame, ..ExplainSearch::default() };
        }
    }
    let Some(found) = found else { return };
    if found.suggestions.is_empty() && !session.explain.runs {
        let tried = found.tried;
        ui.label(format!("None of {tried} tried changes makes the frame more like this image."));
    }
    for suggestion in &found.suggestions {
        egui::Frame::group(ui.style()).show(ui, |ui| {
            ui.set_width(ui.available_width());
            self::suggestion(ui, suggestion);
        });
    }
}

fn suggestion(ui: &mut Ui, suggestion: &Suggestion) {
    let Suggestion { call, field, from, to, which, calls, frames, of, after, edits, .. } =
        suggestion;
    let field = if field.is_empty() { String::new() } else { format!("{field}: ") };
    let text = RichText::new(format!("{call}({field}{from} → {to})")).monospace();
    ui.add(egui::Label::new(text).wrap());
    let verdict = if after.only_edges { "equal but for antialiased edges: " } else { "" };
    ui.label(format!("{verdict}then {after}"));
    ui.horizontal_wrapped(|ui| {
        ui.weak(format!("{which}, in {frames} of {of} frames:"));
        for call in calls.iter().take(LISTED) {
            link(ui, format!("#{call}"), PanelAction::Call(*call));
        }
        if let more @ 1.. = calls.len().saturating_sub(LISTED) {
            ui.weak(format!("and {more} more"));
        }
    });
    let button = ui.button("Apply and compare");
    if button.on_hover_text("Adds the changes of this frame to the Edit tab").clicked() {
        super::begin_changes(ui, Ok(edits.clone()));
    }
}

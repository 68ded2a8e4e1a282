//! The Warnings tab: errors of the frame, and calls without effect.

use eframe::egui::{self, RichText, Ui};
use molehill_analysis::scan::OutlierDraw;
use molehill_analysis::warnings::{Warning, WarningKind};

use super::{PanelAction, copy, count, link};
use crate::session::Session;
use crate::theme::palette;
use crate::worker::InspectorQuestion;

const KINDS: [(WarningKind, &str); 16] = [
    (WarningKind::FailedCall, "Errors and skipped calls"),
    (WarningKind::DrawWithoutEffect, "Draws without effect"),
    (WarningKind::Faulty, "Draws with problems"),
    (WarningKind::NotPresented, "Draws that are not presented"),
    (WarningKind::OddArgument, "Unusual arguments"),
    (WarningKind::VertexLayout, "Vertex attributes"),
    (WarningKind::IndexRange, "Ranges of indices"),
    (WarningKind::NeverBound, "Unused objects"),
    (WarningKind::Premultiplied, "Premultiplied textures"),
    (WarningKind::Transposed, "Transposed matrices"),
    (WarningKind::CubeSeams, "Faces of cubes"),
    (WarningKind::IdlePass, "Passes that change hardly any pixel"),
    (WarningKind::Unchecked, "Draws that error checking would reject"),
    (WarningKind::Redundant, "Redundant state changes"),
    (WarningKind::NeverUsed, "Unused state changes"),
    (WarningKind::NeverSampled, "Unused textures"),
];

/// Maximum number of initially listed anomalies per frame, because one problem often affects many draws.
const LISTED: usize = 3;
/// Maximum number of failed calls that are listed separately.
const MAX_FAILURES: usize = 10;

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let Some(frame) = session.frame_number() else { return };
    outliers(ui, session);
    if session.cached(&InspectorQuestion::Frame(frame)).is_none() {
        failures(ui, session);
    }
    let report = answer!(ui, session, Frame(frame), "Checking the frame's calls…");
    if report.warnings.is_empty() {
        return super::hint(ui, "No warnings in this frame.");
    }
    ui.horizontal(|ui| {
        ui.strong(format!("Frame {frame}: {} warnings", report.warnings.len()));
        let line = |it: &Warning| format!("call {}: {} {}\n", it.call, it.name, it.text);
        copy(ui, "Copy", || report.warnings.iter().map(line).collect());
    });
    let palette = palette(ui.visuals());
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for (kind, title) in KINDS {
            let warnings = || report.warnings.iter().filter(|warning| warning.kind == kind);
            let number = warnings().count();
            if number == 0 {
                continue;
            }
            let color = match kind {
                WarningKind::FailedCall => palette.error,
                _ => palette.warning,
            };
            let title = RichText::new(format!("{title}  ({number})")).strong().color(color);
            let header = egui::CollapsingHeader::new(title).id_salt(kind as u8);
            header.default_open(number < 40).show(ui, |ui| {
                warnings().for_each(|it| row(ui, it.call, &format!("{} {}", it.name, it.text)));
            });
        }
    });
}

fn row(ui: &mut Ui, call: usize, text: &str) {
    ui.horizontal_wrapped(|ui| {
        link(ui, format!("Call {call}"), PanelAction::Call(call));
        ui.label(text);
    });
}

/// Shows failed and skipped calls, which are known before the frame is rendered.
fn failures(ui: &mut Ui, session: &Session) {
    let (Some(outline), Some(frame)) = (session.outline(), session.frame()) else { return };
    let known = outline.failures.range(frame.calls.clone()).take(MAX_FAILURES);
    known.for_each(|(call, text)| row(ui, *call, text));
}

fn outliers(ui: &mut Ui, session: &Session) {
    let found = &session.scan.found;
    if found.is_empty() {
        return;
    }
    let color = palette(ui.visuals()).warning;
    let title =
        RichText::new(format!("Anomalies of all frames  ({})", found.len())).strong().color(color);
    egui::CollapsingHeader::new(title).id_salt("outliers").default_open(true).show(ui, |ui| {
        let area = egui::ScrollArea::vertical()
            .id_salt("outliers")
            .max_height(ui.available_height() / 2.0);
        area.show(ui, |ui| {
            let row = |ui: &mut Ui, outlier: &OutlierDraw| {
                ui.horizontal_wrapped(|ui| {
                    link(ui, format!("Frame {}", outlier.frame), place(session, outlier));
                    ui.label(outlier.to_string());
                });
            };
            // Anomalies of the whole frame and anomalies of draws are listed separately.
            let is_listed_with = |one: &OutlierDraw, two: &OutlierDraw| {
                (one.frame, one.call.is_some()) == (two.frame, two.call.is_some())
            };
            let frames = found.chunk_by(is_listed_with);
            for (at, of_frame) in frames.enumerate() {
                let (first, rest) = of_frame.split_at(of_frame.len().min(LISTED));
                first.iter().for_each(|outlier| row(ui, outlier));
                if let Some(OutlierDraw { frame, .. }) = rest.first() {
                    let title = format!("{} more in frame {frame}", count(rest.len() as u64));
                    let more = egui::CollapsingHeader::new(title).id_salt(at);
                    more.show(ui, |ui| rest.iter().for_each(|outlier| row(ui, outlier)));
                }
            }
        });
    });
}

/// Returns an action that selects an anomaly's draw or frame.
pub(crate) fn place(session: &Session, outlier: &OutlierDraw) -> PanelAction {
    outlier.call.map_or(PanelAction::Frame(session.index_of(outlier.frame)), PanelAction::Call)
}

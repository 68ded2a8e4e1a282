//! The start screen, without a capture.

use eframe::egui::{self, RichText, Ui};

use crate::source::Source;
use crate::theme::palette;

/// What the user wants to open.
pub(crate) enum Wanted {
    /// A file that is chosen next.
    Choose,
    Open(Source),
}

const RECORD: &str = "A host with Molehill's Recorder writes a capture if the environment has \
                      MOLEHILL_RECORD=game.s3d.jsonl";

pub(crate) fn show(
    ui: &mut Ui,
    opening: Option<(&str, Option<f32>)>,
    error: Option<&str>,
    recent: &[std::path::PathBuf],
) -> Option<Wanted> {
    let palette = palette(ui.visuals());
    let height = ui.available_height();
    let mut wanted = None;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.vertical_centered(|ui| {
            ui.add_space((height * 0.22).max(8.0));
            ui.label(RichText::new("Molehill inspector").size(26.0).strong());
            ui.add_space(8.0);
            if let Some((name, fraction)) = opening {
                ui.label(format!("Opening {name}…"));
                let bar = egui::ProgressBar::new(fraction.unwrap_or(0.0)).desired_width(280.0);
                ui.add(bar.animate(fraction.is_none()));
                return;
            }
            ui.label("Drop a capture here (.s3d or .s3d.jsonl, plain or zstd).");
            if cfg!(target_arch = "wasm32") {
                ui.weak("Or open it with the button at the top of the page. Nothing is uploaded.");
            } else {
                choices(ui, recent, &mut wanted);
            }
            ui.add_space(16.0);
            ui.strong("How to record one");
            ui.weak(RECORD);
            if let Some(error) = error {
                ui.add_space(16.0);
                let text = RichText::new(error).color(palette.error).monospace();
                ui.add(egui::Label::new(text).wrap());
            }
        });
    });
    wanted
}

fn choices(ui: &mut Ui, recent: &[std::path::PathBuf], wanted: &mut Option<Wanted>) {
    ui.add_space(12.0);
    if ui.button(RichText::new("Open a capture…").size(15.0)).clicked() {
        *wanted = Some(Wanted::Choose);
    }
    if ui.button("Open the demo").clicked() {
        let bytes: &[u8] = include_bytes!("../../../captures/knot.s3d.jsonl");
        let name = "knot.s3d.jsonl".to_owned();
        *wanted = Some(Wanted::Open(Source::Bytes { name, bytes: bytes.into() }));
    }
    if !recent.is_empty() {
        ui.add_space(16.0);
        ui.strong("Recent captures");
    }
    for path in recent {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        if ui.link(name).on_hover_text(path.display().to_string()).clicked() {
            *wanted = Some(Wanted::Open(Source::File(path.clone())));
        }
    }
}

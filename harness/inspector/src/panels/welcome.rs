//! The start screen, without a capture.

use eframe::egui::{self, RichText, Ui};

use crate::theme::palette;

pub(crate) fn show(ui: &mut Ui, opening: Option<(&str, Option<f32>)>, error: Option<&str>) {
    let palette = palette(ui.visuals());
    let height = ui.available_height();
    ui.vertical_centered(|ui| {
        ui.add_space(height * 0.3);
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
            ui.weak("Or open it from the command line: molehill inspect CAPTURE");
        }
        if let Some(error) = error {
            ui.add_space(16.0);
            let text = RichText::new(error).color(palette.error).monospace();
            ui.add(egui::Label::new(text).wrap());
        }
    });
}

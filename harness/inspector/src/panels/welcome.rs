//! The start screen, which is shown if no capture is open.

use std::path::{Path, PathBuf};

use eframe::egui::{self, RichText, Ui};
use molehill_replay::folder::CAPTURE_ENDS;

use crate::source::CaptureSource;
use crate::theme::palette;

/// The user's action on the start screen.
pub(crate) enum WelcomeAction {
    /// Opens the file dialog.
    Choose,
    Open(CaptureSource),
}

/// The commands that record a capture, as in the README, each with its purpose.
const RECORD: [(&str, &str); 2] = [
    (
        "Once, with a checkout of Ruffle in the folder ruffle: builds a player with Molehill",
        "sh harness/hosts/build.sh --ruffle ruffle",
    ),
    ("Plays a SWF and records its calls of Stage3D", "molehill record game.swf -o game.s3d"),
];

pub(crate) fn show(
    ui: &mut Ui,
    opening: Option<(&str, Option<f32>)>,
    error: Option<&str>,
    recent: &[PathBuf],
) -> Option<WelcomeAction> {
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
                ui.weak("Or choose it with Open… at the top of the page. Nothing is uploaded.");
            } else {
                choices(ui, recent, &mut wanted);
            }
            ui.add_space(16.0);
            ui.strong("How to record one");
            for (purpose, command) in RECORD {
                ui.add_space(4.0);
                ui.weak(purpose);
                let command = egui::Label::new(RichText::new(command).monospace()).wrap();
                ui.add(command.selectable(true));
            }
            if let Some(error) = error {
                ui.add_space(16.0);
                let text = RichText::new(error).color(palette.error).monospace();
                ui.add(egui::Label::new(text).wrap());
            }
        });
    });
    wanted
}

fn choices(ui: &mut Ui, recent: &[PathBuf], wanted: &mut Option<WelcomeAction>) {
    ui.add_space(12.0);
    if ui.button(RichText::new("Open a capture…").size(15.0)).clicked() {
        *wanted = Some(WelcomeAction::Choose);
    }
    if ui.button("Open the demo").clicked() {
        let bytes: &[u8] = include_bytes!("../../../captures/knot.s3d.jsonl");
        let name = "knot.s3d.jsonl".to_owned();
        *wanted = Some(WelcomeAction::Open(CaptureSource::Bytes { name, bytes: bytes.into() }));
    }
    if !recent.is_empty() {
        ui.add_space(16.0);
        ui.strong("Recent captures");
    }
    for (path, name) in recent.iter().zip(names(recent)) {
        if ui.link(name).on_hover_text(path.display().to_string()).clicked() {
            *wanted = Some(WelcomeAction::Open(CaptureSource::File(path.clone())));
        }
    }
}

/// Returns the names of captures. Equal names are prefixed with as many folders as needed to distinguish them.
fn names(paths: &[PathBuf]) -> Vec<String> {
    let name_of = |path: &PathBuf| {
        let is_only = |name: &String, folders: usize| {
            paths.iter().filter(|other| name_in(other, folders) == *name).count() == 1
        };
        let mut names = (1..path.iter().count()).map(|folders| (name_in(path, folders), folders));
        let found = names.find(|(name, folders)| is_only(name, *folders));
        found.map_or_else(|| path.display().to_string(), |(name, _)| name)
    };
    paths.iter().map(name_of).collect()
}

/// Returns a capture's name without extension, after some of its folders, because many captures are named capture.s3d.
pub(crate) fn name_in(path: &Path, folders: usize) -> String {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let stem = CAPTURE_ENDS.iter().find_map(|end| file.strip_suffix(end)).unwrap_or(&file);
    let within = path.parent().into_iter().flat_map(Path::iter);
    let mut parts: Vec<_> = within.map(|folder| folder.to_string_lossy()).collect();
    parts.drain(..parts.len().saturating_sub(folders));
    parts.push(stem.into());
    parts.join(" / ")
}

//! Opens files that were dropped, chosen or recently used, and sets the window's title.

use std::path::{Path, PathBuf};

use eframe::egui;
use molehill_replay::files;

use super::App;
use crate::panels::welcome::{WelcomeAction, name_in};
use crate::worker::QuestionRole;

const MAX_RECENT: usize = 10;

/// The recently opened captures.
#[derive(Default)]
pub(super) struct RecentFiles {
    /// The file that stores the paths. With `None`, the paths of recent captures are kept only in memory.
    file: Option<PathBuf>,
    pub(super) paths: Vec<PathBuf>,
}

impl RecentFiles {
    /// Reads the list, without captures that no longer exist.
    pub(super) fn read(file: PathBuf) -> RecentFiles {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let paths = text.lines().map(PathBuf::from).filter(|path| path.exists());
        RecentFiles { paths: paths.take(MAX_RECENT).collect(), file: Some(file) }
    }

    /// Moves a capture to the front of the list. Ignores errors of writing the list.
    pub(super) fn add(&mut self, path: &Path) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.paths.retain(|other| *other != path);
        self.paths.insert(0, path);
        self.paths.truncate(MAX_RECENT);
        let Some(file) = &self.file else { return };
        let lines: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        let written = file.parent().map_or(Ok(()), files::make_folder);
        let written = written.and_then(|()| files::write(file, lines.join("\n").as_bytes()));
        if let Err(error) = written {
            log::warn!("{}: {error}", file.display());
        }
    }
}

impl App {
    /// Sets the file that stores the list of recently opened captures.
    pub fn set_recent_file(&mut self, file: PathBuf) {
        self.recent = RecentFiles::read(file);
    }

    /// Opens the file dialog, in the folder of the last file.
    pub(super) fn choose_file(&mut self) {
        let last = self.recent.paths.first().and_then(|path| path.parent());
        self.files.open(last);
    }

    /// Executes the user's action on the start screen.
    pub(super) fn want(&mut self, wanted: Option<WelcomeAction>) {
        match wanted {
            Some(WelcomeAction::Choose) => self.choose_file(),
            Some(WelcomeAction::Open(source)) => self.open(QuestionRole::Main, source),
            None => {}
        }
    }

    /// Sets the window's title to the open capture's name and folder.
    pub(super) fn show_title(&mut self, context: &egui::Context) {
        let name = self.session.as_ref().map(|session| name_in(Path::new(&session.name), 1));
        let title = name
            .map_or("Molehill inspector".to_owned(), |name| format!("{name} – Molehill inspector"));
        if title != self.title {
            self.title.clone_from(&title);
            context.send_viewport_cmd(egui::ViewportCommand::Title(title));
        }
    }

    /// Opens dropped files. If a capture is open, files dropped on the right half of the window are compared with it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn read_drops(&mut self, context: &egui::Context) {
        let dropped = context.input(|input| input.raw.dropped_files.clone());
        let pointer = context.input(|input| input.pointer.latest_pos());
        let middle = context.content_rect().center().x;
        for file in dropped {
            let role = match pointer {
                Some(at) if self.session.is_some() && at.x > middle => QuestionRole::Baseline,
                _ => QuestionRole::Main,
            };
            self.open(role, crate::source::CaptureSource::File(file.path().to_owned()));
        }
    }

    pub(super) fn show_drop(&self, context: &egui::Context) {
        if context.input(|input| input.raw.hovered_files.is_empty()) {
            return;
        }
        let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop"));
        let (painter, all) = (context.layer_painter(layer), context.content_rect());
        painter.rect_filled(all, 0.0, egui::Color32::from_black_alpha(190));
        let (left, right) = all.split_left_right_at_fraction(0.5);
        let targets = match self.session {
            Some(_) => vec![(left, "Open"), (right, "Compare")],
            None => vec![(all, "Open")],
        };
        let (white, font) = (egui::Color32::WHITE, egui::FontId::proportional(28.0));
        for (rect, text) in targets {
            let stroke = egui::Stroke::new(2.0, white);
            painter.rect_stroke(rect.shrink(24.0), 8.0, stroke, egui::StrokeKind::Inside);
            let center = egui::Align2::CENTER_CENTER;
            painter.text(rect.center(), center, text, font.clone(), white);
        }
    }
}

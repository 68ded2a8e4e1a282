//! A dialog for choosing a capture or an image file.

use std::path::{Path, PathBuf};

use eframe::egui::{self, Align2, Context};

#[derive(Default)]
pub(crate) struct FilesDialog {
    /// The folder and its entries. `None` while the dialog is closed.
    listed: Option<(PathBuf, Result<Vec<FolderEntry>, String>)>,
    path: String,
}

/// A folder or a file, by name.
#[derive(Clone)]
struct FolderEntry {
    name: String,
    is_folder: bool,
}

const ENDINGS: [&str; 5] = [".s3d", ".jsonl", ".s3d.zst", ".jsonl.zst", ".png"];
/// Maximum number of listed entries per folder.
const MAX_ENTRIES: usize = 5000;

impl FilesDialog {
    pub(crate) fn open(&mut self, folder: Option<&Path>) {
        let folder = folder.map(Path::to_owned).or_else(|| std::env::current_dir().ok());
        self.list(folder.unwrap_or_else(|| PathBuf::from("/")));
    }

    pub(crate) fn is_open(&self) -> bool {
        self.listed.is_some()
    }

    fn list(&mut self, folder: PathBuf) {
        let entries = entries(&folder).map_err(|error| error.to_string());
        self.path = folder.display().to_string();
        self.listed = Some((folder, entries));
    }

    /// Shows the dialog if it is open. Returns the file that the user chooses.
    pub(crate) fn show(&mut self, context: &Context) -> Option<PathBuf> {
        let (folder, entries) = self.listed.clone()?;
        let (mut open, mut to) = (true, None);
        let all = context.content_rect();
        let window = egui::Window::new("Open").open(&mut open).collapsible(false).constrain(true);
        let (size, center) = (egui::vec2(520.0, 420.0).min(all.size() * 0.8), all.center());
        let window = window.default_size(size).default_pos(center).pivot(Align2::CENTER_CENTER);
        window.show(context, |ui| {
            ui.horizontal(|ui| {
                if ui.button("Up").clicked() {
                    to = folder.parent().map(Path::to_owned);
                }
                let field = egui::TextEdit::singleline(&mut self.path);
                let label = ui.weak("Path");
                let field = ui.add(field.desired_width(f32::INFINITY)).labelled_by(label.id);
                if field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
                    to = Some(PathBuf::from(self.path.trim()));
                }
            });
            ui.separator();
            let entries = match entries {
                Ok(entries) => entries,
                Err(error) => return drop(ui.label(error)),
            };
            let area = egui::ScrollArea::vertical().auto_shrink(false);
            area.show_rows(ui, 22.0, entries.len(), |ui, range| {
                for entry in entries.get(range).unwrap_or_default() {
                    let name = format!("{}{}", entry.name, if entry.is_folder { "/" } else { "" });
                    if ui.add(egui::Button::selectable(false, name).truncate()).clicked() {
                        to = Some(folder.join(&entry.name));
                    }
                }
            });
        });
        if !open || context.input(|input| input.key_pressed(egui::Key::Escape)) {
            self.listed = None;
        }
        let to = to?;
        if to.is_dir() {
            self.list(to);
            return None;
        }
        self.listed = None;
        Some(to)
    }
}

/// Returns the entries of a folder: first its folders, then its captures and images.
fn entries(folder: &Path) -> std::io::Result<Vec<FolderEntry>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)?.take(MAX_ENTRIES) {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.path().is_dir();
        let lower = name.to_lowercase();
        let wanted = is_folder || ENDINGS.iter().any(|ending| lower.ends_with(ending));
        if wanted && !name.starts_with('.') {
            entries.push(FolderEntry { name, is_folder });
        }
    }
    entries.sort_by_key(|entry| (!entry.is_folder, entry.name.to_lowercase()));
    Ok(entries)
}

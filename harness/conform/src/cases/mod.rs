//! The tree of cases. The cases `area.topic.*` are in `area/topic.rs` or, if an area has one file, in `area.rs`;
//! `rtt.topic.*` without a file of its own is made with `api.topic.*`. The order is fixed: modules in the order of this
//! file, tables from top to bottom.

mod agal;
mod api;
mod drawing;
mod hull;
mod limits;
mod raster;
mod rtt;
mod stencil;
mod texture;
mod vertex;

use std::collections::HashSet;
use std::iter::once;
use std::path::PathBuf;

use super::case::{Body, Case, Cases};
use crate::capture_case::{self, CaptureCase, CaseError};

/// Every generated case.
pub fn all() -> Vec<Case> {
    let mut cases = Cases::default();
    let areas: [fn(&mut Cases); 9] = [
        agal::add,
        api::add,
        hull::add,
        limits::add,
        raster::add,
        rtt::add,
        stencil::add,
        texture::add,
        vertex::add,
    ];
    areas.iter().for_each(|add| add(&mut cases));
    cases.finish()
}

/// Prefix of the names of captures in the tree of all cases.
pub const CAPTURES: &str = "capture.";

/// The captures below some folders as cases: in the tree of all cases, or named by their folders.
///
/// # Errors
/// Those of [`capture_case::find`].
pub fn captures(folders: &[PathBuf], in_tree: bool) -> Result<Vec<Case>, CaseError> {
    let mut names = HashSet::new();
    let found = capture_case::find(folders)?.into_iter();
    let case = |capture: CaptureCase| {
        let name = match in_tree {
            true => format!("{CAPTURES}{}", capture.name.replace('.', "_")),
            // Folders with the same name get numbers.
            false => {
                let numbers = (2..).map(|number| format!("{}-{number}", capture.name));
                let mut names_of_it = once(capture.name.clone()).chain(numbers);
                let free = names_of_it.find(|name| names.insert(name.clone()));
                free.unwrap_or_default()
            }
        };
        let source = capture.source.clone();
        let source = source.unwrap_or_else(|| "Flash Player".to_owned());
        Case::new(name, &source, Body::Capture(Box::new(capture)))
    };
    Ok(found.map(case).collect())
}

/// The first duplicate name.
pub fn duplicate(cases: &[Case]) -> Option<&str> {
    let mut seen = HashSet::new();
    let mut names = cases.iter().map(|case| case.name.as_str());
    names.find(|name| !seen.insert(*name))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Topics whose files have other names: a keyword of Rust, and a case in the file of related ones.
    const OTHER_FILES: [(&str, &str); 2] = [("enum", "enums"), ("dispose", "error")];

    #[test]
    fn the_name_of_a_case_says_its_file() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cases");
        for case in all() {
            let mut parts = case.name.split('.');
            let (area, topic) = (parts.next().unwrap(), parts.next().unwrap());
            let other = OTHER_FILES.iter().find(|(name, _)| *name == topic);
            let topic = other.map_or(topic, |(_, file)| file);
            // `drawToBitmapData` is in `draw_to_bitmap_data.rs`.
            let snake = |letter: char| match letter.is_ascii_uppercase() {
                true => format!("_{}", letter.to_ascii_lowercase()),
                false => letter.to_string(),
            };
            let topic: String = topic.chars().map(snake).collect();
            let mut files = vec![
                format!("{area}.rs"),
                format!("{area}/{topic}.rs"),
                format!("{area}/{topic}/mod.rs"),
            ];
            if area == "rtt" {
                files.extend([format!("api/{topic}.rs"), format!("{topic}.rs")]);
            }
            let found = files.iter().any(|file| folder.join(file).is_file());
            assert!(found, "{}: none of {files:?}", case.name);
        }
    }
}

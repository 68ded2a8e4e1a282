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

use super::case::{Body, Case, Cases, Mutant};
use crate::capture_case::{self, CaptureCase, CaseError};
use crate::mutations::{MUTATIONS, front};
use crate::pictures;

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
    let mut cases = cases.finish();
    cases.iter_mut().for_each(pictures::expect);
    cases
}

/// Every deliberate error as a case: it passes if a case of [`all`] detects it.
pub fn mutants() -> Vec<Case> {
    let of_devices = MUTATIONS.iter().map(|mutation| {
        (format!("mutant.device.{}", mutation.name), mutation.what, Mutant::Device(mutation))
    });
    let of_front = front::all().iter().map(|mutation| {
        (format!("mutant.{}", mutation.name), "the front end's tables", Mutant::Front(mutation))
    });
    let all = of_devices.chain(of_front);
    all.map(|(name, source, mutant)| Case::new(name, source, Body::Mutant(mutant))).collect()
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

    use context3d::Profile;
    use molehill_capture::{Reader, Record};
    use molehill_replay::{Options, Replayer};

    use super::*;
    use crate::device::Device;
    use crate::record;
    use crate::scene_builder::Setup;

    /// Topics whose files have other names: a keyword of Rust, and cases in the file of related ones.
    const OTHER_FILES: [(&str, &str); 3] =
        [("enum", "enums"), ("dispose", "error"), ("after_error", "defaults")];

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

    #[test]
    fn names_are_unique_and_say_where_a_case_belongs() {
        let cases = all();
        assert_eq!(duplicate(&cases), None);
        for Case { name, source, .. } in &cases {
            assert!(name.split('.').all(|part| !part.is_empty()) && !name.contains(' '), "{name}");
            assert!(!source.is_empty(), "{name}");
        }
    }

    /// Plays a scene on the null backend; returns the numbers of dropped and executed draws.
    fn draws(case: &Case, setup: Setup) -> (u64, u64) {
        let Body::Scene(scene) = &case.body else {
            return (0, 1);
        };
        let capture =
            record(case, setup, scene).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let reader = Reader::new(std::io::Cursor::new(capture)).unwrap();
        let header = reader.header().clone();
        let mut replayer = Replayer::new(&header, Device::Null, Options::default());
        for item in reader {
            let (line, record) = item.unwrap();
            if let Record::Call(call) = record {
                replayer.call(line, &call).unwrap();
            }
        }
        let report = replayer.report();
        (report.skipped_draws(), report.draws - report.skipped_draws())
    }

    /// A scene whose draws are all dropped would test nothing.
    #[test]
    fn every_scene_is_drawn_in_its_profile_and_in_stronger_ones() {
        for case in all() {
            for profile in [case.setup.profile, Profile::Enhanced] {
                let (skipped, drawn) = draws(&case, Setup { profile, ..case.setup });
                let outside = ["scissor.right_of_it", "scissor.above_it", "scissor.huge"];
                let may_skip = outside.iter().any(|what| case.name.contains(what));
                assert!(skipped == 0 || may_skip, "{}: {skipped} draws are dropped", case.name);
                let only_clears = ["api.clear", "rtt.mrt", "api.drawToBitmapData.frame.cleared"]
                    .iter()
                    .any(|area| case.name.starts_with(area));
                assert!(drawn > 0 || only_clears, "{}: nothing is drawn", case.name);
            }
        }
    }
}

//! Tests of the names of test cases, which form a tree of areas and topics.

use std::path::Path;

use context3d::Profile;
use molehill_capture::{CaptureReader, CaptureRecord};
use molehill_conform::case::{Case, CaseBody};
use molehill_conform::cases::{all, duplicate};
use molehill_conform::device::ConformDevice;
use molehill_conform::record;
use molehill_conform::scene_builder::Setup;
use molehill_replay::{ReplayOptions, Replayer};

/// Topics of test cases whose source files have other names: one is a Rust keyword, others share the file of a topic.
const OTHER_FILES: [(&str, &str); 4] =
    [("enum", "enums"), ("dispose", "error"), ("after_error", "defaults"), ("legal", "error")];

#[test]
fn the_name_of_a_case_says_its_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cases");
    let scenes = concat!(
        include_str!("../../scripts/questions.txt"),
        include_str!("../../scripts/scenes.txt"),
        include_str!("../../scripts/state.txt"),
        include_str!("../../scripts/textures.txt"),
        include_str!("../../scripts/vertex.txt")
    );
    for case in all() {
        let mut parts = case.name.split('.');
        let (area, topic) = (parts.next().unwrap(), parts.next().unwrap());
        let own_topic = topic;
        let other = OTHER_FILES.iter().find(|(name, _)| *name == topic);
        let topic = other.map_or(topic, |(_, file)| file);
        let files =
            [format!("{area}.rs"), format!("{area}/{topic}.rs"), format!("{area}/{topic}/mod.rs")];
        let in_script =
            scenes.lines().any(|line| line.starts_with(&format!("{area}.{own_topic}.")));
        let found = in_script || files.iter().any(|file| folder.join(file).is_file());
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

/// Replays a scene on a backend without a GPU. Returns the number of dropped and the number of executed draws.
fn draws(case: &Case, setup: Setup) -> (u64, u64) {
    let CaseBody::Scene(scene) = &case.body else {
        return (0, 1);
    };
    let capture =
        record(case, setup, scene).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let reader = CaptureReader::new(std::io::Cursor::new(capture)).unwrap();
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, ConformDevice::Null, ReplayOptions::default());
    for item in reader {
        let (line, record) = item.unwrap();
        if let CaptureRecord::Call(call) = record {
            replayer.call(line, &call).unwrap();
        }
    }
    let report = replayer.report();
    (report.skipped_draws(), report.draws - report.skipped_draws())
}

/// Every scene must execute a draw, because a scene whose draws are all dropped tests nothing.
#[test]
fn every_scene_is_drawn_in_its_profile_and_in_stronger_ones() {
    for case in all() {
        for profile in [case.setup.profile, Profile::Enhanced] {
            let (skipped, drawn) = draws(&case, Setup { profile, ..case.setup });
            let dropped = [
                "scissor.right_of_it",
                "scissor.above_it",
                "scissor.huge",
                "texture.unfit",
                "rtt.open.sampled",
            ];
            let may_skip = dropped.iter().any(|what| case.name.contains(what));
            assert!(skipped == 0 || may_skip, "{}: {skipped} draws are dropped", case.name);
            let only_clears = ["api.clear", "rtt.mrt", "api.drawToBitmapData.frame.cleared"]
                .iter()
                .any(|area| case.name.starts_with(area));
            assert!(drawn > 0 || only_clears, "{}: nothing is drawn", case.name);
        }
    }
}

//! Tests the recorded scenes (`harness/captures/record.sh`): the conformance suite still records the same captures, and
//! every renderer draws their images.

use std::fs;
use std::path::{Path, PathBuf};

use molehill_capture::{CaptureReader, CaptureRecord};

use crate::run::{folder, run, stderr, stdout};

fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("captures/scenes")
}

fn names() -> Vec<String> {
    let entries = fs::read_dir(scenes()).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn records(path: &Path) -> Vec<CaptureRecord> {
    CaptureReader::open(path).unwrap().map(|record| record.unwrap().1).collect()
}

#[test]
fn the_suite_records_them_as_they_are() {
    let names = names();
    assert!(names.len() > 50);
    let new = folder("scenes");
    let filters = names.iter().flat_map(|name| ["--filter", name]);
    let arguments: Vec<&str> = ["conform", "save", "."].into_iter().chain(filters).collect();
    let output = run(&new, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for name in names {
        let there = scenes().join(&name).join("capture.s3d.jsonl.zst");
        let now = new.join(format!("{name}.s3d.jsonl"));
        assert!(records(&there) == records(&now), "harness/captures/record.sh {name}");
    }
}

#[test]
fn every_renderer_draws_their_pictures() {
    let folder = folder("scenes-drawn");
    let scenes = scenes();
    let count = names().len();
    for renderer in [&["--backend", "reference"][..], &[], &["--gles"]] {
        let arguments = [&["check", scenes.to_str().unwrap()], renderer].concat();
        let output = run(&folder, &arguments);
        assert_eq!(output.status.code(), Some(0), "{renderer:?}: {}", stdout(&output));
        let end = format!("\n{count} of {count} cases: {count} pass, ");
        assert!(stdout(&output).contains(&end), "{renderer:?}: {}", stdout(&output));
    }
}

//! Tests the start screen, and the initial selection of an opened capture.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::Key;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use molehill_inspector::app::{App, RemoteRequest};
use molehill_inspector::source::CaptureSource;
use molehill_inspector::worker::QuestionRole;

use crate::window::{Window, first_lines};

/// A capture in which a draw of frame 3 changes no pixels, because call 248 sets another culling.
const FLICKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../captures/symptoms/flicker.s3d.zst");
const REASON: &str = "it stands out: draw 253 has 0 passed fragments";

#[test]
fn a_capture_opens_at_the_first_fault_and_names_it() {
    let mut window = Window::new();
    window.open("flicker.s3d.zst", std::fs::read(FLICKER).expect("the capture"), "");
    assert_eq!(window.remote.status().fragment, "#frame=3&call=253");
    assert!(window.shows(&format!("is shown, because {REASON}")));
    window.look("fault");
    window.press(Key::Escape);
    assert!(window.shows(&format!("is notable, because {REASON}")));
    let status = window.click("Call 253 of frame 3");
    assert_eq!(status.fragment, "#frame=3&call=253", "the name is a link");
    window.click("Dismiss");
    assert!(!window.shows(REASON));
}

#[test]
fn a_place_that_the_user_has_selected_stays() {
    let mut window = Window::new();
    let bytes: Arc<[u8]> = std::fs::read(FLICKER).expect("the capture").into();
    let source = CaptureSource::Bytes { name: "flicker.s3d.zst".to_owned(), bytes };
    window.remote.send(RemoteRequest::Open(QuestionRole::Main, source));
    window.wait_until(|window| window.remote.status().open);
    assert_eq!(window.press(Key::End).fragment, "#frame=5");
    assert!(window.shows(&format!("is notable, because {REASON}")));
    // A link overrides the initial selection.
    window.open("flicker.s3d.zst", std::fs::read(FLICKER).expect("the capture"), "#frame=1");
    assert_eq!(window.remote.status().fragment, "#frame=1");
    assert!(!window.shows(REASON));
}

/// Returns a capture of an empty frame, followed by the demo's first two frames.
fn late_start() -> Vec<u8> {
    let mut lines = first_lines();
    let end = lines.iter().position(|line| line == r#"{"frame":1}"#).expect("frame 1");
    lines.truncate(end + 1);
    for line in &mut lines {
        for (from, to) in [(1, 2), (0, 1)] {
            if *line == format!(r#"{{"frame":{from}}}"#) {
                *line = format!(r#"{{"frame":{to}}}"#);
                break;
            }
        }
    }
    lines.insert(1, r#"{"frame":0}"#.to_owned());
    lines.join("\n").into_bytes()
}

#[test]
fn a_capture_in_which_no_frame_stands_out_opens_at_the_first_draw() {
    let mut window = Window::new();
    window.open("late.s3d.jsonl", late_start(), "");
    assert_eq!(window.remote.status().fragment, "#frame=1");
    assert!(window.shows("is shown, because no frame stands out, and it has the first draw"));
}

#[test]
fn the_start_screen_says_how_to_record_as_the_readme_does() {
    let mut window = Window::new();
    window.settle();
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"));
    let readme = readme.expect("the README");
    for command in
        ["sh harness/hosts/build.sh --ruffle ruffle", "molehill record game.swf -o game.s3d"]
    {
        assert!(window.shows(command), "{command}");
        assert!(readme.lines().any(|line| line.trim() == command), "{command}");
    }
    window.look("start");
}

#[test]
fn a_swf_that_is_dropped_says_how_to_record_it() {
    let swf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("my game.swf");
    std::fs::write(&swf, b"CWS\x20\x10\0\0\0x").expect("written");
    let mut window = Window::new();
    for opened in [false, true] {
        if opened {
            window.open("late.s3d.jsonl", late_start(), "#frame=1");
        }
        let status = window.drop_file(0.25, &swf);
        let error = status.error.expect("a message");
        let hint = "my game.swf: not a Stage3D capture but a SWF (to record it: molehill record";
        assert!(error.contains(hint), "{error}");
        assert!(window.shows(hint));
        assert_eq!(status.open, opened);
    }
}

#[test]
fn recent_captures_are_told_apart_by_their_folders() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recent captures");
    let files = ["a/demo_x/capture.s3d", "a/demo_y/capture.s3d.jsonl.zst", "b/demo_x/capture.s3d"];
    for file in files {
        let file = folder.join(file);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("created");
        std::fs::write(file, "").expect("written");
    }
    let list = files.map(|file| folder.join(file).display().to_string()).join("\n");
    std::fs::write(folder.join("recent"), list).expect("written");
    let mut window = Window::new();
    window.app().set_recent_file(folder.join("recent"));
    window.settle();
    window.look("recent");
    for name in ["a / demo_x / capture", "demo_y / capture", "b / demo_x / capture"] {
        assert!(window.harness.query_all_by_label(name).next().is_some(), "{name}");
    }
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn the_tabs_stand_in_one_row() {
    for (width, height) in [(1280.0, 720.0), (1240.0, 740.0)] {
        let mut window = Window::sized(width, height);
        window.open("late.s3d.jsonl", late_start(), "#frame=1");
        let tops = App::panels().map(|name| {
            let mut tabs = window.harness.query_all_by_label(name);
            let right = tabs
                .find(|node| node.accesskit_node().bounding_box().is_some_and(|it| it.x0 > 600.0));
            right.unwrap_or_else(|| panic!("no tab {name}")).rect()
        });
        let tops: Vec<_> = tops.collect();
        assert!(tops.iter().all(|rect| rect.top() == tops[0].top()), "{width}: {tops:?}");
        let inside = tops.iter().all(|rect| rect.right() <= width);
        assert!(inside, "{width}: {tops:?}");
    }
}

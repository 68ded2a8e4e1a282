//! Tests `molehill explain`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{folder, run, stderr, stdout};

const SCENE: &str = "captures/scenes/api.culling.back";

#[test]
fn a_fault_is_explained_and_mended() {
    let (folder, _, picture) = wrong_scene("explain");
    let command = ["explain", "wrong.s3d.jsonl", "--expect", &picture, "-o", "mend"];
    let output = run(&folder, &command);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let first = "1. setCulling(triangleFaceToCull: front → back), every call with this value: then 0 pixels differ";
    assert!(stdout(&output).contains(first), "{}", stdout(&output));
    let mended = [
        "replay",
        "wrong.s3d.jsonl",
        "--edit",
        "mend",
        "--backend",
        "reference",
        "--expect",
        &picture,
    ];
    let mended = run(&folder, &mended);
    assert_eq!(mended.status.code(), Some(0), "{}", stdout(&mended));

    let answer = run(&folder, &[&command[..], &["--json", "--frame", "0"]].concat());
    let answer: Value = serde_json::from_str(&stdout(&answer)).unwrap();
    let first = &answer["suggestions"][0];
    assert_eq!((&first["call"], &first["to"]), (&"setCulling".into(), &"back".into()));
    assert_eq!(first["pattern"]["with"]["triangleFaceToCull"], "back");
    assert_eq!(first["after"]["differing"], 0);
    assert!(answer["before"]["differing"].as_u64().unwrap() > 0, "{answer}");
    assert!(!answer["owners"].as_array().unwrap().is_empty(), "{answer}");
}

#[test]
fn nothing_to_explain_and_nothing_that_helps() {
    let folder = folder("explain_nothing");
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join(SCENE);
    let capture = scene.join("capture.s3d.jsonl.zst").display().to_string();
    let picture = scene.join("expected.png").display().to_string();
    let output = run(&folder, &["explain", &capture, "--expect", &picture]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let first = "frame 0 is shown, because it is the last complete frame; --frame selects another\n\
        frame 0: 0 pixels differ";
    assert!(stdout(&output).starts_with(first), "{}", stdout(&output));
    let output = run(&folder, &["explain", &capture, "--expect", &picture, "--frame", "7"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no frame 7"), "{}", stderr(&output));
    let other =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("captures/knot.png").display().to_string();
    let output = run(&folder, &["explain", &capture, "--expect", &other]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("expected)"), "{}", stderr(&output));
}

/// Writes a scene with an injected error to a new folder, as `wrong.s3d.jsonl`. Returns the folder, the path of the
/// capture without the error, and the path of the expected image.
fn wrong_scene(name: &str) -> (PathBuf, String, String) {
    let folder = folder(name);
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join(SCENE);
    let [capture, picture] =
        ["capture.s3d.jsonl.zst", "expected.png"].map(|it| scene.join(it).display().to_string());
    let fault = r#"{"match": "setCulling", "with": {"triangleFaceToCull": "front"}}"#;
    fs::write(folder.join("fault"), fault).unwrap();
    let made = run(&folder, &["convert", &capture, "--edit", "fault", "-o", "wrong.s3d.jsonl"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    (folder, capture, picture)
}

#[test]
fn what_is_expected_is_a_picture_a_capture_or_its_frame() {
    let (folder, capture, picture) = wrong_scene("expect");
    let frame = format!("{capture}@last");
    for expected in [&picture, &capture, &frame] {
        let answer = |command: &[&str]| {
            let output = run(&folder, &[command, &["--expect", expected]].concat());
            (output.status.code(), stdout(&output) + &stderr(&output))
        };
        let (status, draws) = answer(&["draws", "wrong.s3d.jsonl", "--frame", "0"]);
        assert!(status == Some(0) && draws.contains("≠ "), "{draws}");
        assert_eq!(draws.contains("is the first pass whose result differs"), *expected != picture);
        let (status, pixel) = answer(&["pixel", "wrong.s3d.jsonl", "--frame", "0"]);
        assert!(status == Some(0) && pixel.contains("\nexpected: "), "{pixel}");
        let (status, explained) = answer(&["explain", "wrong.s3d.jsonl"]);
        assert!(status == Some(0) && explained.contains("front → back"), "{explained}");
        // All commands choose the same frame by default.
        let reason = if *expected == frame {
            "it has the number of the expected frame"
        } else {
            "it is the last complete frame"
        };
        let chosen = format!("frame 0 is shown, because {reason}; ");
        for command in ["draws", "pixel"] {
            let (_, answer) = answer(&[command, "wrong.s3d.jsonl"]);
            assert!(answer.starts_with(&chosen) && explained.starts_with(&chosen), "{answer}");
        }
        let (status, replayed) = answer(&["replay", "wrong.s3d.jsonl", "--backend", "reference"]);
        assert!(status == Some(1) && replayed.contains("is NOT as expected"), "{replayed}");
        let whose = format!("molehill draws wrong.s3d.jsonl --frame 0 --expect {expected}");
        assert!(replayed.contains("wrong pixels: ") && replayed.contains(&whose), "{replayed}");
        let (status, right) = answer(&["replay", &capture, "--backend", "reference"]);
        assert_eq!(status, Some(0), "{right}");
    }
    let sides =
        ["diff", "wrong.s3d.jsonl", &capture, "--backend", "reference", "--expect", &picture];
    let sides = stdout(&run(&folder, &sides));
    assert!(sides.ends_with("b and the expected image: 0 pixels differ\n"), "{sides}");
    let state = ["state", "wrong.s3d.jsonl", "--call", "15", "--expect", &capture];
    let state = run(&folder, &state);
    assert!(stdout(&state).contains("(expected: back)"), "{}{}", stdout(&state), stderr(&state));
    let frames = ["draws", "wrong.s3d.jsonl", "--frames", "all", "--expect", &capture];
    let frames = stdout(&run(&folder, &frames));
    assert!(frames.contains("1 of 1 frames are not as expected; the first is 0"), "{frames}");
    let missing = run(&folder, &["draws", "wrong.s3d.jsonl", "--frame", "0", "--expect", "no.png"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("no.png"), "{}", stderr(&missing));
}

#[test]
fn a_picture_that_differs_at_antialiased_edges_is_equal_but_for_them() {
    let folder = folder("edges");
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures/scenes/api.antialias.edges.4");
    let capture = scene.join("capture.s3d.jsonl.zst").display().to_string();
    let right = run(
        &folder,
        &["replay", &capture, "--backend", "reference", "-o", "right", "--frames", "last"],
    );
    assert_eq!(right.status.code(), Some(0), "{}", stderr(&right));
    // A different sample count changes only pixels at edges.
    let samples = [
        "replay",
        &capture,
        "--backend",
        "reference",
        "--samples",
        "1",
        "--expect",
        "right/frame-0000.png",
    ];
    let output = run(&folder, &samples);
    assert!(
        stdout(&output).contains("frame 0 is equal but for antialiased edges: "),
        "{}",
        stdout(&output)
    );
    assert_eq!(output.status.code(), Some(1));
}

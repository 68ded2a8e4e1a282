//! Explaining a picture.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{folder, run, stderr, stdout};

const SCENE: &str = "captures/scenes/api.culling.back";

#[test]
fn a_fault_is_explained_and_mended() {
    let folder = folder("explain");
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join(SCENE);
    let [capture, picture] =
        ["capture.s3d.jsonl.zst", "expected.png"].map(|it| scene.join(it).display().to_string());
    let fault = r#"{"match": "setCulling", "with": {"triangleFaceToCull": "front"}}"#;
    fs::write(folder.join("fault"), fault).unwrap();
    let made = run(&folder, &["convert", &capture, "--edit", "fault", "-o", "c.s3d.jsonl"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));

    let command = ["explain", "c.s3d.jsonl", "--expect", &picture, "-o", "mend"];
    let output = run(&folder, &command);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let first = "1. setCulling(triangleFaceToCull: front → back), every call with this value: then 0 pixels differ";
    assert!(stdout(&output).contains(first), "{}", stdout(&output));
    let mended =
        ["replay", "c.s3d.jsonl", "--edit", "mend", "--backend", "reference", "--expect", &picture];
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
    assert!(stdout(&output).starts_with("frame 0: 0 pixels differ"), "{}", stdout(&output));
    let output = run(&folder, &["explain", &capture, "--expect", &picture, "--frame", "7"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no frame 7"), "{}", stderr(&output));
    let other =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("captures/knot.png").display().to_string();
    let output = run(&folder, &["explain", &capture, "--expect", &other]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("expected)"), "{}", stderr(&output));
}

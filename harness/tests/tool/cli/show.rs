//! Tests `molehill FILE`, which describes a file.

use std::fs;
use std::path::Path;

use super::small_demo;
use crate::run::{folder, run, stderr, stdout};
use serde_json::Value;

const SCENES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/captures/scenes");

/// Returns the tool's description of a file.
fn shown(folder: &Path, file: &str) -> String {
    let output = run(folder, &[file]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn a_capture_is_shown_with_what_stands_out_and_the_next_commands() {
    let folder = folder("show_capture");
    // The file has a wrong extension, and its name needs quotes.
    fs::write(folder.join("a b.swf"), small_demo(549)).unwrap();
    let plain = shown(&folder, "a b.swf");
    assert!(plain.starts_with("a b.swf: a capture of Stage3D calls\n"), "{plain}");
    assert!(plain.contains(" frames of 64×40, ") && plain.contains("profile baseline"), "{plain}");
    assert!(plain.contains("\n  no frame stands out\n"), "{plain}");
    assert!(plain.contains("\n  molehill draws 'a b.swf' --frame 0 "), "{plain}");
    let next = plain.split_once("\nnext:\n").unwrap().1;
    assert_eq!(next.lines().count(), 3, "{plain}");
    // A command that the description suggests succeeds.
    let state = next.lines().find(|line| line.contains("molehill state")).unwrap();
    let call = state.split_once("--call ").unwrap().1.split(' ').next().unwrap();
    let output = run(&folder, &["state", "a b.swf", "--call", call]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));

    // A draw of frame 3 that draws nothing is an anomaly.
    let edit =
        r#"{"match": "setCulling", "frame": 3, "with": {"triangleFaceToCull": "frontAndBack"}}"#;
    fs::write(folder.join("edit"), edit).unwrap();
    let made = run(&folder, &["convert", "a b.swf", "--edit", "edit", "-o", "broken.s3d"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let broken = shown(&folder, "broken.s3d");
    assert!(broken.contains("\nstands out:\n  frame 3: draw "), "{broken}");
    assert!(broken.contains("molehill draws broken.s3d --frame 3 "), "{broken}");
    assert!(broken.lines().count() <= 16, "{broken}");
    let json = run(&folder, &["broken.s3d", "--json"]);
    let json: Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!(json["standsOut"][0]["frame"], 3);
    assert_eq!(json["next"].as_array().unwrap().len(), 3);
    // `draws` and `pixel` use the anomalous frame by default, and print the reason.
    let chosen = run(&folder, &["draws", "broken.s3d"]);
    let start = "frame 3 is shown, because it stands out: draw ";
    assert!(stdout(&chosen).starts_with(start), "{}", stdout(&chosen));
    let pixel = run(&folder, &["pixel", "broken.s3d", "--at", "32,20", "--json"]);
    let pixel: Value = serde_json::from_str(&stdout(&pixel)).unwrap();
    assert_eq!(pixel["chosen"]["frame"], 3);
}

#[test]
fn other_files_are_shown_by_their_content() {
    let folder = folder("show_others");
    fs::write(folder.join("one"), [&b"CWS\x1e\x00\x10\x00\x00"[..], &[1; 40]].concat()).unwrap();
    fs::write(folder.join("two"), "mov ft0, v0 // a comment\nmov oc, ft0\n").unwrap();
    fs::write(folder.join("wrong"), "mov ft0, v0\nmove oc, ft0\n").unwrap();
    fs::create_dir(folder.join("games")).unwrap();
    fs::write(folder.join("games/b.swf"), "FWS").unwrap();
    fs::write(folder.join("games/a.atf"), "ATF").unwrap();
    let picture = concat!(env!("CARGO_MANIFEST_DIR"), "/captures/knot.png");
    for (file, expected) in [
        ("one", &["one: a SWF", "version 30, 4,096 bytes", "molehill record one -o game.s3d"][..]),
        ("two", &["two: AGAL programs", "fragment program", "molehill shader check two"]),
        ("wrong", &["wrong: AGAL programs", "move", "molehill shader dis wrong"]),
        ("games", &["1 SWF files", "1 ATF textures", "molehill record games/b.swf"]),
        (picture, &["a PNG image", "640×400 pixels", "--expect"]),
        (SCENES, &["a folder", " captures\n", "molehill check "]),
    ] {
        let text = shown(&folder, file);
        expected.iter().for_each(|part| assert!(text.contains(part), "{part}: {text}"));
    }
    assert!(
        shown(&folder, &format!("{SCENES}/agal.flow.kil")).contains("a capture of Stage3D calls")
    );
}

#[test]
fn a_file_of_another_kind_is_named_with_what_was_expected() {
    let folder = folder("show_refused");
    fs::write(folder.join("text"), "This is no shader.\n").unwrap();
    fs::write(folder.join("zip"), b"PK\x03\x04\0\0\0\0").unwrap();
    fs::write(folder.join("empty"), "").unwrap();
    fs::write(folder.join("cut.swf"), "FWS").unwrap();
    fs::create_dir(folder.join("nothing")).unwrap();
    for (file, found) in [
        ("text", "not a Stage3D capture but text"),
        ("zip", "a zip archive (unpack it first)"),
        ("empty", "empty: "),
        ("nothing", "nothing: the folder has no such files"),
        ("no.such.file", "no.such.file: No such file"),
    ] {
        let output = run(&folder, &[file]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{file}: {said}");
        assert!(
            said.contains(found) && said.contains("; expected a capture (.s3d, "),
            "{file}: {said}"
        );
    }
    let cut = run(&folder, &["cut.swf"]);
    assert!(stderr(&cut).contains("cut.swf: the SWF ends inside its header"), "{}", stderr(&cut));
    let nearest = run(&folder, &["drwas"]);
    assert!(
        stderr(&nearest).contains("a similar subcommand exists: 'draws'"),
        "{}",
        stderr(&nearest)
    );
}

#[test]
fn the_help_has_groups_and_hides_what_few_need() {
    let folder = folder("show_help");
    let help = stdout(&run(&folder, &["help"]));
    for group in ["Look:\n", "Compare:\n", "Check:\n", "Shaders and textures:\n", "This machine:\n"]
    {
        assert!(help.contains(group), "{group}: {help}");
    }
    assert!(!help.contains("  show  "), "{help}");
    let [usual, all] =
        ["--help", "--help-all"].map(|option| stdout(&run(&folder, &["replay", option])));
    assert!(usual.contains("\nRenderer:\n") && usual.contains("--backend"), "{usual}");
    for rare in ["--no-blocks", "--workaround", "--threads"] {
        assert!(!usual.contains(rare) && all.contains(rare), "{rare}: {usual}");
    }
}

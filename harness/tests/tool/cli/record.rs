//! Tests `molehill record`, with scripts as players.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::small_demo;
use crate::run::{folder, molehill, run, stderr, stdout};

/// Writes a player script, which records the first frames of the demo, and continues until it gets a signal.
fn player(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
}

/// A script that records 465 lines: frames 0 to 4. When the script receives the signal, it records a sixth frame.
const WINDOW: &str = r#"
[ "$1" != --help ] || { echo "a window"; exit; }
echo "a trace of $1"
trap 'sed -n 466,549p "$DEMO" >> "$MOLEHILL_RECORD"; touch ended; exit' TERM
head -n 465 "$DEMO" > "$MOLEHILL_RECORD"
while :; do sleep 0.05; done
"#;
const HEADLESS: &str = r#"
[ "$1" != --help ] || { echo "  --frames <FRAMES>"; exit; }
[ "$1" = --frames ] && [ "$3" = game.swf ] || exit 9
head -n $((129 + ($2 - 1) * 84)) "$DEMO" > "$MOLEHILL_RECORD"
exit 134
"#;

fn prepared(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    fs::write(folder.join("game.swf"), "FWS").unwrap();
    fs::write(folder.join("demo"), small_demo(549)).unwrap();
    folder
}

#[test]
fn a_player_is_found_and_ended_after_enough_frames() {
    let folder = prepared("record_found");
    player(&folder, "lightspark/molehill-player", WINDOW);
    let arguments = ["record", "game.swf", "-o", "game.s3d.jsonl", "--frames", "4"];
    let output =
        molehill(&folder, &arguments).env("DEMO", "demo").env_remove("DISPLAY").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("game.s3d.jsonl: a capture of Stage3D calls\n"), "{text}");
    assert!(text.contains(": 6 frames of 64×40, "), "the player ended its recording: {text}");
    assert!(text.contains("molehill draws game.s3d.jsonl --frame 0 "), "{text}");
    assert!(folder.join("ended").exists() && stderr(&output).contains("a trace of game.swf"));
    let again = run(&folder, &arguments);
    assert!(
        stderr(&again).contains("game.s3d.jsonl: the file exists; name another one"),
        "{}",
        stderr(&again)
    );
}

#[test]
fn a_player_without_a_window_gets_the_number_of_frames() {
    let folder = prepared("record_headless");
    player(&folder, "player", HEADLESS);
    let output = molehill(
        &folder,
        &["record", "game.swf", "-o", "game.s3d.jsonl", "--frames", "3", "--json"],
    )
    .env("DEMO", "demo")
    .env("MOLEHILL_PLAYER", "player")
    .output()
    .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(json["facts"][0].as_str().unwrap().contains(": 3 frames of "), "{json}");
    assert!(stderr(&output).contains("; the recording is kept"), "{}", stderr(&output));
}

#[test]
fn ctrl_c_keeps_the_recording_and_ends_the_player() {
    let folder = prepared("record_interrupted");
    player(&folder, "player", WINDOW);
    let mut command =
        molehill(&folder, &["record", "game.swf", "-o", "game.s3d.jsonl", "--player", "player"]);
    let command = command.env("DEMO", "demo").stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let started = Instant::now();
    while fs::read_to_string(folder.join("game.s3d.jsonl")).map_or(0, |text| text.lines().count())
        < 465
    {
        assert!(started.elapsed() < Duration::from_secs(60), "the player records");
        sleep(Duration::from_millis(20));
    }
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains(": 6 frames of "), "{}", stdout(&output));
    assert!(folder.join("ended").exists());
}

#[test]
fn a_recording_that_ends_within_a_frame_is_made_whole() {
    let folder = prepared("record_cut");
    let cut = WINDOW
        .replace("sed -n 466,549p", "sed -n 466,467p")
        .replace("touch", "printf '{\"call\":' >> \"$MOLEHILL_RECORD\"; touch");
    player(&folder, "player", &cut);
    let arguments =
        ["record", "game.swf", "-o", "game.s3d.jsonl", "--frames", "4", "--player", "player"];
    let output = molehill(&folder, &arguments).env("DEMO", "demo").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains(": 5 frames of 64×40, "), "{}", stdout(&output));
    let info = run(&folder, &["info", "game.s3d.jsonl"]);
    assert_eq!(info.status.code(), Some(0), "{}", stderr(&info));
}

#[test]
fn a_missing_player_and_a_player_that_records_nothing_are_errors() {
    let folder = prepared("record_nothing");
    let none = molehill(&folder, &["record", "game.swf", "-o", "game.s3d"])
        .env("HOME", &folder)
        .output()
        .unwrap();
    let said = stderr(&none);
    assert!(
        said.contains("no player with Molehill found") && said.contains("build.sh --ruffle"),
        "{said}"
    );
    player(&folder, "player", "exit 0");
    let arguments = ["record", "game.swf", "-o", "game.s3d", "--player", "player"];
    let nothing = run(&folder, &arguments);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(
        stderr(&nothing).contains("recorded nothing: the SWF uses no Stage3D"),
        "{}",
        stderr(&nothing)
    );
    let missing = run(&folder, &["record", "none.swf", "-o", "game.s3d"]);
    assert!(stderr(&missing).contains("none.swf: No such file"), "{}", stderr(&missing));
    let zst = run(&folder, &["record", "game.swf", "-o", "game.s3d.zst"]);
    assert!(stderr(&zst).contains("a recording can't be compressed"), "{}", stderr(&zst));
}

//! Tests of recordings that the user starts with `MOLEHILL_RECORD`.

use std::io::Write as _;
use std::path::Path;
use std::process::Command as Process;

use context3d::backend::NullBackend;
use context3d::native::Native;
use molehill_capture::{CaptureHeader, CaptureReader, RECORD_VARIABLE, record_from_env};

/// Acts as the player in the test below. Prints whether the process is recorded.
#[test]
#[ignore = "a process of its own, started by the test below"]
fn player() {
    let stage3ds = Native::<NullBackend>::stage3ds();
    let mut headers = 0;
    for stage3d in &stage3ds {
        record_from_env(stage3d, u64::MAX, || {
            headers += 1;
            CaptureHeader::new(
                "a player",
                "http://games/a%20game.swf",
                30,
                [8.4, f64::NAN],
                60.0,
                [0; 3],
            )
        });
    }
    let text = format!("recorded {} headers {headers}\n", stage3ds[0].is_recorded());
    std::io::stdout().write_all(text.as_bytes()).unwrap();
}

/// Runs the player process. Returns whether the process was recorded, and its messages to the user.
fn play(file: Option<&Path>) -> [String; 2] {
    let mut player = Process::new(std::env::current_exe().unwrap());
    player.args(["player", "--exact", "--ignored", "--nocapture"]).env_remove(RECORD_VARIABLE);
    if let Some(file) = file {
        player.env(RECORD_VARIABLE, file);
    }
    let output = player.output().unwrap();
    let [printed, told] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let recorded = printed.lines().find(|line| line.starts_with("recorded")).unwrap();
    [recorded.to_owned(), told]
}

#[test]
fn a_player_is_recorded_once_and_only_on_demand() {
    let file = std::env::temp_dir().join(format!("molehill-env-{}.s3d", std::process::id()));
    assert_eq!(play(None), ["recorded false headers 0", ""]);
    assert_eq!(play(Some(&file)), ["recorded true headers 1", ""]);
    let reader = CaptureReader::open(&file).unwrap();
    let CaptureHeader { title, stage_width, stage_height, .. } = reader.header();
    assert_eq!((&**title, *stage_width, *stage_height), ("a%20game.swf", 8, 1));
    // The second recording keeps the file of the first recording, and prints the name of its new file.
    let [recorded, told] = play(Some(&file));
    assert_eq!(recorded, "recorded true headers 1");
    let other = file.with_extension("1.s3d");
    let exists =
        format!("{} exists; the recording is written to {}\n", file.display(), other.display());
    assert_eq!(told, format!("Molehill: {exists}"));
    [&file, &other].into_iter().for_each(|file| std::fs::remove_file(file).unwrap());
    // The player continues if the file can't be created.
    let [recorded, told] = play(Some(&file.join("in no folder")));
    assert_eq!(recorded, "recorded false headers 1");
    assert!(told.contains("in no folder can't be written: "), "{told}");
}

//! The tool as a user meets it: output, exit status, and what lies on the disk afterwards. Captures here have no
//! Context3D calls (the stage colour is all there is to see), so none of this needs OpenGL.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use harness::image::{Image, read_png, write_png};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

const HEADER: &str = r##"{"stage3dCapture":1,"title":"t","swfVersion":20,"stageWidth":4,"stageHeight":2,"stageColor":"#102030"}"##;
const MOVE: &str = r#"{"call":"x","on":1,"value":3.5}"#;

/// A header, `frames` frames with a call each, and a last line.
fn capture(frames: u32, last: &str) -> String {
    let mut text = format!("{HEADER}\n");
    for frame in 0..frames {
        text += &format!("{MOVE}\n{{\"frame\":{frame}}}\n");
    }
    text + last
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn molehill(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_molehill"));
    command.args(arguments).current_dir(folder).env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    molehill(folder, arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn pictures(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
        .unwrap_or_default();
    names.retain(|name| name.ends_with(".png"));
    names.sort();
    names
}

#[test]
fn a_picture_a_frame() {
    let folder = folder("a_picture_a_frame");
    fs::write(folder.join("c"), capture(3, "")).unwrap();
    let output = run(&folder, &["replay", "c", "--out", "deep/out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("3 frames, 3 calls, 0 draws, 0 programs, 0 errors raised, "));
    assert_eq!(stdout(&output).lines().count(), 1);
    assert_eq!(stderr(&output), "");
    let out = folder.join("deep/out");
    assert_eq!(pictures(&out), ["frame-0000.png", "frame-0001.png", "frame-0002.png"]);
    assert_eq!(read_png(&out.join("frame-0001.png")).unwrap(), Image::filled(4, 2, [0x10, 0x20, 0x30, 255]));
}

#[test]
fn frames_are_chosen() {
    let folder = folder("frames_are_chosen");
    fs::write(folder.join("c"), capture(6, "")).unwrap();
    for (frames, expected) in [
        ("last", vec!["frame-0005.png"]),
        ("0,3-4,9", vec!["frame-0000.png", "frame-0003.png", "frame-0004.png"]),
        ("all", (0..6).map(|_| "").collect()),
    ] {
        let output = run(&folder, &["replay", "c", "--out", frames, "--frames", frames]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let written = pictures(&folder.join(frames));
        assert_eq!(written.len(), expected.len());
        assert!(frames == "all" || written == expected, "{written:?}");
    }
    let output = run(&folder, &["replay", "c"]);
    assert_eq!((output.status.code(), pictures(&folder)), (Some(0), vec![]));
    for arguments in [["replay", "c", "--frames", "all"].as_slice(), &["replay", "c", "--out", "o", "--frames", "5-3"]] {
        assert_eq!(run(&folder, arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn bad_input_is_named_and_finished_frames_stay() {
    let folder = folder("bad_input");
    for (name, last, message) in [
        ("json", "{\"call\":\"pre", "invalid JSON at column 12: EOF while parsing a string"),
        ("unknown call", r#"{"call":"presnt","on":1}"#, "unknown call \"presnt\"; did you mean \"present\"?"),
        ("missing key", r#"{"call":"x","on":1}"#, "x: key \"value\" is missing"),
        (
            "wrong type",
            r#"{"call":"x","on":1,"value":{}}"#,
            "x: key \"value\" must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"",
        ),
        (
            "huge number",
            r#"{"call":"requestContext3D","on":1,"stage3DIndex":1e99,"result":2}"#,
            "requestContext3D: key \"stage3DIndex\" is out of range: must be a uint of 32 bits",
        ),
        ("id", r#"{"call":"present","on":9}"#, "present: key \"on\" names object 9, which no earlier line created"),
        ("frame", r#"{"frame":1}"#, "frame 1 ends after frame 1"),
        (
            "profile",
            r#"{"call":"requestContext3D","on":1,"stage3DIndex":0,"profile":"best","result":2}"#,
            "unknown profile \"best\"",
        ),
    ] {
        fs::write(folder.join("c"), capture(2, last)).unwrap();
        let output = run(&folder, &["replay", "c", "--out", name]);
        assert_eq!(stderr(&output), format!("molehill: c:6: {message}\n"), "{name}");
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert_eq!(pictures(&folder.join(name)), ["frame-0000.png", "frame-0001.png"], "{name}");
        assert!(stdout(&output).contains("2 frames, "), "{name}");
        let output = run(&folder, &["info", "c"]);
        assert_eq!(stderr(&output), format!("molehill: c:6: {message}\n"), "{name}");
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn base64_is_checked() {
    let folder = folder("base64_is_checked");
    let mut text = capture(1, r#"{"call":"requestContext3D","on":1,"stage3DIndex":0,"profile":"baseline","result":2}"#);
    text += "\n{\"call\":\"setProgramConstantsFromVector\",\"on\":2,\"programType\":\"vertex\",\"firstRegister\":0,\
             \"dataF64B64\":\"!\",\"numRegisters\":1}\n";
    fs::write(folder.join("c"), text).unwrap();
    let output = run(&folder, &["replay", "c"]);
    let expected = "molehill: c:5: setProgramConstantsFromVector: key \"dataF64B64\" is not base64: ";
    assert!(stderr(&output).starts_with(expected), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn no_capture_at_all() {
    let folder = folder("no_capture_at_all");
    fs::write(folder.join("empty"), "").unwrap();
    fs::write(folder.join("other"), "{\"frames\":[]}\n").unwrap();
    fs::write(folder.join("newer"), HEADER.replace("\":1,", "\":2,")).unwrap();
    for (name, message) in [
        ("missing", "missing: No such file or directory (os error 2)"),
        ("empty", "empty:1: not a Stage3D capture: the first line has no \"stage3dCapture\""),
        ("other", "other:1: not a Stage3D capture: the first line has no \"stage3dCapture\""),
        ("newer", "newer:1: capture of version 2; only version 1 can be read"),
        (".", ".: Is a directory (os error 21)"),
    ] {
        for command in ["replay", "info"] {
            let output = run(&folder, &[command, name]);
            assert_eq!(stderr(&output), format!("molehill: {message}\n"));
            assert_eq!(output.status.code(), Some(2));
        }
    }
}

#[test]
fn zstd_is_recognised_and_its_faults_are_named() {
    let folder = folder("zstd");
    let text = capture(20_000, "");
    let whole = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    assert!(whole.len() < text.len() / 2);
    fs::write(folder.join("whole"), &whole).unwrap();
    let output = run(&folder, &["replay", "whole"]);
    assert!(stdout(&output).starts_with("20000 frames, 20000 calls"), "{}", stderr(&output));

    fs::write(folder.join("cut"), &whole[..whole.len() * 9 / 10]).unwrap();
    let output = run(&folder, &["replay", "cut", "--out", "out", "--frames", "0,1000"]);
    let said = stderr(&output);
    let (line, message) = said.strip_prefix("molehill: cut:").and_then(|rest| rest.split_once(": ")).unwrap();
    assert_eq!(message, "bad zstd data: the data end too early\n");
    assert!((2002..40_001).contains(&line.parse::<u32>().unwrap()), "{said}");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(pictures(&folder.join("out")), ["frame-0000.png", "frame-1000.png"]);

    let mut garbage = whole.clone();
    garbage.truncate(6);
    garbage.extend([0xff; 100]);
    fs::write(folder.join("garbage"), &garbage).unwrap();
    let output = run(&folder, &["info", "garbage"]);
    assert!(stderr(&output).starts_with("molehill: garbage:1: bad zstd data: "), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn standard_input() {
    let folder = folder("standard_input");
    for data in [
        capture(2, "nonsense").into_bytes(),
        compress_to_vec(capture(2, "nonsense").as_bytes(), CompressionLevel::Fastest),
    ] {
        let mut command = molehill(&folder, &["replay", "-", "--out", "out"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&data).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(stderr(&output), "molehill: standard input:6: invalid JSON at column 2: expected ident\n");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(pictures(&folder.join("out")).len(), 2);
    }
}

/// Memory that a process may have, in KiB.
#[cfg(target_os = "linux")]
const MEMORY_LIMIT: u32 = 3 << 20;

#[test]
#[cfg(target_os = "linux")]
fn a_line_of_four_gigabytes_is_refused_in_bounded_memory() {
    let folder = folder("endless");
    let script = format!(
        "ulimit -v {MEMORY_LIMIT}; {{ printf '%s\\n' \"$HEADER\"; head -c 4294967296 /dev/zero | tr '\\0' x; }} | \"$MOLEHILL\" info -"
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&folder)
        .env("HEADER", HEADER)
        .env("MOLEHILL", env!("CARGO_BIN_EXE_molehill"))
        .output()
        .unwrap();
    assert!(stderr(&output).contains("molehill: standard input:2: line longer than 268435456 bytes"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn pictures_are_judged() {
    let folder = folder("pictures_are_judged");
    fs::write(folder.join("c"), capture(3, "")).unwrap();
    let stage = [0x10, 0x20, 0x30, 255];
    write_png(&folder.join("same.png"), &Image::filled(4, 2, stage)).unwrap();
    write_png(&folder.join("near.png"), &Image::filled(4, 2, [0x12, 0x1e, 0x32, 253])).unwrap();
    write_png(&folder.join("alpha.png"), &Image::filled(4, 2, [0x10, 0x20, 0x30, 252])).unwrap();
    write_png(&folder.join("size.png"), &Image::filled(4, 3, stage)).unwrap();
    let mut one_off = vec![0x10, 0x20, 0x30, 255].repeat(8);
    one_off[0] = 0xff;
    write_png(&folder.join("one.png"), &Image::from_rgba(4, 2, one_off).unwrap()).unwrap();

    for (arguments, status, verdict) in [
        (vec!["same.png"], 0, "frame 2 is as expected: 0 pixels differ by more than 2 (0 may), largest difference 0"),
        (vec!["near.png"], 0, "frame 2 is as expected: 0 pixels differ by more than 2 (0 may), largest difference 2"),
        (
            vec!["near.png", "--tolerance", "1", "--expect-frame", "1"],
            1,
            "frame 1 is NOT as expected: 8 pixels differ by more than 1 (0 may), largest difference 2; see difference.png",
        ),
        (
            vec!["alpha.png", "--out", "alpha"],
            1,
            "frame 2 is NOT as expected: 8 pixels differ by more than 2 (0 may), largest difference 3; see alpha/difference.png",
        ),
        (vec!["size.png"], 1, "frame 2 is NOT as expected: it is 4×2, not 4×3; see difference.png"),
        (
            vec!["one.png", "--max-outliers", "1"],
            0,
            "frame 2 is as expected: 1 pixels differ by more than 2 (1 may), largest difference 239",
        ),
        (
            vec!["one.png"],
            1,
            "frame 2 is NOT as expected: 1 pixels differ by more than 2 (0 may), largest difference 239; see difference.png",
        ),
    ] {
        let _ = fs::remove_file(folder.join("difference.png"));
        let all = [["replay", "c", "--expect"].as_slice(), &arguments].concat();
        let output = run(&folder, &all);
        assert_eq!(stdout(&output).lines().next(), Some(verdict), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        let shown = verdict.split_once("; see ").map(|(_, path)| path);
        assert_eq!(shown == Some("difference.png"), folder.join("difference.png").exists());
    }
    assert!(folder.join("alpha/difference.png").exists());
    for (arguments, message) in [
        (vec!["same.png", "--expect-frame", "3"], "molehill: c: there is no frame 3\n"),
        (vec!["none.png"], "molehill: none.png: No such file or directory (os error 2)\n"),
    ] {
        let all = [["replay", "c", "--expect"].as_slice(), &arguments].concat();
        let output = run(&folder, &all);
        assert_eq!((stderr(&output).as_str(), output.status.code()), (message, Some(2)));
    }
}

#[test]
fn flash_errors_are_counted_listed_and_written() {
    // A Stage3D's x outside -8192..8191 is error 2006 (context3d.md, section 1).
    let folder = folder("flash_errors");
    let bad = r#"{"call":"y","on":1,"value":9000.0,"throws":2006}"#;
    fs::write(folder.join("c"), capture(1, &format!("{bad}\n").repeat(25)) + "{\"frame\":1}\n").unwrap();
    let output = run(&folder, &["replay", "c", "--errors", "numbers"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("c:4: y: ArgumentError: Error #2006: "), "{text}");
    assert!(lines[19].starts_with("c:23: y: "), "{text}");
    assert_eq!(lines[20], "… and 5 more errors; --errors FILE writes the numbers of all");
    assert!(lines[21].starts_with("2 frames, 26 calls, 0 draws, 0 programs, 25 errors raised, "), "{text}");
    assert_eq!(fs::read_to_string(folder.join("numbers")).unwrap(), "2006\n".repeat(25));

    let output = run(&folder, &["replay", "c", "--strict", "--errors", "numbers"]);
    assert!(stderr(&output).starts_with("molehill: c:4: y: ArgumentError: Error #2006: "), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(folder.join("numbers")).unwrap(), "2006\n");

    let output = run(&folder, &["replay", "c", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(json["errors"]["byNumber"]["2006"], 25);
    assert_eq!((&json["errors"]["kept"][0]["line"], &json["errors"]["kept"][0]["callNumber"]), (&4.into(), &2.into()));
    assert_eq!((&json["frames"], &json["disagreements"], &json["failure"]), (&2.into(), &0.into(), &().into()));
}

#[test]
fn output_for_machines() {
    let folder = folder("output_for_machines");
    fs::write(folder.join("c"), capture(2, "nonsense")).unwrap();
    for command in ["replay", "info"] {
        let output = run(&folder, &[command, "c", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(json["failure"], "c:6: invalid JSON at column 2: expected ident");
        assert_eq!(output.status.code(), Some(2));
    }
    let json: serde_json::Value = serde_json::from_str(&stdout(&run(&folder, &["info", "c", "--json"]))).unwrap();
    assert_eq!((&json["calls"]["x"], &json["stageColor"]), (&2.into(), &"#102030".into()));
    assert_eq!((&json["replay"]["frames"], &json["swfVersion"]), (&2.into(), &20.into()));
}

#[test]
fn help_teaches() {
    let folder = folder("help");
    let output = run(&folder, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("Usage: molehill <COMMAND>") && stderr(&output).contains("Examples:"));
    for arguments in [["--help"].as_slice(), &["replay", "--help"], &["help", "info"]] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("Examples:") && stdout(&output).contains("Exit status"), "{arguments:?}");
    }
    assert_eq!(run(&folder, &["replay"]).status.code(), Some(2));
    assert_eq!(run(&folder, &["reply", "c"]).status.code(), Some(2));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let mut command = molehill(&folder("broken_pipe"), &["info", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // First the pipe is closed, only then there is something to print.
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(capture(1, "").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((stderr(&output).as_str(), output.status.code()), ("", Some(0)));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure() {
    let folder = folder("full_disk");
    fs::write(folder.join("c"), capture(1, "")).unwrap();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = molehill(&folder, &["info", "c"]).stdout(full).output().unwrap();
    assert_eq!(stderr(&output), "molehill: standard output: No space left on device (os error 28)\n");
    assert_eq!(output.status.code(), Some(2));
}

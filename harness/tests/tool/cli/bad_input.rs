//! Tests invalid input of all types: one message with the line, exit status 2, and the images of earlier frames.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use molehill_replay::image::{RgbaImage, write_png};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{HEADER, capture, folder, molehill, pictures, run, stderr, stdout};

/// Memory limit of a process, in KiB.
#[cfg(target_os = "linux")]
const MEMORY_LIMIT: u32 = 3 << 20;

#[test]
fn bad_input_is_named_and_finished_frames_stay() {
    let folder = folder("bad_input");
    for (name, last, message) in [
        ("json", "{\"call\":\"pre", "invalid JSON at column 12: EOF while parsing a string"),
        (
            "unknown call",
            r#"{"call":"presnt","on":1}"#,
            "unknown call \"presnt\"; did you mean \"present\"?",
        ),
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
        (
            "id",
            r#"{"call":"present","on":9}"#,
            "present: key \"on\" names object 9, which no earlier line created",
        ),
        ("frame", r#"{"frame":1}"#, "frame 1 ends after frame 1"),
        (
            "profile",
            r#"{"call":"requestContext3D","on":1,"stage3DIndex":0,"profile":"best","result":2}"#,
            "unknown profile \"best\"",
        ),
    ] {
        fs::write(folder.join("c"), capture(2, last)).unwrap();
        // In messages, commands are counted by calls, not by lines. The end of a frame isn't a call.
        let message = match name {
            "frame" => message.to_owned(),
            _ => format!("call 3: {message}"),
        };
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
    let mut text = capture(
        1,
        r#"{"call":"requestContext3D","on":1,"stage3DIndex":0,"profile":"baseline","result":2}"#,
    );
    text += "\n{\"call\":\"setProgramConstantsFromVector\",\"on\":2,\"programType\":\"vertex\",\"firstRegister\":0,\
             \"dataF64B64\":\"!\",\"numRegisters\":1}\n";
    fs::write(folder.join("c"), text).unwrap();
    let output = run(&folder, &["replay", "c"]);
    let expected =
        "molehill: c:5: call 3: setProgramConstantsFromVector: key \"dataF64B64\" is not base64: ";
    assert!(stderr(&output).starts_with(expected), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn no_capture_at_all() {
    let folder = folder("no_capture_at_all");
    fs::write(folder.join("empty"), "").unwrap();
    fs::write(folder.join("other"), "{\"frames\":[]}\n").unwrap();
    fs::write(folder.join("newer"), HEADER.replace("\":1,", "\":4,")).unwrap();
    for (name, message) in [
        ("missing", "missing: No such file or directory (os error 2)"),
        ("empty", "empty:1: not a Stage3D capture: the first line has no \"stage3dCapture\""),
        ("other", "other:1: not a Stage3D capture: the first line has no \"stage3dCapture\""),
        ("newer", "newer:1: capture of version 4; only versions 1 to 3 can be read"),
        (".", ".: no file ends in .s3d, .s3d.zst, .s3d.jsonl, .s3d.jsonl.zst"),
    ] {
        for command in ["replay", "info"] {
            let output = run(&folder, &[command, name]);
            assert_eq!(stderr(&output), format!("molehill: {message}\n"));
            assert_eq!(output.status.code(), Some(2));
        }
    }
}

/// The error message names the type of a file that is mistaken for a capture.
#[test]
fn a_file_of_another_kind_is_named() {
    let folder = folder("another_kind");
    write_png(&folder.join("a.png"), &RgbaImage::filled(4, 4, [1; 4])).unwrap();
    for (name, bytes) in [
        ("a.txt", &b"Dear reader,\n"[..]),
        ("a.swf", b"CWS\x20\x10\0\0\0x"),
        ("a.atf", b"ATF\0\0\x10"),
        ("a.bin", b"\xa0\x01\0\0\0\xa1\x01"),
        ("a.zip", b"PK\x03\x04\x14\0"),
        ("a.gz", b"\x1f\x8b\x08\0"),
    ] {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let only_zstd = "gzip data (zstd is the only supported compression)";
    for (name, what) in [
        ("a.png", "a PNG image"),
        ("a.txt", "text"),
        ("a.swf", "a SWF (to record it: molehill record game.swf -o game.s3d)"),
        ("a.atf", "an ATF texture (\"molehill atf\" reads it)"),
        ("a.bin", "AGAL bytecode (\"molehill shader\" reads it)"),
        ("a.zip", "a zip archive (unpack it first)"),
        ("a.gz", only_zstd),
    ] {
        for command in ["replay", "info"] {
            let output = run(&folder, &[command, name]);
            let expected = format!("molehill: {name}: not a Stage3D capture but {what}\n");
            assert_eq!(stderr(&output), expected);
            assert_eq!(output.status.code(), Some(2));
        }
    }
}

/// A folder that contains a capture stands for this capture.
#[test]
fn a_folder_with_a_capture_is_enough() {
    let folder = folder("folder_with_a_capture");
    let place = folder.join("case");
    fs::create_dir(&place).unwrap();
    fs::write(place.join("my.s3d.jsonl"), capture(2, "")).unwrap();
    fs::write(place.join("case.toml"), "").unwrap();
    for (command, printed) in [("replay", "2 frames, "), ("info", "title       t\n")] {
        let output = run(&folder, &[command, "case"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).starts_with(printed), "{}", stdout(&output));
    }
    fs::write(place.join("other.s3d.jsonl.zst"), "").unwrap();
    let output = run(&folder, &["replay", "case"]);
    let expected = "molehill: case: 2 captures found; choose one: case/my.s3d.jsonl, case/other.s3d.jsonl.zst\n";
    assert_eq!(stderr(&output), expected);
    assert_eq!(output.status.code(), Some(2));
    // If a folder has several captures, the one with the name of a case's capture is used.
    fs::write(place.join("capture.s3d.jsonl"), capture(3, "")).unwrap();
    let output = run(&folder, &["replay", "case"]);
    assert!(stdout(&output).starts_with("3 frames, "));
}

/// If a file has the name of an output folder, the command reports an error.
#[test]
fn a_file_in_the_place_of_a_folder_is_named() {
    let folder = folder("file_for_a_folder");
    fs::write(folder.join("c.s3d.jsonl"), capture(1, "")).unwrap();
    fs::write(folder.join("taken"), "mine").unwrap();
    fs::write(folder.join("case.json"), "{}").unwrap();
    fs::copy(folder.join("c.s3d.jsonl"), folder.join("capture.s3d.jsonl")).unwrap();
    let conform = ["conform", "--self-test", "--backend", "null", "--filter", "self.pass"];
    for arguments in [
        &["replay", "c.s3d.jsonl", "--out", "taken"][..],
        &["replay", "c.s3d.jsonl", "-o", "taken"],
        &["check", ".", "--out", "taken"],
        &["atf", "c.s3d.jsonl", "--png", "taken"],
        &["conform", "save", "taken", "--filter", "api.scissor"],
        &[&conform[..], &["-o", "taken"]].concat(),
    ] {
        let output = run(&folder, arguments);
        let expected = "molehill: taken: expected a folder, found a file\n";
        assert_eq!(stderr(&output), expected, "{arguments:?}");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(fs::read(folder.join("taken")).unwrap(), b"mine");
    }
    let output = run(&folder, &["replay", "c.s3d.jsonl", "-o", "taken/deeper"]);
    let expected = "molehill: taken/deeper: can't create a folder in taken, which is a file\n";
    assert_eq!(stderr(&output), expected);
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
    let output = run(&folder, &["replay", "cut", "--out", "out", "--frames", "0,1000,19999"]);
    let said = stderr(&output);
    let (line, message) =
        said.strip_prefix("molehill: cut:").and_then(|rest| rest.split_once(": call ")).unwrap();
    assert!(message.ends_with(": bad zstd data: the data end too early\n"), "{message}");
    assert!((2002..40_001).contains(&line.parse::<u32>().unwrap()), "{said}");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(pictures(&folder.join("out")), ["frame-0000.png", "frame-1000.png"]);

    let mut garbage = whole.clone();
    garbage.truncate(6);
    garbage.extend([0xff; 100]);
    fs::write(folder.join("garbage"), &garbage).unwrap();
    let output = run(&folder, &["info", "garbage"]);
    assert!(
        stderr(&output).starts_with("molehill: garbage:1: bad zstd data: "),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn standard_input() {
    let folder = folder("standard_input");
    let text = capture(2, "nonsense").into_bytes();
    let compressed = compress_to_vec(text.as_slice(), CompressionLevel::Fastest);
    for (out, data) in [("lines", text), ("zstd", compressed)] {
        let mut command = molehill(&folder, &["replay", "-", "--out", out]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&data).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            stderr(&output),
            "molehill: standard input:6: call 3: invalid JSON at column 2: expected ident\n"
        );
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(pictures(&folder.join(out)).len(), 2);
    }
}

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
    assert!(
        stderr(&output)
            .contains("molehill: standard input:2: call 1: line longer than 268435456 bytes"),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(2));
}

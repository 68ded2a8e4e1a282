//! Tests the commands' output as text and as JSON.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use molehill_replay::image::{RgbaImage, write_png};

use super::{capture, folder, molehill, run, stderr, stdout};

#[test]
fn flash_errors_are_counted_listed_and_written() {
    // A Stage3D's x outside -8192..8191 is error 2006 [context3d.stage3d.position].
    let folder = folder("flash_errors");
    let bad = r#"{"call":"y","on":1,"value":9000.0,"throws":2006}"#;
    fs::write(folder.join("c"), capture(1, &format!("{bad}\n").repeat(25)) + "{\"frame\":1}\n")
        .unwrap();
    let output = run(&folder, &["replay", "c", "--errors", "numbers"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("c:4: call 2: y: ArgumentError: Error #2006: "), "{text}");
    assert!(lines[19].starts_with("c:23: call 21: y: "), "{text}");
    assert_eq!(lines[20], "… and 5 more errors; --errors FILE writes all numbers");
    assert!(
        lines[21].starts_with("2 frames, 26 calls, 0 draws, 0 programs, 25 errors raised, "),
        "{text}"
    );
    assert_eq!(fs::read_to_string(folder.join("numbers")).unwrap(), "2006\n".repeat(25));

    let output = run(&folder, &["replay", "c", "--strict", "--errors", "numbers"]);
    assert!(
        stderr(&output).starts_with("molehill: c:4: call 2: y: ArgumentError: Error #2006: "),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(folder.join("numbers")).unwrap(), "2006\n");

    let output = run(&folder, &["replay", "c", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(json["errors"]["byNumber"]["2006"], 25);
    assert_eq!(
        (&json["errors"]["kept"][0]["line"], &json["errors"]["kept"][0]["callNumber"]),
        (&4.into(), &2.into())
    );
    assert_eq!(
        (&json["frames"], &json["disagreements"], &json["failure"]),
        (&2.into(), &0.into(), &().into())
    );
}

/// Text from a capture can't control the terminal, flood it, or imitate the tool's own lines.
#[test]
fn texts_of_a_capture_are_shown_as_they_are() {
    let folder = folder("hostile");
    let title = "a\u{1b}[31mb\u{9b}2J\n99 errors raised\u{202e}".to_owned() + &"x".repeat(1 << 20);
    let head = serde_json::json!({
        "stage3dCapture": 1, "title": title, "generator": title, "swfVersion": 20,
        "stageWidth": 4, "stageHeight": 2, "stageColor": "#102030",
    });
    let call = |n: usize| {
        // The first string is as long as the title; the other strings are longer in total.
        let render_mode = if n == 0 { &*title } else { &title[..4096] };
        let call = serde_json::json!({
            "call": "requestContext3D", "on": 1, "stage3DIndex": 0, "context3DRenderMode": render_mode,
            "profile": format!("\u{1b}]0;{n}\u{7}"), "result": null, "reason": render_mode,
        });
        format!("{call}\n")
    };
    let calls: String = (0..1000).map(call).collect();
    fs::write(folder.join("c"), format!("{head}\n{calls}")).unwrap();
    for (command, own) in [("info", "\n1000 errors raised\n"), ("replay", ", 1000 errors raised, ")]
    {
        let output = molehill(&folder, &[command, "c"]).env("RUST_LOG", "debug").output().unwrap();
        let printed = stdout(&output);
        assert!(printed.contains(own), "{printed}");
        assert!(printed.len() < 100_000, "{}", printed.len());
        assert!(!printed.contains("\n99 errors"));
        let odd = |letter: char| letter != '\n' && (letter.is_control() || letter == '\u{202e}');
        assert!(!printed.contains(odd) && !stderr(&output).contains(odd), "{command}");
    }
    let printed = stdout(&run(&folder, &["info", "c"]));
    let first = "title       a\\u{1b}[31mb\\u{9b}2J\\n99 errors raised\\u{202e}xxx";
    assert!(printed.starts_with(first), "{printed}");
}

/// Commands without an output option write no files.
#[test]
fn nothing_is_written_unasked() {
    let folder = folder("unasked");
    fs::write(folder.join("c.s3d.jsonl"), capture(1, "")).unwrap();
    write_png(&folder.join("p.png"), &RgbaImage::filled(4, 2, [0; 4])).unwrap();
    let pass = ["conform", "--self-test", "--backend", "null", "--filter", "self.pass"];
    for (arguments, status) in [
        (&["replay", "."][..], 0),
        (&["replay", ".", "--expect", "p.png"], 1),
        (&["info", "."], 0),
        (&["atf", "c.s3d.jsonl"], 0),
        (&pass, 0),
        (&["conform", "merge", "absent"], 2),
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", stderr(&output));
        let files = fs::read_dir(&folder).unwrap();
        assert_eq!(files.count(), 2, "{arguments:?}");
    }
}

/// A long replay without a terminal shows its progress.
pub(crate) fn off_a_terminal_a_line_now_and_then() {
    let folder = folder("line_now_and_then");
    let mut child = molehill(&folder, &["replay", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = capture(128, "");
    let (first, second) = text.split_at(text.len() / 2);
    input.write_all(first.as_bytes()).unwrap();
    input.flush().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(10_500));
    input.write_all(second.as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let printed = stderr(&output);
    let mut lines = printed.lines();
    let shown = |line: &str| line.contains(" calls, 1") && line.ends_with(" seconds");
    assert!(lines.any(shown), "{printed}");
}

#[test]
fn output_for_machines() {
    let folder = folder("output_for_machines");
    fs::write(folder.join("c"), capture(2, "nonsense")).unwrap();
    for command in ["replay", "info"] {
        let output = run(&folder, &[command, "c", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(
            json["failure"],
            serde_json::json!({
                "message": "c:6: call 3: invalid JSON at column 2: expected ident", "line": 6, "call": 3,
            })
        );
        assert_eq!(output.status.code(), Some(2));
    }
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&run(&folder, &["info", "c", "--json"]))).unwrap();
    assert_eq!((&json["calls"]["x"], &json["stageColor"]), (&2.into(), &"#102030".into()));
    assert_eq!((&json["replay"]["frames"], &json["swfVersion"]), (&2.into(), &20.into()));
}

/// The event of a rejected request has only the error number; the recording may contain the reason.
#[test]
fn info_says_why_a_context_was_refused() {
    let folder = folder("refused_contexts");
    let line = |rest: &str| {
        format!("{{\"call\":\"requestContext3D\",\"on\":1,\"stage3DIndex\":0,{rest}}}\n")
    };
    let why = "standard needs 4096 texels a side of a 2D texture, and the device has 1024";
    let mut lines = line(&format!(r#""profile":"standard","throws":3702,"reason":"{why}""#));
    lines += &line(r#""profile":"baseline","throws":3702"#);
    lines += &line(r#""profile":"baseline","throws":1,"reason":"none""#);
    lines += &line(r#""profile":"standard","result":2"#);
    fs::write(folder.join("c"), capture(1, &lines)).unwrap();
    let printed = stdout(&run(&folder, &["info", "c"]));
    let contexts = format!(
        "\ncontexts\n\
         \x20          1  profile baseline, rejected with 1: none\n\
         \x20          1  profile baseline, rejected with 3702: Context3D not available.\n\
         \x20          1  profile standard, rejected with 3702: Context3D not available: {why}\n\
         \x20          1  profile standard\n\ncalls\n"
    );
    assert!(printed.contains(&contexts), "{printed}");
    let printed = stdout(&run(&folder, &["info", "c", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let told: Vec<_> = (0..4)
        .map(|row| &json["contexts"][row])
        .map(|row| (row["granted"].as_bool(), row["error"].as_u64(), row["reason"].as_str()))
        .collect();
    let refused = |error, reason| (Some(false), Some(error), reason);
    let expected = [
        refused(1, Some("none")),
        refused(3702, None),
        refused(3702, Some(why)),
        (Some(true), None, None),
    ];
    assert_eq!(told, expected);
}

#[test]
fn help_teaches() {
    let folder = folder("help");
    let output = run(&folder, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("Usage: molehill FILE\n       molehill <COMMAND>")
            && stderr(&output).contains("Examples:")
    );
    for arguments in [["--help"].as_slice(), &["replay", "--help"], &["help", "info"]] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(0));
        assert!(
            stdout(&output).contains("Examples:") && stdout(&output).contains("Exit status"),
            "{arguments:?}"
        );
    }
    let help = stdout(&run(&folder, &["draws", "-h"]));
    assert!(help.starts_with("Shows the passes and draws of a frame"), "{help}");
    assert_eq!(run(&folder, &["replay"]).status.code(), Some(2));
    assert_eq!(run(&folder, &["reply", "c"]).status.code(), Some(2));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let mut command = molehill(&folder("broken_pipe"), &["info", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The pipe is closed before the tool prints.
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(capture(1, "").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((stderr(&output).as_str(), output.status.code()), ("", Some(0)));
}

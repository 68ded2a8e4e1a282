//! What is said, to people and to machines.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use super::{capture, folder, molehill, run, stderr, stdout};

#[test]
fn flash_errors_are_counted_listed_and_written() {
    // A Stage3D's x outside -8192..8191 is error 2006 (context3d.md, section 1).
    let folder = folder("flash_errors");
    let bad = r#"{"call":"y","on":1,"value":9000.0,"throws":2006}"#;
    fs::write(
        folder.join("c"),
        capture(1, &format!("{bad}\n").repeat(25)) + "{\"frame\":1}\n",
    )
    .unwrap();
    let output = run(&folder, &["replay", "c", "--errors", "numbers"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("c:4: y: ArgumentError: Error #2006: "),
        "{text}"
    );
    assert!(lines[19].starts_with("c:23: y: "), "{text}");
    assert_eq!(
        lines[20],
        "… and 5 more errors; --errors FILE writes the numbers of all"
    );
    assert!(
        lines[21].starts_with("2 frames, 26 calls, 0 draws, 0 programs, 25 errors raised, "),
        "{text}"
    );
    assert_eq!(
        fs::read_to_string(folder.join("numbers")).unwrap(),
        "2006\n".repeat(25)
    );

    let output = run(&folder, &["replay", "c", "--strict", "--errors", "numbers"]);
    assert!(
        stderr(&output).starts_with("molehill: c:4: y: ArgumentError: Error #2006: "),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        fs::read_to_string(folder.join("numbers")).unwrap(),
        "2006\n"
    );

    let output = run(&folder, &["replay", "c", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(json["errors"]["byNumber"]["2006"], 25);
    assert_eq!(
        (
            &json["errors"]["kept"][0]["line"],
            &json["errors"]["kept"][0]["callNumber"]
        ),
        (&4.into(), &2.into())
    );
    assert_eq!(
        (&json["frames"], &json["disagreements"], &json["failure"]),
        (&2.into(), &0.into(), &().into())
    );
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
            "c:6: invalid JSON at column 2: expected ident"
        );
        assert_eq!(output.status.code(), Some(2));
    }
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&run(&folder, &["info", "c", "--json"]))).unwrap();
    assert_eq!(
        (&json["calls"]["x"], &json["stageColor"]),
        (&2.into(), &"#102030".into())
    );
    assert_eq!(
        (&json["replay"]["frames"], &json["swfVersion"]),
        (&2.into(), &20.into())
    );
}

#[test]
fn help_teaches() {
    let folder = folder("help");
    let output = run(&folder, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("Usage: molehill <COMMAND>")
            && stderr(&output).contains("Examples:")
    );
    for arguments in [
        ["--help"].as_slice(),
        &["replay", "--help"],
        &["help", "info"],
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(0));
        assert!(
            stdout(&output).contains("Examples:") && stdout(&output).contains("Exit status"),
            "{arguments:?}"
        );
    }
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
    // First the pipe is closed, only then there is something to print.
    drop(child.stdout.take());
    child
        .stdin
        .take()
        .unwrap()
        .write_all(capture(1, "").as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (stderr(&output).as_str(), output.status.code()),
        ("", Some(0))
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_a_failure() {
    let folder = folder("full_disk");
    fs::write(folder.join("c"), capture(1, "")).unwrap();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = molehill(&folder, &["info", "c"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(
        stderr(&output),
        "molehill: standard output: No space left on device (os error 28)\n"
    );
    assert_eq!(output.status.code(), Some(2));
}

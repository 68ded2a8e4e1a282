//! Tests the tool's report about the machine and about itself, and its coloured output.

use std::fs;

use super::{capture, folder, molehill, run, skipped, stderr, stdout};

#[test]
fn the_doctor_tells_drivers_and_remedies() {
    let folder = folder("doctor");
    let output = run(&folder, &["doctor", "--workaround", "one-sample=on"]);
    let text = stdout(&output);
    assert!(text.contains("Reference renderer: found\n"), "{text}");
    let rows = backend_gl::workarounds::Workaround::all();
    for row in rows {
        assert!(text.contains(row.what()), "{}: {text}", row.name());
    }
    let line = text.lines().find(|line| line.starts_with("one-sample "));
    let line = line.expect("a row of the table");
    match output.status.code() {
        Some(0) => assert!(line.contains(" yes "), "{line}"),
        Some(1) => {
            skipped("no OpenGL");
            assert!(text.contains("OpenGL: not found\n") && line.contains(" - "), "{text}");
        }
        code => panic!("{code:?}: {}", stderr(&output)),
    }
    let printed: serde_json::Value =
        serde_json::from_slice(&run(&folder, &["doctor", "--json"]).stdout).unwrap();
    let drivers = printed["drivers"].as_array().unwrap();
    assert_eq!(drivers.len(), 2);
    for driver in drivers {
        assert_eq!(driver["routes"].as_array().unwrap().len(), 3, "{driver}");
        let opened = |route: &serde_json::Value| route["driver"].is_string();
        let found = driver["routes"].as_array().unwrap().iter().any(opened);
        assert_eq!(found, driver["renderer"].is_string(), "{driver}");
        assert_eq!(found, driver["extensions"].is_array(), "{driver}");
    }
    // Without EGL, no OpenGL driver is available, but the reference renderer still works.
    let without = molehill(&folder, &["doctor"])
        .env("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere")
        .output()
        .unwrap();
    assert!(stdout(&without).contains("Reference renderer: found\n"));
    // With `MOLEHILL_EGL`, only the EGL library in that folder is used.
    let chosen = molehill(&folder, &["doctor"]).env("MOLEHILL_EGL", "/nowhere").output().unwrap();
    assert_eq!(chosen.status.code(), Some(1), "{}", stdout(&chosen));
    assert!(stdout(&chosen).contains("/nowhere/libEGL"), "{}", stdout(&chosen));
}

#[test]
fn shells_and_man_know_the_commands() {
    let folder = folder("shells");
    for shell in ["bash", "zsh", "fish"] {
        let text = stdout(&run(&folder, &["completions", shell]));
        assert!(text.contains("doctor") && text.contains("registers"), "{shell}");
    }
    assert_eq!(run(&folder, &["completions", "dos"]).status.code(), Some(2));
    let page = stdout(&run(&folder, &["man"]));
    assert!(page.starts_with(".ie") || page.contains(".TH molehill"), "{page}");
    assert_eq!(run(&folder, &["man", "--out", "pages"]).status.code(), Some(0));
    for page in ["molehill.1", "molehill-replay.1", "molehill-shader-check.1"] {
        assert!(folder.join("pages").join(page).is_file(), "{page}");
    }
}

#[test]
fn a_folder_of_captures_is_a_table() {
    let folder = folder("folder_info");
    fs::create_dir_all(folder.join("games/b")).unwrap();
    fs::write(folder.join("games/a.s3d.jsonl"), capture(3, "")).unwrap();
    fs::write(folder.join("games/b/capture.s3d.jsonl"), capture(5, "")).unwrap();
    let output = run(&folder, &["info", "games"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let cells: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(cells[0][..4], ["capture", "title", "frames", "calls"]);
    assert_eq!(cells[1][..4], ["games/a.s3d.jsonl", "t", "3", "3"]);
    assert_eq!(cells[2][..4], ["games/b/capture.s3d.jsonl", "t", "5", "5"]);
    fs::write(folder.join("games/c.s3d.jsonl"), "no capture").unwrap();
    let output = run(&folder, &["info", "games", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("1 captures can't be read to the end"));
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(printed["captures"][2]["failure"].is_string(), "{printed}");
}

/// Output has colours only on terminals that want them. Escape sequences in the input are never printed.
#[test]
fn verdicts_are_coloured_where_wanted() {
    let folder = folder("colours");
    fs::write(folder.join("\x1b[31mx.agal"), "// fragment\nmov oc, v0\n").unwrap();
    let line = ["shader", "check", "\x1b[31mx.agal"];
    let plain = stdout(&run(&folder, &line));
    assert_eq!(plain, "\\u{1b}[31mx.agal: fragment program, AGAL 1, 1 token: accepted\n");
    let forced = molehill(&folder, &line).env("CLICOLOR_FORCE", "1").output().unwrap();
    let painted = plain.replace("accepted", "\x1b[32maccepted\x1b[0m");
    assert_eq!(stdout(&forced), painted);
    let refused =
        molehill(&folder, &line).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().unwrap();
    assert_eq!(stdout(&refused), plain);
}

//! Tests the commands that query a capture, on the demo.

use serde_json::Value;

use super::{KNOT, folder, run, stderr, stdout};
use crate::run::run_with;

/// Returns the JSON output of a command.
fn answer(folder: &std::path::Path, arguments: &[&str]) -> Value {
    let output = run(folder, &[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn every_question_has_an_answer() {
    let folder = folder("inspect");
    let output = run(&folder, &["dump", KNOT, "--calls", "1-2"]);
    let text = stdout(&output);
    assert!(text.starts_with("     1  0.0  stage3d#1.requestContext3D("), "{text}");
    assert_eq!(text.lines().count(), 2);
    let calls = answer(&folder, &["dump", KNOT, "--frame", "0"]);
    let calls = calls["calls"].as_array().unwrap();
    let draw = calls.iter().rev().find(|call| call["name"] == "drawTriangles").unwrap();
    let draw = draw["call"].to_string();

    let objects = answer(&folder, &["objects", KNOT]);
    assert!(
        objects["objects"].as_array().unwrap().iter().any(|used| used["draws"].as_u64() > Some(0))
    );
    let state = answer(&folder, &["state", KNOT, "--call", &draw, "-o", "state", "--obj"]);
    assert!(state["rows"].as_array().unwrap().len() > 10);
    let there = |name: &str| folder.join("state").join(name).is_file();
    assert!(
        there("vertex.agal")
            && there("fragment.glsl")
            && there("target.png")
            && there("before.obj")
            && there("after.obj")
    );

    let draws = answer(&folder, &["draws", KNOT, "--frame", "0"]);
    assert!(draws["passes"].as_array().unwrap().len() >= 2);
    let target = draws["passes"][0]["targets"][0].as_str().unwrap();
    let target = target.split(' ').next().unwrap();
    let inside = ["pixel", KNOT, "--frame", "0", "--at", "9,9", "--texture", target];
    let history = answer(&folder, &inside);
    let events = history["events"].as_array().unwrap();
    assert_eq!(events[0]["name"], "clear", "{history}");
    assert_eq!(events.last().unwrap()["after"], history["shown"]);
    let text = stdout(&run(&folder, &inside));
    assert!(text.starts_with(&format!("pixel 9,9 of {target} ")), "{text}");
    let history = answer(&folder, &["pixel", KNOT, "--frame", "0", "--at", "320,390"]);
    let events = history["events"].as_array().unwrap();
    let drawn = events.iter().rev().find(|event| event["name"] == "drawTriangles").unwrap();
    let step = drawn["call"].to_string();
    let steps =
        answer(&folder, &["pixel", KNOT, "--frame", "0", "--at", "320,390", "--step", &step]);
    assert!(!steps["steps"].as_array().unwrap().is_empty());
    assert_eq!(steps["vertices"].as_array().unwrap().len(), 3);

    let trimmed = answer(&folder, &["trim", KNOT, "--frames", "1", "-o", "part.s3d.jsonl"]);
    // Each frame clears the render targets, so restoring their content takes fewer calls than all earlier frames.
    assert!(trimmed["restored"].as_u64() > Some(0), "{trimmed}");
    let part = "part.s3d.jsonl";
    std::fs::copy(folder.join(part), folder.join("copy")).unwrap();
    let output = run(&folder, &["diff", part, "copy", "--backend", "reference"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).ends_with("\nnothing differs\n"), "{}", stdout(&output));
}

#[test]
fn wrong_questions_fail_with_a_message() {
    let folder = folder("inspect-wrong");
    for (arguments, message) in [
        (&["dump", KNOT, "--calls", "999999"][..], "no call 999999"),
        (&["dump", KNOT, "--calls", "9-3"], "ends before its start"),
        (&["draws", KNOT, "--frame", "999"], "no frame 999"),
        (&["pixel", KNOT, "--frame", "0", "--at", "640,0"], "no pixel 640,0: the image is 640×400"),
        (&["pixel", KNOT, "--frame", "0", "--at", "640"], "is not a pixel"),
        (
            &["pixel", KNOT, "--frame", "0", "--at", "1,1", "--texture", "1"],
            "texture 1 does not exist",
        ),
        (&["state", KNOT, "--call", "0"], "no call 0"),
        (&["state", KNOT, "--call", "2", "-o", "state", "--obj"], "call 2 is not an executed draw"),
        (&["inspect", "nosuch", "--frame", "3"], "nosuch: No such file"),
        (&["trim", KNOT, "--frames", "999", "-o", "x"], "no frame 999"),
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
    assert!(!folder.join("state").exists());
}

#[test]
fn options_without_effect_are_refused() {
    let folder = folder("inspect-options");
    let line = ["replay", KNOT, "--tolerance", "9"];
    for (arguments, message) in [
        (&["state", KNOT, "-c", "9", "--vertex", "0", "-o", "d"][..], "'--vertex <N>' cannot be"),
        (
            &["draws", KNOT, "--frames", "all", "-o", "d"],
            "out has no effect with several frames, found all",
        ),
        (&["draws", KNOT, "--frames", "all", "-f", "1"], "'--frames <WHICH>' cannot be"),
        (&["dump", KNOT, "--calls", "1-2", "-f", "1"], "'--calls <WHICH>' cannot be"),
        (
            &["pixel", KNOT, "-f", "0", "--at", "9,9", "--texture", "17", "--step", "41"],
            "'--texture <ID[:FACE]>' cannot be used with '--step <N>'",
        ),
        (&line, "--tolerance has no effect without --expect"),
        (&["replay", KNOT, "--max-outliers", "9"], "--max-outliers has no effect without --expect"),
        (
            &["replay", KNOT, "--backend", "reference", "--gles"],
            "--gles has no effect with --backend reference",
        ),
        (
            &["pixel", KNOT, "-f", "0", "--at", "9,9", "--no-blocks"],
            "--no-blocks has no effect with --backend reference",
        ),
        (
            &["diff", KNOT, KNOT, "--backend", "gl", "--threads", "2"],
            "--threads has no effect with --backend gl and with OTHER",
        ),
        (&["convert", KNOT, "--json", "-o", "-"], "--json has no effect with --out -"),
        (
            &["minimize", KNOT, "--while", "true", "--tolerance", "3", "-o", "x"],
            "cannot be used with",
        ),
        (&["conform", "list", "--jobs", "3"], "unexpected argument '--jobs'"),
        (&["shader", "asm", "p", "--json", "--hex"], "--hex has no effect with --json and without"),
        (&["shader", "fuzz", "--pairs", "--thin", "9", "--length", "9"], "--length"),
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_folder_stands_for_its_capture() {
    let folder = folder("inspect-folders");
    let demo = std::fs::read_to_string(KNOT).unwrap();
    let first_frame = demo.split_inclusive("{\"frame\":0}\n").next().unwrap();
    for name in ["a", "b"] {
        std::fs::create_dir(folder.join(name)).unwrap();
        std::fs::write(folder.join(name).join("capture.s3d.jsonl"), first_frame).unwrap();
    }
    let file = "b/capture.s3d.jsonl";
    for arguments in [["diff", "a", "b"], ["diff", "a", file], ["diff", file, "a"]] {
        let output = run(&folder, &[&arguments[..], &["--backend", "reference"]].concat());
        let text = stdout(&output);
        assert!(text.ends_with("\nnothing differs\n"), "{arguments:?}: {text}{}", stderr(&output));
    }
    let texts = ["a", file].map(|name| {
        let output = run(&folder, &["atf", name]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        stdout(&output).lines().count()
    });
    assert_eq!(texts[0], texts[1]);
}

/// Creates a copy of the tool in its own folder.
fn copy(folder: &std::path::Path) -> std::path::PathBuf {
    let program = folder.join("molehill");
    let own = env!("CARGO_BIN_EXE_molehill");
    if std::fs::hard_link(own, &program).is_err() {
        std::fs::copy(own, &program).unwrap();
    }
    program
}

/// Ending the tool's process closes the inspector's window.
#[cfg(unix)]
#[test]
fn the_window_has_the_process_of_the_tool() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("inspect-process");
    let program = copy(&folder);
    let window = folder.join("molehill-inspector");
    std::fs::write(&window, "#!/bin/sh\necho $$\n").unwrap();
    std::fs::set_permissions(&window, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new(program);
    let child = command.args(["inspect", KNOT]).stdout(std::process::Stdio::piped()).spawn();
    let child = child.unwrap();
    let id = child.id();
    assert_eq!(stdout(&child.wait_with_output().unwrap()), format!("{id}\n"));
}

#[test]
fn without_the_window_one_line_says_how_to_get_it() {
    let folder = folder("inspect-window");
    let mut command = std::process::Command::new(copy(&folder));
    let output =
        command.args(["inspect", KNOT, "--frame", "3"]).env("PATH", &folder).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("cargo run --release -p molehill-inspector --features desktop -- CAPTURE"),
        "{text}"
    );
    assert!(text.contains("harness/inspector --features desktop`, or"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn a_changed_capture_is_compared_replayed_and_written() {
    let folder = folder("inspect-edit");
    let draws = answer(&folder, &["draws", KNOT, "--frame", "1"]);
    let draw = draws["passes"][1]["draws"][0]["call"].as_u64().unwrap();
    let edit = format!("{{\"call\": {draw}, \"delete\": true}}\n");
    std::fs::write(folder.join("edit"), edit).unwrap();
    let part = ["--edit", "edit", "--backend", "reference"];
    let output = run(&folder, &[&["diff", KNOT][..], &part].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("first frame: 1 and 1"), "{}", stdout(&output));
    let scan = answer(&folder, &["draws", KNOT, "--edit", "edit", "--frames", "0-3"]);
    assert_eq!(
        scan["frames"][1]["draws"].as_u64(),
        scan["frames"][0]["draws"].as_u64().map(|n| n - 1)
    );
    let written = answer(&folder, &["convert", KNOT, "--edit", "edit", "-o", "edited.s3d"]);
    assert_eq!(written["frames"], 48);
    let output = run(&folder, &["diff", "edited.s3d", KNOT, "--backend", "reference"]);
    assert!(stdout(&output).contains("first frame: 1 and 1"), "{}", stdout(&output));
    std::fs::write(folder.join("edit"), "{\"call\": 1, \"vertex\": \"x\"}").unwrap();
    let output = run(&folder, &["replay", KNOT, "--edit", "edit"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("edit: edit 1: call 1 doesn't upload a program"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_server_answers_line_by_line() {
    let folder = folder("inspect-serve");
    let lines = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\
                 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"frames\"}\n\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n";
    let output = run_with(&folder, &["serve", KNOT], lines.as_bytes());
    let answers: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((output.status.code(), answers.len()), (Some(0), 2));
    assert_eq!(answers[0]["result"]["frames"].as_array().unwrap().len(), 48);
    assert_eq!(answers[1]["result"]["tools"][0]["name"], "frames");
}

#[test]
fn a_capture_is_shared_as_a_page() {
    let folder = folder("inspect-share");
    let arguments = ["share", KNOT, "--frames", "1", "--page", "page", "-o", "bug.html"];
    let output = run(&folder, &arguments);
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    assert!(told.starts_with("molehill: the inspector's page: page/inspect.html: "), "{told}");
    let page = folder.join("page");
    let build =
        format!("; run `harness/web/build.sh {}` in Molehill's repository, or ", page.display());
    assert!(told.contains(&build), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    build_page(&page);
    assert!(answer(&folder, &arguments)["calls"].as_u64() > Some(0));
    let html = std::fs::read_to_string(folder.join("bug.html")).unwrap();
    for part in ["molehill-module", "molehill-capture", "inspector.open(\"knot.s3d\","] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("src=\"inspect.mjs\""));
    std::fs::write(page.join("molehill_inspector.js"), "other").unwrap();
    let output = run(&folder, &arguments);
    assert!(stderr(&output).contains("another version of Molehill"), "{}", stderr(&output));
}

/// Writes the files of the inspector's web page as after a build, with a small file instead of wasm-bindgen's output.
fn build_page(page: &std::path::Path) {
    std::fs::create_dir_all(page).unwrap();
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/web/static/");
    for name in ["inspect.html", "inspect.mjs"] {
        std::fs::copy(format!("{sources}{name}"), page.join(name)).unwrap();
    }
    let glue = "module_or_path = new URL('molehill_inspector_bg.wasm', import.meta.url);";
    std::fs::write(page.join("molehill_inspector.js"), glue).unwrap();
    std::fs::write(page.join("molehill_inspector_bg.wasm"), b"\0asm").unwrap();
}

/// The tool finds the web page of its release or its checkout from any folder, unless an option names another page.
#[test]
fn the_page_lies_near_the_tool_or_where_the_environment_says() {
    let folder = folder("inspect-share-from");
    let elsewhere = folder.join("elsewhere");
    for part in ["elsewhere", "bin"] {
        std::fs::create_dir(folder.join(part)).unwrap();
    }
    let tool = copy(&folder.join("bin"));
    let share = |named: Option<&str>| {
        let mut command = std::process::Command::new(&tool);
        command.args(["share", KNOT, "--frames", "1", "-o", "bug.html"]).current_dir(&elsewhere);
        command.env_remove("MOLEHILL_PAGE").envs(named.map(|page| ("MOLEHILL_PAGE", page)));
        let output = command.output().unwrap();
        (output.status.code(), stderr(&output))
    };
    let page = folder.join("share/molehill/page");
    let (status, told) = share(None);
    assert_eq!((status, told.lines().count()), (Some(2), 1), "{told}");
    assert!(told.contains(&format!("run `harness/web/build.sh {}` in", page.display())), "{told}");
    build_page(&elsewhere.join("web"));
    assert_eq!(share(Some("web")), (Some(0), String::new()));
    build_page(&folder.join("web"));
    assert_eq!(share(None), (Some(0), String::new()));
    std::fs::remove_dir_all(folder.join("web")).unwrap();
    build_page(&page);
    assert_eq!(share(None), (Some(0), String::new()));
    let (status, told) = share(Some("missing"));
    assert_eq!(status, Some(2));
    assert!(told.contains("missing/inspect.html"), "{told}");
}

/// A capture may change or be deleted while a server has it open.
#[test]
fn a_server_reads_a_changed_file_again() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let folder = folder("inspect-changed");
    let file = folder.join("c");
    std::fs::write(&file, super::capture(3, "")).unwrap();
    let mut command = crate::run::molehill(&folder, &["serve", "c"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |parameters: &str| -> Value {
        let request = r#"{"jsonrpc":"2.0","id":1,"method":"frames","params":"#;
        writeln!(input, "{request}{parameters}}}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    };
    let frames = |answer: &Value| answer["result"]["frames"].as_array().map(Vec::len);
    assert_eq!(frames(&ask("{}")), Some(3));
    std::fs::write(&file, super::capture(1, "")).unwrap();
    assert_eq!(frames(&ask("{}")), Some(1));
    std::fs::remove_file(&file).unwrap();
    let gone = ask("{}");
    assert!(gone["error"]["message"].as_str().unwrap().starts_with("c: No such file"), "{gone}");
    // A server uses standard input for requests, so it can't read a capture from it.
    let requests = ask(r#"{"capture":"-"}"#);
    assert!(requests["error"]["message"].as_str().unwrap().starts_with("-: "), "{requests}");
    drop(input);
    assert!(child.wait().unwrap().success());
}

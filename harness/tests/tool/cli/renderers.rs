//! Tests the option `--backend`.

use std::fs;

use molehill_replay::image::read_png;

use super::{HEADER, KNOT, folder, molehill, stderr, stdout};

/// Calls that create a context, clear it and present it.
const CALLS: &str = r#"{"call":"requestContext3D","on":1,"stage3DIndex":0,"context3DRenderMode":"auto","profile":"baseline","result":2}
{"call":"configureBackBuffer","on":2,"width":50,"height":50,"antiAlias":0,"enableDepthAndStencil":false,"wantsBestResolution":false,"wantsBestResolutionOnBrowserZoom":false}
{"call":"clear","on":2,"red":1,"green":0,"blue":0,"alpha":1,"depth":1,"stencil":0,"mask":4294967295}
{"call":"present","on":2}
{"frame":0}
"#;

/// The environment variable that hides all drivers from libEGL.
const NO_DRIVER: (&str, &str) = ("__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent");

#[test]
fn without_opengl_the_reference_renderer_draws_and_says_so() {
    let folder = folder("without_opengl");
    fs::write(folder.join("c"), format!("{HEADER}\n{CALLS}")).unwrap();
    let replay = |backend: &[&str]| {
        let arguments = [&["replay", "c", "--json"], backend].concat();
        let mut command = molehill(&folder, &arguments);
        command.env(NO_DRIVER.0, NO_DRIVER.1).output().unwrap()
    };
    for (backend, printed) in [
        (&["--backend", "auto"][..], 1),
        (&["--threads", "2"], 1),
        (&["--backend", "reference", "--threads", "2"], 0),
    ] {
        let output = replay(backend);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains("\"driver\": \"reference renderer\""));
        assert!(stdout(&output).contains("\"renderer\": \"the reference renderer\""));
        assert_eq!(stderr(&output).lines().count(), printed, "{}", stderr(&output));
    }
    let output = replay(&["--backend", "gl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("OpenGL"));
}

/// A comparison of two captures may fall back to another renderer. The command reports the renderer first, and once.
#[test]
fn a_comparison_says_first_who_was_compared() {
    let folder = folder("who_was_compared");
    for name in ["c", "d"] {
        fs::write(folder.join(name), format!("{HEADER}\n{CALLS}")).unwrap();
    }
    let diff = |arguments: &[&str]| {
        let mut command = molehill(&folder, &[&["diff"], arguments].concat());
        command.env(NO_DRIVER.0, NO_DRIVER.1).output().unwrap()
    };
    let output = diff(&["c", "d"]);
    let text = "the reference renderer, c with the reference renderer, d: 1 image, 4 errors\nnothing differs\n";
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), text));
    assert_eq!(stderr(&output).matches("using the reference renderer").count(), 1);
    let output = diff(&["c", "--allow-untested"]);
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (Some(0), "OpenGL with nothing\n")
    );
    assert!(stderr(&output).contains("allowed by --allow-untested"), "{}", stderr(&output));
    let output = diff(&["c", "d", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(answer["renderer"], "the reference renderer, c");
    assert_eq!(answer["evidence"]["oracles"][0]["images"], 1);
}

/// Without OpenGL, the output says that times and values aren't those of a driver.
#[test]
fn what_is_measured_says_where() {
    let folder = folder("where_measured");
    for (arguments, text) in [
        (&["time", KNOT, "-f", "0"][..], "measured on the reference renderer\n"),
        (
            &["pixel", KNOT, "-f", "0", "--at", "320,390", "--backend", "auto"],
            "driver: the reference renderer\n",
        ),
    ] {
        let mut command = molehill(&folder, arguments);
        let output = command.env(NO_DRIVER.0, NO_DRIVER.1).output().unwrap();
        assert!(stdout(&output).contains(text), "{arguments:?}: {}", stdout(&output));
    }
}

/// The result of 1 / 0 is scaled: the largest float becomes 0.34, infinity becomes white [agal.rcp.zero].
#[test]
fn float_rules_change_a_division_by_zero() {
    let folder = folder("float_rules");
    let scene = "agal.open.rcp_zero";
    let output = molehill(&folder, &["conform", "save", ".", "--filter", scene]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let capture = format!("{scene}.s3d.jsonl");
    for backend in ["reference", "gl"] {
        let red = |rules: &[&str]| {
            let replay = ["replay", &capture, "-o", "out", "--backend", backend];
            let output = molehill(&folder, &[&replay, rules].concat()).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            read_png(&folder.join("out/frame-0000.png")).unwrap().pixel(4, 4).unwrap()[0]
        };
        let rules = [&[][..], &["--float-rules", "direct3d9"], &["--float-rules", "ieee"]];
        assert_eq!(rules.map(red), [87, 87, 255], "{backend}");
    }
}

#[test]
fn options_without_an_effect_are_refused() {
    let folder = folder("without_effect");
    let pixel = ["pixel", KNOT, "-f", "0", "--at", "1,1"];
    for (command, options) in [
        (&pixel[..], &["--gles"][..]),
        (&pixel, &["--shaders", "d3d9"]),
        (&pixel, &["--float-rules", "ieee"]),
        (&pixel, &["--workaround", "one-sample=on"]),
        (&pixel, &["--threads", "2"]),
        (&pixel, &["--backend", "gl", "--samples", "4"]),
        (&pixel, &["--step", "3", "--backend", "gl"]),
        (&pixel, &["--step", "3", "--texture", "7"]),
        (&["replay", KNOT], &["--backend", "reference", "--gles"]),
        (&["replay", KNOT], &["--backend", "gl", "--threads", "2"]),
        (&["time", KNOT, "-f", "0"], &["--backend", "reference", "--shaders", "d3d9"]),
        (&["diff", KNOT, "other"], &["--backend", "reference", "--gles"]),
        (&["minimize", KNOT, "--while", "true", "-o", "o"], &["--gles"]),
        (&["minimize", KNOT, "--while", "true", "-o", "o"], &["--tolerance", "3"]),
    ] {
        let output = molehill(&folder, &[command, options].concat()).output().unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {text}");
        let why = ["effect", "cannot be used with", "need --backend"];
        assert!(why.iter().any(|why| text.contains(why)), "{options:?}: {text}");
    }
}

#[test]
fn what_is_no_backend_is_refused() {
    let folder = folder("what_is_no_backend_is_refused");
    fs::write(folder.join("c"), format!("{HEADER}\n{CALLS}")).unwrap();
    for arguments in [["--backend", "metal"], ["--threads", "0"], ["--samples", "17"]] {
        let arguments = [&["replay", "c"], &arguments[..]].concat();
        let output = molehill(&folder, &arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

/// Bitmaps of `drawToBitmapData` are written next to the frames, named by their line, unless they are empty.
#[test]
fn what_a_program_read_back_is_written() {
    let folder = folder("bitmaps");
    let read = |rect: &str| {
        let shape = r#"{"width":20,"height":10,"transparent":true}"#;
        format!(r#"{{"call":"drawToBitmapData","on":2,"destination":{shape}{rect}}}"#)
    };
    let whole = read("");
    let part = read(r#","srcRect":{"x":3,"y":4,"width":5,"height":6},"destPoint":{"x":0,"y":0}"#);
    let nothing =
        read(r#","srcRect":{"x":3,"y":4,"width":0,"height":6},"destPoint":{"x":0,"y":0}"#);
    let present = r#"{"call":"present","on":2}"#;
    let calls = CALLS.replace(present, &[&whole, &part, &nothing, present].join("\n"));
    fs::write(folder.join("c"), format!("{HEADER}\n{calls}")).unwrap();
    let replay = |out: &str, more: &[&str]| {
        let arguments = ["replay", "c", "--backend", "reference", "--out", out];
        let arguments = [&arguments[..], more].concat();
        let output = molehill(&folder, &arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let files = fs::read_dir(folder.join(out)).unwrap();
        let names = files.map(|file| file.unwrap().file_name());
        let shown = |name: &std::ffi::OsString| !name.to_string_lossy().starts_with('.');
        let mut names: Vec<_> = names.filter(shown).collect();
        names.sort();
        names
    };
    assert_eq!(replay("plain", &[]), ["frame-0000.png"]);
    let names = replay("all", &["--bitmaps"]);
    assert_eq!(names, ["bitmap-000005.png", "bitmap-000006.png", "frame-0000.png"]);
    for (name, size) in [(&names[0], (20, 10)), (&names[1], (5, 6))] {
        let image = read_png(&folder.join("all").join(name)).unwrap();
        assert_eq!((image.width(), image.height()), size);
        assert_eq!(image.pixel(4, 5), Some([255, 0, 0, 255]));
    }
}

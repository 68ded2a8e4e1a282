//! Tests `molehill check` on generated cases, each a back buffer that is cleared to one colour.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use context3d::Profile;
use molehill_conform::calls::Calls as _;
use molehill_conform::device::ConformDevice;
use molehill_conform::scene_builder::{PASS, SceneBuilder, Setup, VARYING};
use molehill_replay::image::{RgbaImage, read_png, write_png};
use serde_json::Value;

use crate::run;

const SIDE: u32 = 40;
const RED: [u8; 4] = [255, 0, 0, 255];
const CONFIGURE: &str = r#"{"call":"configureBackBuffer","on":2,"width":32,"height":32,"antiAlias":0,"enableDepthAndStencil":false,"wantsBestResolution":false,"wantsBestResolutionOnBrowserZoom":false}"#;

/// Returns a capture that shows red in the upper left 32×32 pixels of a black stage; `more` precedes the clear.
fn capture(more: &str) -> String {
    format!(
        r##"{{"stage3dCapture":1,"title":"t","swfVersion":30,"stageWidth":{SIDE},"stageHeight":{SIDE},"stageColor":"#000000"}}
{{"call":"requestContext3D","on":1,"stage3DIndex":0,"context3DRenderMode":"auto","profile":"baseline","result":2}}
{CONFIGURE}
{more}
{{"call":"clear","on":2,"red":1.0,"green":0.0,"blue":0.0,"alpha":1.0,"depth":1.0,"stencil":0,"mask":4294967295}}
{{"call":"present","on":2}}
{{"frame":0}}
"##
    )
}

fn red_square() -> RgbaImage {
    let mut image = RgbaImage::filled(SIDE, SIDE, [0, 0, 0, 255]);
    image.paste(&RgbaImage::filled(32, 32, RED), 0, 0, true);
    image
}

/// A folder with the test cases of one test.
struct Cases(PathBuf);

impl Cases {
    fn new(test: &str) -> Self {
        Cases(run::folder(&format!("check/{test}")))
    }

    fn add(&self, name: &str, capture: &str, expected: Option<&RgbaImage>, errors: Option<&str>) {
        let folder = self.0.join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("capture.s3d.jsonl"), capture).unwrap();
        let case = match expected {
            Some(image) => {
                write_png(&folder.join("expected.png"), image).unwrap();
                r#"{"expectedFrame":0,"tolerance":1,"maxOutliers":3}"#
            }
            None => "{}",
        };
        fs::write(folder.join("case.json"), case).unwrap();
        if let Some(errors) = errors {
            fs::write(folder.join("flash-errors.txt"), errors).unwrap();
        }
    }

    fn check(&self, arguments: &[&str]) -> Output {
        run::run(&self.0, &[&["check", "."], arguments].concat())
    }

    /// Returns the exit status, and the name and verdict of each case.
    fn verdicts(&self, arguments: &[&str]) -> (Option<i32>, Vec<(String, String)>) {
        let output = self.check(&[arguments, &["--json"]].concat());
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let cases = json["captures"].as_array().unwrap().iter();
        (
            output.status.code(),
            cases.map(|case| (text(&case["name"]), text(&case["verdict"]))).collect(),
        )
    }
}

fn verdict(name: &str, verdict: &str) -> (String, String) {
    (name.to_owned(), verdict.to_owned())
}

#[test]
fn pictures_are_judged_by_tolerance_and_outliers() {
    let cases = Cases::new("pictures");
    let mut outliers = red_square();
    outliers.paste(&RgbaImage::filled(3, 1, [250, 0, 0, 255]), 0, 0, true);
    let mut too_many = red_square();
    too_many.paste(&RgbaImage::filled(4, 1, [250, 0, 0, 255]), 0, 0, true);
    cases.add("same", &capture(""), Some(&red_square()), None);
    cases.add("within", &capture(""), Some(&outliers), None);
    cases.add("beyond", &capture(""), Some(&too_many), None);
    cases.add("size", &capture(""), Some(&RgbaImage::filled(8, 8, RED)), None);
    let (status, verdicts) = cases.verdicts(&["--out", "pictures"]);
    assert_eq!(status, Some(1));
    let expected = [("beyond", "fail"), ("same", "pass"), ("size", "fail"), ("within", "pass")];
    assert_eq!(verdicts, expected.map(|(name, word)| verdict(name, word)));
    for picture in ["same.png", "beyond.png", "beyond.expected.png", "size.expected.png"] {
        assert!(cases.0.join("pictures").join(picture).is_file(), "{picture}");
    }
    assert!(!cases.0.join("pictures/same.expected.png").exists());
}

/// The table shows the tolerance of a passing case, and a failure is reported immediately.
#[test]
fn the_table_names_the_tolerance() {
    let cases = Cases::new("tolerance");
    cases.add("good", &capture(""), Some(&red_square()), None);
    cases.add("bad", &capture(""), Some(&RgbaImage::filled(SIDE, SIDE, RED)), None);
    cases.add("none", &capture(""), None, None);
    let output = cases.check(&[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let row = |name: &str| {
        let row = text.lines().find(|line| line.starts_with(name));
        let cells = row.unwrap().split("  ").map(str::trim);
        cells.filter(|cell| !cell.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let column = row("case").iter().position(|cell| cell == "tolerance").unwrap();
    assert_eq!(row("good")[1], "pass");
    assert_eq!(row("good")[column], "1, except in 3 pixels");
    assert_eq!(row("none")[column], "-");
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("fail: bad: "), "{printed}");
    let output = cases.check(&["--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let good = &json["captures"][1];
    assert_eq!((&good["tolerance"], &good["maxOutliers"]), (&1.into(), &3.into()));
}

#[test]
fn error_numbers_are_judged_in_order() {
    let cases = Cases::new("errors");
    let wide = CONFIGURE.replace("\"width\":32", "\"width\":1");
    let high = CONFIGURE.replace("\"height\":32", "\"height\":1");
    let both = capture(&format!("{wide}\n{high}"));
    cases.add("order", &both, None, Some("3780\n3781\n"));
    cases.add("other-order", &both, None, Some("3781\n3780\n"));
    cases.add("none-expected", &both, None, Some(""));
    cases.add("one-missing", &capture(&wide), None, Some("3780\n3781\n"));
    let (status, verdicts) = cases.verdicts(&[]);
    assert_eq!(status, Some(1));
    let expected = [
        ("none-expected", "fail"),
        ("one-missing", "fail"),
        ("order", "pass"),
        ("other-order", "fail"),
    ];
    assert_eq!(verdicts, expected.map(|(name, word)| verdict(name, word)));
}

#[test]
fn known_failures_need_a_reason_and_must_fail() {
    let cases = Cases::new("known");
    cases.add("bad", &capture(""), Some(&RgbaImage::filled(SIDE, SIDE, RED)), None);
    cases.add("good", &capture(""), Some(&red_square()), None);
    let known = cases.0.join("known.json");
    let arguments = ["--known-failures", "known.json"];
    let row = |case: &str, reason: &str| {
        format!(r#"{{"cases":"capture.{case}","failure":"pixels differ","reason":"{reason}"}}"#)
    };
    fs::write(&known, format!("[{}]", row("bad", "for a reason"))).unwrap();
    let expected = [verdict("bad", "known failure"), verdict("good", "pass")];
    assert_eq!(cases.verdicts(&arguments), (Some(0), expected.to_vec()));
    let rows = [row("bad", "for a reason"), row("good", "no longer")];
    fs::write(&known, format!("[{}]", rows.join(","))).unwrap();
    let expected = [verdict("bad", "known failure"), verdict("good", "unexpected pass")];
    assert_eq!(cases.verdicts(&arguments), (Some(1), expected.to_vec()));
    for (rows, said) in [
        (row("bad", ""), "known.json: an entry needs cases and a reason"),
        (
            row("god", "r"),
            "known.json: no case matches \"capture.god\", did you mean \"capture.good\"?",
        ),
    ] {
        fs::write(&known, format!("[{rows}]")).unwrap();
        let output = cases.check(&arguments);
        let printed = run::stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert!(printed.contains(said), "{printed}");
    }
}

/// `molehill check` also uses the known failures of `molehill conform`, and reports a failure's reason.
#[test]
fn known_failures_are_one_list() {
    let cases = Cases::new("known-list");
    let red = RgbaImage::filled(SIDE, SIDE, RED);
    cases.add("bad.1", &capture(""), Some(&red), None);
    cases.add("bad.2", &capture(""), Some(&red), None);
    let known = r#"[{"cases":"capture.bad_*","failure":"pixels differ","backend":"reference","reason":"for a reason"}]"#;
    fs::write(cases.0.join("known.json"), known).unwrap();
    let arguments = ["--known-failures", "known.json", "--backend"];
    let (status, verdicts) = cases.verdicts(&[&arguments[..], &["reference"]].concat());
    assert_eq!(status, Some(0));
    let expected = ["bad.1", "bad.2"].map(|name| verdict(name, "known failure"));
    assert_eq!(verdicts, expected);
    let output = cases.check(&[&arguments[..], &["reference"]].concat());
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("known failure: bad.1: for a reason\n"), "{printed}");
    assert!(printed.contains("known failure: bad.1: 576 pixels differ (3 allowed)"), "{printed}");
}

/// Cases in folders with the same name get different names.
#[test]
fn names_that_stand_twice_have_a_number() {
    let cases = Cases::new("twice");
    cases.add("a/case", &capture(""), Some(&red_square()), None);
    cases.add("b/case", &capture(""), None, None);
    let (status, verdicts) = cases.verdicts(&["--backend", "reference", "--out", "pictures"]);
    assert_eq!(status, Some(0));
    let expected = ["case", "case-2"].map(|name| verdict(name, "pass"));
    assert_eq!(verdicts, expected);
    assert!(cases.0.join("pictures/case.png").is_file());
}

#[test]
fn a_replay_that_breaks_off_fails_and_the_others_are_judged() {
    let cases = Cases::new("broken");
    cases.add("broken", &capture("{\"call\":\"nonsense\",\"on\":2}"), None, None);
    cases.add("fine", &capture(""), Some(&red_square()), None);
    let output = cases.check(&[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("nonsense") && text.contains("2 of 2 cases: 1 pass, 1 fail, "), "{text}");
}

#[test]
fn people_write_cases_in_toml() {
    let cases = Cases::new("toml");
    cases.add("case", &capture(""), Some(&red_square()), None);
    let folder = cases.0.join("case");
    let write = |text: &str| fs::write(folder.join("case.toml"), text).unwrap();
    // The file `case.toml` is used instead of a `case.json` next to it.
    let start = "why = \"a square\"\nsource = \"by hand\"\nexpectedFrame = 0\n";
    write(&format!("{start}tolerance = 0\nmaxOutliers = 0\n"));
    let (status, verdicts) = cases.verdicts(&[]);
    assert_eq!((status, verdicts.len()), (Some(0), 1), "{verdicts:?}");
    let refused = |text: &str| {
        write(text);
        let output = cases.check(&[]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let unexplained = refused(&format!("{start}tolerance = 2\nmaxOutliers = 0\n"));
    assert!(unexplained.contains("toleranceReason"), "{unexplained}");
    let broken = refused(&format!("{start}tolerance = \n"));
    assert!(broken.contains("case.toml: line 4: "), "{broken}");
    assert_eq!(broken.lines().count(), 1, "{broken}");
    let misspelled = refused(&format!("{start}tolerence = 2\n"));
    let said = "case.toml: line 4: unknown key \"tolerence\", did you mean \"tolerance\"?\n";
    assert!(misspelled.ends_with(said), "{misspelled}");
    write(&format!(
        "{start}tolerance = 2\nmaxOutliers = 0\ntoleranceReason = \"rounding\"\nknownFailure = \"so it says\"\n"
    ));
    let (status, verdicts) = cases.verdicts(&[]);
    assert_eq!(status, Some(1), "passes, though it says that it fails: {verdicts:?}");
}

#[test]
fn an_incomplete_case_is_no_case() {
    for (test, file, content) in [
        ("no-capture", "capture.s3d.jsonl", None),
        ("no-picture", "expected.png", None),
        ("no-tolerance", "case.json", Some(r#"{"expectedFrame":0,"maxOutliers":0}"#)),
        ("no-json", "case.json", Some("{")),
        ("no-key", "case.json", Some("{\"maxOutliers\":0,\"known_failure\":\"r\"}")),
        ("no-number", "flash-errors.txt", Some("3780 x")),
    ] {
        let cases = Cases::new(test);
        cases.add("case", &capture(""), Some(&red_square()), None);
        let path = cases.0.join("case").join(file);
        match content {
            Some(content) => fs::write(path, content).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
        let output = cases.check(&[]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{test}: {text}");
        assert!(text.starts_with("molehill: ") && text.lines().count() == 1, "{test}: {text}");
    }
    assert_eq!(Cases::new("empty").check(&[]).status.code(), Some(2));
}

/// Recordings are checked without a case file: single files, and files in a folder without cases.
#[test]
fn recordings_are_checked() {
    let folder = run::folder("check/recordings");
    for name in ["a.s3d.jsonl", "b.s3d.jsonl"] {
        fs::write(folder.join(name), capture("")).unwrap();
    }
    fs::write(folder.join("c.txt"), "no capture").unwrap();
    for (arguments, names) in [
        (&["check", "."][..], &["a", "b"][..]),
        (&["check", "b.s3d.jsonl", "a.s3d.jsonl", "b.s3d.jsonl"], &["a", "b"]),
        (&["check", "b.s3d.jsonl"], &["b"]),
    ] {
        let output = run::run(&folder, &[arguments, &["--json"]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = report["captures"].as_array().unwrap_or_else(|| panic!("{report}"));
        let found: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
        assert_eq!((output.status.code(), found), (Some(0), names.to_vec()));
    }
    fs::write(folder.join("b.s3d.jsonl"), capture("nonsense\n")).unwrap();
    assert_eq!(run::run(&folder, &["check", "."]).status.code(), Some(1));
}

/// Returns a capture with a slanted edge, on a back buffer that requests four samples.
fn slanted() -> String {
    let setup = Setup { profile: Profile::Baseline, swf_version: 30 };
    let mut builder = SceneBuilder::open("slanted", setup, ConformDevice::Null).unwrap();
    builder.configure(32, 32, 4, false).unwrap();
    builder.clear([0.0, 0.0, 0.0, 1.0]).unwrap();
    builder.program(PASS, VARYING).unwrap();
    let vertices = [[-0.9, -0.8], [0.7, -0.3], [-0.2, 0.9]];
    let floats = vertices.iter().flat_map(|[x, y]| [*x, *y, 0.5]);
    let floats: Vec<f32> = floats.collect();
    let positions = builder.vertices(&floats, 3).unwrap();
    let white = builder.vertices(&[1.0; 12], 4).unwrap();
    builder.set_vertex_buffer_at(0, positions, 0, "float3").unwrap();
    builder.set_vertex_buffer_at(1, white, 0, "float4").unwrap();
    let indices = builder.indices(&[0, 1, 2]).unwrap();
    builder.draw_triangles(indices, 0, -1).unwrap();
    builder.present().unwrap();
    String::from_utf8(builder.finish().unwrap()).unwrap()
}

/// A case file contains the sample count of the machine that drew its image, which may differ from the requested count.
#[test]
fn the_reference_renderer_takes_the_samples_of_the_pictures_machine() {
    let cases = Cases::new("samples");
    let capture = slanted();
    // This case has the name of a capture whose image has eight samples, but that count applies only to that capture.
    cases.add("blend", &capture, None, None);
    let folder = cases.0.join("blend");
    let mut command = Command::new(env!("CARGO_BIN_EXE_molehill"));
    let arguments = ["--backend", "reference", "--samples", "8", "--out", "drawn"];
    let replayed = command.arg("replay").arg(folder.join("capture.s3d.jsonl"));
    let replayed = replayed.args(arguments).current_dir(&cases.0);
    assert!(replayed.output().unwrap().status.success());
    let drawn = read_png(&cases.0.join("drawn/frame-0000.png")).unwrap();
    write_png(&folder.join("expected.png"), &drawn).unwrap();
    for (samples, expected) in
        [("", "fail"), (r#","samples":4"#, "fail"), (r#","samples":8"#, "pass")]
    {
        let case = format!(r#"{{"expectedFrame":0,"tolerance":1,"maxOutliers":0{samples}}}"#);
        fs::write(folder.join("case.json"), case).unwrap();
        let (_, rows) = cases.verdicts(&["--backend", "reference"]);
        assert_eq!(rows, [verdict("blend", expected)], "{samples}");
    }
    fs::write(
        folder.join("case.json"),
        r#"{"expectedFrame":0,"tolerance":1,"maxOutliers":0,"samples":17}"#,
    )
    .unwrap();
    let output = cases.check(&["--backend", "reference"]);
    assert_eq!(output.status.code(), Some(2));
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(printed.contains("\"samples\" must be an integer from 0 to 16"), "{printed}");
}

/// A capture, its image and a reason form a case for `check` and `conform`.
#[test]
fn a_case_is_made_of_a_capture() {
    let folder = run::folder("check/new");
    fs::write(folder.join("a.s3d.jsonl"), capture("")).unwrap();
    write_png(&folder.join("red.png"), &red_square()).unwrap();
    let new = |more: &[&str]| {
        let arguments = ["conform", "new", "case", "a.s3d.jsonl", "--expect", "red.png"];
        run::run(&folder, &[&arguments[..], &["--reason", "\"red\" is seen"], more].concat())
    };
    let refused = |output: Output, said: &str| {
        let text = run::stderr(&output);
        assert!(output.status.code() == Some(2) && text.contains(said), "{text}");
        text
    };
    refused(new(&["--frame", "1"]), "the capture has no frame 1; the last is 0");
    assert!(!folder.join("case").exists());
    let made = new(&[]);
    assert_eq!(made.status.code(), Some(0), "{}", run::stderr(&made));
    refused(new(&[]), "case: the folder exists");
    for arguments in
        [&["check", "case"][..], &["conform", "--cases", "case", "--filter", "capture"]]
    {
        let output = run::run(&folder, arguments);
        let text = run::stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{text}");
        let first = " with stored images: 1 image; with recorded errors: 1 error";
        assert!(text.lines().next().unwrap().ends_with(first), "{text}");
    }
    let case = fs::read_to_string(folder.join("case/case.toml")).unwrap();
    assert!(case.contains("why = \"\\\"red\\\" is seen\"\n"), "{case}");
    // If `expected.png` contains a different image, the case in the folder `case` fails.
    write_png(&folder.join("case/expected.png"), &RgbaImage::filled(SIDE, SIDE, RED)).unwrap();
    assert_eq!(run::run(&folder, &["check", "case"]).status.code(), Some(1));
}

//! Broken comparisons of the conformance suite: `conform`, `check`, `merge` and `compare`.

use std::fs;
use std::path::Path;

use super::Row;
use crate::run::run;

/// Returns a capture of a context, with calls that raise `raised`; `throws` is the error in its records.
fn recording(raised: usize, throws: &str) -> String {
    let call = |width| {
        format!(
            r#"{{"call":"configureBackBuffer","on":2,"width":{width},"height":32,"antiAlias":0,"enableDepthAndStencil":false,"wantsBestResolution":false,"wantsBestResolutionOnBrowserZoom":false"#
        )
    };
    let mut text = String::from(
        r##"{"stage3dCapture":1,"title":"t","swfVersion":30,"stageWidth":40,"stageHeight":40,"stageColor":"#000000"}
{"call":"requestContext3D","on":1,"stage3DIndex":0,"context3DRenderMode":"auto","profile":"baseline","result":2}
"##,
    );
    for number in 0..6 {
        let width = if number < raised { 1 } else { 32 };
        text += &format!("{}{throws}}}\n", call(width));
    }
    text + "{\"frame\":0}\n"
}

fn nothing(_: &Path) {}

fn recordings(folder: &Path) {
    let thrown = r#","throws":3780"#;
    for (name, raised, throws) in
        [("good", 6, thrown), ("absent", 0, thrown), ("other", 6, r#","throws":3694"#)]
    {
        fs::write(folder.join(format!("{name}.s3d.jsonl")), recording(raised, throws)).unwrap();
    }
    // A capture with one recorded error contains all errors of the player. A call without a recorded error must then
    // succeed.
    let first = recording(6, "").replacen(":false}", &format!(":false{thrown}}}"), 1);
    fs::write(folder.join("more.s3d.jsonl"), first).unwrap();
}

/// Writes test cases with recorded error messages; in the folder `bad`, the messages belong to other errors.
fn texts(folder: &Path) {
    for (name, height) in [("good", "width"), ("bad", "height")] {
        let folder = folder.join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("capture.s3d.jsonl"), recording(6, "")).unwrap();
        fs::write(folder.join("case.toml"), "why = \"texts\"\n").unwrap();
        let line = format!(
            "Caught: Error: Error #3780: Requested {height} of backbuffer is not in allowed range 32 to 16384.\n"
        );
        fs::write(folder.join("flash-output.txt"), format!("begin\n{}", line.repeat(6))).unwrap();
    }
}

fn known(folder: &Path) {
    let row =
        |cases: &str| format!(r#"[{{"cases":"{cases}","failure":"the","reason":"all of them"}}]"#);
    fs::write(folder.join("one.json"), row("self.known")).unwrap();
    fs::write(folder.join("all.json"), row("self.*")).unwrap();
}

fn parts(folder: &Path) {
    for part in ["1/2", "2/2"] {
        let arguments = ["conform", "--self-test", "--backend", "null", "--filter", "self.pass"];
        let output = run(folder, &[&arguments[..], &["--shard", part, "-o", &part[..1]]].concat());
        assert_eq!(output.status.code(), Some(0));
    }
}

/// Writes a test case with a stored image: the demo's frame, as the reference renderer draws it.
fn case(folder: &Path) {
    fs::write(folder.join("a.s3d.jsonl"), recording(0, "")).unwrap();
    let output = run(folder, &["replay", "a.s3d.jsonl", "--backend", "reference", "-o", "."]);
    assert_eq!(output.status.code(), Some(0));
    let arguments = ["--expect", "frame-0000.png", "--reason", "drawn"];
    let output =
        run(folder, &[&["conform", "new", "case", "a.s3d.jsonl"], &arguments[..]].concat());
    assert_eq!(output.status.code(), Some(0));
}

const fn row(
    name: &'static str,
    intact: &'static [&'static str],
    broken: &'static [&'static str],
    status: i32,
    says: &'static str,
) -> Row {
    Row { name, prepare: nothing, intact, broken, environment: &[], status, says }
}

const NOTHING: &str = "not tested: no result was compared";
const ITSELF: &str = "not tested: both sides of the comparison are the same";

macro_rules! scene {
    ($($argument:literal),*) => {
        &["conform", "--filter", "texture.wrap.linear.mipnone.repeat.by_state", $($argument),*]
    };
}
macro_rules! formula {
    ($($argument:literal),*) => {
        &["conform", "--backend", "reference", "--filter", "texture.atf.raw_dxt1.v0", $($argument),*]
    };
}
macro_rules! tile {
    ($($argument:literal),*) => {
        &["conform", "--backend", "reference", "--filter", "api.clear.color.half", $($argument),*]
    };
}
macro_rules! pass {
    ($($argument:literal),*) => {
        &["conform", "--self-test", "--backend", "null", "--filter", "self.pass", $($argument),*]
    };
}
macro_rules! program {
    ($($argument:literal),*) => {
        &["conform", "--filter", "agal.op.add.vertex.mask_x", $($argument),*]
    };
}

pub(super) const ROWS: &[Row] = &[
    row("a device is its own oracle", scene!(), scene!("--oracle", "gl"), 2, ITSELF),
    row(
        "the runner draws the expected images on the device",
        scene!(),
        scene!("--break", "oracle-is-tested"),
        2,
        ITSELF,
    ),
    row(
        "the drawn image takes the place of a formula",
        formula!(),
        formula!("--break", "expected-is-drawn"),
        2,
        ITSELF,
    ),
    row(
        "the drawn image takes the place of a stored one",
        tile!(),
        tile!("--break", "expected-is-drawn"),
        2,
        ITSELF,
    ),
    row(
        "the last image is dropped",
        formula!(),
        formula!("--break", "last-image"),
        1,
        "0 images were drawn (1 expected)",
    ),
    row("all images are dropped", tile!(), tile!("--break", "no-images"), 2, NOTHING),
    row(
        "the list of cases is empty",
        pass!(),
        pass!("--break", "no-cases"),
        1,
        "20 cases have not run",
    ),
    row(
        "an outcome is lost",
        pass!(),
        pass!("--break", "lost-outcome"),
        1,
        "no process returned an outcome",
    ),
    row("outcomes have no evidence", pass!(), pass!("--break", "no-evidence"), 2, NOTHING),
    row(
        "every feature is missing",
        pass!(),
        pass!("--break", "no-features"),
        1,
        "missing feature: ",
    ),
    row("expected errors are ignored", pass!(), pass!("--break", "expected-errors"), 2, NOTHING),
    row("every value is undefined", program!(), program!("--break", "undefined"), 2, NOTHING),
    Row {
        prepare: recordings,
        ..row(
            "recorded errors are ignored",
            &["check", "good.s3d.jsonl"],
            &["check", "good.s3d.jsonl", "--break", "recorded-errors"],
            2,
            NOTHING,
        )
    },
    Row {
        prepare: recordings,
        ..row(
            "recorded errors do not come",
            &["check", "good.s3d.jsonl"],
            &["check", "absent.s3d.jsonl"],
            1,
            "error none here, 3780 in the recording player",
        )
    },
    Row {
        prepare: recordings,
        ..row(
            "other errors come than the recorded ones",
            &["check", "good.s3d.jsonl"],
            &["conform", "--cases", "other.s3d.jsonl", "--filter", "capture"],
            1,
            "error 3780 here, 3694 in the recording player",
        )
    },
    Row {
        prepare: recordings,
        ..row(
            "more errors come than the recorded ones",
            &["conform", "--cases", "good.s3d.jsonl", "--filter", "capture"],
            &["check", "more.s3d.jsonl"],
            1,
            "error 3780 here, none in the recording player",
        )
    },
    Row {
        prepare: texts,
        ..row(
            "the texts of errors differ",
            &["check", "good"],
            &["check", "bad"],
            1,
            "messages of 6 errors differ",
        )
    },
    Row {
        prepare: case,
        ..row(
            "the frame of a stored image is lost",
            &["check", "case"],
            &["check", "case", "--break", "last-image"],
            1,
            "frame 0 was never drawn",
        )
    },
    Row {
        prepare: known,
        ..row(
            "known failures cover every case",
            &[
                "conform",
                "--self-test",
                "--backend",
                "null",
                "--filter",
                "self.known",
                "--known-failures",
                "one.json",
            ],
            &[
                "conform",
                "--self-test",
                "--backend",
                "null",
                "--filter",
                "self.pass",
                "--known-failures",
                "all.json",
            ],
            1,
            "unexpected pass: ",
        )
    },
    Row {
        prepare: parts,
        ..row(
            "a part of a run is missing",
            &["conform", "merge", "1", "2", "-o", "whole"],
            &["conform", "merge", "1", "-o", "whole"],
            1,
            "10 cases have not run",
        )
    },
    Row {
        prepare: parts,
        ..row(
            "a run is compared with itself",
            &["conform", "compare", "1", "2"],
            &["conform", "compare", "1", "also=1"],
            2,
            ITSELF,
        )
    },
];

//! Broken comparisons between captures or renderers: `diff`, `minimize` and replays.

use std::fs;
use std::path::Path;

use molehill_replay::image::{RgbaImage, write_png};

use super::Row;

const KNOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/captures/knot.s3d.jsonl");
/// A capture that creates a context, clears it, presents it, and ends a frame.
const CAPTURE: &str = r##"{"stage3dCapture":1,"title":"t","swfVersion":20,"stageWidth":50,"stageHeight":50,"stageColor":"#102030"}
{"call":"requestContext3D","on":1,"stage3DIndex":0,"context3DRenderMode":"auto","profile":"baseline","result":2}
{"call":"configureBackBuffer","on":2,"width":50,"height":50,"antiAlias":0,"enableDepthAndStencil":false,"wantsBestResolution":false,"wantsBestResolutionOnBrowserZoom":false}
{"call":"clear","on":2,"red":1,"green":0,"blue":0,"alpha":1,"depth":1,"stencil":0,"mask":4294967295}
{"call":"present","on":2}
{"frame":0}
"##;
/// The environment variable that hides all drivers from libEGL.
const NO_DRIVER: &[(&str, &str)] = &[("__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent")];
/// The end of the message of a comparison that needs OpenGL and finds a difference.
const BACKENDS: &[&str] =
    &["minimize", KNOT, "--backends", "--tolerance", "0", "--attempts", "1", "-o", "o.s3d"];
const ON_REFERENCE: &[&str] = &["diff", "c", "d", "--backend", "reference"];

/// Writes a capture, its copy, and variants: without the last record, with one more frame, and two without records.
/// Writes an image that equals the capture's frame, a wider image, and the demo up to its first frame end.
fn prepare(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("c", CAPTURE);
    write("d", CAPTURE);
    write("cut", CAPTURE.trim_end_matches("{\"frame\":0}\n"));
    write("longer", &(CAPTURE.to_owned() + "{\"frame\":1}\n"));
    let header = CAPTURE.split_inclusive('\n').next().unwrap();
    write("empty", header);
    write("empty2", header);
    write_png(&folder.join("same.png"), &RgbaImage::filled(50, 50, [255, 0, 0, 255])).unwrap();
    write_png(&folder.join("wide.png"), &RgbaImage::filled(51, 50, [255, 0, 0, 255])).unwrap();
    let knot = fs::read_to_string(KNOT).unwrap();
    write("knot", knot.split("{\"frame\":0}").next().unwrap());
}

const fn row(
    name: &'static str,
    intact: &'static [&'static str],
    broken: &'static [&'static str],
    status: i32,
    says: &'static str,
) -> Row {
    Row { name, prepare, intact, broken, environment: &[], status, says }
}

pub(super) const ROWS: &[Row] = &[
    Row {
        environment: NO_DRIVER,
        ..row("diff without OpenGL", &["diff", "c"], &["diff", "c"], 2, "not tested: no result")
    },
    Row {
        environment: NO_DRIVER,
        ..row("minimize without OpenGL", BACKENDS, BACKENDS, 2, "not tested: ")
    },
    row(
        "diff on the reference renderer alone",
        ON_REFERENCE,
        &["diff", "c", "--backend", "reference"],
        2,
        "not tested: both sides",
    ),
    row(
        "diff of a capture with itself by another path",
        ON_REFERENCE,
        &["diff", "c", "./c", "--backend", "reference"],
        2,
        "not tested: both sides",
    ),
    row(
        "diff of a recording that ends before its first end of a frame",
        &["diff", "knot", "--tolerance", "255"],
        &["diff", "knot", "--tolerance", "0"],
        1,
        "1 differs",
    ),
    row(
        "diff with a frame that one side lacks",
        ON_REFERENCE,
        &["diff", "c", "longer", "--backend", "reference"],
        1,
        "1 missing",
    ),
    row(
        "diff of captures without frames",
        ON_REFERENCE,
        &["diff", "empty", "empty2", "--backend", "reference"],
        2,
        "not tested: no result",
    ),
    row(
        "minimize with a command that can't be run",
        &["minimize", "c", "--while", "grep -q clear", "-o", "o.s3d"],
        &["minimize", "c", "--while", "./nosuch.sh", "-o", "o.s3d"],
        2,
        "the command can't be run",
    ),
    row(
        "minimize with a picture of another size",
        &["minimize", "c", "--expect", "same.png", "-o", "o.s3d"],
        &["minimize", "c", "--expect", "wide.png", "-o", "o.s3d"],
        2,
        "the image has the size (51, 50), but the stage has the size (50, 50)",
    ),
    row(
        "minimize with a picture, without an end of a frame",
        &["minimize", "c", "--expect", "same.png", "-o", "o.s3d"],
        &["minimize", "cut", "--expect", "same.png", "-o", "o.s3d"],
        2,
        "not tested: no result",
    ),
    Row {
        environment: NO_DRIVER,
        ..row(
            "minimize with a driver that fails",
            &["minimize", "c", "--expect", "same.png", "--backend", "gl", "-o", "o.s3d"],
            &["minimize", "c", "--expect", "same.png", "--backend", "gl", "-o", "o.s3d"],
            2,
            "not tested: line 3 (call 2): no device could be opened",
        )
    },
    row(
        "replay with a picture of another size",
        &["replay", "c", "--expect", "same.png"],
        &["replay", "c", "--expect", "wide.png"],
        1,
        "1 image, 1 differs",
    ),
    row(
        "replay with a picture, without an end of a frame",
        &["replay", "c", "--expect", "same.png"],
        &["replay", "cut", "--expect", "same.png"],
        2,
        "the capture has no frames",
    ),
];

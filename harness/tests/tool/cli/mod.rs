//! Tests the tool as users see it: output, exit status and written files. The captures have no Context3D calls (they
//! only show the stage colour), so OpenGL isn't needed.

mod atf;
mod bad_input;
mod explain;
mod forms;
mod inspect;
mod json;
#[cfg(unix)]
pub(crate) mod minimize;
pub(crate) mod output;
mod pictures;
#[cfg(unix)]
mod record;
mod renderers;
mod shell;
mod show;

use std::fs;
use std::path::Path;

use crate::run::{folder, molehill, run, skipped, stderr, stdout};

const HEADER: &str = r##"{"stage3dCapture":1,"title":"t","swfVersion":20,"stageWidth":4,"stageHeight":2,"stageColor":"#102030"}"##;
const KNOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/captures/knot.s3d.jsonl");
/// Returns the first lines of the demo with a small stage. The first N frames have 129 + 84 N lines.
fn small_demo(lines: usize) -> String {
    let text = fs::read_to_string(KNOT).unwrap();
    let text = text
        .replace(r#""stageWidth":640,"stageHeight":400"#, r#""stageWidth":64,"stageHeight":40"#);
    let buffer = r#""width":640,"height":400,"antiAlias":4"#;
    let text = text.replace(buffer, r#""width":64,"height":40,"antiAlias":0"#);
    text.lines().take(lines).map(|line| format!("{line}\n")).collect()
}

const MOVE: &str = r#"{"call":"x","on":1,"value":3.5}"#;

/// Returns a capture: a header, `frames` frames with one call each, and a last line.
fn capture(frames: u32, last: &str) -> String {
    let mut text = format!("{HEADER}\n");
    for frame in 0..frames {
        text += &format!("{MOVE}\n{{\"frame\":{frame}}}\n");
    }
    text + last
}

fn pictures(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .map(|entries| {
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        })
        .unwrap_or_default();
    names.retain(|name| name.ends_with(".png"));
    names.sort();
    names
}

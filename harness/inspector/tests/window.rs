//! Runs the desktop inspector under Xvfb with a capture and a pixel as arguments, and checks its screenshot. If
//! xvfb-run is missing, the test is ignored, or fails if the environment requires it.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};
use molehill_replay::image::read_png;

/// If this variable is set, a missing xvfb-run is a failure.
const REQUIRED: &str = "MOLEHILL_REQUIRE_TOOLS";

fn main() -> ExitCode {
    let required = std::env::var_os(REQUIRED).is_some();
    let skipped = !required && Command::new("xvfb-run").arg("--help").output().is_err();
    if skipped {
        println!("skipped: no xvfb-run");
    }
    let test = Trial::test("window", || {
        the_window_reaches_a_pixels_history();
        what_cannot_be_opened_has_no_screenshot();
        Ok(())
    });
    libtest_mimic::run(&Arguments::from_args(), vec![test.with_ignored_flag(skipped)]).exit_code()
}

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../captures/knot.s3d.jsonl");

/// Returns a command that runs the inspector under Xvfb.
fn inspector() -> Command {
    let mut command = Command::new("xvfb-run");
    command.args(["--auto-servernum", "--server-args", "-screen 0 1280x800x24"]);
    command.arg(env!("CARGO_BIN_EXE_molehill-inspector"));
    command.env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR")).env_remove("WAYLAND_DISPLAY");
    command
}

/// If neither the capture nor the compared capture can be opened, no screenshot is written.
fn what_cannot_be_opened_has_no_screenshot() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (picture, bad) = (folder.join("no-window.png"), folder.join("bad.s3d.jsonl"));
    std::fs::write(&bad, "{}\n").expect("written");
    let bad = bad.to_str().expect("text");
    for files in [&["nosuch.s3d"][..], &[bad], &[DEMO, "--compare", "nosuch.s3d"]] {
        let _ = std::fs::remove_file(&picture);
        let output = inspector().args(files).arg("--screenshot").arg(&picture).output();
        let output = output.expect("xvfb-run");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{files:?}: {stderr}");
        let name = files.last().expect("a file");
        assert!(stderr.contains(&format!("molehill-inspector: {name}: ")), "{files:?}: {stderr}");
        assert!(output.stdout.is_empty() && !picture.exists(), "{files:?}");
    }
}

fn the_window_reaches_a_pixels_history() {
    let picture = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("window.png");
    let _ = std::fs::remove_file(&picture);
    let link = ["--frame", "2", "--draw", "5", "--at", "320,200", "--theme", "light"];
    let output = inspector()
        .arg(DEMO)
        .args(link)
        .args(["--size", "1200,760", "--screenshot"])
        .arg(&picture)
        .output()
        .expect("xvfb-run");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stdout}{stderr}");
    assert!(stdout.starts_with("#frame=2&call=276&at=320,200: 4 events"), "{stdout}{stderr}");
    let image = read_png(&picture).expect("a picture");
    assert!(image.width() >= 1000 && image.height() >= 600, "{}×{}", image.width(), image.height());
    // The window has the light theme around the dark stage.
    let pixels = image.rgba().as_chunks::<4>().0.iter();
    let dark = pixels.clone().filter(|[r, g, b, _]| *r < 60 && *g < 60 && *b < 80).count();
    let light = pixels.filter(|[r, g, b, _]| *r > 220 && *g > 220 && *b > 220).count();
    let all = image.rgba().len() / 4;
    assert!(dark > all / 20 && light > all / 3, "{dark} dark and {light} light of {all} pixels");
}

//! Runs the example `own_window` on the display or under Xvfb, and checks the window's final content. If xvfb-run is
//! missing, the test is ignored, or fails if the environment requires it.

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};
use molehill_replay::image::read_png;

#[path = "../examples/own_window.rs"]
#[allow(dead_code, reason = "its `main`")]
mod own_window;

/// If this variable is set, a missing xvfb-run is a failure.
const REQUIRED: &str = "MOLEHILL_REQUIRE_TOOLS";
/// The variable that marks the child process under Xvfb.
const INSIDE: &str = "MOLEHILL_OWN_WINDOW";

fn main() -> ExitCode {
    if std::env::var_os(INSIDE).is_some() {
        // Runs on the main thread, as window systems require.
        draws_in_its_window().expect("the window");
        return ExitCode::SUCCESS;
    }
    let required = std::env::var_os(REQUIRED).is_some();
    let skipped = !required && Command::new("xvfb-run").arg("--help").output().is_err();
    if skipped {
        println!("skipped: no xvfb-run");
    }
    let test = Trial::test("own_window", || {
        let mut run = Command::new("xvfb-run");
        run.args(["--auto-servernum", "--server-args", "-screen 0 1280x800x24"]);
        run.arg(std::env::current_exe()?).env(INSIDE, "1").env_remove("WAYLAND_DISPLAY");
        let output = run.output()?;
        let printed = String::from_utf8_lossy(&output.stderr);
        if output.status.success() { Ok(()) } else { Err(printed.into_owned().into()) }
    });
    libtest_mimic::run(&Arguments::from_args(), vec![test.with_ignored_flag(skipped)]).exit_code()
}

fn draws_in_its_window() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own_window.png");
    own_window::run(Some(40), Some(&path))?;
    let picture = read_png(&path)?;
    println!("{}", path.display());
    let [_, (width, height)] = own_window::SIZES;
    let size = (picture.width(), picture.height());
    assert_eq!(size, (width, height), "the window has grown");
    let (blue, green) = ([0, 0, 128], [0, 128, 0]);
    let (violet, yellow, orange) = ([102, 0, 102], [255, 255, 0], [255, 128, 0]);
    for (x, y, color, what) in [
        (5, 5, blue, "the background, above"),
        (width - 5, 5, blue, "the background, above"),
        (5, height - 30, green, "the background, below"),
        (38, 140, blue, "left of Molehill's picture"),
        (42, 42, violet, "Molehill's picture"),
        (width - 42, height - 42, violet, "Molehill's picture"),
        (width / 2, height / 2, yellow, "the triangle"),
        (width / 2, height - 10, orange, "the bar"),
        (5, height - 2, orange, "the bar"),
    ] {
        let pixel = picture.pixel(x, y).ok_or("inside")?;
        let near = pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 2);
        assert!(near, "{what} at {x}, {y} is {pixel:?}, not {color:?}");
    }
    Ok(())
}

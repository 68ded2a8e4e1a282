//! Tests that the demo in C, built with the system's compiler, draws the same images as the recorded demo in Rust.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;

use backend_gl::offscreen::{Api, GlFactory};
use context3d::backend::{AnyBackend, BackendError, BackendFactory};
use molehill_capture::CaptureReader;
use molehill_reference::ReferenceFactory;
use molehill_replay::image::{RgbaImage, compare};
use molehill_replay::{ReplayObserver, ReplayOptions, Replayer, run};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn run_to_end(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
}

/// Builds an example in a separate folder, with the shared library of this test's build.
fn build(example: &str, folder: &str, flags: &[&str]) -> Command {
    let folder = &Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(folder).unwrap();
    let library = std::env::current_exe().unwrap();
    let library = library.with_file_name("libmolehill_c.so");
    // The soname with which the example was linked.
    let link = folder.join("libmolehill.so.0.2");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(&library, &link).unwrap();
    let program = folder.join(example);
    let compiler = std::env::var_os("CC").unwrap_or("cc".into());
    run_to_end(
        Command::new(compiler)
            .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-ffp-contract=off"])
            .args(flags)
            .arg("-I")
            .arg(here("include"))
            .arg(here(&format!("examples/{example}.c")))
            .arg("-o")
            .arg(&program)
            .arg(&link)
            .arg("-lm"),
    );
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", folder).current_dir(folder);
    command
}

/// Reads a binary PPM without comments.
fn read_ppm(path: &Path) -> RgbaImage {
    let bytes = std::fs::read(path).unwrap();
    let mut lines = bytes.splitn(4, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap();
    assert_eq!(line(), b"P6");
    let size = std::str::from_utf8(line()).unwrap();
    let (width, height) = size.split_once(' ').unwrap();
    assert_eq!(line(), b"255");
    let rgba = line().as_chunks::<3>().0.iter();
    let rgba = rgba.flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
    RgbaImage::from_rgba(width.parse().unwrap(), height.parse().unwrap(), rgba).unwrap()
}

/// A consumer of a replay's images that stores the first frame.
#[derive(Default)]
struct First(Option<RgbaImage>);

impl ReplayObserver for First {
    fn wants_frame(&mut self, frame: u32) -> bool {
        frame == 0
    }

    fn frame(&mut self, _: u32, image: &RgbaImage) -> Result<(), String> {
        self.0 = Some(image.clone());
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.0.is_some()
    }
}

fn replay(capture: &Path, factory: impl BackendFactory) -> RgbaImage {
    let mut reader = CaptureReader::open(capture).unwrap();
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, factory, ReplayOptions::default());
    let mut first = First::default();
    run(&mut reader, &mut replayer, &mut first).unwrap();
    first.0.unwrap()
}

/// Checks that the same renderer draws the same pixels, except at a few edges, because C's sine rounds differently.
fn check(kind: &str, mut open: impl FnMut() -> Result<AnyBackend, BackendError>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (picture, recorded) = (folder.join("demo.ppm"), folder.join("demo.s3d.jsonl"));
    // A recording never replaces a file, so that an old file must be deleted.
    let _ = std::fs::remove_file(&recorded);
    let mut command = build("demo", "same", &[]);
    command.args([kind, "0"]).arg(&picture);
    run_to_end(command.env("MOLEHILL_RECORD", &recorded));
    let drawn = read_ppm(&picture);
    for capture in [here("../captures/knot.s3d.jsonl"), recorded] {
        let comparison = compare(&drawn, &replay(&capture, &mut open), 2);
        assert!(comparison.passes(50), "{kind}, {capture:?}: {comparison:?}");
    }
}

#[test]
fn the_demo_in_c_draws_the_same() {
    check("software", || Ok(Box::new(ReferenceFactory::default().create()?)));
    let mut gl = GlFactory::new(Api::OpenGl);
    check("gl", || Ok(Box::new(gl.create()?)));
}

/// The host can read a scaled frame at its full size, or at the program's size.
#[test]
fn a_sharper_picture_is_read_at_both_sizes() {
    run_to_end(build("minimal", "sharper", &[]).env("MOLEHILL_SCALE", "2"));
    let small = ["-DWIDTH=64", "-DHEIGHT=40", "-DMIRROR_SIDE=32"];
    let mut demo = build("demo", "sharper", &small);
    run_to_end(demo.args(["software", "0", "picture.ppm"]).env("MOLEHILL_SCALE", "2"));
    let picture = read_ppm(&demo.get_current_dir().unwrap().join("picture.ppm"));
    assert_eq!((picture.width(), picture.height()), (128, 80));
}

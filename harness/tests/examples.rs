//! Tests that the examples draw the expected images.

use std::cell::RefCell;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use backend_gl::offscreen::{Api, GlFactory};
use context3d::backend::{AnyBackend, BackendError, BackendFactory};
use molehill_capture::{CaptureReader, CaptureRecord};
use molehill_reference::ReferenceFactory;
use molehill_replay::image::{RgbaImage, compare, write_png};
use molehill_replay::{ReplayOptions, Replayer};

#[path = "../examples/demo/main.rs"]
#[allow(dead_code, reason = "its `main`")]
mod demo;
#[path = "../examples/emulator.rs"]
#[allow(dead_code, reason = "its `main`")]
mod emulator;
#[path = "../examples/software.rs"]
#[allow(dead_code, reason = "its `main`")]
mod software;

/// Returns the path of the recorded demo in the repository.
fn recorded_demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("captures/knot.s3d.jsonl")
}

#[test]
fn the_repository_has_the_demo_that_is_recorded() {
    let capture = demo::record(Vec::new()).expect("a recording");
    let there = std::fs::read(recorded_demo()).expect("the demo");
    assert!(
        there == capture,
        "record it anew: cargo run --example demo -- harness/captures/knot.s3d.jsonl"
    );
}

#[test]
fn the_demo_raises_nothing_and_ends_every_frame() {
    let mut frames = 0;
    for record in CaptureReader::open(&recorded_demo()).expect("a capture") {
        match record.expect("a record").1 {
            CaptureRecord::Frame(frame) => {
                assert_eq!(frame, frames);
                frames += 1;
            }
            CaptureRecord::Call(line) => assert_eq!(line.throws, None),
            CaptureRecord::Event(_) | CaptureRecord::Note(_) => panic!("an event or a note"),
        }
    }
    assert_eq!(frames, demo::FRAMES);
}

/// Writes an image file for inspection by a developer.
fn keep(name: &str, picture: &RgbaImage) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    write_png(&path, picture).expect("a place for pictures");
}

#[track_caller]
fn expect(picture: &RgbaImage, (x, y): (u32, u32), color: [u8; 3]) {
    let pixel = picture.pixel(x, y).expect("inside");
    let near = pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 2);
    assert!(near, "{x}, {y} is {pixel:?}, not {color:?}");
}

/// Returns the number of pixels in a region of an image that have approximately this colour.
fn count(picture: &RgbaImage, [left, top, right, bottom]: [u32; 4], color: [u8; 3]) -> usize {
    let places = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
    let pixels = places.filter_map(|(x, y)| picture.pixel(x, y));
    pixels.filter(|pixel| pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 8)).count()
}

#[test]
fn software_draws_a_triangle() {
    let picture = software::draw().expect("a picture");
    keep("software.png", &picture);
    assert_eq!((picture.width(), picture.height()), (320, 240));
    for corner in [(0, 0), (319, 0), (10, 120), (160, 220), (319, 239)] {
        expect(&picture, corner, [26, 26, 26]);
    }
    // The middle of the triangle has a third of each colour; near a corner, its colour dominates.
    expect(&picture, (160, 151), [85, 85, 85]);
    for (place, strongest) in [((160, 40), 0), ((275, 208), 1), ((45, 208), 2)] {
        let pixel = picture.pixel(place.0, place.1).expect("inside");
        assert!(pixel[strongest] > 200, "{place:?}: {pixel:?}");
    }
}

/// Returns the last image of a recording.
fn replay(recording: Vec<u8>, factory: impl BackendFactory<Backend = AnyBackend>) -> RgbaImage {
    let mut reader = CaptureReader::new(Cursor::new(recording)).expect("a capture");
    let mut replayer = Replayer::new(&reader.header().clone(), factory, ReplayOptions::default());
    let mut last = 0;
    for item in &mut reader {
        let (line, record) = item.expect("a line of a capture");
        replayer.record(line, &record).expect("it is replayed");
        last = line;
    }
    replayer.screen(last).expect("a picture")
}

/// A recording that remains readable after the emulator is dropped.
#[derive(Clone, Default)]
struct Recording(Rc<RefCell<Vec<u8>>>);

impl Write for Recording {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn play(gl: bool) -> RgbaImage {
    let recording = Recording::default();
    let mut emulator = emulator::Emulator::new(recording.clone(), gl).expect("the programs start");
    for _ in 0..20 {
        emulator.frame().expect("a frame");
    }
    let (early, memory) = (emulator.picture(), emulator.variable(1, "memory"));
    let early = early.expect("a picture");
    for _ in 0..20 {
        emulator.frame().expect("a frame");
    }
    let picture = emulator.picture().expect("a picture");
    let driver = emulator.variable(0, "driver");
    keep(if gl { "emulator.png" } else { "emulator-reference.png" }, &picture);
    expect(&picture, (2, 2), [40, 44, 52]);
    expect(&picture, (220, 110), [40, 44, 52]);
    // Left: a cube with orange and white squares on blue; right: a star on purple.
    expect(&picture, (12, 12), [13, 26, 64]);
    expect(&picture, (232, 188), [51, 0, 38]);
    let (cube, star) = ([10, 10, 210, 210], [230, 30, 390, 190]);
    for (color, region) in [([255, 140, 0], cube), ([255, 255, 255], cube)] {
        let found = count(&picture, region, color);
        assert!(found > 3000, "{found} pixels are {color:?}");
    }
    let gold = count(&picture, star, [204, 173, 41]) + count(&picture, star, [153, 130, 31]);
    assert!(gold > 300, "{gold} pixels are gold");
    for region in [cube, star] {
        let [left, top, right, bottom] = region;
        let places = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
        let moved = places.filter(|(x, y)| picture.pixel(*x, *y) != early.pixel(*x, *y));
        assert!(moved.count() > 1000, "it moves");
    }
    // The buffers of earlier frames were garbage with cyclic references, which the garbage collector freed.
    assert!(emulator.freed > 30, "{} objects are freed", emulator.freed);
    assert_eq!(emulator.variable(1, "memory"), memory);
    assert_eq!(
        emulator.variable(1, "error"),
        "ArgumentError: Error #2008: Parameter triangleFaceToCull must be one of the accepted values."
    );
    let middle = picture.pixel(230 + 80, 30 + 80).expect("inside");
    let snapshot = emulator.variable(1, "snapshot");
    assert_eq!(snapshot, format!("{:?}", Some(middle)), "drawToBitmapData");
    drop(emulator);
    let recording = recording.0.take();
    let (mut opengl, mut software) = (GlFactory::new(Api::OpenGl), ReferenceFactory::default());
    let again = replay(recording, move || -> Result<AnyBackend, BackendError> {
        Ok(if driver.starts_with("OpenGL") {
            Box::new(opengl.create()?)
        } else {
            Box::new(software.create()?)
        })
    });
    assert!(again == picture, "the recording draws something else");
    picture
}

#[test]
fn the_emulator_draws_and_its_recording_too() {
    let [gl, reference] = [true, false].map(play);
    let compared = compare(&gl, &reference, 16);
    let wrong = compared.wrong();
    assert!(wrong < 1500, "{wrong} pixels differ between the renderers");
}

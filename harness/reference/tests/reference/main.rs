//! Compares the reference renderer with OpenGL, and between numbers of threads. Runs random calls, and reads frames as
//! hosts do.

mod against_gl;
mod frames;
mod random_calls;
mod random_scenes;
mod scenes;
mod stage;
mod targets;

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use backend_gl::offscreen::{Api, Offscreen};
use context3d::backend::Backend;
use molehill_capture::CaptureReader;
use molehill_reference::skip::Skip;
use molehill_reference::{RasterOptions, ReferenceBackend, ReferenceFactory};
use molehill_replay::Replayer;
use molehill_replay::image::{RgbaImage, compare, difference, read_png, write_png};

use scenes::{SCENES, Scene};
use stage::{Picture, Stage};

fn threads(count: usize) -> RasterOptions {
    RasterOptions { threads: NonZeroUsize::new(count), ..RasterOptions::default() }
}

fn pictures(scene: &Scene, backend: &mut dyn Backend) -> Vec<Picture> {
    let mut stage = Stage::new(backend, scene.samples);
    (scene.draw)(&mut stage);
    stage.pictures
}

fn image(picture: &Picture) -> RgbaImage {
    let (width, height) = picture.size;
    RgbaImage::from_rgba(width, height, picture.rgba.clone()).expect("a whole picture")
}

/// Both renderers must draw the same images, within the tolerance of each scene.
#[test]
fn scenes_are_drawn_as_opengl_draws_them() {
    let offscreen = Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one");
    let mut failures = Vec::new();
    for scene in SCENES {
        let mut gl = offscreen.backend().expect("a backend");
        let mut reference = ReferenceBackend::new(RasterOptions {
            max_samples: gl.caps().max_samples,
            ..RasterOptions::default()
        });
        let (theirs, ours) = (pictures(scene, &mut gl), pictures(scene, &mut reference));
        assert!(!ours.is_empty() && ours.len() == theirs.len());
        let mut worst = (0, 0);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(ours.size, theirs.size, "{}: {}", scene.name, ours.name);
            let comparison = compare(&image(ours), &image(theirs), scene.tolerance);
            worst = worst.max((comparison.differing, comparison.max_delta));
            if !comparison.passes(scene.outliers) {
                let name = format!("{}-{}.png", scene.name, ours.name.replace(", ", "-"));
                let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
                let shown = difference(&image(ours), &image(theirs), scene.tolerance);
                write_png(&path, &shown).expect("a picture is written");
                failures.push(format!("{comparison:?}: see {}", path.display()));
            }
        }
        println!("{}: {} pictures, worst {worst:?}", scene.name, ours.len());
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// A higher degree of anisotropy keeps more contrast in receding stripes.
#[test]
fn anisotropic_filters_keep_what_linear_ones_blur() {
    let mut backend = ReferenceBackend::new(threads(1));
    let mut stage = Stage::new(&mut backend, 0);
    scenes::anisotropy(&mut stage);
    let contrast = |picture: &Picture| {
        let far = picture.rgba.chunks_exact(4).take(stage::SIDE as usize * 12);
        far.map(|pixel| u32::from(pixel[0].abs_diff(128))).sum::<u32>()
    };
    let contrasts: Vec<u32> = stage.pictures.iter().map(contrast).collect();
    let [linear, two, four, eight, sixteen] = contrasts[..] else {
        panic!("five filters");
    };
    assert!(linear < two && two < four && four <= eight && eight <= sixteen, "{contrasts:?}");
    assert!(sixteen > linear * 3 / 2, "{contrasts:?}");
}

/// The images must be identical for any number of threads.
#[test]
fn the_number_of_threads_does_not_show() {
    for scene in SCENES {
        let draw = |count| pictures(scene, &mut ReferenceBackend::new(threads(count)));
        let alone = draw(1);
        assert!(alone == draw(2), "{}: two threads", scene.name);
        assert!(alone == draw(5), "{}: five threads", scene.name);
    }
    // Frames of the demo (mirror, sky and knot) are large enough for several threads.
    let alone = frames(1, 0..=2);
    assert!(!alone.is_empty());
    for count in [2, 5] {
        assert!(alone == frames(count, 0..=2), "{count} threads");
    }
}

fn demo(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../captures").join(name)
}

/// Returns the images of a range of the demo's frames. Draws of earlier frames are skipped.
fn frames(count: usize, range: RangeInclusive<u32>) -> Vec<RgbaImage> {
    let reader = CaptureReader::open(&demo("knot.s3d.jsonl")).expect("the demo");
    let factory = ReferenceFactory(threads(count));
    let options = molehill_replay::ReplayOptions::default();
    let mut replayer = Replayer::new(reader.header(), factory, options);
    let mut images = Vec::new();
    let mut frame = 0;
    for record in reader {
        let (line, record) = record.expect("a record");
        let skip = Skip { draws: frame < *range.start(), ..Skip::default() };
        for context in 0..replayer.contexts() {
            if let Some(backend) = replayer.backend_mut(context) {
                backend.skip(skip);
            }
        }
        replayer.record(line, &record).expect("a record");
        let Some(number) = record.frame() else { continue };
        if range.contains(&number) {
            images.push(replayer.screen(line).expect("a picture"));
        }
        if number == *range.end() {
            break;
        }
        frame = number + 1;
    }
    images
}

/// The README's image was drawn by OpenGL.
#[test]
fn the_demo_is_drawn_as_opengl_drew_it() {
    const SHOWN: u32 = 12;
    let images = frames(2, SHOWN..=SHOWN);
    let expected = read_png(&demo("knot.png")).expect("a picture");
    let comparison = compare(images.last().expect("a frame"), &expected, 8);
    assert!(comparison.passes(20), "{comparison:?}");
}

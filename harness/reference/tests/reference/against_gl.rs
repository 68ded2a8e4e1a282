//! Compares random scenes drawn by the reference renderer and by OpenGL.

use std::path::Path;

use backend_gl::offscreen::{Api, Offscreen};
use context3d::backend::Backend as _;
use molehill_reference::{RasterOptions, ReferenceBackend};
use molehill_replay::image::{compare, difference, write_png};

use crate::image;
use crate::random_calls::sequences;
use crate::random_scenes::{MAX_STEPS, pictures};
use crate::stage::Picture;

/// Tolerance per channel. Drivers round each draw's colour before blending, and filter with eight-bit weights.
const TOLERANCE: u8 = 6;
/// Maximum number of pixels (of 4096) whose difference may exceed the tolerance: depth tests and texel edges can depend
/// on the last bit, and blending can amplify differences.
const OUTLIERS: u64 = 24;
/// Colour count above which an image counts as varied: a clear gives one colour, a triangle of one colour gives two.
const COLORS: usize = 4;

struct Attempt {
    ours: Vec<Picture>,
    theirs: Vec<Picture>,
    /// The image with the most differing pixels: its index, and the number of differing pixels.
    worst: (usize, u64),
}

fn attempt(offscreen: &Offscreen, seed: u64, left_out: u32) -> Attempt {
    let mut gl = offscreen.backend().expect("a backend");
    let mut reference = ReferenceBackend::new(RasterOptions {
        max_samples: gl.caps().max_samples,
        ..crate::threads(2)
    });
    // OpenGL ES has no wireframes.
    let wireframes = gl.caps().wireframe;
    let ours = pictures(&mut reference, seed, left_out, wireframes);
    let theirs = pictures(&mut gl, seed, left_out, wireframes);
    assert_eq!(gl.debug_errors(), 0, "seed {seed}");
    let pairs = ours.iter().zip(&theirs);
    let differing = pairs.map(|(a, b)| compare(&image(a), &image(b), TOLERANCE).differing);
    let worst = differing.enumerate().max_by_key(|(_, differing)| *differing);
    Attempt { worst: worst.expect("pictures"), ours, theirs }
}

/// Minimizes a failing scene: removes every step that the difference doesn't need. Writes the difference image, and
/// returns a description.
fn explain(offscreen: &Offscreen, seed: u64) -> String {
    let mut left_out = 0;
    for step in 0..MAX_STEPS {
        let without = left_out | 1 << step;
        if attempt(offscreen, seed, without).worst.1 > OUTLIERS {
            left_out = without;
        }
    }
    let Attempt { ours, theirs, worst: (place, differing) } = attempt(offscreen, seed, left_out);
    let (ours, theirs) = (&ours[place], &theirs[place]);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("random-scene-{seed}.png"));
    let shown = difference(&image(ours), &image(theirs), TOLERANCE);
    write_png(&path, &shown).expect("a picture is written");
    let steps = (0..MAX_STEPS).filter(|step| left_out >> step & 1 == 0);
    let steps: Vec<u32> = steps.collect();
    format!(
        "seed {seed}, steps {steps:?}, {}: {differing} pixels: see {}",
        ours.name,
        path.display()
    )
}

fn colors(picture: &Picture) -> usize {
    let mut colors: Vec<&[u8]> = picture.rgba.chunks_exact(4).collect();
    colors.sort_unstable();
    colors.dedup();
    colors.len()
}

/// Draws random scenes; `MOLEHILL_RANDOM_CALLS=n` sets their number.
#[test]
fn random_scenes_are_drawn_as_opengl_draws_them() {
    for api in [Api::OpenGl, Api::Gles] {
        let offscreen = Offscreen::open(api).expect("an EGL; harness/setup.sh installs one");
        let (mut lively, mut worst) = (0, 0);
        for seed in 0..sequences() {
            let attempt = attempt(&offscreen, seed, 0);
            assert!(attempt.worst.1 <= OUTLIERS, "{api}: {}", explain(&offscreen, seed));
            worst = worst.max(attempt.worst.1);
            lively += u64::from(attempt.ours.iter().any(|picture| colors(picture) > COLORS));
        }
        println!("{api}: {} scenes, {lively} lively, worst {worst} pixels", sequences());
        assert!(lively * 10 >= sequences() * 9, "{lively} lively scenes");
    }
}

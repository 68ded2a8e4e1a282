//! Throughput of both decoders.

use std::time::{Duration, Instant};

use jpeg_xr::{PixelFormat, decode};

use crate::compare::{LIMITS, Outcome, compare};
use crate::picture::Content;
use crate::random::Random;
use crate::reference::{self, EncoderSettings};

/// A test image: name, format, format number in [`EncoderSettings::format`], width, colour format of the codestream,
/// overlap, and quantiser index.
type Typical = (&'static str, PixelFormat, u32, u32, u32, u32, u32);

const TYPICAL: [Typical; 10] = [
    ("bgra, lossless", PixelFormat::Bgra32, 5, 256, 3, 1, 1),
    ("bgra, lossless", PixelFormat::Bgra32, 5, 1024, 3, 1, 1),
    ("rgb, lossless", PixelFormat::Rgb24, 4, 256, 3, 0, 1),
    ("rgb, lossless", PixelFormat::Rgb24, 4, 1024, 3, 0, 1),
    ("rgb, step 40", PixelFormat::Rgb24, 4, 256, 3, 1, 40),
    ("rgb, step 40", PixelFormat::Rgb24, 4, 1024, 3, 1, 40),
    ("rgb 4:2:0, step 60", PixelFormat::Rgb24, 4, 1024, 1, 1, 60),
    ("rgb, overlap 2, step 90", PixelFormat::Rgb24, 4, 1024, 3, 2, 90),
    ("5-6-5, lossless", PixelFormat::Bgr565, 2, 256, 3, 0, 1),
    ("5-6-5, step 30", PixelFormat::Bgr565, 2, 1024, 3, 0, 30),
];

/// Measuring time for each decoder and picture.
const LONG_ENOUGH: Duration = Duration::from_millis(600);

/// Minimum speed of our decoder, relative to the C decoder.
const FAST_ENOUGH: f64 = 0.5;

/// Measures both decoders with typical images, and prints a line for each.
#[test]
#[ignore = "measures time"]
fn speed() {
    println!(
        "{:<24} {:>11} {:>10} {:>10} {:>6}",
        "MB of samples a second", "size", "C", "ours", "ratio"
    );
    let mut lowest = f64::INFINITY;
    for (name, pixels, format, side, colour, overlap, step) in TYPICAL {
        let mut random = Random::new(1, side.into());
        let picture = Content::Photograph.paint(pixels, side, side, &mut random);
        let settings = EncoderSettings {
            width: side,
            height: side,
            format,
            colour,
            overlap,
            alpha: if pixels.has_alpha() { 2 } else { 0 },
            steps: [step; 10],
            columns: 1,
            rows: 1,
            ..EncoderSettings::default()
        };
        let file = reference::encode(&settings, &picture).expect("the picture can be encoded");
        lowest = lowest.min(line(name, &format!("{side}x{side}"), &[file]));
    }
    assert!(lowest >= FAST_ENOUGH, "{lowest} of C's speed");
}

/// Measures both decoders and prints the results. Returns our decoder's speed relative to the C decoder's.
fn line(name: &str, size: &str, files: &[Vec<u8>]) -> f64 {
    let sizes: Vec<_> =
        files.iter().map(|file| reference::size(file).expect("the file is whole")).collect();
    for file in files {
        assert!(matches!(compare(file), Outcome::Same(_)), "{name} differs");
    }
    let bytes: f64 = sizes.iter().map(|size| size.map(f64::from).iter().product::<f64>()).sum();
    let [mut ours, mut theirs] = [Duration::MAX; 2];
    let start = Instant::now();
    // The decoders alternate, so that other load affects both. The fastest run counts, because it is disturbed least.
    while start.elapsed() < LONG_ENOUGH * 2 {
        theirs = theirs.min(time(|| {
            for (file, size) in files.iter().zip(&sizes) {
                std::hint::black_box(reference::decode(file, *size).expect("it decodes"));
            }
        }));
        ours = ours.min(time(|| {
            for file in files {
                std::hint::black_box(decode(file, &LIMITS).expect("it decodes"));
            }
        }));
    }
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    let speed = |time: Duration| bytes / time.as_secs_f64() / 1e6;
    println!("{name:<24} {size:>11} {:>10.1} {:>10.1} {ratio:>6.2}", speed(theirs), speed(ours));
    ratio
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

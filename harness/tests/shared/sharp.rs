//! Replays captures through the layer for higher resolutions: without options, all pixels are equal; at twice the size,
//! the image is similar. `MOLEHILL_SHARP_ALL=1` replays all captures instead of the small ones.

use std::path::{Path, PathBuf};

use context3d::arguments::BitmapPatch;
use context3d::backend::BackendError;
use context3d_layers::enhanced::{FirstUpload, Replacement, TextureSource};
use context3d_layers::{EnhancedBackend, Enhancements};
use libtest_mimic::Trial;
use molehill_capture::{CallLine, CaptureReader};
use molehill_reference::ReferenceBackend;
use molehill_replay::image::RgbaImage;
use molehill_replay::report::ReplayReport;
use molehill_replay::{CallOutcome, ReplayObserver, ReplayOptions, Replayer, run};

use crate::needs;

/// Maximum size of a small capture in bytes.
const SMALL: u64 = 15_000;
/// Maximum mean difference of a channel between an image and the downscaled image of twice the size. The two images
/// differ at edges and at lines, because lines stay one pixel wide.
const MOST_DIFFERENT: f64 = 4.0;

/// Returns a test for each capture.
pub(crate) fn trials(captures: &[PathBuf]) -> impl Iterator<Item = Trial> {
    let all = std::env::var_os("MOLEHILL_SHARP_ALL").is_some();
    let played = captures
        .iter()
        .filter(move |path| all || path.metadata().is_ok_and(|file| file.len() < SMALL));
    played.map(|path| {
        let name = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        needs::trial(format!("{name}::is_the_same_through_the_layer"), path, same)
    })
}

/// A texture source that replaces no texture, but activates the layer [`EnhancedBackend`].
#[derive(Debug)]
struct Nothing;

impl TextureSource for Nothing {
    fn replace(&mut self, _: &FirstUpload<'_>) -> Option<Replacement> {
        None
    }
}

/// The first images of a replay, and all bitmaps.
#[derive(Default)]
struct Seen {
    most: u32,
    frames: Vec<RgbaImage>,
    bitmaps: Vec<BitmapPatch>,
}

impl ReplayObserver for Seen {
    fn wants_frame(&mut self, _: u32) -> bool {
        true
    }

    fn frame(&mut self, _: u32, image: &RgbaImage) -> Result<(), String> {
        self.frames.push(image.clone());
        Ok(())
    }

    fn called(&mut self, _: u64, _: &CallLine, outcome: &CallOutcome) -> Result<(), String> {
        if let CallOutcome::Bitmap(patch) = outcome {
            self.bitmaps.push(patch.clone());
        }
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.frames.len() >= self.most as usize
    }
}

/// Replays a capture, through the layer if `scale` is given.
fn play(path: &Path, scale: Option<u8>) -> (Seen, ReplayReport) {
    let mut reader = CaptureReader::open(path).unwrap();
    let header = reader.header().clone();
    let all = std::env::var_os("MOLEHILL_SHARP_ALL").is_some();
    let mut seen = Seen { most: if all { 12 } else { 2 }, ..Seen::default() };
    let options = ReplayOptions { scale: scale.unwrap_or(1), ..ReplayOptions::default() };
    let reference = || ReferenceBackend::new(molehill_reference::RasterOptions::default());
    let report = match scale {
        None => {
            let mut replayer =
                Replayer::new(&header, || Ok::<_, BackendError>(reference()), options);
            run(&mut reader, &mut replayer, &mut seen).unwrap();
            replayer.report().clone()
        }
        Some(scale) => {
            let enhancements = Enhancements { scale, ..Enhancements::default() };
            let layer = || {
                Ok::<_, BackendError>(EnhancedBackend::new(
                    reference(),
                    enhancements,
                    Some(Box::new(Nothing)),
                ))
            };
            let mut replayer = Replayer::new(&header, layer, options);
            run(&mut reader, &mut replayer, &mut seen).unwrap();
            replayer.report().clone()
        }
    };
    (seen, report)
}

fn same(path: &Path) {
    let name = path.display();
    let (plain, report) = play(path, None);
    let (through, through_report) = play(path, Some(1));
    assert_eq!(through_report, report, "{name}");
    assert!(through.frames == plain.frames && through.bitmaps == plain.bitmaps, "{name}");
    let (large, large_report) = play(path, Some(2));
    assert_eq!(large_report, report, "{name}");
    for (patch, own) in large.bitmaps.iter().zip(&plain.bitmaps) {
        assert_eq!((patch.width, patch.height), (own.width, own.height), "{name}");
        assert!(different(&patch.bgra, &own.bgra) < MOST_DIFFERENT, "{name}: a bitmap");
    }
    assert_eq!(large.frames.len(), plain.frames.len(), "{name}");
    for (frame, (picture, own)) in large.frames.into_iter().zip(&plain.frames).enumerate() {
        let (width, height) = (own.width(), own.height());
        assert_eq!((picture.width(), picture.height()), (2 * width, 2 * height), "{name}");
        let found = different(picture.resized(width, height).rgba(), own.rgba());
        assert!(found < MOST_DIFFERENT, "{name}, frame {frame}: {found}");
    }
}

/// Returns the mean difference of two images' bytes.
fn different(a: &[u8], b: &[u8]) -> f64 {
    let sum: u64 = a.iter().zip(b).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.len().max(1) as f64
}

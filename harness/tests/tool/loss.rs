//! Tests that losing and restoring a device at any time doesn't change the images.

use std::io::Cursor;
use std::num::NonZeroU64;
use std::path::Path;

use super::device_loss::DeviceLossFactory;
use backend_gl::offscreen::{Api, GlFactory};
use context3d::backend::BackendFactory;
use context3d_layers::RecoveryOptions;
use molehill_capture::CaptureReader;
use molehill_replay::image::{RgbaImage, compare};
use molehill_replay::{ReplayObserver, ReplayOptions, Replayer, run};

/// An observer that stores every image of a replay.
#[derive(Default)]
struct Pictures(Vec<RgbaImage>);

impl ReplayObserver for Pictures {
    fn wants_frame(&mut self, _: u32) -> bool {
        true
    }

    fn frame(&mut self, _: u32, image: &RgbaImage) -> Result<(), String> {
        self.0.push(image.clone());
        Ok(())
    }
}

/// Returns the first frames of the recorded demo: shading, mip maps, and a mirror that is rendered to a texture.
fn demo(frames: usize) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures/knot.s3d.jsonl");
    let text = std::fs::read_to_string(path).expect("the demo lies there");
    let mut left = frames;
    let lines = text.lines().take_while(|line| {
        let more = left > 0;
        left -= usize::from(more && line.starts_with("{\"frame\":"));
        more
    });
    lines.map(|line| format!("{line}\n")).collect()
}

fn pictures<F: BackendFactory>(capture: &str, factory: F, devices: impl Fn(&F)) -> Vec<RgbaImage> {
    let source = Cursor::new(capture.to_owned().into_bytes());
    let mut reader = CaptureReader::new(source).expect("a capture");
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, factory, ReplayOptions::default());
    let mut pictures = Pictures::default();
    run(&mut reader, &mut replayer, &mut pictures).expect("plays");
    assert_eq!(replayer.report().skipped_draws(), 0);
    devices(replayer.factory());
    pictures.0
}

fn every(period: u64, keep: RecoveryOptions) -> DeviceLossFactory<GlFactory> {
    let period = NonZeroU64::new(period).expect("not 0");
    DeviceLossFactory::new(GlFactory::new(Api::OpenGl), period, keep)
}

#[track_caller]
fn expect_same(found: &[RgbaImage], wanted: &[RgbaImage]) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert_eq!(compare(found, wanted, 0).differing, 0);
    }
}

#[test]
fn a_loss_before_every_packet_leaves_no_trace() {
    let capture = demo(2);
    let wanted = pictures(&capture, GlFactory::new(Api::OpenGl), |_| {});
    assert_eq!(wanted.len(), 2);
    // With one device loss in 29 packets, some frames have none.
    for (period, least) in [(1, 60), (29, 2)] {
        let factory = every(period, RecoveryOptions::default());
        let found = pictures(&capture, factory, |factory| {
            assert!(factory.devices() > least, "{}", factory.devices());
        });
        expect_same(&found, &wanted);
    }
}

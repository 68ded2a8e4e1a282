//! Replays the shared captures with ATF data on OpenGL: compares images with texel blocks that the driver samples, and
//! with texel blocks that are decoded on the CPU.

use std::path::Path;

use backend_gl::offscreen::{self, Api, GlFactory};
use backend_gl::workarounds::Workarounds;
use molehill_capture::CaptureReader;
use molehill_replay::image::{RgbaImage, compare};
use molehill_replay::{ReplayObserver, ReplayOptions, Replayer, run};

/// The captures with ATF data: minimum number of colours in the image, and number of pixels that may differ by
/// more than 2, because lighting amplifies small differences of normal maps.
const CAPTURES: [(&str, usize, u64); 3] = [
    ("texture_bytearray", 3, 0),
    ("demo_away3dtut_materials-basic-atf-shading-Basic-Shading-with-ATF_v0", 5000, 1000),
    ("demo_away3dtut_materials-basic-atf-texture-Basic-ATF-Texture", 5000, 0),
];

/// Number of frames that are drawn of each capture, which uploads its textures for the first frames.
const FRAMES: u32 = 12;

/// An observer that stores the image of the last drawn frame.
#[derive(Default)]
struct Last {
    frames: u32,
    image: Option<RgbaImage>,
}

impl ReplayObserver for Last {
    /// Counts the frames.
    fn wants_frame(&mut self, _: u32) -> bool {
        self.frames += 1;
        false
    }

    fn is_finished(&self) -> bool {
        self.frames >= FRAMES
    }

    fn wants_last_frame(&self) -> bool {
        true
    }

    fn last_frame(&mut self, _: u32, image: RgbaImage) -> Result<(), String> {
        self.image = Some(image);
        Ok(())
    }
}

fn play(path: &Path, factory: GlFactory) -> RgbaImage {
    let name = path.display();
    let mut reader = CaptureReader::open(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, factory, ReplayOptions::default());
    let mut last = Last::default();
    run(&mut reader, &mut replayer, &mut last).unwrap_or_else(|error| panic!("{name}: {error}"));
    let report = replayer.report();
    assert_eq!(report.unsupported_calls(), 0, "{name}");
    assert_eq!(report.errors.total, 0, "{name}");
    assert_eq!(report.skipped_draws(), 0, "{name}");
    last.image.unwrap()
}

fn colors(image: &RgbaImage) -> usize {
    let mut colors = image.rgba().as_chunks::<4>().0.to_vec();
    colors.sort_unstable();
    colors.dedup();
    colors.len()
}

pub(crate) fn both_ways(shared: &Path) {
    for (name, least, outliers) in CAPTURES {
        let path = shared.join(name).join("capture.s3d.jsonl.zst");
        for api in [Api::OpenGl, Api::Gles] {
            let with = play(&path, GlFactory::new(api));
            let mut decoded = offscreen::OffscreenOptions::new(api);
            decoded.device.workarounds = Workarounds::without_blocks();
            let without = play(&path, GlFactory::new(decoded));
            let found = colors(&with);
            assert!(found >= least, "{name}, {api}: {found} colours");
            let comparison = compare(&without, &with, 2);
            assert!(comparison.passes(outliers), "{name}, {api}: {comparison:?}");
        }
    }
}

//! Replays captures, and compares their images with those of Flash Player and of other renderers.

use std::path::{Path, PathBuf};

use backend_wgpu::{AdapterSelector, WgpuBackend, WgpuDevice, open, open_adapter, wgpu};
use context3d::backend::BackendError;
use molehill_capture::CaptureReader;
use molehill_replay::image::{
    ImageComparison, RgbaImage, compare, difference, read_png, write_png,
};
use molehill_replay::{ReplayObserver, ReplayOptions, Replayer, run};

/// Stores the image of a frame when it is presented.
struct Picture {
    frame: u32,
    image: Option<RgbaImage>,
}

impl ReplayObserver for Picture {
    fn wants_frame(&mut self, frame: u32) -> bool {
        frame == self.frame
    }

    fn frame(&mut self, _: u32, image: &RgbaImage) -> Result<(), String> {
        self.image = Some(image.clone());
        Ok(())
    }
}

fn device() -> WgpuDevice {
    open(AdapterSelector::Software).expect("a software adapter, such as lavapipe").share()
}

/// Replays a capture, and returns the image of a frame.
fn play(device: &WgpuDevice, capture: &Path, frame: u32) -> RgbaImage {
    let name = capture.display();
    let mut reader = CaptureReader::open(capture).unwrap_or_else(|error| panic!("{name}: {error}"));
    let header = reader.header().clone();
    let factory = || -> Result<WgpuBackend, BackendError> { WgpuBackend::new(device) };
    let mut replayer = Replayer::new(&header, factory, ReplayOptions::default());
    let mut picture = Picture { frame, image: None };
    run(&mut reader, &mut replayer, &mut picture).unwrap_or_else(|error| panic!("{name}: {error}"));
    picture.image.unwrap_or_else(|| panic!("{name}: no frame {frame}"))
}

/// Compares an image with the expected image. Panics if too many pixels differ.
fn judge(
    name: &str,
    image: &RgbaImage,
    expected: &Path,
    tolerance: u8,
    outliers: u64,
) -> Result<(), ImageComparison> {
    let expected = read_png(expected).unwrap_or_else(|error| panic!("{name}: {error}"));
    let comparison = compare(image, &expected, tolerance);
    if comparison.passes(outliers) {
        return Ok(());
    }
    let shown = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
    write_png(&shown, &difference(image, &expected, tolerance)).expect("a picture is written");
    println!("{name}: {comparison:?}: see {}", shown.display());
    Err(comparison)
}

fn captures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../captures")
}

#[test]
fn the_demo_is_drawn_as_opengl_drew_it() {
    let image = play(&device(), &captures().join("knot.s3d.jsonl"), 12);
    judge("knot", &image, &captures().join("knot.png"), 8, 20).expect("the same picture");
}

#[test]
fn the_scenes_are_drawn_as_the_reference_draws_them() {
    assert_eq!(failing_scenes(&device()), [] as [&str; 0]);
}

/// Draws the scenes on a device with WebGPU's guaranteed minimum: no compressed blocks, one or four samples, eight
/// vertex buffers, uniform offsets at multiples of 256 bytes.
#[test]
fn the_scenes_are_drawn_with_the_least_that_webgpu_has() {
    let adapter =
        open(AdapterSelector::Software).expect("a software adapter, such as lavapipe").adapter;
    let least = open_adapter(&adapter, wgpu::Features::empty(), wgpu::Limits::default());
    assert_eq!(failing_scenes(&least.expect("a device").share()), [] as [&str; 0]);
}

/// Draws all scenes. Returns the scenes whose images differ from the expected ones.
fn failing_scenes(device: &WgpuDevice) -> Vec<String> {
    let entries = std::fs::read_dir(captures().join("scenes")).expect("scenes");
    let mut folders: Vec<_> = entries.map(|entry| entry.expect("a folder").path()).collect();
    folders.sort();
    assert!(folders.len() > 50);
    let fails = |folder: &PathBuf| {
        let name = folder.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let case = std::fs::read_to_string(folder.join("case.toml")).expect("a case");
        let frame = case.lines().find_map(|line| line.strip_prefix("expectedFrame = "));
        let frame = frame.and_then(|frame| frame.parse().ok()).expect("the number of a frame");
        let image = play(device, &folder.join("capture.s3d.jsonl.zst"), frame);
        judge(&name, &image, &folder.join("expected.png"), 3, 8).is_err().then_some(name)
    };
    folders.iter().filter_map(fails).collect()
}

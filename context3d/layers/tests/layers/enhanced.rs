//! Arbitrary sequences of calls, with and without the layer `EnhancedBackend`: the replies are equal, and the layer's
//! packets are valid.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agal::generate::seed_bytes;
use arbitrary::{Arbitrary as _, Unstructured};
use context3d::Invocation;
use context3d::backend::{Backend as _, BackendError};
use context3d::enums::{EnumArg, TextureFormat};
use context3d::packets::{Packet, PassStart, RenderTarget};
use context3d_layers::enhanced::{FirstUpload, Replacement, TextureSource};
use context3d_layers::{EnhancedBackend, Enhancements};
use molehill_testing::{
    CallStep, CreatedObjects, STEP_BYTES, TestContext, ValidatingBackend, fuzzing,
};

const SEQUENCES: u64 = 150;
const STEPS: u64 = 60;
const SHARP: Enhancements = Enhancements { scale: 2, samples: 4, anisotropy: 8 };

/// A texture source that replaces every second upload by an image of three times its size.
#[derive(Debug, Default)]
struct Every(Arc<AtomicU32>);

impl TextureSource for Every {
    fn replace(&mut self, upload: &FirstUpload<'_>) -> Option<Replacement> {
        let (width, height) = (upload.width * 3, upload.height * 3);
        let bgra = vec![7; width as usize * height as usize * 4];
        let even = self.0.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        even.then_some(Replacement { width, height, bgra })
    }
}

fn steps(seed: u64) -> impl Iterator<Item = CallStep> {
    (0..STEPS).map(move |number| {
        let bytes = seed_bytes(seed * STEPS + number + (1 << 41), STEP_BYTES);
        let mut bytes = Unstructured::new(&bytes);
        let step = if number % 5 == 0 {
            CallStep::draw(&mut bytes)
        } else {
            CallStep::arbitrary(&mut bytes)
        };
        step.expect("bytes that run out are no error")
    })
}

fn passes<'a>(log: &'a [Packet<'static>]) -> impl Iterator<Item = &'a PassStart> {
    log.iter().filter_map(|packet| match packet {
        Packet::BeginPass(pass) => Some(pass),
        _ => None,
    })
}

/// Creates a context on an [`EnhancedBackend`]. The device may fail after a number of packets.
fn sharp(
    seed: u64,
    failure: Option<(u32, BackendError)>,
) -> TestContext<EnhancedBackend<ValidatingBackend>> {
    let options = fuzzing::options(&mut Unstructured::new(&seed_bytes(seed, 64)));
    let mut device = ValidatingBackend::new();
    (device.short, device.failure) = (2, failure);
    let layer = EnhancedBackend::new(device, SHARP, Some(Box::new(Every::default())));
    TestContext::over(layer, options.expect("bytes that run out are no error"))
}

/// A texture that has the stage's size, so that the layer enlarges it as a render target.
const STAGE_TEXTURE: Invocation<'_> = Invocation::CreateTexture {
    width: 128,
    height: 64,
    format: EnumArg::Is(TextureFormat::Bgra),
    optimize_for_render_to_texture: true,
    streaming_levels: 0,
};

/// Returns the calls of a step. Some steps also render to the latest textures, with one output or two.
fn calls(objects: &CreatedObjects, number: usize, step: &CallStep) -> Vec<Invocation<'static>> {
    let mut calls = objects.commands(step);
    let textures = objects.textures().iter().rev().cycle().skip(number / 6 % 4).copied();
    for (output, texture) in (0..).zip(textures).take((number % 6).saturating_sub(3)) {
        calls.push(Invocation::SetRenderToTexture {
            texture: Some(texture),
            enable_depth_and_stencil: number.is_multiple_of(4),
            anti_alias: i32::from(number.is_multiple_of(7)) * 2,
            surface_selector: 0,
            color_output_index: output,
        });
    }
    if number % 12 == 5 {
        let mask = u32::MAX;
        let [red, green, blue, alpha, depth] = [0.5; 5];
        calls.push(Invocation::Clear { red, green, blue, alpha, depth, stencil: 1, mask });
    }
    calls
}

#[test]
fn calls_are_answered_as_without_the_layer() {
    let (mut large, mut raised, mut replaced) = (0, 0, 0);
    for seed in 0..SEQUENCES {
        let mut test = sharp(seed, None);
        let mut twin = test.twin(ValidatingBackend::new());
        assert_eq!(test.context.backend().caps(), twin.context.backend().caps());
        for _ in 0..4 {
            assert_eq!(test.execute(&STAGE_TEXTURE), twin.execute(&STAGE_TEXTURE));
        }
        for (number, step) in steps(seed).enumerate() {
            for command in calls(&twin.objects, number, &step) {
                let (result, expected) = (test.execute(&command), twin.execute(&command));
                assert_eq!(result, expected, "seed {seed}: {command:?}");
            }
        }
        assert_eq!(test.properties(), twin.properties(), "seed {seed}");
        let below = &test.context.backend().below().log;
        for (pass, own) in passes(below).zip(passes(&twin.context.backend().log)) {
            if let (RenderTarget::Textures(target), RenderTarget::Textures(own)) =
                (pass.target, own.target)
            {
                large +=
                    u32::from(target.width == 2 * own.width && target.height == 2 * own.height);
                raised += u32::from(target.samples > own.samples && pass.load_samples);
            }
        }
        let seven = |packet: &&Packet<'_>| matches!(packet, Packet::UploadTexture { data, .. } if data.first() == Some(&7));
        replaced += below.iter().filter(seven).count();
    }
    assert!(large > 20 && raised > 5 && replaced > 100, "{large} {raised} {replaced}");
}

/// If a packet fails, the layer and the device still have the same objects, so that later packets are valid.
#[test]
fn failures_leave_the_layer_whole() {
    let errors =
        [BackendError::OutOfMemory, BackendError::Driver("no".to_owned()), BackendError::Lost];
    for (seed, error) in (0..SEQUENCES).zip(errors.into_iter().cycle()) {
        // The failure occurs after the packets that set up the test.
        let packets = 60 + u32::try_from(seed).expect("small") % 120;
        let mut test = sharp(seed, Some((packets, error)));
        for _ in 0..4 {
            let _ = test.execute(&STAGE_TEXTURE);
        }
        for (number, step) in steps(seed).enumerate() {
            for command in calls(&test.objects, number, &step) {
                let _ = test.execute(&command);
            }
        }
    }
}

//! Arbitrary sequences of calls: no call panics, a rejected call changes nothing, and every packet is valid.

mod sequences;

use agal::generate::seed_bytes;
use context3d::arguments::Rectangle;
use context3d::internals::ProfileLimits;
use context3d::packets::Packet;
use context3d::{
    Context3D, ContextOptions, DisplayScale, Error, Host, Invocation, ObjectHandle, Reply,
};
use molehill_testing::fuzzing;
use molehill_testing::{TestContext, ValidatingBackend};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestCaseResult, TestRunner};

use self::sequences::{PROFILES, options, steps};

/// Generates `Host` values, some of which disable features, such as video textures.
fn host() -> impl Strategy<Value = Host> {
    let descriptor = prop::option::weighted(0.1, any::<bool>());
    let stage = prop::option::weighted(0.3, 0.0..300.0f64);
    let [background, incompressible, blind] = [0.02, 0.2, 0.2];
    let flag = |often| prop::bool::weighted(often);
    let flags = (flag(background), flag(incompressible), flag(blind));
    let scale = prop::array::uniform2(prop_oneof![3 => Just(1.0), 1 => 0.0..4.0f64]);
    let host = (descriptor, stage, flags, scale);
    host.prop_map(|(descriptor_depth_and_stencil, side, flags, scale)| Host {
        background: flags.0,
        descriptor_depth_and_stencil,
        stage: side.map(|side| Rectangle { x: -0.5, y: 0.0, width: side, height: side }),
        runtime_compression: !flags.1,
        video_textures: !flags.2,
        scale: DisplayScale { contents: scale[0], browser_zoom: scale[1] },
        ..Host::default()
    })
}

fn test_context(options: ContextOptions) -> TestContext<ValidatingBackend> {
    TestContext::over(ValidatingBackend::new(), options)
}

/// Returns the packets since the last call.
fn packets(test: &mut TestContext<ValidatingBackend>) -> Vec<Packet<'static>> {
    std::mem::take(&mut test.context.backend_mut().log)
}

/// Compares two packets; NaN equals NaN.
fn same(a: &Packet<'_>, b: &Packet<'_>) -> bool {
    match (a, b) {
        (
            Packet::Constants { stage: stage_a, first: first_a, values: a },
            Packet::Constants { stage: stage_b, first: first_b, values: b },
        ) => {
            let bits = |values: &[[f32; 4]]| -> Vec<[u32; 4]> {
                values.iter().map(|v| v.map(f32::to_bits)).collect()
            };
            (stage_a, first_a) == (stage_b, first_b) && bits(a) == bits(b)
        }
        _ => a == b,
    }
}

fn all_same(a: &[Packet<'_>], b: &[Packet<'_>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

/// Returns whether a call may change something even if it is rejected: a failed upload removes the program's earlier
/// code [context3d.program.failed].
fn may_change(command: &Invocation<'_>) -> bool {
    matches!(command, Invocation::ProgramUpload { .. })
}

fn memory_is_bounded(context: &Context3D<ValidatingBackend>) -> Result<(), TestCaseError> {
    let limits = ProfileLimits::of(context.options().profile);
    let most = limits.texture_memory
        + limits.cube_memory
        + limits.vertex_buffer_memory
        + limits.index_buffer_memory
        + limits.program_memory;
    // If the program ignores the limits, they are sixteen times as high.
    prop_assert!(context.total_gpu_memory() <= most * 16);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

    /// Two contexts receive the same calls, except for the calls that the first one rejects. If a rejected call changed
    /// anything, the contexts would differ.
    #[test]
    fn a_rejected_call_changes_nothing(
        options in options(),
        host in host(),
        steps in steps(100),
        software in prop::bool::weighted(0.2),
        said_at in 0usize..50,
    ) {
        let mut test = test_context(options);
        let mut twin = test.twin(ValidatingBackend::new());
        packets(&mut test);
        packets(&mut twin);
        for (number, step) in steps.iter().enumerate() {
            if number == said_at {
                for context in [&mut test.context, &mut twin.context] {
                    context.set_host(host);
                    context.set_software(software);
                }
            }
            for command in test.objects.commands(step) {
                together(&mut test, &mut twin, &command)?;
            }
        }
        for command in test.objects.probes() {
            together(&mut test, &mut twin, &command)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Runs the fuzz targets on a bounded number of inputs; `fuzz/` runs them without a bound.
    #[test]
    fn fuzz_bodies_hold(seed in any::<u64>(), length in 0usize..4096) {
        let data = seed_bytes(seed, length);
        fuzzing::calls(&data);
        fuzzing::failures(&data);
        fuzzing::losses(&data);
        fuzzing::shortcuts(&data);
    }
}

/// Executes a call in both contexts, or only in the first one if it rejects the call.
fn together(
    test: &mut TestContext<ValidatingBackend>,
    twin: &mut TestContext<ValidatingBackend>,
    command: &Invocation<'_>,
) -> TestCaseResult {
    let before = test.properties();
    let result = test.execute(command);
    if let Err(Error::Flash(error)) = &result {
        let page = command.method();
        prop_assert!(page.raises(error.code()), "{page:?} raised {error}");
    }
    match &result {
        Err(Error::Flash(_) | Error::Unsupported(_)) if !may_change(command) => {
            prop_assert_eq!(test.properties(), before, "{:?}", command);
            prop_assert!(packets(test).is_empty(), "{command:?}");
        }
        Err(Error::Backend(error)) => prop_assert!(false, "{error}"),
        _ => {
            prop_assert_eq!(&twin.execute(command), &result, "{:?}", command);
            let (packets, twins) = (packets(test), packets(twin));
            prop_assert!(all_same(&packets, &twins), "{command:?}: {packets:?} and {twins:?}");
            prop_assert_eq!(test.properties(), twin.properties());
        }
    }
    if matches!(command, Invocation::Present {}) {
        prop_assert_eq!(test.events(), twin.events());
    }
    memory_is_bounded(&test.context)
}

/// Checks that the generated sequences contain many successful calls, including draws, and many rejected calls.
#[test]
fn sequences_draw_skip_and_fail() {
    let mut runner = TestRunner::deterministic();
    let (mut drawn, mut skipped, mut rejected) = (0, 0, 0);
    let (mut films, mut events) = (0, 0);
    for number in 0..900 {
        let mut test = test_context(ContextOptions {
            profile: PROFILES[number % PROFILES.len()],
            swf_version: 50,
        });
        packets(&mut test);
        let tree = steps(80).new_tree(&mut runner);
        for step in tree.map(|tree| tree.current()).unwrap_or_default() {
            for command in test.objects.commands(&step) {
                match test.execute(&command) {
                    Ok(Reply::Skipped(_)) => skipped += 1,
                    Ok(_) => {}
                    Err(_) => rejected += 1,
                }
            }
            events += test.events().len();
            for packet in packets(&mut test) {
                if let Packet::Draw(draw) = packet {
                    drawn += 1;
                    let mut textures = draw.textures.iter().flatten();
                    films += usize::from(textures.any(|bound| {
                        Some(bound.texture) == test.objects.video.map(ObjectHandle::key)
                    }));
                }
            }
        }
    }
    let seen = format!("{drawn} drawn, {skipped} skipped, {rejected} rejected");
    assert!(drawn > 200 && skipped > 200 && rejected > 1000, "{seen}");
    let late = format!("{films} drawn with a video, {events} events");
    assert!(films > 20 && events > 20, "{late}");
}

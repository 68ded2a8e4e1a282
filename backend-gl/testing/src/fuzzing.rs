//! Properties of all calls and files: the bodies of the fuzz targets, as ordinary functions.
//!
//! Each function takes bytes from a fuzzer and panics if a property fails. `fuzz/` passes the functions to libFuzzer;
//! `tests/state`, `tests/atf` and `tests/jxr` run the functions on a bounded number of inputs.
#![expect(
    clippy::panic,
    reason = "a broken promise has to stop the fuzzer with what is known of it"
)]

use agal::Profile;
use arbitrary::{Arbitrary, Result, Unstructured};
use atf::AtfHeader;
use context3d::enums::TextureFormat;

use crate::{CallStep, TestContext, ValidatingBackend};
use context3d::backend::{Backend, BackendError, NullBackend};
use context3d::internals::ProfileLimits;
use context3d::{Context3D, ContextOptions, Error, Invocation, Reply};
use context3d_layers::{RecoverableBackend, RecoveryOptions};

/// Maximum number of steps, because longer inputs only take longer.
const MAX_STEPS: usize = 400;

/// Returns options with a random profile and a random SWF version, among versions with different rules.
pub fn options(u: &mut Unstructured<'_>) -> Result<ContextOptions> {
    Ok(ContextOptions {
        profile: *u.choose(Profile::ALL)?,
        swf_version: *u.choose(&[50, 50, 30, 29, 13])?,
    })
}

fn play<B: Backend>(
    u: &mut Unstructured<'_>,
    test: &mut TestContext<B>,
    mut look: impl FnMut(&mut TestContext<B>, &Invocation<'_>),
) {
    for _ in 0..MAX_STEPS {
        let Ok(step) = CallStep::arbitrary(u) else { return };
        for command in test.objects.commands(&step) {
            look(test, &command);
        }
        if u.is_empty() {
            return;
        }
    }
}

/// Executes arbitrary calls. Checks that no call panics, every packet is valid, a rejected call sends no packet and
/// changes no property, memory stays within the profile's limits, and another backend has equal replies.
pub fn calls(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(options) = options(&mut u) else {
        return;
    };
    let backend = NullBackend::counting().with_caps(ValidatingBackend::new().caps);
    let mut test = TestContext::over(ValidatingBackend::new(), options);
    let mut twin = test.twin(backend);
    test.context.backend_mut().log.clear();
    play(&mut u, &mut test, |test, command| {
        let before = test.properties();
        let result = test.execute(command);
        let rejected = matches!(result, Err(Error::Flash(_) | Error::Unsupported(_)));
        let log = &mut test.context.backend_mut().log;
        // A failed upload removes the program's earlier code [context3d.program.failed].
        if rejected && !matches!(command, Invocation::ProgramUpload { .. }) {
            assert!(log.is_empty(), "{command:?} is rejected after {log:?}");
            log.clear();
            assert!(test.properties() == before, "{command:?} is rejected");
        }
        test.context.backend_mut().log.clear();
        let other = twin.execute(command);
        assert!(result == other, "{command:?}: {result:?} and {other:?}");
        assert!(test.properties() == twin.properties(), "{command:?}");
        memory_is_bounded(&test.context);
    });
}

/// Removes the ids of pipeline states from the debug text of packets.
fn without_ids(packets: &str) -> String {
    let parts = packets.split("PipelineId(");
    parts.map(|part| part.trim_start_matches(|digit: char| digit.is_ascii_digit())).collect()
}

/// Executes arbitrary calls, every other one a draw. Checks that replies and packets equal those of a context without
/// the fast paths of draws.
pub fn shortcuts(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(options) = options(&mut u) else {
        return;
    };
    let mut test = TestContext::over(ValidatingBackend::new(), options);
    let mut twin = test.twin(ValidatingBackend::new());
    for number in 0..MAX_STEPS {
        let step = match number % 2 {
            0 => CallStep::draw(&mut u),
            _ => CallStep::arbitrary(&mut u),
        };
        let Ok(step) = step else { return };
        for command in test.objects.commands(&step) {
            twin.context.invalidate_all();
            let (result, other) = (test.execute(&command), twin.execute(&command));
            assert!(result == other, "{command:?}: {result:?} and {other:?}");
            let logs = [&mut test.context, &mut twin.context];
            let [log, expected] =
                logs.map(|context| std::mem::take(&mut context.backend_mut().log));
            // Debug text is compared, because constants may be NaN and ids of states differ between contexts.
            let text = |log| without_ids(&format!("{log:?}"));
            assert!(
                log == expected || text(&log) == text(&expected),
                "{command:?}: {log:?} and {expected:?}"
            );
        }
        if u.is_empty() {
            return;
        }
    }
}

/// Executes arbitrary calls on a device that fails at some point. Checks that after a loss all calls are rejected, and
/// that otherwise the packets stay valid.
pub fn failures(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let (Ok(options), Ok((after, kind))) = (options(&mut u), <(u8, u8)>::arbitrary(&mut u)) else {
        return;
    };
    let mut test = TestContext::over(ValidatingBackend::new(), options);
    let error = match kind % 3 {
        0 => BackendError::Lost,
        1 => BackendError::OutOfMemory,
        _ => BackendError::Driver("broken".to_owned()),
    };
    test.context.backend_mut().failure = Some((after.into(), error));
    play(&mut u, &mut test, |test, command| {
        let ended = test.context.is_disposed();
        match test.execute(command) {
            Err(Error::Backend(BackendError::Lost)) => {
                assert!(!ended && test.context.is_disposed(), "{command:?}");
                assert!(test.context.total_gpu_memory() == 0);
            }
            Err(Error::Flash(error)) if ended => assert!(error.number() == 3694, "{error}"),
            Ok(reply) if ended => assert!(reply == Reply::Done, "{command:?}"),
            result => assert!(!ended, "{command:?} gives {result:?}"),
        }
        test.context.backend_mut().log.clear();
        memory_is_bounded(&test.context);
    });
}

/// Executes arbitrary calls on devices that are lost one after another, with [`RecoverableBackend`]. Checks that the
/// replies and the last device's content equal those of a device that is never lost.
pub fn losses(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let (options, given) = (options(&mut u), <([u8; 2], u8, bool)>::arbitrary(&mut u));
    let (Ok(options), Ok((lives, frame, rendered_textures))) = (options, given) else {
        return;
    };
    let mut lives = lives.into_iter();
    let open = move || {
        let mut device = ValidatingBackend::new();
        device.failure = lives.next().map(|life| (life.into(), BackendError::Lost));
        Ok(device)
    };
    let keep = RecoveryOptions { rendered_textures, frame_bytes: usize::from(frame) << 8 };
    let backend = RecoverableBackend::new(open, keep);
    let backend = backend.unwrap_or_else(|error| panic!("the first device opens: {error}"));
    let mut test = TestContext::over(backend, options);
    let mut twin = test.twin(ValidatingBackend::new());
    play(&mut u, &mut twin, |twin, command| {
        let (result, other) = (test.execute(command), twin.execute(command));
        assert!(result == other, "{command:?}: {result:?} and {other:?}");
        twin.context.backend_mut().log.clear();
    });
    let restoring = test.context.backend();
    restoring.backend().holds_the_same(twin.context.backend());
}

fn memory_is_bounded<B: Backend>(context: &Context3D<B>) {
    let limits = ProfileLimits::of(context.options().profile);
    let most = limits.texture_memory
        + limits.cube_memory
        + limits.vertex_buffer_memory
        + limits.index_buffer_memory
        + limits.program_memory;
    // A context that ignores the profile's limits has sixteen times the memory.
    assert!(context.total_gpu_memory() <= most * 16);
}

/// Uploads arbitrary bytes as an ATF file. Checks that a matching texture accepts the whole file or stays unchanged.
pub fn atf_upload(data: &[u8]) {
    const MAX_SIDE: u32 = 256;
    if let Ok(header) = AtfHeader::read(data)
        && header.width.max(header.height) <= MAX_SIDE
    {
        upload(data, &header);
    }
}

fn upload(data: &[u8], header: &AtfHeader) {
    let options = ContextOptions { profile: Profile::Enhanced, swf_version: 50 };
    let mut context = Context3D::new(ValidatingBackend::new(), options);
    let side = |side: u32| i32::try_from(side).unwrap_or(i32::MAX);
    let (width, height) = (side(header.width), side(header.height));
    let format = TextureFormat::from(header.format.texture());
    let made = if header.cube {
        context.create_cube_texture(width, format, false, 0)
    } else {
        context.create_texture(width, height, format, false, 0)
    };
    // The creation fails for example if the profile lacks the format.
    let Ok(texture) = made else { return };
    context.backend_mut().log.clear();
    let command = Invocation::TextureUploadCompressedFromByteArray {
        texture,
        data: Some(data),
        byte_array_offset: 0,
        is_async: false,
    };
    match context.execute(&command) {
        Ok(_) => {}
        Err(Error::Flash(_) | Error::Unsupported(_)) => {
            assert!(context.backend().log.is_empty());
        }
        Err(error) => panic!("{error}"),
    }
}

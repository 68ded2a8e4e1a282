//! Tests random calls on a real device: no call panics, GL reports no error, replies equal those of a null device, and
//! a recovered device has the same pixels. `molehill_testing::random` documents the variables that run more sequences.
#![allow(unsafe_code, reason = "a device from a loader")]

use std::collections::VecDeque;

use crate::common::{APIS, open, open_with, undebugged};
use crate::dirt::{DIRT, Where};
use crate::guest::loader;
use backend_gl::glow::{self, HasContext as _};
use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions};
use backend_gl::workarounds::Workarounds;
use backend_gl::{DeviceOptions, GlBackend, GlDevice};
use context3d::arguments::BitmapTarget;
use context3d::backend::{Backend, BackendError};
use context3d::{Error, Invocation, Reply};
use molehill_testing::TestContext;
use molehill_testing::random::{self, SmallTargets, StepSequence, same_pixels};

/// Number of sequences per test and API, for which a software renderer needs about twenty seconds.
const SEQUENCES: u64 = 60;

#[test]
fn calls_on_a_real_device() {
    for api in APIS {
        let offscreen = open(api);
        random::each_sequence(SEQUENCES, |sequence| same_as_nothing(&offscreen, sequence));
    }
}

#[test]
fn losses_leave_no_trace_in_the_picture() {
    for api in APIS {
        random::each_sequence(SEQUENCES / 3, |sequence| {
            random::same_after_losses(|| small(&open(api)), sequence, |it| it.debug_errors())
        });
    }
}

/// Repeated draws and shared attribute buffers give the same images as a device that sets all state for each draw, and
/// each attribute separately.
#[test]
fn shortcuts_leave_no_trace_in_the_picture() {
    for api in APIS {
        random::each_sequence(SEQUENCES / 3, |sequence| same_without_shortcuts(api, sequence));
    }
}

/// Two to four contexts alternate on one device after each call. The images of these contexts equal those of contexts
/// with separate devices.
#[test]
fn contexts_of_a_device_leave_no_trace_in_each_other() {
    for api in APIS {
        random::each_sequence(SEQUENCES / 6, |sequence| same_side_by_side(api, sequence, false));
    }
}

/// Contexts alternate on one device, and between two calls the host draws, binds, deletes objects, and changes state.
#[test]
fn a_host_between_any_two_calls_leaves_no_trace() {
    for api in APIS {
        random::each_sequence(SEQUENCES / 12, |sequence| same_side_by_side(api, sequence, true));
    }
}

fn small(offscreen: &Offscreen) -> Result<SmallTargets<GlBackend>, BackendError> {
    offscreen.backend().map(SmallTargets::new)
}

/// Runs a sequence on GL and on a backend that draws nothing.
fn same_as_nothing(offscreen: &Offscreen, sequence: &StepSequence) -> Result<u64, String> {
    offscreen.make_current().map_err(|error| error.to_string())?;
    // Loads only the functions of backend-gl's table, so that a missing one would panic. SAFETY: the context is
    // current, and no other is made current during the sequence.
    let device = unsafe { GlDevice::from_loader(&loader(), &DeviceOptions::default(), None) };
    let backend = device.and_then(|device| device.backend());
    let backend = backend.map(SmallTargets::new).map_err(|error| error.to_string())?;
    let nothing = random::nothing(&backend);
    let mut player = random::same_as_nothing(backend, nothing, sequence)?;
    let backend = player.context.backend_mut();
    match backend.backend.debug_errors() {
        0 => Ok(backend.draws),
        errors => Err(format!("{errors} errors of GL")),
    }
}

/// Runs a sequence with all fast paths and with none.
fn same_without_shortcuts(api: Api, sequence: &StepSequence) -> Result<u64, String> {
    let text = |error: BackendError| error.to_string();
    let pointers = Workarounds::default().force("attribute-pointers", true);
    let plain = open_with(api, pointers.map_err(|error| error.to_string())?);
    let shortcuts = undebugged(&OffscreenOptions::new(api));
    let mut player = TestContext::over(small(&shortcuts).map_err(text)?, sequence.options);
    let mut twin = player.twin(small(&plain).map_err(text)?);
    let mut done = Vec::new();
    for step in &sequence.steps {
        let objects = &player.objects;
        let calls = objects.commands(step).into_iter();
        let calls: Vec<_> = calls.chain(objects.visible_draw()).collect();
        for command in calls.into_iter().chain([LOOK]) {
            let result = player.execute(&command);
            done.push((command, result));
        }
    }
    let visible = same_again(&mut twin, done, |twin| twin.context.invalidate_all())?;
    same_pixels(&mut player, &mut twin)?;
    let (a, b) = (player.context.backend_mut(), twin.context.backend_mut());
    match a.backend.debug_errors() + b.backend.debug_errors() {
        0 => Ok(visible),
        errors => Err(format!("{errors} errors of GL")),
    }
}

const CLEAR: Invocation<'_> = Invocation::Clear {
    red: 0.25,
    green: 0.5,
    blue: 0.75,
    alpha: 1.0,
    depth: 1.0,
    stencil: 0,
    mask: u32::MAX,
};

const LOOK: Invocation<'_> = Invocation::DrawToBitmapData {
    destination: Some(BitmapTarget { width: 96, height: 64, transparent: true }),
    source_rect: None,
    dest_point: None,
};

fn is_draw(command: &Invocation<'_>) -> bool {
    matches!(command, Invocation::DrawTriangles { .. } | Invocation::DrawTrianglesInstanced { .. })
}

/// Changes GL state between two calls, as a host may; `number` chooses the change.
fn disturb(api: Api, offscreen: &Offscreen, number: usize) {
    offscreen.make_current().expect("it can be made current");
    let gl = offscreen.functions();
    for (at, (_, place, dirty)) in DIRT.iter().enumerate() {
        let exists = *place == Where::Both || api == Api::OpenGl;
        if exists && (at + number).is_multiple_of(5) {
            dirty(gl);
        }
    }
    // SAFETY: the context is current; the object names belong to the host.
    unsafe {
        let texture = gl.create_texture().expect("a texture");
        let framebuffer = gl.create_framebuffer().expect("a framebuffer");
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
        gl.delete_texture(texture);
        gl.delete_framebuffer(framebuffer);
        while gl.get_error() != glow::NO_ERROR {}
    }
}

/// Runs a sequence from several starting steps, each in a separate context, on one device and on several devices.
fn same_side_by_side(api: Api, sequence: &StepSequence, host: bool) -> Result<u64, String> {
    let text = |error: BackendError| error.to_string();
    let count = 2 + sequence.lives.len() % 3;
    let shared = undebugged(&OffscreenOptions::new(api));
    let device = shared.device().map_err(|error| error.to_string())?;
    let own: Vec<_> = (0..count).map(|_| undebugged(&OffscreenOptions::new(api))).collect();
    let mut parts = Vec::new();
    for (number, own) in own.iter().enumerate() {
        let mut steps = sequence.steps.clone();
        let first = steps.len() * number / count;
        steps.rotate_left(first);
        if number % 2 == 1 {
            steps.reverse();
        }
        let backend = device.backend().map(SmallTargets::new).map_err(text)?;
        let player = TestContext::over(backend, sequence.options);
        let twin = player.twin(small(own).map_err(text)?);
        parts.push((player, twin, steps.into_iter(), VecDeque::new(), Vec::new()));
    }
    let mut calls = 0;
    let mut more = true;
    // A call to insert before the next context's commands.
    let mut next = None;
    while std::mem::take(&mut more) {
        for (player, _, steps, commands, done) in &mut parts {
            if commands.is_empty()
                && let Some(step) = steps.next()
            {
                let objects = &player.objects;
                let calls = objects.commands(&step).into_iter();
                for command in calls.chain(objects.visible_draw()) {
                    let twice = 1 + usize::from(is_draw(&command));
                    commands.extend(std::iter::repeat_n(command, twice));
                }
            }
            if let Some(command) = next.take() {
                commands.push_front(command);
            }
            let Some(command) = commands.pop_front() else {
                continue;
            };
            more = true;
            // Between two equal draws of one context, the next context clears, so that the second draw must set its
            // state again. After the second draw, both contexts read their images.
            next = is_draw(&command).then(|| match commands.front() == Some(&command) {
                true => CLEAR,
                false => {
                    commands.push_front(LOOK);
                    LOOK
                }
            });
            if host {
                disturb(api, &shared, calls);
                device.invalidate_state();
            }
            calls += 1;
            let result = player.execute(&command);
            done.push((command, result));
        }
    }
    let mut visible = 0;
    for (player, twin, _, _, done) in &mut parts {
        visible += same_again(twin, std::mem::take(done), |_| ())?;
        same_pixels(player, twin)?;
        let (a, b) = (player.context.backend_mut(), twin.context.backend_mut());
        match a.backend.debug_errors() + b.backend.debug_errors() {
            0 => {}
            errors => return Err(format!("{errors} errors of GL")),
        }
    }
    Ok(visible)
}

/// A call with its result.
type Done = (Invocation<'static>, Result<Reply, Error>);

/// Executes calls again, after all first executions: a device restores all state after another device was used, which
/// would hide errors of the state cache. Returns the number of bitmaps with more than one colour.
fn same_again<B: Backend>(
    twin: &mut TestContext<B>,
    done: Vec<Done>,
    before: impl Fn(&mut TestContext<B>),
) -> Result<u64, String> {
    let mut visible = 0;
    for (command, result) in done {
        before(twin);
        let other = twin.execute(&command);
        if result != other {
            return Err(format!("{command:?}: {result:?} and {other:?}"));
        }
        if let Ok(Reply::Bitmap(bitmap)) = other {
            let pixels = bitmap.bgra.as_chunks::<4>().0;
            visible += u64::from(pixels.iter().any(|pixel| Some(pixel) != pixels.first()));
        }
    }
    Ok(visible)
}

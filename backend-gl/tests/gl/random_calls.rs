//! Random calls on a real device: nothing panics, GL reports no error, the replies are those of a device that draws
//! nothing, and a device that is lost on the way and brought back ends with the same pixels.
//!
//! `MOLEHILL_RANDOM_CALLS=n` runs n sequences a test and API instead of the few below, and `MOLEHILL_RANDOM_SEED=s` begins
//! with another one. What fails is shown with its seed and the steps that it takes.
#![allow(unsafe_code, reason = "a device from a loader")]

use std::cell::Cell;
use std::rc::Rc;

use crate::common::{APIS, open, open_with};
use crate::guest::loader;
use crate::random::{self, LosableDevice, Sequence, Small};
use backend_gl::offscreen::{Api, Offscreen};
use backend_gl::workarounds::Workarounds;
use backend_gl::{DeviceOptions, GlBackend, GlDevice};
use context3d::backend::{
    Backend, BackendError, NullBackend, RecoverableBackend, RecoveryOptions, Surface,
};
use context3d::{Error, Handle, Reply};
use context3d_testing::TestContext;

/// Sequences of each kind on each API. As many as a software renderer does in about twenty seconds.
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
        random::each_sequence(SEQUENCES / 3, |sequence| same_after_losses(api, sequence));
    }
}

/// A draw that repeats, and buffers that attributes share: the pictures are those of a device that sets all anew for each
/// draw, and each attribute by itself.
#[test]
fn shortcuts_leave_no_trace_in_the_picture() {
    for api in APIS {
        random::each_sequence(SEQUENCES / 3, |sequence| {
            same_without_shortcuts(api, sequence)
        });
    }
}

fn small(offscreen: &Offscreen) -> Result<Small<GlBackend>, BackendError> {
    offscreen.backend().map(Small::new)
}

/// One sequence on GL and on a backend that draws nothing.
fn same_as_nothing(offscreen: &Offscreen, sequence: &Sequence) -> Result<u64, String> {
    offscreen
        .make_current()
        .map_err(|error| error.to_string())?;
    // Loads only the functions of backend-gl's table, so that one that is missing there would panic.
    // SAFETY: the context is current, and no other is made current during the sequence.
    let device = unsafe { GlDevice::from_loader(&loader(), &DeviceOptions::default(), None) };
    let backend = device.and_then(|device| device.backend());
    let backend = backend.map(Small::new).map_err(|error| error.to_string())?;
    let nothing = NullBackend::counting().with_caps(backend.caps().clone());
    let mut player = TestContext::over(backend, sequence.options);
    let mut twin = player.twin(nothing);
    for step in &sequence.steps {
        for command in player.objects.commands(step) {
            let (result, other) = (player.execute(&command), twin.execute(&command));
            if !alike(&result, &other) {
                return Err(format!("{command:?}: {result:?} and {other:?}"));
            }
        }
    }
    let backend = player.context.backend_mut();
    match backend.backend.debug_errors() {
        0 => Ok(backend.draws),
        errors => Err(format!("{errors} errors of GL")),
    }
}

/// The same, but for the pixels of a bitmap.
fn alike(a: &Result<Reply, Error>, b: &Result<Reply, Error>) -> bool {
    match (a, b) {
        (Ok(Reply::Bitmap(a)), Ok(Reply::Bitmap(b))) => {
            let place = |patch: &context3d::arguments::BitmapPatch| {
                (
                    patch.x,
                    patch.y,
                    patch.width,
                    patch.height,
                    patch.bgra.len(),
                )
            };
            place(a) == place(b)
        }
        _ => a == b,
    }
}

/// One sequence on a device that stays and on devices that don't.
fn same_after_losses(api: Api, sequence: &Sequence) -> Result<u64, String> {
    let device = || small(&open(api));
    let doomed = Rc::new(Cell::new(None));
    let fate = Rc::clone(&doomed);
    let lives = sequence.lives.clone();
    let mut lives = lives.into_iter();
    let mortal = move || {
        fate.set(lives.next());
        Ok(LosableDevice::new(device()?, Rc::clone(&fate)))
    };
    let text = |error: BackendError| error.to_string();
    let restoring = RecoverableBackend::new(mortal, RecoveryOptions::default()).map_err(text)?;
    let mut player = TestContext::over(restoring, sequence.options);
    let mut twin = player.twin(device().map_err(text)?);
    for step in &sequence.steps {
        for command in twin.objects.commands(step) {
            let (result, other) = (player.execute(&command), twin.execute(&command));
            if result != other {
                return Err(format!("{command:?}: {result:?} and {other:?}"));
            }
        }
    }
    let restored = player.context.backend().restored();
    doomed.set(None);
    same_pixels(&mut player, &mut twin).map_err(|why| format!("{why} after {restored} losses"))?;
    let (a, b) = (player.context.backend_mut(), twin.context.backend_mut());
    match a.backend_mut().inner().debug_errors() + b.backend.debug_errors() {
        0 => Ok(restored),
        errors => Err(format!("{errors} errors of GL")),
    }
}

/// One sequence with all shortcuts and without any.
fn same_without_shortcuts(api: Api, sequence: &Sequence) -> Result<u64, String> {
    let text = |error: BackendError| error.to_string();
    let pointers = Workarounds::default().force("attribute-pointers", true);
    let plain = open_with(api, pointers.map_err(|error| error.to_string())?);
    let mut player = TestContext::over(small(&open(api)).map_err(text)?, sequence.options);
    let mut twin = player.twin(small(&plain).map_err(text)?);
    for step in &sequence.steps {
        for command in twin.objects.commands(step) {
            twin.context.invalidate_all();
            let (result, other) = (player.execute(&command), twin.execute(&command));
            if result != other {
                return Err(format!("{command:?}: {result:?} and {other:?}"));
            }
        }
    }
    same_pixels(&mut player, &mut twin)?;
    let (a, b) = (player.context.backend_mut(), twin.context.backend_mut());
    match a.backend.debug_errors() + b.backend.debug_errors() {
        0 => Ok(a.draws),
        errors => Err(format!("{errors} errors of GL")),
    }
}

/// Compares every surface that has a defined content.
fn same_pixels<B: Backend>(
    player: &mut TestContext<B>,
    twin: &mut TestContext<Small<GlBackend>>,
) -> Result<(), String> {
    let textures = twin.objects.textures().to_vec();
    let textures: Vec<_> = textures.into_iter().map(Handle::key).collect();
    let (a, b) = (player.context.backend_mut(), twin.context.backend_mut());
    for surface in random::surfaces(&textures) {
        if surface == Surface::BackBuffer && !b.defined {
            continue;
        }
        if random::pixels(a, surface) != random::pixels(b, surface) {
            return Err(format!("{surface:?} differs"));
        }
    }
    Ok(())
}

//! Random calls: contexts of one device leave no trace in each other, nor do losses of a device, nor that commands wait for
//! later ones. See `backend-gl/tests/gl/random.rs` for the variables that run more.

#[allow(dead_code, reason = "the tests of OpenGL use more of it")]
#[path = "../../../backend-gl/tests/gl/random.rs"]
mod random;

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use backend_wgpu::{Choice, WgpuBackend, WgpuDevice, open};
use context3d::backend::{
    Backend, BackendError, NullBackend, RecoverableBackend, RecoveryOptions, Surface,
};
use context3d::{Error, Handle, Invocation, Reply};
use molehill_testing::TestContext;
use random::{LosableDevice, Sequence, Small};

/// Sequences of each test: as many as a software renderer does in a few seconds.
const SEQUENCES: u64 = 4;

fn device() -> WgpuDevice {
    open(Choice::Software).expect("a software adapter, such as lavapipe").share()
}

fn small(device: &WgpuDevice) -> Result<Small<WgpuBackend>, BackendError> {
    WgpuBackend::new(device).map(Small::new)
}

fn text(error: BackendError) -> String {
    error.to_string()
}

/// Two to four contexts on one device, their calls in turn one by one: the replies and pictures are those of contexts with
/// devices of their own that execute each call at once.
#[test]
fn contexts_of_a_device_leave_no_trace_in_each_other() {
    let (shared, own) = (device(), device());
    random::each_sequence(SEQUENCES, |sequence| same_side_by_side(&shared, &own, sequence));
}

#[test]
fn losses_leave_no_trace_in_the_picture() {
    let device = device();
    random::each_sequence(SEQUENCES, |sequence| same_after_losses(&device, sequence));
}

/// The replies are those of a backend that draws nothing.
#[test]
fn every_call_succeeds_that_succeeds_without_a_device() {
    let device = device();
    random::each_sequence(SEQUENCES, |sequence| {
        let backend = small(&device).map_err(text)?;
        let nothing = NullBackend::counting().with_caps(backend.caps().clone());
        let mut player = TestContext::over(backend, sequence.options);
        let mut twin = player.twin(nothing);
        for step in &sequence.steps {
            for command in player.objects.commands(step) {
                let (result, other) = (player.execute(&command), twin.execute(&command));
                let bitmaps =
                    matches!((&result, &other), (Ok(Reply::Bitmap(_)), Ok(Reply::Bitmap(_))));
                if result != other && !bitmaps {
                    return Err(format!("{command:?}: {result:?} and {other:?}"));
                }
            }
        }
        Ok(player.context.backend_mut().draws)
    });
}

/// A call with what it returned.
type Done = (Invocation<'static>, Result<Reply, Error>);

fn same_side_by_side(
    shared: &WgpuDevice,
    own: &WgpuDevice,
    sequence: &Sequence,
) -> Result<u64, String> {
    let count = 2 + sequence.lives.len() % 3;
    let mut parts = Vec::new();
    for number in 0..count {
        let mut steps = sequence.steps.clone();
        let first = steps.len() * number / count;
        steps.rotate_left(first);
        let player = TestContext::over(small(shared).map_err(text)?, sequence.options);
        let twin = player.twin(small(own).map_err(text)?);
        let (commands, done): (VecDeque<Invocation<'static>>, Vec<Done>) = Default::default();
        parts.push((player, twin, steps.into_iter(), commands, done));
    }
    let mut more = true;
    while std::mem::take(&mut more) {
        for (player, _, steps, commands, done) in &mut parts {
            if commands.is_empty()
                && let Some(step) = steps.next()
            {
                commands.extend(player.objects.commands(&step));
                commands.extend(player.objects.visible_draw());
            }
            let Some(command) = commands.pop_front() else { continue };
            more = true;
            let result = player.execute(&command);
            done.push((command, result));
        }
    }
    let mut draws = 0;
    for (player, twin, _, _, done) in &mut parts {
        for (command, result) in done {
            let other = twin.execute(command);
            twin.context.backend_mut().backend.flush().map_err(text)?;
            if *result != other {
                return Err(format!("{command:?}: {result:?} and {other:?}"));
            }
        }
        same_pixels(player, twin)?;
        draws += twin.context.backend_mut().draws;
    }
    Ok(draws)
}

/// One sequence on a device that stays and on devices that don't.
fn same_after_losses(device: &WgpuDevice, sequence: &Sequence) -> Result<u64, String> {
    let doomed = Rc::new(Cell::new(None));
    let fate = Rc::clone(&doomed);
    let mut lives = sequence.lives.clone().into_iter();
    let mortal = || {
        fate.set(lives.next());
        Ok(LosableDevice::new(small(device)?, Rc::clone(&fate)))
    };
    let restoring = RecoverableBackend::new(mortal, RecoveryOptions::default()).map_err(text)?;
    let mut player = TestContext::over(restoring, sequence.options);
    let mut twin = player.twin(small(device).map_err(text)?);
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
    Ok(restored)
}

/// Compares every surface that has a defined content.
fn same_pixels<B: Backend>(
    player: &mut TestContext<B>,
    twin: &mut TestContext<Small<WgpuBackend>>,
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

//! Tests random calls on several contexts of one device. Other contexts, device losses, delayed submissions and
//! rejected packets must not change a context's results. `molehill_testing::random` tells how to run more calls.

use std::collections::VecDeque;

use backend_wgpu::{AdapterSelector, WgpuBackend, WgpuDevice, open};
use context3d::backend::BackendError;
use context3d::{Error, Invocation, Reply};
use molehill_testing::TestContext;
use molehill_testing::random::{self, RefusingDevice, SmallTargets, StepSequence, same_pixels};

/// The number of call sequences in each test. The sequences take a few seconds on a software renderer.
const SEQUENCES: u64 = 4;

fn device() -> WgpuDevice {
    open(AdapterSelector::Software).expect("a software adapter, such as lavapipe").share()
}

fn small(device: &WgpuDevice) -> Result<SmallTargets<WgpuBackend>, BackendError> {
    WgpuBackend::new(device).map(SmallTargets::new)
}

fn text(error: BackendError) -> String {
    error.to_string()
}

/// Two to four contexts on one device alternate their calls. Results and images must equal those of contexts on
/// separate devices that submit each call at once.
#[test]
fn contexts_of_a_device_leave_no_trace_in_each_other() {
    let (shared, own) = (device(), device());
    random::each_sequence(SEQUENCES, |sequence| same_side_by_side(&shared, &own, sequence));
}

#[test]
fn losses_leave_no_trace_in_the_picture() {
    let device = device();
    random::each_sequence(SEQUENCES, |sequence| {
        random::same_after_losses(|| small(&device), sequence, |_| 0)
    });
}

/// The results of calls equal those of a backend that draws nothing.
#[test]
fn every_call_succeeds_that_succeeds_without_a_device() {
    let device = device();
    random::each_sequence(SEQUENCES, |sequence| {
        let backend = small(&device).map_err(text)?;
        let nothing = random::nothing(&backend);
        let player = random::same_as_nothing(backend, nothing, sequence)?;
        Ok(player.context.backend().draws)
    });
}

/// The backend and a backend that draws nothing reject the same packets, and give equal results. Objects that are
/// missing after a rejection cause no wgpu error.
#[test]
fn refused_packets_leave_no_trace() {
    let device = device();
    let mut refused = 0;
    random::each_sequence(SEQUENCES, |sequence| {
        let backend = small(&device).map_err(text)?;
        let nothing = RefusingDevice::new(random::nothing(&backend));
        let player = random::same_as_nothing(RefusingDevice::new(backend), nothing, sequence)?;
        refused += player.context.backend().refused;
        Ok(player.context.backend().backend.draws)
    });
    assert!(refused > 0);
}

/// A call with its result or error.
type Done = (Invocation<'static>, Result<Reply, Error>);

fn same_side_by_side(
    shared: &WgpuDevice,
    own: &WgpuDevice,
    sequence: &StepSequence,
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

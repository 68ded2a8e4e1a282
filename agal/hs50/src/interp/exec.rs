//! Executes the phases in order.

use agal_core::Swizzle;

use super::machine::{HullMachine, swizzled};
use super::shared::SharedMemory;
use super::{HullInputs, HullOutput, HullRunError, HullStep, RunOptions, tessellation};
use crate::check::ValidHull;
use crate::hull::register::PhaseKind;
use crate::hull::{FactorLocation, Hull, unsupported};

/// Executes a shader for a patch. Calls `trace` after every instruction.
pub fn run(
    hull: &ValidHull,
    inputs: &HullInputs<'_>,
    options: RunOptions,
    trace: &mut dyn FnMut(&HullStep<'_>),
) -> Result<HullOutput, HullRunError> {
    unsupported::check(hull)?;
    let found = inputs.control_points.len();
    if usize::try_from(hull.input_points) != Ok(found) {
        return Err(HullRunError::ControlPoints { expected: hull.input_points, found });
    }
    let mut shared = SharedMemory::new(hull, inputs, options.max_steps);
    for kind in PhaseKind::ALL {
        for phase in hull.phases.iter().filter(|phase| phase.id.kind == *kind) {
            let control_point = *kind == PhaseKind::ControlPoint;
            let count = if control_point { hull.output_points } else { phase.instances };
            for instance in 0..count {
                HullMachine::new(hull, inputs, phase, instance, &mut shared, trace).run()?;
            }
        }
        if *kind == PhaseKind::Fork {
            shared.forks_end();
        }
    }
    Ok(outcome(hull, shared))
}

fn outcome(hull: &Hull, shared: SharedMemory) -> HullOutput {
    let (edges, insides) = hull.split_factors();
    let value = |location: &FactorLocation| {
        let register = shared.patch.get(location.register as usize).copied().unwrap_or_default();
        let [bits, ..] = swizzled(Swizzle::new([location.component; 4]), register);
        f32::from_bits(bits)
    };
    let (edges, insides): (Vec<f32>, Vec<f32>) =
        (edges.iter().map(value).collect(), insides.iter().map(value).collect());
    HullOutput {
        tessellation: tessellation((hull.domain, hull.partitioning), &edges, &insides),
        edges,
        insides,
        control_points: shared.control_points,
        patch_constants: shared.patch,
        notes: shared.notes,
        steps: shared.steps,
    }
}

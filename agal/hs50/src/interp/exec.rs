//! Runs the phases in order.

use super::machine::Machine;
use super::shared::Shared;
use super::{Inputs, Options, Order, Outcome, Register, RunError, Step, tessellation};
use crate::check::ValidHull;
use crate::hull::{FactorLocation, Hull, Phase};
use crate::register::PhaseKind;

/// Runs a shader on a patch. `trace` is called after every instruction.
///
/// # Errors
/// [`RunError`] for a wrong number of control points, too many instructions, or unsupported instructions.
pub fn run(
    hull: &ValidHull,
    inputs: &Inputs<'_>,
    options: Options,
    trace: &mut dyn FnMut(&Step<'_>),
) -> Result<Outcome, RunError> {
    crate::support::check(hull).map_err(RunError::Unsupported)?;
    let found = inputs.control_points.len();
    if usize::try_from(hull.input_points) != Ok(found) {
        return Err(RunError::ControlPoints { expected: hull.input_points, found });
    }
    let mut shared = Shared::new(hull, inputs, options.max_steps);
    for (kind, count) in [
        (PhaseKind::ControlPoint, Some(hull.output_points)),
        (PhaseKind::Fork, None),
        (PhaseKind::Join, None),
    ] {
        let phases = hull.phases.iter().filter(|phase| phase.id.kind == kind);
        let mut phases: Vec<&Phase> = phases.collect();
        if options.order == Order::Reverse {
            phases.reverse();
        }
        for phase in phases {
            let count = count.unwrap_or(phase.instances);
            for number in 0..count {
                let instance = match options.order {
                    Order::Forward => number,
                    Order::Reverse => count.wrapping_sub(number).wrapping_sub(1),
                };
                Machine::new(hull, inputs, phase, instance, &mut shared, trace).run()?;
            }
        }
        if kind == PhaseKind::Fork {
            shared.forks_end();
        }
    }
    Ok(outcome(hull, shared))
}

/// A factor's value in the patch constants.
fn factor(patch: &[Register], location: &FactorLocation) -> f32 {
    let register = patch.get(location.register as usize);
    let bits = register.and_then(|register| register.get(usize::from(location.component)));
    f32::from_bits(bits.copied().unwrap_or(0))
}

fn outcome(hull: &Hull, shared: Shared) -> Outcome {
    let (edges, insides) = hull.split_factors();
    let values = |locations: &[FactorLocation]| {
        let values = locations.iter().map(|location| factor(&shared.patch, location));
        values.collect::<Vec<_>>()
    };
    let (edges, insides) = (values(edges), values(insides));
    Outcome {
        tessellation: tessellation(hull, &edges, &insides),
        edges,
        insides,
        control_points: shared.control_points,
        patch_constants: shared.patch,
        notes: shared.notes,
        steps: shared.steps,
    }
}

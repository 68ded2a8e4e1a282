//! Interpreter state that all phases share.

use super::{HullInputs, HullRegister, HullRunError, UndefinedNote};
use crate::hull::Hull;

type Writers = [Option<(usize, u32)>; 4];

pub(super) struct SharedMemory {
    pub(super) control_points: Vec<Vec<HullRegister>>,
    pub(super) patch: Vec<HullRegister>,
    /// The patch constants after the fork phases.
    pub(super) forks: Vec<HullRegister>,
    /// For each component, the phase and instance that wrote it last.
    pub(super) writers: Vec<Writers>,
    pub(super) fork_writers: Vec<Writers>,
    pub(super) notes: Vec<UndefinedNote>,
    pub(super) steps: u64,
    max_steps: u64,
}

impl SharedMemory {
    pub(super) fn new(hull: &Hull, inputs: &HullInputs<'_>, max_steps: u64) -> SharedMemory {
        let registers = |count: u32| vec![HullRegister::default(); count.min(32) as usize];
        let point = registers(hull.output_registers);
        let mut control_points = vec![point; hull.output_points.min(32) as usize];
        if hull.passes_through() {
            for (output, input) in control_points.iter_mut().zip(inputs.control_points) {
                for (output, input) in output.iter_mut().zip(input) {
                    *output = *input;
                }
            }
        }
        let patch = registers(hull.patch_registers);
        SharedMemory {
            control_points,
            forks: patch.clone(),
            fork_writers: Vec::new(),
            writers: vec![[None; 4]; patch.len()],
            patch,
            notes: Vec::new(),
            steps: 0,
            max_steps,
        }
    }

    pub(super) fn count_step(&mut self) -> Result<(), HullRunError> {
        if self.steps >= self.max_steps {
            return Err(HullRunError::Steps(self.max_steps));
        }
        self.steps = self.steps.saturating_add(1);
        Ok(())
    }

    pub(super) fn forks_end(&mut self) {
        self.forks.clone_from(&self.patch);
        self.fork_writers.clone_from(&self.writers);
    }
}

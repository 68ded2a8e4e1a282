//! The state that the phases of a run share.

use shader_core::{Component, WriteMask};

use super::{Inputs, Note, Register, RunError};
use crate::hull::Hull;

pub(super) struct Shared {
    pub(super) control_points: Vec<Vec<Register>>,
    pub(super) patch: Vec<Register>,
    /// The patch constants after the fork phases.
    pub(super) forks: Vec<Register>,
    /// The components that fork phases wrote.
    pub(super) forks_wrote: Vec<WriteMask>,
    /// The phase and instance that wrote each component last.
    pub(super) writers: Vec<[Option<(usize, u32)>; 4]>,
    pub(super) notes: Vec<Note>,
    pub(super) steps: u64,
    max_steps: u64,
}

impl Shared {
    pub(super) fn new(hull: &Hull, inputs: &Inputs<'_>, max_steps: u64) -> Shared {
        let registers = |count: u32| vec![Register::default(); count.min(32) as usize];
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
        Shared {
            control_points,
            forks: patch.clone(),
            forks_wrote: vec![WriteMask::EMPTY; patch.len()],
            writers: vec![[None; 4]; patch.len()],
            patch,
            notes: Vec::new(),
            steps: 0,
            max_steps,
        }
    }

    pub(super) fn count_step(&mut self) -> Result<(), RunError> {
        if self.steps >= self.max_steps {
            return Err(RunError::Steps(self.max_steps));
        }
        self.steps = self.steps.saturating_add(1);
        Ok(())
    }

    pub(super) fn forks_end(&mut self) {
        self.forks.clone_from(&self.patch);
        for (mask, writers) in self.forks_wrote.iter_mut().zip(&self.writers) {
            let written = Component::ALL.into_iter().zip(writers);
            let written = written.filter(|(_, writer)| writer.is_some());
            *mask = written.fold(WriteMask::EMPTY, |mask, (component, _)| mask.with(component));
        }
    }
}

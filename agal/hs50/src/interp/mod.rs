//! Runs a hull shader on the CPU: the control point phase once per output control point, fork and join phases once per
//! instance, then the tessellator's conversion of the factors ([hs50.run.order] [hs50.tessellator.edges]).
//!
//! Floats are IEEE single precision, rounded to nearest even. Denormals are flushed to zero on input and output but
//! kept by moves; `mad` rounds twice. Where Direct3D leaves a result undefined, the run continues with the value that
//! the reference proposes and records it in [`HullOutput::notes`].

mod exec;
mod lookup;
mod machine;
mod resource;
mod shared;
mod tessellator;

use std::fmt;

use agal_core::WriteMask;
use thiserror::Error;

pub use exec::run;
pub use resource::{Resources, Sample, SampleOp};
pub use tessellator::{Tessellation, segments, tessellation};

use crate::hull::PhaseId;
use crate::hull::rule::Rule;
use crate::hull::unsupported::Unsupported;
use crate::tokens::operand::OperandKind;

/// The four components of a register, as bits.
pub type Register = [u32; 4];

/// The inputs of a run.
pub struct Inputs<'a> {
    /// The input control points, each with one register per element of the input signature; missing registers are 0.
    pub control_points: &'a [Vec<Register>],
    /// Index of the patch in its draw call.
    pub primitive_id: u32,
    /// The constant buffers, resources and samplers.
    pub resources: &'a dyn Resources,
}

/// The options of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Maximum number of instructions, over all phases.
    pub max_steps: u64,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions { max_steps: 1 << 22 }
    }
}

/// The results of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct HullOutput {
    /// The output control points, each with one register per element of the output signature.
    pub control_points: Vec<Vec<Register>>,
    /// The patch constants: one register per element of their signature.
    pub patch_constants: Vec<Register>,
    /// The edge factors as the program wrote them, in the order of [`crate::names::Domain::edges`].
    pub edges: Vec<f32>,
    /// The inside factors as the program wrote them, in the order of [`crate::names::Domain::insides`].
    pub insides: Vec<f32>,
    /// The factors that the tessellator uses.
    pub tessellation: Tessellation,
    /// Uses of behaviour that Direct3D leaves undefined, once per location.
    pub notes: Vec<Note>,
    /// The number of executed instructions.
    pub steps: u64,
}

/// A use of behaviour that Direct3D leaves undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The rule that has the behaviour.
    pub rule: Rule,
    /// The phase of the instruction.
    pub phase: PhaseId,
    /// The number of the instruction in the program.
    pub instruction_index: usize,
    /// The use in words, with its values.
    pub message: String,
}

/// An instruction after its execution.
#[derive(Debug)]
pub struct HullStep<'a> {
    /// The phase of the instruction.
    pub phase: PhaseId,
    /// Number of the control point or instance.
    pub instance: u32,
    /// The number of the instruction in the program.
    pub instruction_index: usize,
    /// The registers that the instruction has written.
    pub written: &'a [HullWrite],
}

/// A written register; `Display` prints its name as in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HullWrite {
    /// The register file.
    pub kind: OperandKind,
    /// The register number; for an indexable temporary, the number of the array.
    pub number: u32,
    /// The last index: the element of an indexable temporary, else the number.
    pub element: u32,
    /// The components that were written.
    pub mask: WriteMask,
    /// The whole register after the write.
    pub value: Register,
}

impl fmt::Display for HullWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind.name(), self.number)?;
        match self.kind {
            OperandKind::IndexableTemp => write!(f, "[{}]", self.element),
            _ => Ok(()),
        }
    }
}

/// The kinds of errors of runs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The number of control points is not that of the shader.
    #[error("the patch has {found} control points, the shader takes {expected}")]
    ControlPoints {
        /// The number that the shader takes.
        expected: u32,
        /// The number in the inputs.
        found: usize,
    },
    /// The run needs more than [`RunOptions::max_steps`].
    #[error("the program does not end within {0} instructions")]
    Steps(u64),
    /// The interpreter does not support an instruction.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

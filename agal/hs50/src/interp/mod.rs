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

use shader_core::WriteMask;
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

pub struct Inputs<'a> {
    /// The input control points, each with one register per element of the input signature; missing registers are 0.
    pub control_points: &'a [Vec<Register>],
    /// Index of the patch in its draw call.
    pub primitive_id: u32,
    pub resources: &'a dyn Resources,
}

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
    pub tessellation: Tessellation,
    /// Uses of behaviour that Direct3D leaves undefined, once per location.
    pub notes: Vec<Note>,
    pub steps: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub rule: Rule,
    pub phase: PhaseId,
    pub instruction_index: usize,
    pub message: String,
}

#[derive(Debug)]
pub struct HullStep<'a> {
    pub phase: PhaseId,
    /// Number of the control point or instance.
    pub instance: u32,
    pub instruction_index: usize,
    pub written: &'a [HullWrite],
}

/// A written register; `Display` prints its name as in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HullWrite {
    pub kind: OperandKind,
    /// The register number; for an indexable temporary, the number of the array.
    pub number: u32,
    pub element: u32,
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

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RunError {
    #[error("the patch has {found} control points, the shader takes {expected}")]
    ControlPoints { expected: u32, found: usize },
    #[error("the program does not end within {0} instructions")]
    Steps(u64),
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

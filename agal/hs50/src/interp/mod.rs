//! Executes hull shaders on the CPU: the control point phase per output control point, then fork and join phases per
//! instance. Finally converts the tessellation factors ([hs50.run.order] [hs50.tessellator.edges]).
//!
//! Floats are IEEE single precision, rounded to nearest even. Denormals are flushed to zero, except by moves; `mad`
//! rounds twice. If Direct3D leaves a result undefined, the interpreter uses the value that the reference proposes, and
//! records a note in [`HullOutput::notes`].

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
pub use resource::{HullResources, SampleOp, TextureSample};
pub use tessellator::{TessellationLevels, segments, tessellation};

use crate::hull::PhaseId;
use crate::hull::rule::HullRule;
use crate::hull::unsupported::UnsupportedFeature;
use crate::tokens::operand::OperandKind;

/// A register value: the bits of four components.
pub type HullRegister = [u32; 4];

/// The inputs of a shader execution.
pub struct HullInputs<'a> {
    /// The input control points, each with one register per input signature register; missing registers read as 0.
    pub control_points: &'a [Vec<HullRegister>],
    /// The index of the patch in its draw call.
    pub primitive_id: u32,
    /// The bound constant buffers, resources and samplers.
    pub resources: &'a dyn HullResources,
}

/// The options of a shader execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Maximum number of executed instructions, in all phases.
    pub max_steps: u64,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions { max_steps: 1 << 22 }
    }
}

/// The results of a shader execution.
#[derive(Clone, Debug, PartialEq)]
pub struct HullOutput {
    /// The output control points, each with one register per output signature register.
    pub control_points: Vec<Vec<HullRegister>>,
    /// The patch constants, one register per patch constant signature register.
    pub patch_constants: Vec<HullRegister>,
    /// The edge factors that the shader wrote, in the order of [`crate::names::Domain::edges`].
    pub edges: Vec<f32>,
    /// The inside factors that the shader wrote, in the order of [`crate::names::Domain::insides`].
    pub insides: Vec<f32>,
    /// The result of the tessellator's conversion of the factors.
    pub tessellation: TessellationLevels,
    /// Undefined behaviour that occurred, once per location.
    pub notes: Vec<UndefinedNote>,
    /// The number of executed instructions.
    pub steps: u64,
}

/// An occurrence of behaviour that Direct3D leaves undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndefinedNote {
    /// The rule that describes the undefined behaviour.
    pub rule: HullRule,
    /// The phase of the instruction.
    pub phase: PhaseId,
    /// The index of the instruction in the program.
    pub instruction_index: usize,
    /// A description of the undefined behaviour, with the values that cause it.
    pub message: String,
}

/// A trace entry for an executed instruction.
#[derive(Debug)]
pub struct HullStep<'a> {
    /// The phase of the instruction.
    pub phase: PhaseId,
    /// The index of the control point or instance.
    pub instance: u32,
    /// The index of the instruction in the program.
    pub instruction_index: usize,
    /// The registers that the instruction has written.
    pub written: &'a [HullWrite],
}

/// A register write; `Display` prints the register name as in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HullWrite {
    /// The register file of the written register.
    pub kind: OperandKind,
    /// The register number; for indexable temporaries, the array number.
    pub number: u32,
    /// The last index: the array element of an indexable temporary, otherwise the register number.
    pub element: u32,
    /// The components that the instruction wrote.
    pub mask: WriteMask,
    /// The value of the whole register after the write.
    pub value: HullRegister,
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

/// The types of execution errors.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HullRunError {
    /// The patch has a different number of control points than the shader declares.
    #[error("the patch has {found} control points, the shader takes {expected}")]
    ControlPoints {
        /// The number of control points that the shader declares.
        expected: u32,
        /// The number of control points in the patch.
        found: usize,
    },
    /// The execution exceeds [`RunOptions::max_steps`].
    #[error("the program does not end within {0} instructions")]
    Steps(u64),
    /// The interpreter doesn't support an instruction.
    #[error(transparent)]
    Unsupported(#[from] UnsupportedFeature),
}

//! Runs a hull shader on the CPU: the control point phase once a point, fork and join phases once an instance, then the
//! factors as the tessellator takes them (hs-5-0.md, 4).
//!
//! Floats are IEEE single, rounded to nearest even, denormals flushed to zero on the way in and out but kept by moves; `mad`
//! rounds twice. Where Direct3D leaves a result open, the run goes on with the value that the reference proposes and says
//! so in [`Outcome::notes`].

mod exec;
mod lookup;
mod machine;
mod resource;
mod tessellator;

use std::fmt;

pub use exec::run;
pub use resource::{How, Resources, Sample};
pub use tessellator::{Tessellation, segments, tessellation};

use crate::hull::PhaseId;
use crate::operand::OperandKind;
use crate::rule::Rule;

/// Four components of a register, as bits.
pub type Register = [u32; 4];

/// What goes into a run.
pub struct Inputs<'a> {
    /// The input control points, each a register for each element of the input signature; what is missing is 0.
    pub control_points: &'a [Vec<Register>],
    /// The number of the patch in its draw call.
    pub primitive_id: u32,
    /// Constant buffers, resources and samplers.
    pub resources: &'a dyn Resources,
}

/// The order in which phases of a kind and their instances run; none may depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As in the program.
    #[default]
    Forward,
    /// Fork phases, join phases and instances the other way about.
    Reverse,
}

/// How a run deviates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Instructions that are run at most, over all phases.
    pub max_steps: u64,
    /// In which order phases run.
    pub order: Order,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_steps: 1 << 22,
            order: Order::Forward,
        }
    }
}

/// What comes out of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The output control points: a register for each element of the output signature.
    pub control_points: Vec<Vec<Register>>,
    /// The patch constants: a register for each element of their signature.
    pub patch_constants: Vec<Register>,
    /// The factors as the program wrote them, edges in the order of [`crate::names::Domain::edges`].
    pub edges: Vec<f32>,
    /// Likewise, in the order of [`crate::names::Domain::insides`].
    pub insides: Vec<f32>,
    /// What the tessellator makes of them.
    pub tessellation: Tessellation,
    /// What Direct3D leaves open, once for each place.
    pub notes: Vec<Note>,
    /// Instructions that were run.
    pub steps: u64,
}

/// Something that Direct3D leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The rule about it.
    pub rule: Rule,
    /// The phase.
    pub phase: PhaseId,
    /// The instruction's place in the program.
    pub place: usize,
    /// What happened.
    pub message: String,
}

/// An instruction that was run.
#[derive(Debug)]
pub struct Step<'a> {
    /// The phase.
    pub phase: PhaseId,
    /// The control point or instance.
    pub instance: u32,
    /// The instruction's place in the program.
    pub place: usize,
    /// What was written.
    pub written: &'a [Written],
}

/// A register that was written; `Display` names it as a listing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The register file.
    pub kind: OperandKind,
    /// Its number; of an indexable temporary the number of the array.
    pub number: u32,
    /// The element of an indexable temporary.
    pub element: u32,
    /// The components that were written: x = 1 … w = 8.
    pub mask: u8,
    /// All its components.
    pub value: Register,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind.name(), self.number)?;
        match self.kind {
            OperandKind::IndexableTemp => write!(f, "[{}]", self.element),
            _ => Ok(()),
        }
    }
}

/// Why a shader can't be run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// As many control points as the shader declares must go in.
    ControlPoints {
        /// As declared.
        expected: u32,
        /// As given.
        found: usize,
    },
    /// The program did not end within the bound.
    Steps(u64),
    /// It has something that is not run.
    Unsupported(crate::support::Unsupported),
}

agal::messages! { RunError {
    Self::ControlPoints { expected, found } => "the patch has {found} control points, the shader takes {expected}";
    Self::Steps(most) => "the program does not end within {most} instructions";
    Self::Unsupported(what) => "{what}";
} }

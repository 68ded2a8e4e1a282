//! Runs shaders on the CPU. It follows the description of Direct3D 9 ([d3d9.value.order] …), independently of the
//! GLSL translation, so that each can be tested against the other.
//!
//! Four invocations run at once, in [`Lanes`]: four vertices, or the 2×2 pixels of a quad:
//!
//! ```text
//!   lane 0 | lane 1      dsx of lanes 0, 1 = lane 1 - lane 0;  of lanes 2, 3 = lane 3 - lane 2
//!   -------+-------
//!   lane 2 | lane 3      dsy of lanes 0, 2 = lane 2 - lane 0;  of lanes 1, 3 = lane 3 - lane 1
//! ```
//!
//! Lanes can diverge: those that don't take a branch keep their registers. A run ends after a maximum number of steps.
//! Results at the edges follow Direct3D 9's float rules ([agal.float.rules]), unless [`Kernel::with_float_rules`] sets
//! others.
//!
//! ```
//! use d3d9::interp::{Inputs, Kernel, MAX_STEPS, NoTextures};
//! use d3d9::text::assemble;
//!
//! let program = assemble("ps_2_0\ndef c0, 0.5, 0, 0, 1\ndcl t0\nmul r0, t0, c0.x\nmov oC0, r0")?;
//! let kernel = Kernel::new(&program)?;
//! let mut state = kernel.state();
//! state.set_texcoord(0, 3, [1.0, 2.0, 3.0, 4.0]);
//! kernel.run(&mut state, &Inputs::default(), &NoTextures, MAX_STEPS, &mut ())?;
//! assert_eq!(state.color(0, 3), [0.5, 1.0, 1.5, 2.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alu;
mod compile;
mod exec;
mod flow;
mod image;
mod ps1;
mod state;

use thiserror::Error;

use crate::opcode::Kind;
use crate::operand::{Dimension, WriteMask};
use crate::register;
use crate::version::Version;

pub use crate::texture_stage::TextureStage;
pub use agal::interp::{LANES, Lanes, Register};
pub use compile::Kernel;
pub use image::Images;
pub use state::State;

/// Constants set by the API. Missing ones are zero; definitions in the shader take precedence.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs<'a> {
    /// Float constants `c#`.
    pub floats: &'a [[f32; 4]],
    /// Integer constants `i#`.
    pub integers: &'a [[i32; 4]],
    /// Boolean constants `b#`.
    pub booleans: &'a [bool],
    /// The texture stages of ps_1_x.
    pub stages: [TextureStage; 8],
}

/// The usual limit of the instructions of a run.
pub const MAX_STEPS: u32 = 1 << 20;

/// Why a shader can't be compiled, or why its run was stopped. Instructions are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// An operand is no register of the version, or missing.
    #[error("instruction {instruction} is malformed")]
    Malformed {
        /// The number of the instruction, from 1.
        instruction: u32,
    },
    /// Blocks don't nest, a label is missing, or the version doesn't have the opcode.
    #[error("instruction {instruction} can't be run: the shader is not valid")]
    Invalid {
        /// The number of the instruction, from 1.
        instruction: u32,
    },
    /// The run needs more instructions than allowed.
    #[error("the program does not end within {0} instructions")]
    Steps(u32),
    /// More than 32 calls are nested.
    #[error("calls are nested too deeply")]
    Depth,
}

/// The textures of a run.
pub trait Textures {
    /// Reads a texture for all lanes. Inactive lanes have coordinates too.
    fn read(&self, lookup: &Lookup<'_>) -> Register;
}

/// No textures: every read returns (0, 0, 0, 1), as in Direct3D 9.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTextures;

impl Textures for NoTextures {
    fn read(&self, _: &Lookup<'_>) -> Register {
        Register::splat([0.0, 0.0, 0.0, 1.0])
    }
}

/// A texture read of all lanes.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    /// Number of the sampler, in ps_1_x of the stage.
    pub sampler: u16,
    /// The kind of texture.
    pub dimension: Dimension,
    /// Coordinates; projection has been applied.
    pub coordinates: &'a Register,
    /// The source of the level of detail.
    pub level: Level<'a>,
}

/// The source of a level of detail.
#[derive(Clone, Copy, Debug)]
pub enum Level<'a> {
    /// From derivatives between lanes, plus this bias per lane.
    Implicit(Lanes),
    /// This level in each lane.
    Exactly(Lanes),
    /// These derivatives along x and y.
    Gradients(&'a Register, &'a Register),
}

/// Observes a run. The unit type observes nothing.
pub trait Observer {
    /// Whether [`Observer::step`] does something.
    const STEPS: bool = true;

    /// Takes an instruction after its execution.
    fn step(&mut self, _step: &Step) {}

    /// Called with the result of arithmetic before shift, saturation and mask. The observer may change it, for example
    /// to see how errors propagate.
    fn computed(&mut self, _operation: &Operation, _value: &mut Register) {}
}

/// An operation on values, before its result is adjusted.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The operation.
    pub kind: Kind,
    /// The version of the shader.
    pub version: Version,
    /// The sources with their modifiers; scalar formulas have their one component in all four.
    pub sources: [Register; 3],
    /// The rows of a matrix.
    pub rows: [Register; 4],
}

impl Observer for () {
    const STEPS: bool = false;
}

/// An instruction after its execution.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The number of the instruction, from 1.
    pub instruction: u32,
    /// The destination: register, components, and its whole value after the write. Address registers and predicates are
    /// converted to floats.
    pub written: Option<(register::Register, WriteMask, Register)>,
    /// Lanes in the current branch.
    pub active: [bool; LANES],
    /// Lanes that `texkill` has not discarded.
    pub alive: [bool; LANES],
}

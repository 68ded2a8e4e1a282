//! Runs shaders on the CPU, straight from the description of Direct3D 9 (d3d9-shaders.md section 5), and without a look at
//! the GLSL: what one of them gets wrong, the other shows.
//!
//! Four invocations run at once, in [`Lanes`]: four vertices, or the 2×2 pixels of a quad:
//!
//! ```text
//!   lane 0 | lane 1      dsx of lanes 0, 1 = lane 1 - lane 0;  of lanes 2, 3 = lane 3 - lane 2
//!   -------+-------
//!   lane 2 | lane 3      dsy of lanes 0, 2 = lane 2 - lane 0;  of lanes 1, 3 = lane 3 - lane 1
//! ```
//!
//! Lanes go their own ways through flow control: those that don't take a branch keep their registers. A run ends after a
//! number of steps at the latest.
//!
//! ```
//! use d3d9::interp::{Inputs, Kernel, NoTextures, Settings};
//! use d3d9::text::assemble;
//!
//! let program = assemble("ps_2_0\ndef c0, 0.5, 0, 0, 1\ndcl t0\nmul r0, t0, c0.x\nmov oC0, r0")?;
//! let kernel = Kernel::new(&program)?;
//! let mut state = kernel.state();
//! state.set_texcoord(0, 3, [1.0, 2.0, 3.0, 4.0]);
//! kernel.run(&mut state, &Inputs::default(), &NoTextures, &Settings::DEFAULT, &mut ())?;
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

use crate::opcode::Kind;
use crate::operand::{Dimension, WriteMask};
use crate::register::Register as Place;
use crate::version::Version;

pub use agal::interp::{LANES, Lanes, Register};
pub use compile::Kernel;
pub use image::{Images, Texture};
pub use state::State;

/// `f` of each pair.
fn zip<A: Copy, B: Copy, C>(a: [A; 4], b: [B; 4], f: impl Fn(A, B) -> C) -> [C; 4] {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (a, b);
    [f(a0, b0), f(a1, b1), f(a2, b2), f(a3, b3)]
}

/// Constants of the API. Those that are missing are zero; what the shader defines itself goes before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs<'a> {
    /// `c0`, `c1`, …
    pub floats: &'a [[f32; 4]],
    /// `i0`, `i1`, …
    pub integers: &'a [[i32; 4]],
    /// `b0`, `b1`, …
    pub booleans: &'a [bool],
    /// Texture stages of ps_1_x.
    pub stages: [Stage; 8],
}

/// State of a texture stage, which ps_1_x reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// What kind of texture is bound.
    pub dimension: Dimension,
    /// `D3DTTFF_PROJECTED`: ps_1_1 to ps_1_3 divide the coordinates by w.
    pub projected: bool,
    /// `D3DTSS_BUMPENVMAT00`, `01`, `10`, `11`.
    pub matrix: [f32; 4],
    /// `D3DTSS_BUMPENVLSCALE` and `D3DTSS_BUMPENVLOFFSET`.
    pub luminance: [f32; 2],
}

impl Default for Stage {
    fn default() -> Stage {
        Stage {
            dimension: Dimension::TwoD,
            projected: false,
            matrix: [1.0, 0.0, 0.0, 1.0],
            luminance: [1.0, 0.0],
        }
    }
}

/// What the reference leaves open (d3d9-shaders.md sections 5.1 and 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Of zero, `rcp` and `rsq` are the largest float and `log` its negative, as Microsoft's reference code has it. False:
    /// infinities, as GPUs have it.
    pub finite: bool,
    /// vs_1_1 rounds what is moved to `a0` to the nearest integer, as the documentation says. False: down, as programs
    /// showed that drivers did.
    pub round_address_1_1: bool,
    /// Instructions that run at most.
    pub steps: u32,
}

impl Settings {
    /// As GPUs do it.
    pub const DEFAULT: Settings = Settings {
        finite: false,
        round_address_1_1: false,
        steps: 1 << 20,
    };
}

/// Why a shader can't be run, or was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunError {
    /// Words that are no instruction.
    Malformed {
        /// Number of the instruction, from 1.
        instruction: u32,
    },
    /// Blocks don't nest, a label is missing, an opcode is not in the version.
    Invalid {
        /// Number of the instruction, from 1.
        instruction: u32,
    },
    /// Too many instructions ran.
    Steps(u32),
    /// Calls within calls within calls: more than the deepest version allows.
    Depth,
}

agal::messages! { RunError {
    Self::Malformed { instruction } => "instruction {instruction} is malformed";
    Self::Invalid { instruction } => "instruction {instruction} can't be run: check the shader";
    Self::Steps(steps) => "stopped after {steps} instructions";
    Self::Depth => "calls are nested too deeply";
} }

/// Where texels come from.
pub trait Textures {
    /// Reads a texture in every lane. All lanes have coordinates, whether they are active or not.
    fn read(&self, lookup: &Lookup<'_>) -> Register;
}

/// No textures: every read gives (0, 0, 0, 1), as Direct3D 9 does.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTextures;

impl Textures for NoTextures {
    fn read(&self, _: &Lookup<'_>) -> Register {
        Register::splat([0.0, 0.0, 0.0, 1.0])
    }
}

/// One texture read.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    /// Number of the sampler, or of the stage.
    pub sampler: u16,
    /// What the shader reads it as.
    pub dimension: Dimension,
    /// Coordinates, already divided where they are projected.
    pub coordinates: &'a Register,
    /// Level of detail.
    pub level: Level<'a>,
}

/// Where a level of detail comes from.
#[derive(Clone, Copy, Debug)]
pub enum Level<'a> {
    /// From the differences between lanes, and this is added in each lane.
    Implicit(Lanes),
    /// It is this in each lane.
    Exactly(Lanes),
    /// From these differences along x and y.
    Gradients(&'a Register, &'a Register),
}

/// Looks into a run. The unit type looks at nothing.
pub trait Monitor {
    /// Whether [`Monitor::step`] is called.
    const STEPS: bool = true;

    /// An instruction has run.
    fn step(&mut self, _step: &Step) {}

    /// Arithmetic gave a value, before shift, saturation and mask. It may be changed: to see what errors come to.
    fn computed(&mut self, _operation: &Operation, _value: &mut Register) {}
}

/// One computation.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// What was computed. A matrix is one operation.
    pub kind: Kind,
    /// The version.
    pub version: Version,
    /// The sources with their modifiers; of scalar formulas the one component in all.
    pub sources: [Register; 3],
    /// Of a matrix the rows.
    pub rows: [Register; 4],
}

impl Monitor for () {
    const STEPS: bool = false;
}

/// What one instruction did.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Number of the instruction, from 1.
    pub instruction: u32,
    /// What it wrote: the register, the components, and all of it as it is now. Address registers and predicates are shown
    /// as floats.
    pub written: Option<(Place, WriteMask, Register)>,
    /// Lanes that ran it.
    pub active: [bool; LANES],
    /// Lanes that no `texkill` has discarded yet.
    pub alive: [bool; LANES],
}

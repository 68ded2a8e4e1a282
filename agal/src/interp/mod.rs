//! Runs programs on the CPU. It follows the description of AGAL ([agal.mov.1] …) and of its edge cases, independently of the
//! GLSL emitter, so that each can be tested against the other.
//!
//! Four invocations run at once, in [`Lanes`]: four vertices of a vertex program, or the 2×2 pixels of a quad of a
//! fragment program, so that `ddx`, `ddy` and the implicit level of detail of `tex` are what they are on a GPU:
//!
//! ```text
//!   lane 0 | lane 1      ddx of lanes 0, 1 = lane 1 - lane 0;  of lanes 2, 3 = lane 3 - lane 2
//!   -------+-------
//!   lane 2 | lane 3      ddy of lanes 0, 2 = lane 2 - lane 0;  of lanes 1, 3 = lane 3 - lane 1
//! ```
//!
//! x grows to the right and y downwards, as in Flash. Arithmetic is IEEE 754 single precision, without denormals
//! flushed; at the edges it follows [`FloatRules`]. Further edge cases are in [`Opcode`]'s table of formulas (see
//! [`Accuracy`]). A program has no loops, so a run takes
//! at most as many steps as it has tokens; it allocates nothing.
//!
//! ```
//! use agal::interp::{Kernel, NoTextures};
//! use agal::{Rules, Stage, asm, validate};
//!
//! let program = asm::assemble("mul ft0, v0, fc0.x\nmov oc, ft0", Stage::Fragment, 1)?;
//! let kernel = Kernel::new(&validate(program, Stage::Fragment, &Rules::NEWEST)?);
//! let mut state = kernel.state();
//! state.set_varying(0, 3, [1.0, 2.0, 3.0, 4.0]);
//! kernel.run(&mut state, &[[0.5, 0.0, 0.0, 0.0]], &NoTextures);
//! assert_eq!(state.color(0, 3), [0.5, 1.0, 1.5, 2.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`FloatRules`]: crate::float::FloatRules
//! [`Opcode`]: crate::isa::opcode::Opcode

mod accuracy;
mod alu;
mod compile;
mod exec;
mod image;
mod state;

use crate::isa::opcode::Opcode;
use crate::isa::operand::WriteMask;
use crate::isa::register::RegisterFile;
use crate::isa::sampler::Sampler;
use crate::version::Stage;

use shader_core::lanes::{map, zip};

pub use crate::isa::opcode::Accuracy;
pub use accuracy::{Operands, error_bound};
pub use compile::Kernel;
pub use image::{Image, ImageError, Images};
pub use shader_core::lanes;
pub use state::State;

/// Invocations that run at once.
pub const LANES: usize = 4;

/// One number for each invocation.
pub type Lanes = [f32; LANES];

/// A register in every lane: by component (x, y, z, w), then by lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Register(pub [Lanes; 4]);

impl Register {
    /// Returns a register that is the same in every lane.
    pub fn splat(value: [f32; 4]) -> Register {
        Register(map(value, |component| [component; LANES]))
    }

    /// Returns the register of one lane.
    pub fn lane(&self, lane: usize) -> [f32; 4] {
        map(self.0, |component| component.get(lane).copied().unwrap_or(0.0))
    }

    /// Sets the register of one lane.
    pub fn set_lane(&mut self, lane: usize, value: [f32; 4]) {
        for (component, value) in self.0.iter_mut().zip(value) {
            if let Some(slot) = component.get_mut(lane) {
                *slot = value;
            }
        }
    }
}

/// The textures of a run.
pub trait Textures {
    /// Reads a texture in every lane. All lanes have valid coordinates, including discarded ones and those that did not
    /// take a branch, so that differences between them are defined.
    fn read(&self, request: &Lookup<'_>) -> Register;
}

/// No textures: every read returns zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTextures;

impl Textures for NoTextures {
    fn read(&self, _: &Lookup<'_>) -> Register {
        Register::default()
    }
}

/// A texture read of all lanes.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    /// The kind of the program, which tells `fs` from `vs`.
    pub stage: Stage,
    /// The sampler of the program, with its register and bias.
    pub sampler: &'a Sampler,
    /// Coordinates: x and y for 2D, x, y and z for a cube.
    pub coordinates: &'a Register,
    /// The source of the level of detail.
    pub level: Level,
}

/// The source of a level of detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// The differences between lanes (`tex`). The value is added: the sampler's bias in levels, and the offset of its
    /// mip filter.
    Implicit(f32),
    /// This level (0 for `tld`).
    Exactly(f32),
}

/// Observes a run. The unit type does nothing.
pub trait Observer {
    /// Whether [`Observer::step`] is called.
    const STEPS: bool = true;

    /// Whether [`Observer::computed`] is called for arithmetic.
    const OPERANDS: bool = true;

    /// Called with the `value` that a token has computed from `operands`, before it is stored. An observer may change it,
    /// to measure the effect of errors. For texture reads, the operands are the coordinates.
    fn computed(&mut self, _opcode: Opcode, _operands: &Operands<'_>, _value: &mut Register) {}

    /// Called with the sources of an `if` and the lanes that take its branch, which an observer may change.
    fn branches(&mut self, _sources: [&Lanes; 2], _taken: &mut [bool; LANES]) {}

    /// Called after each token, but not in branches that no lane takes.
    fn step(&mut self, _step: &Step) {}
}

impl Observer for () {
    const STEPS: bool = false;
    const OPERANDS: bool = false;
}

/// A token after its execution.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The number of the token, from 1.
    pub token: u32,
    /// The opcode of the token.
    pub opcode: Opcode,
    /// The register that the token has written, if it writes one.
    pub written: Option<Written>,
    /// Lanes in the current branch after the token.
    pub active: [bool; LANES],
    /// Lanes that `kil` has not discarded.
    pub alive: [bool; LANES],
}

/// A register after a token has written it.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// The register's file.
    pub file: RegisterFile,
    /// The number of the register.
    pub number: u16,
    /// The components that the token writes.
    pub mask: WriteMask,
    /// The whole register after the write.
    pub value: Register,
}

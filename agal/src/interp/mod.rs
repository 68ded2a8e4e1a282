//! Runs AGAL programs on the CPU. The interpreter follows the description of AGAL ([agal.mov.1] …) and of its edge
//! cases. Interpreter and GLSL emitter are independent, so that tests can compare both.
//!
//! Four invocations run at once, in [`LaneValues`]: four vertices, or the 2×2 pixels of a quad. Therefore `ddx`, `ddy`
//! and the implicit level of detail of `tex` are as on a GPU:
//!
//! ```text
//!   lane 0 | lane 1      ddx of lanes 0, 1 = lane 1 - lane 0;  of lanes 2, 3 = lane 3 - lane 2
//!   -------+-------
//!   lane 2 | lane 3      ddy of lanes 0, 2 = lane 2 - lane 0;  of lanes 1, 3 = lane 3 - lane 1
//! ```
//!
//! x grows to the right and y downwards, as in Flash. Arithmetic is IEEE 754 single precision with denormals; zero,
//! infinity and NaN follow [`FloatRules`]. Further edge cases are in [`AgalOpcode`]'s table of formulas (see
//! [`Accuracy`]). A program has no loops: a run takes at most one step per token, and allocates no memory.
//!
//! ```
//! use agal::interp::{CompiledProgram, NoTextures};
//! use agal::{Rules, Stage, asm, validate};
//!
//! let program = asm::assemble("mul ft0, v0, fc0.x\nmov oc, ft0", Stage::Fragment, 1)?;
//! let compiled = CompiledProgram::new(&validate(program, Stage::Fragment, &Rules::NEWEST)?);
//! let mut state = compiled.state();
//! state.set_varying(0, 3, [1.0, 2.0, 3.0, 4.0]);
//! compiled.run(&mut state, &[[0.5, 0.0, 0.0, 0.0]], &NoTextures);
//! assert_eq!(state.color(0, 3), [0.5, 1.0, 1.5, 2.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`FloatRules`]: crate::float::FloatRules
//! [`AgalOpcode`]: crate::isa::opcode::AgalOpcode

mod accuracy;
mod alu;
mod compile;
mod exec;
mod state;

use agal_core::interp::Language;
use agal_core::lanes::zip;

use crate::isa::register::RegisterFile;
use crate::isa::sampler::SamplerOp;

pub use crate::isa::opcode::Accuracy;
pub use accuracy::{AgalComputation, error_bound};
pub use agal_core::image::{ImageError, SamplerImages, TexelImage};
pub use agal_core::interp::{
    DetailLevel, LANES, LaneRegister, LaneValues, NoTextures, RegisterWrite, RunObserver,
    TextureSampling,
};
pub use agal_core::lanes;
pub use compile::CompiledProgram;
pub use state::AgalState;

/// The [`Language`] type of AGAL, with the types that textures and observers receive.
#[derive(Clone, Copy, Debug)]
pub struct AgalLanguage;

impl Language for AgalLanguage {
    type Sampler = SamplerOp;
    type Register = (RegisterFile, u16);
    type Computation<'a> = AgalComputation<'a>;
    const UNBOUND: [f32; 4] = [0.0; 4];
}

/// The operands of a texture read in AGAL.
pub type AgalLookup<'a> = agal_core::interp::TextureLookup<'a, AgalLanguage>;

/// An executed instruction of AGAL.
pub type AgalTraceStep = agal_core::interp::TraceStep<AgalLanguage>;

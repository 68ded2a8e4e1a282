//! Executes shaders on the CPU. The interpreter follows the specification of Direct3D 9 ([d3d9.value.order] …).
//! Interpreter and GLSL translation share no code, so tests can compare both.
//!
//! Four invocations run at once, in [`LaneValues`]: four vertices, or the 2×2 pixels of a quad:
//!
//! ```text
//!   lane 0 | lane 1      dsx of lanes 0, 1 = lane 1 - lane 0;  of lanes 2, 3 = lane 3 - lane 2
//!   -------+-------
//!   lane 2 | lane 3      dsy of lanes 0, 2 = lane 2 - lane 0;  of lanes 1, 3 = lane 3 - lane 1
//! ```
//!
//! Lanes can diverge: inactive lanes keep their registers. Execution stops after a maximum number of instructions.
//! Infinities, NaN and zeros follow Direct3D 9's float rules ([agal.float.rules]), unless
//! [`CompiledShader::with_float_rules`] selects other rules.
//!
//! ```
//! use d3d9::register::ShaderFile;
//! use d3d9::interp::{D3d9Inputs, CompiledShader, MAX_STEPS, NoTextures};
//! use d3d9::text::assemble;
//!
//! let program = assemble("ps_2_0\ndef c0, 0.5, 0, 0, 1\ndcl t0\nmul r0, t0, c0.x\nmov oC0, r0")?;
//! let compiled = CompiledShader::new(&program)?;
//! let mut state = compiled.state();
//! state.set(ShaderFile::Texture.at(0), 3, [1.0, 2.0, 3.0, 4.0]);
//! compiled.run(&mut state, &D3d9Inputs::default(), &NoTextures, MAX_STEPS, &mut ())?;
//! assert_eq!(state.lane(ShaderFile::Color.at(0), 3), [0.5, 1.0, 1.5, 2.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alu;
mod compile;
mod exec;
mod flow;
mod ps1;
mod state;

use agal_core::interp::{Language, SamplerRegister};

use crate::opcode::Operation;
use crate::operand::Dimension;
use crate::register;
use crate::version::ShaderVersion;

pub use crate::texture_stage::TextureStage;
pub use agal_core::image::SamplerImages;
pub use agal_core::interp::{
    DetailLevel, LANES, LaneRegister, LaneValues, NoTextures, RegisterWrite, RunObserver,
    TextureSampling,
};
pub use compile::CompiledShader;
pub use state::D3d9State;

/// Constants set by the API. Missing constants are zero; `def`, `defi` and `defb` take precedence.
#[derive(Clone, Copy, Debug, Default)]
pub struct D3d9Inputs<'a> {
    /// The float constants `c#`.
    pub floats: &'a [[f32; 4]],
    /// The integer constants `i#`.
    pub integers: &'a [[i32; 4]],
    /// The boolean constants `b#`.
    pub booleans: &'a [bool],
    /// The texture stages of ps_1_x.
    pub stages: [TextureStage; 8],
}

/// The default limit of executed instructions.
pub const MAX_STEPS: u32 = 1 << 20;

agal_core::errors! {
    /// The reasons why a shader can't be compiled, or why its execution was stopped. Instruction indices are 1-based.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum D3d9RunError {
        Malformed { instruction: u32 } = "instruction {instruction} is malformed";
        Invalid { instruction: u32 } = "instruction {instruction} can't be run: the shader is not valid";
        Steps(u32) = "the program does not end within {0} instructions";
        Depth = "calls are nested too deeply";
    }
}

/// The [`Language`] type of Direct3D 9, with the types that textures and observers receive.
#[derive(Clone, Copy, Debug)]
pub struct Direct3D9;

impl Language for Direct3D9 {
    type Sampler = DeclaredSampler;
    type Register = register::D3d9Register;
    type Computation<'a> = D3d9Computation;
    const UNBOUND: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
}

/// A texture read by a Direct3D 9 shader.
pub type D3d9Lookup<'a> = agal_core::interp::TextureLookup<'a, Direct3D9>;

/// An executed instruction, with the lanes that were active before its flow control took effect.
pub type D3d9TraceStep = agal_core::interp::TraceStep<Direct3D9>;

/// A sampler register with its declared texture dimension.
#[derive(Clone, Copy, Debug)]
pub struct DeclaredSampler {
    /// The index of the sampler register, or of the texture stage in ps_1_x.
    pub number: u16,
    /// The texture dimension that the shader declares.
    pub dimension: Dimension,
}

impl SamplerRegister for DeclaredSampler {
    fn number(&self) -> u16 {
        self.number
    }
    fn faces(&self) -> u8 {
        self.dimension.faces()
    }
}

/// The inputs of an operation, before result modifiers are applied.
#[derive(Clone, Copy, Debug)]
pub struct D3d9Computation {
    /// The operation, without its modifiers.
    pub operation: Operation,
    /// The version of the shader.
    pub version: ShaderVersion,
    /// The sources with their modifiers applied; a scalar source is replicated to all four components.
    pub sources: [LaneRegister; 3],
    /// The rows of a matrix source.
    pub rows: [LaneRegister; 4],
}

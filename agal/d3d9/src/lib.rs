#![doc = include_str!("../README.md")]
//!
//! # The stages
//!
//! ```text
//! bytes ─decode→ D3d9Program ─check→ D3d9Report   D3d9Program ─CompiledShader::new→ CompiledShader ─run→ D3d9State
//!  text ─assemble→ D3d9Program ─listing→ text     D3d9Program ─emit→ GLSL
//! AGAL ─translate→ D3d9Program and the state of its samplers
//! ```
//!
//! * [`D3d9Program::decode`] accepts any dwords after a version and preserves all bits.
//! * [`check`] validates a program against the rules and limits of its version; each
//! [`D3d9Finding`](check::D3d9Finding) contains the rule and the instruction.
//! * [`text`] prints listings in the format of Microsoft's compiler and assembles them.
//! * [`interp`] executes four vertices or a pixel quad; [`glsl`] emits 330 and 300 es; [`from_agal`] translates AGAL.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::indexing_slicing))]

pub mod check;
pub mod ctab;
mod dataflow;
mod declarations;
mod decode;
mod divergence;
mod formula;
pub mod from_agal;
#[cfg(feature = "generate")]
pub mod generate;
pub mod glsl;
pub mod interp;
pub mod opcode;
pub mod operand;
mod operation;
mod overflow;
mod program;
pub mod register;
pub mod slots;
pub mod text;
mod texture_order;
mod texture_stage;
mod version;

pub use agal_core::float;
pub use decode::{DecodeError, FileKind, MAX_COMMENT, file_kind};
pub use program::{D3d9Instruction, D3d9Program, MAX_SOURCES, StreamItem};
pub use texture_order::MAX_ORDER;
pub use version::{ShaderVersion, Stage};
